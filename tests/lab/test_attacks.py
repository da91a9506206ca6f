"""Attacks on acts on real md: a handful on a push, all of them in `long`; nothing of others is written to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab.attack_other_rows import OTHER_ATTACKS
from tests.lab.attack_rows import REPLACE_ATTACKS, SCENES
from tests.lab.attacks import Attack, Field, machine
from tests.lab.image import Image

pytestmark = pytest.mark.lab

ATTACKS = (*REPLACE_ATTACKS, *OTHER_ATTACKS)
ON_PUSH = (
    "replace: another disk in the slot of the new one",
    "spare: a file system on it",
    "grow: another file system is mounted over ours",
    "files: mdadm.conf is a link to /dev/null",
)


@pytest.fixture(scope="module")
def field(lab_image: Image) -> Iterator[Field]:
    """One machine for all attacks."""
    with machine(lab_image) as vm:
        yield Field(vm)


def test_every_attack_has_its_name() -> None:
    names = [each.name for each in ATTACKS]
    assert len(set(names)) == len(names) and set(ON_PUSH) <= set(names)


@pytest.mark.parametrize(
    "attack",
    [pytest.param(each, id=each.name, marks=() if each.name in ON_PUSH else pytest.mark.long) for each in ATTACKS],
)
def test_nothing_of_others_is_written_to(field: Field, attack: Attack) -> None:
    found = field.strike(attack, SCENES[attack.scene])
    assert found.wrong == (), found.said
