"""A member that fails after its array was created, before that is read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.values.errors import Stale
from tests.faults.bench import bench
from tests.faults.scene import canonical, member
from tests.machine.safety.test_ownership import person
from tests.simulated.fault_model import Fault

FIRST = "/dev/disk/by-id/wwn-0x5000c50000000001"
WAY_OUT = (
    "the kernel's log (dmesg) says why; if the disk works, put it back, then raidtui resume, or raidtui undo; if not, "
    "raidtui undo and plan without it"
)


@pytest.mark.parametrize("how", ["pulled", "faulty"])
def test_the_disk_is_named_with_what_can_be_done(tmp_path: Path, how: str) -> None:
    made = bench(canonical(), tmp_path)
    create = next(step for step in made.plan.steps if step.stage == "create")
    assert member(made.plan, "member-a") in FIRST

    def fails() -> None:
        if how == "pulled":
            made.machine.unplug(member(made.plan, "member-a"))
        else:
            person(made, "mdadm", "--manage", "/dev/md/data-0", "--fail", FIRST)

    made.hooks[("after", "result", create.number, 3)] = fails
    ended = made.begin()
    assert isinstance(ended.problem, Stale)
    assert str(ended.problem) == (
        "not as planned: /dev/md/data-0 has Working Devices 5: '4', not '5'; it works without "
        f"{FIRST} (serial S001, slot 1)"
    )
    assert ended.problem.hint == WAY_OUT
    if how == "pulled":
        made.machine.plug(member(made.plan, "member-a"))
    assert made.resume().code == 0


def test_a_disk_that_is_lost_before_its_array_has_its_spare_is_named(tmp_path: Path) -> None:
    made = bench(canonical(), tmp_path)
    lost = Fault(kind="unplug", words=("mdadm", "--create"), at=2, side="after", disk=member(made.plan, "member-a"))
    made.machine.arm(lost)
    ended = made.begin()
    assert str(ended.problem) == (
        "not as planned: /dev/md/data-0 has 6 working devices: '5', not '6'; it works without "
        f"{FIRST} (serial S001, slot 1)"
    )
