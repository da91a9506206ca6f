"""Extensions on real md: two whole ones on a push; each kind whole, and cut by a kill and by a power cut, in `long`."""

import random

import pytest

from tests.lab.extend_faults import KINDS, drawn, machine, one
from tests.lab.guest_raidtui import install
from tests.lab.image import Image

pytestmark = pytest.mark.lab
_NAMES = [kind.name for kind in KINDS]


def test_larger_members_and_a_shelf(lab_image: Image) -> None:
    with machine(lab_image) as vm:
        install(vm)
        for name in ("larger members, LVM and XFS", "shelf of two mirrors"):
            found = one(vm, KINDS[_NAMES.index(name)], "", 0)
            assert found.after > found.before


@pytest.mark.long
@pytest.mark.parametrize("name", _NAMES)
def test_no_cut_loses_data(name: str, lab_image: Image) -> None:
    with machine(lab_image) as vm:
        install(vm)
        found = drawn(vm, KINDS[_NAMES.index(name)], 2, random.Random(33), print)
    assert [each.cut for each in found] == ["", "call", "power"]
    assert len({(each.before, each.after) for each in found}) == 1
