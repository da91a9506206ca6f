"""Content that came after a command was announced, and superblocks of the plan that are not where the plan put them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.machine import journal
from raidtui.machine.ownership import contents
from raidtui.machine.simulated.faults import Fault, Leftover
from raidtui.model.errors import Refused
from tests.faults.bench import Bench, bench
from tests.faults.scene import Scene, plan_on, with_bystanders
from tests.machine.test_ownership import person
from tests.planner.plans import disks

OWNER = "wwn-0x5000c50000000002"
BY_ID = "/dev/disk/by-id/"


def on_old_content(folder: Path, old: Leftover) -> Bench:
    machine = with_bystanders(disks(16), targets=12)
    machine.leave(OWNER, old)
    made = bench(Scene(machine=machine.to_json(), plan=plan_on(machine, "2x(3+2)+2")), folder)
    made.accepted = True
    return made


@pytest.mark.parametrize(("old", "new"), [("ext4", "xfs"), ("xfs", "luks"), ("data", "ext4"), ("gpt", "ext4")])
@pytest.mark.parametrize("side", ["before", "after"])
def test_another_content_on_a_disk_whose_wipe_was_begun_stops_a_resume(
    tmp_path: Path, old: Leftover, new: Leftover, side: str
) -> None:
    made = on_old_content(tmp_path, old)
    made.machine.arm(Fault(kind="kill", words=("wipefs", "--all"), side=side))  # type: ignore[arg-type]
    assert made.begin().code is None
    made.machine.arm()
    person(made, "wipefs", "--all", BY_ID + OWNER)
    made.machine.leave(OWNER, new)
    before = made.machine.hashes()
    ended = made.resume()
    assert isinstance(ended.problem, Refused)
    assert "(serial S002, slot unknown) carries " in str(ended.problem)
    assert "which is not what it held when it was planned" in str(ended.problem)
    assert ended.commands == 0
    assert made.machine.hashes() == before


def test_a_new_file_system_of_the_same_kind_is_not_the_one_that_was_confirmed(tmp_path: Path) -> None:
    made = on_old_content(tmp_path, "ext4")
    plan = made.plan
    other = "file-system ext4 0d7b8ec1-30d2-4a19-8a3e-3c1d9e1f7a55"
    held = tuple(
        replace(disk, content=(other,), fingerprint="0" * 32) if disk.content else disk for disk in plan.disks
    )
    made.machine.arm(Fault(kind="kill", words=("wipefs", "--all")))
    assert made.begin().code is None
    found = contents(plan, made.machine, journal.records(made.folder))
    assert {each.state for each in found if each.disk.content} == {"half wiped"}
    found = contents(replace(plan, disks=held), made.machine, journal.records(made.folder))
    assert {each.state for each in found if each.disk.content} == {"foreign"}
