"""Whoever may send a plan chooses disks and layout, never a word that root's programs take for something else."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from raidtui.steps.preflight import check_plan
from raidtui.values.codec import document_digest, from_json, plain, to_json
from raidtui.values.design import Alert, FileSystemOptions, MountOption
from raidtui.values.errors import BadInput, Refused
from raidtui.values.findings import errors
from raidtui.values.plan import Plan
from tests.planner.plans import disks, machine, plan_of

HOSTILE = ("\nPROGRAM /tmp/x", '", RUN+="/tmp/x', ",x-systemd.automount", " $(reboot)\\'%s\u2028")
"""what another line, key, option or word begins with in fstab, mdadm.conf, udev rules and shells"""


def plan() -> Plan:
    """A plan with everything that a user can word."""
    alert = Alert(mail="storage@example.org", program="/usr/local/sbin/page")
    return plan_of("2x raid5(2+1)", io_scheduler="mq-deadline", alert=alert)


def leaves(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Places of texts in a document; of equal entries of a list only the first."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*place, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value[:1]):
            yield from leaves(inner, (*place, number))
    elif isinstance(value, str):
        yield place


def edited(document: Any, place: tuple[str | int, ...], more: str) -> Any:
    """The document with `more` behind the text at `place`, and a digest that fits."""
    found = deepcopy(document)
    inner = found
    for part in place[:-1]:
        inner = inner[part]
    inner[place[-1]] += more
    return found


@pytest.mark.parametrize("more", HOSTILE)
def test_no_text_of_a_plan_gets_into_a_file_of_the_system(more: str) -> None:
    good = plan()
    document, here = plain(good), machine(*disks(6))
    assert not errors(check_plan(good, here))
    for place in leaves(document):
        try:
            other = from_json(Plan, to_json(edited(document, place, more)), source="the order")
            other = replace(other, digest=document_digest(other))
        except BadInput:
            continue
        if not errors(check_plan(other, here)):
            assert (other.steps, other.host, other.name) == (good.steps, good.host, good.name), place


@pytest.mark.parametrize(
    "option",
    [
        *(MountOption(name=name, value="") for name in ("x-systemd.automount", "user", "owner", "bind", "helper")),
        *(MountOption(name="logbufs", value=value) for value in ("8\n", "8,suid", "8 0 0", "$(x)", "\u096e")),
    ],
)
def test_a_mount_option_is_a_known_one_with_a_whole_value(option: MountOption) -> None:
    with pytest.raises(Refused):
        plan_of("raid1(2)", fs_options=FileSystemOptions(mount=(option,)))


def test_a_known_mount_option_is_taken() -> None:
    taken = plan_of("raid1(2)", fs_options=FileSystemOptions(mount=(MountOption(name="logbufs", value="8"),)))
    assert not errors(taken.findings)
