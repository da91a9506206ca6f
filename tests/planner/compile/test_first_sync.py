"""The minutes until a plan's file systems are mounted, and the hours until its arrays are in sync."""

from __future__ import annotations

import pytest

from raidtui.answers.confirm import build_page
from raidtui.answers.plain_text import plain_lines
from raidtui.scripts.build_script import build_script
from raidtui.scripts.runbook import runbook
from raidtui.steps.array_steps import first_sync_text, mount_minutes
from raidtui.values.design import Trial
from raidtui.values.notation import parse
from raidtui.values.plan import Plan
from tests.machine.simulation import planned
from tests.planner.plans import RUN_ID, disks, plan_of

TEXT = (
    "Mounted about 2 min after the confirmation; the first sync takes about 5.8 h on idle disks that are zero; on "
    "used disks md rewrites parity, about 19 h (13 h to 29 h; --first-sync zeroes avoids that where drives have Write "
    "Zeroes), at most 54 h on busy ones. What is written meanwhile is redundant at once."
)
"""2 TB at 10 000 KiB/s are 54.3 h; a member of this chassis passes 2 TB in 5.8 h (measured/, NL2000SAS72)"""


def test_page_runbook_and_script_say_the_same_hours() -> None:
    plan = planned("4x(12+2)+4")
    assert first_sync_text(plan) == TEXT
    assert plan.first_sync_hours == 5.811
    assert TEXT in " ".join(plain_lines(build_page(plan)))
    assert TEXT in runbook(plan).replace("\\", "")
    assert build_script(plan).text.endswith(
        "echo 'Built and read back. The first sync runs, 5.8 h on idle disks that are zero, about 19 h on used ones: "
        "see /proc/mdstat; all is redundant.'\n"
    )
    (found,) = [finding for finding in plan.findings if finding.code == "first-sync"]
    assert (found.severity, found.message) == ("note", TEXT)
    assert found.way_out == (
        "raidtui build --wait-for-sync makes file systems only after the sync; reboot only when /proc/mdstat shows no "
        "resync; until then a RAID6 with a missing member does not start at boot; if so, run mdadm --assemble"
    )


def test_a_mirror_starts_without_a_member_during_its_first_sync_too() -> None:
    (found,) = [finding for finding in plan_of("raid1(2)").findings if finding.code == "first-sync"]
    assert found.way_out == "raidtui build --wait-for-sync makes file systems only after the sync"


def test_without_a_file_system_the_arrays_are_built() -> None:
    assert first_sync_text(plan_of("raid1(2)", fs="none")).startswith("Built about 1 min after the confirmation; ")


@pytest.mark.parametrize(
    ("layout", "hours", "busiest"),
    [
        ("raid10(8)", 97.7, "81 d"),  # 72 TB at 204.8 MB/s, at 10.24 MB/s under load
        ("raid10(24)", 293.0, "244 d"),  # 216 TB
        ("raid10(6,n3)", 48.8, "41 d"),  # 36 TB
        ("raid1(2)", 29.5, "20 d"),  # one member, on disks that are slower than the limit
    ],
)
def test_md_counts_the_sectors_of_a_raid10_and_not_those_of_a_member(layout: str, hours: float, busiest: str) -> None:
    """Source: raid10_run sets resync_max_sectors to the array's, and md_do_sync holds sync_speed_max against them."""
    plan = plan_of(layout, disks(24, 18 * 10**12)[: parse(layout).disks])
    assert plan.first_sync_hours == pytest.approx(hours, rel=0.03)
    assert f"at most {busiest}" in first_sync_text(plan)


def test_used_disks_take_longer_where_parity_is_rewritten() -> None:
    """Published for a RAID6 of four used disks of 2 TB: 18 to 36 h; where parity is right 101 MB/s a member."""
    text = first_sync_text(plan_of("(2+2)", disks(4, 2 * 10**12)))
    assert (
        "about 7.6 h on idle disks that are zero; on used disks md rewrites parity, about 25 h (17 h to 38 h;" in text
    )
    assert "--first-sync zeroes avoids that" in text
    assert "used disks" not in first_sync_text(plan_of("(3+1)", disks(4, 2 * 10**12)))
    assert "used disks" not in first_sync_text(plan_of("raid10(4)", disks(4, 2 * 10**12)))


def test_minutes_are_rounded_up() -> None:
    plan = plan_of("raid1(2)")
    assert mount_minutes(plan) == 1  # most of it for the initramfs
    assert mount_minutes(plan_of("raid1(2)", initramfs="dracut")) == 1
    assert mount_minutes(planned("4x(12+2)+4", fs="ext4")) == 2


@pytest.mark.parametrize("layout", ["raid0(4)", "4x disk"])
def test_nothing_is_synced_without_redundancy(layout: str) -> None:
    plan = plan_of(layout)
    assert (plan.first_sync_hours, first_sync_text(plan)) == (None, "")
    assert "first-sync" not in {finding.code for finding in plan.findings}


def test_a_trial_is_gone_before_its_sync_ends() -> None:
    trial = plan_of(
        "(4+2)", trial=Trial(slice_bytes=2**31, first_sync=False), mount_point=f"/var/lib/raidtui/{RUN_ID}/files"
    )
    assert trial.first_sync_hours is None


@pytest.mark.parametrize("layout", ["raid4(3+1)", "2x(4+1)+1"])
def test_file_systems_wait_where_one_failed_disk_loses_them(layout: str) -> None:
    """mdadm builds the last member of a new RAID4 or RAID5 as a spare (Create.c)."""
    plan = plan_of(layout)
    times = (
        "about 7.6 h on idle disks, at most 54 h on busy ones. Until it ends, one failed disk loses a RAID4 or RAID5."
    )
    assert first_sync_text(plan) == f"Mounted after the first sync, which takes {times}"
    assert build_script(plan).text.endswith(
        "The first sync runs, 7.6 h on idle disks: see /proc/mdstat; until it ends, one failed disk loses an array.'\n"
    )
    (found,) = [finding for finding in plan.findings if finding.code == "first-sync"]
    assert found.way_out == "raidtui build --during-sync makes file systems at once"
    assert "--force" not in _create(plan)


def test_without_a_file_system_nothing_waits() -> None:
    text = first_sync_text(plan_of("(3+1)", fs="none"))
    assert text.startswith("Built about 1 min after the confirmation; the first sync takes about 7.6 h on idle disks")
    assert text.endswith("Until it ends, one failed disk loses a RAID4 or RAID5.")


def _create(plan: Plan) -> tuple[str, ...]:
    return next(command.argv for step in plan.steps for command in step.commands if "--create" in command.argv)
