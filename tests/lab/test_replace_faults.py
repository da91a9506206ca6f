"""Replacements under load, each with another fault: what was synced reads back, other disks stay as they are."""

import random

import pytest

from tests.lab.guest_raidtui import install
from tests.lab.replace_faults import FAULTS, machine, one

pytestmark = [pytest.mark.lab, pytest.mark.long]


def test_no_fault_loses_data() -> None:
    draw = random.Random(26)
    with machine() as vm:
        install(vm)
        found = [one(vm, draw, fault) for fault in FAULTS]
    assert [each.fault for each in found] == list(FAULTS)
    assert all(each.files > 5 for each in found)
    assert all(not each.lacking for each in found if each.fault in ("wrong disk", "call killed"))
