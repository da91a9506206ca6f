"""The steps that zero all members in place of a first sync: their bytes, their words, and when they end a build."""

from __future__ import annotations

from typing import Any

import pytest

from raidtui.scripts.build_script import build_script
from raidtui.scripts.runbook import runbook
from raidtui.steps.array_steps import bare_until_sync, measured_zeroing, read_back
from raidtui.values.design import Trial
from raidtui.values.plan import Plan
from raidtui.values.units import GIB, MIB
from tests.planner.plans import disks, plan_of, step

DISK = "/dev/disk/by-id/wwn-0x5000c50000000001"
TEXT = (
    "Mounted about 1 min after the confirmation and 1 to 75 min of zeroing (an upper bound where Write Zeroes is no "
    "slower than writing; the build measures it first). All is in sync then: there is no "
    "first sync of about 2.7 h."
)
"""2 TB at 450 MB/s are 75 minutes"""


def _plan(layout: str = "(4+2)", *, able: int | None = 2 * GIB, first_sync: Any = "zeroes", **asked: Any) -> Plan:
    found = disks(12, rotational=False, write_zeroes_max_bytes=able)
    return plan_of(layout, found[: plan_of(layout).design.layout.disks], first_sync=first_sync, **asked)


def test_the_data_area_of_each_member_is_zeroed_in_two_parts_and_no_spare_is() -> None:
    plan = _plan("(4+2)+1")
    first, rest = step(plan, "Measure how fast 6 members zero"), step(plan, "Zero the data areas of 6 members")
    assert [" ".join(command.argv) for command in (first.commands[0], rest.commands[0])] == [
        f"blkdiscard --zeroout --offset=135266304 --length=1073741824 {DISK}",
        f"blkdiscard --zeroout --offset=1209008128 --length=1999189835776 {DISK}",
    ]  # data from 264192 sectors on, 1953382400 KiB of it
    assert 1209008128 + 1999189835776 == 264192 * 512 + 1953382400 * 1024
    for each in (first, rest):
        assert [command.members for command in each.commands] == [(disk.path,) for disk in plan.disks[:6]]
        assert (each.stage, len(each.destroys), len(each.locks)) == ("zero", 6, 7)
    assert [reading.what for reading in rest.after[:6]] == [
        f"4 MiB at byte {at} of {DISK} are zero"
        for at in (135266304, 400186933248, 800238600192, 1200290267136, 1600341934080, 2000394649600)
    ]


def test_the_arrays_are_created_in_sync_and_a_raid5_is_redundant_at_once() -> None:
    plan = _plan("(4+1)")
    create = step(plan, "Create ").commands[0]
    assert (create.without_sync, "--assume-clean" in create.argv) == (True, True)
    assert not bare_until_sync(plan)
    assert bare_until_sync(_plan("(4+1)", first_sync=None))


@pytest.mark.parametrize("layout", ["raid1(2)", "raid10(4,n2)", "2x(2+1)+1", "hybrid(4)"])
def test_every_level_with_redundancy_is_created_so(layout: str) -> None:
    plan = _plan(layout)
    creates = [each.commands[0] for each in plan.steps if each.stage == "create"]
    assert creates
    assert all(command.without_sync for command in creates)
    zeroed = {
        path for each in plan.steps if each.stage == "zero" for command in each.commands for path in command.devices
    }
    assert zeroed == {path for command in creates for path in command.members}


def test_a_small_member_is_timed_by_an_eighth() -> None:
    found = disks(3, size=512 * MIB, rotational=False, write_zeroes_max_bytes=GIB)
    plan = plan_of("(2+1)", found, first_sync="zeroes", fs="ext4")
    first, rest = (each.commands[0].zeroed for each in plan.steps if each.stage == "zero")
    assert first is not None
    assert rest is not None
    assert (first[1], rest[0]) == (63 * MIB, first[0] + 63 * MIB)
    assert first[1] + rest[1] == (plan.prediction.arrays[0].component_bytes or 0)


def test_page_and_runbook_say_minutes_in_place_of_hours_and_the_script_no_sync() -> None:
    plan = _plan()
    (found,) = [finding for finding in plan.findings if finding.code == "zeroes"]
    assert (found.message, found.way_out) == (
        TEXT, "plan with --first-sync resync to have md compute the redundancy instead",
    )  # fmt: skip
    assert (plan.zeroing_hours, plan.first_sync_hours) == (1.235, 2.713)
    assert TEXT in runbook(plan).replace("\\", "")
    assert build_script(plan).text.endswith("echo 'Built and read back.'\n")
    assert "first-sync" not in {finding.code for finding in plan.findings}


def test_where_all_disks_have_write_zeroes_the_note_about_the_sync_names_them() -> None:
    (found,) = [finding for finding in _plan(first_sync=None).findings if finding.code == "first-sync"]
    assert found.way_out.endswith(
        "; or plan with --first-sync zeroes, which replaces the first sync by 1 to 75 min of zeroing (an upper bound "
        "where Write Zeroes is no slower than writing; the build measures it first)"
    )
    for able in (None, 0):
        (found,) = [each for each in _plan(first_sync=None, able=able).findings if each.code == "first-sync"]
        assert "zeroes" not in found.way_out


def test_a_trial_zeroes_nothing() -> None:
    plan = _plan(trial=Trial(slice_bytes=2**31), mount_point="/var/lib/raidtui/0123456789abcdef0123456789abcdef/files")
    assert "zero" not in {each.stage for each in plan.steps}
    assert plan.zeroing_hours is None


@pytest.mark.parametrize(("second", "slow"), [(5.0, False), (5.3, True)])
def test_the_rest_may_take_as_long_as_the_first_sync(second: float, slow: bool) -> None:
    """1862 times 5.25 s are 2.7 h."""
    plan = _plan()
    first, rest = (each for each in plan.steps if each.stage == "zero")
    seconds = {command.devices[0]: 0.5 for command in first.commands} | {plan.disks[1].path: second}
    found = measured_zeroing(plan, first, seconds)
    assert found is not None
    assert found.too_slow is slow
    assert measured_zeroing(plan, rest, seconds) is None


def test_ten_minutes_are_never_too_slow() -> None:
    found = disks(3, size=512 * MIB, rotational=False, write_zeroes_max_bytes=GIB)
    plan = plan_of("(2+1)", found, first_sync="zeroes", fs="ext4")
    first = next(each for each in plan.steps if each.stage == "zero")
    paths = [command.devices[0] for command in first.commands]
    verdicts = [measured_zeroing(plan, first, dict.fromkeys(paths, seconds)) for seconds in (80.0, 90.0)]
    assert [found is not None and found.too_slow for found in verdicts] == [False, True]  # about seven times as long


def test_what_is_read_back_is_at_both_ends_and_at_the_places_of_a_blank_check() -> None:
    plan = _plan()
    rest = step(plan, "Zero the data areas").commands[0]
    areas = read_back(plan, rest)
    assert (areas[0], areas[-1]) == ((1209008128, 4 * MIB), (1209008128 + 1999189835776 - 4 * MIB, 4 * MIB))
    assert (10 * GIB, 4096) in areas
    assert (GIB, 4096) not in areas  # in the part that is zeroed first
    assert len(areas) > 60
