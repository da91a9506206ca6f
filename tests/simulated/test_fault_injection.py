"""Every fault that can be asked for takes effect, says so, and harms no disk that is not the plan's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from raidtui.simulated.machine import SimulatedMachine
from raidtui.values.errors import MachineFailed, RaidtuiError, Refused
from tests.machine.simulated import test_machine
from tests.machine.simulation import E2660, YEAR, Run, do, planned, say
from tests.simulated.fault_model import (
    IN_USE,
    LEFTOVERS,
    Fault,
    FaultKind,
    InUse,
    Leftover,
)
from tests.simulated.machine import FaultyMachine

PLAN = planned("(2+1)+1")
IDS = [disk.id for disk in E2660.disks]
PATHS = [disk.path for disk in PLAN.disks]
OTHERS = IDS[4:]


def number(start: str) -> int:
    """Number of the plan's step whose title starts so."""
    return next(step.number for step in PLAN.steps if step.title.startswith(start))


def command_at(step: int, action: int) -> int:
    """Which command or file, counted from the begin of a build, is `action` of `step` (both from 1)."""
    return sum(len(each.actions) for each in PLAN.steps if each.number < step) + action


def failing(root: Path, *faults: Fault) -> tuple[Run, str]:
    """A run of the plan under these faults, and what stopped it."""
    run = Run(root, PLAN)
    run.machine.arm(*faults)
    try:
        run.build()
    except RaidtuiError as problem:
        stopped = str(problem)
    else:
        stopped = ""
    assert all(run.machine.writes()[each] == 0 for each in OTHERS)
    return run, stopped


@pytest.mark.parametrize(
    ("fault", "stopped"),
    [
        (Fault(kind="fail", words=("mkfs.xfs",)), "mkfs.xfs -K ended with exit code 1: mkfs.xfs: it failed"),
        (Fault(kind="fail-partly", words=("mkfs.xfs",)), "mkfs.xfs -K ended with exit code 1"),
        (Fault(kind="lie", words=("mkfs.xfs",)), "has UUID"),
        (Fault(kind="lie", words=("wipefs", "--all")), ""),
        (Fault(kind="lie", words=("blkdiscard",)), ""),
        (Fault(kind="lie", words=("mdadm", "--create")), "/dev/md/data is not the array "),
        (Fault(kind="lie", words=("mdadm", "--manage")), "working devices"),
        (Fault(kind="lie", words=("mount",)), "is the file system"),
        (Fault(kind="lie", words=("systemctl", "restart")), "the monitor runs"),
        (Fault(kind="lie", words=("udevadm", "control")), ""),
        (Fault(kind="lie", words=("write", "/etc/fstab")), "verification failed"),
        (Fault(kind="fail", words=("write", "/etc/fstab")), "/etc/fstab: Input/output error"),
        (Fault(kind="busy", words=("mount",)), ""),
        (Fault(kind="fail-partly", words=("mdadm", "--create")), "mdadm --create ended with exit code 1"),
        (Fault(kind="unplug", disk=IDS[1], at=command_at(number("Wipe"), 3)), "points to another device"),
        (Fault(kind="replace", disk=IDS[1], at=command_at(number("Wipe"), 3)), "points to another device"),
        (
            Fault(kind="renumber", disk=IDS[1], at=command_at(number("Create"), 1)),
            "--create ended with exit code 1",
        ),
        (Fault(kind="lead", disk=OTHERS[0], what=PATHS[1], at=command_at(number("Wipe"), 3)), "points to another"),
        (Fault(kind="duplicate", disk=IDS[1], at=command_at(number("Wipe"), 3)), "points to another device"),
        (Fault(kind="resize", disk=IDS[1], at=command_at(number("Wipe"), 3)), "changed since it was checked"),
        (Fault(kind="re-sign", disk=IDS[1], what="gpt", at=command_at(number("Wipe"), 13)), "no signature"),
        (
            Fault(kind="write-error", disk=IDS[1], part="start"),
            "blkdiscard --zeroout ended with exit code 1: Input/output error",
        ),
        (Fault(kind="write-error", disk=IDS[1], part="end"), "blkdiscard --zeroout ended with exit code 1"),
        (Fault(kind="read-error", disk=IDS[1], part="end"), "cannot be read: Input/output error"),
        (Fault(kind="lock", disk=IDS[1]), "udevadm settle ended with exit code 1"),
        (Fault(kind="foreign-array", what="data", on="ask"), "/dev/md/data does not exist"),
        (Fault(kind="stand", device="/dev/md/data", what="loop", words=("mkfs.xfs",)), ""),
        (Fault(kind="suspend", disk=IDS[1]), ""),
        (Fault(kind="slow", disk=IDS[1]), ""),
        (Fault(kind="unplug", disk=IDS[3], words=("mkfs.xfs",)), "working devices: '3', not '4'"),
    ],
    ids=lambda each: f"{each.kind}-{' '.join(each.words[:2])}{each.part}" if isinstance(each, Fault) else None,
)
def test_each_fault_fires_and_is_met(fault: Fault, stopped: str, tmp_path: Path) -> None:
    run, said = failing(tmp_path, fault)
    assert {line.split()[0] for line in run.machine.fired} == {fault.kind}, run.machine.fired
    assert stopped in said, said
    assert bool(said) == bool(stopped)


def test_every_kind_of_fault_is_tried_somewhere() -> None:
    here = Path(__file__).read_text("utf-8") + Path(test_machine.__file__).read_text("utf-8")
    assert [
        kind for kind in get_args(FaultKind) if f'kind="{kind}"' not in here and kind not in ("kill", "power")
    ] == []


def test_what_never_comes_never_fires(tmp_path: Path) -> None:
    run, said = failing(tmp_path, Fault(kind="fail", words=("pvcreate",)), Fault(kind="kill", at=10_000))
    assert (run.machine.fired, said) == ([], "")
    with pytest.raises(ValueError, match="no disk 'sda'"):
        run.machine.arm(Fault(kind="unplug", disk="sda"))


def test_without_a_fault_it_does_what_the_simulated_machine_does(tmp_path: Path) -> None:
    plain, faulty = SimulatedMachine(E2660, speed_up=3600), FaultyMachine(E2660, speed_up=3600)
    Run(tmp_path / "plain", PLAN, plain).build()  # type: ignore[arg-type]
    Run(tmp_path / "faulty", PLAN, faulty).build()
    assert (faulty.commands, faulty.fired) == (sum(len(step.actions) for step in PLAN.steps), [])
    assert SimulatedMachine.from_json(faulty.to_json()).to_json() == plain.to_json()


@pytest.mark.parametrize("how", IN_USE)
def test_every_use_is_seen_by_a_fresh_look(how: InUse) -> None:
    machine = FaultyMachine(E2660)
    machine.occupy(IDS[0], how)
    disk, *rest = machine.inventory().disks
    assert not disk.selectable or how == "md-inactive"
    assert disk.uses
    assert disk.state == ("blank" if how in ("locked", "read-only", "open") else "content")
    assert all(each.selectable and each.state == "blank" for each in rest)


@pytest.mark.parametrize(
    "how", [each for each in IN_USE if each not in ("zfs-exported", "lvm-inactive", "loop", "open")]
)
def test_a_use_that_appears_before_the_wipe_stops_it(how: InUse, tmp_path: Path) -> None:
    fault = Fault(kind="use", disk=IDS[1], what=how, words=("install", "--directory"), side="after")
    run, said = failing(tmp_path, fault)
    assert [line.split()[0] for line in run.machine.fired] == ["use"]
    assert said
    if how != "locked":  # that one gets the lock once ours is given back
        assert run.machine.writes()[IDS[1]] == 0


def test_a_lock_of_others_is_waited_for_a_minute(tmp_path: Path) -> None:
    machine = FaultyMachine(E2660)
    machine.occupy(IDS[0], "locked")
    with pytest.raises(MachineFailed, match="another program holds the lock"), machine.lock(PATHS):
        pass
    assert machine.now == 60


@pytest.mark.parametrize("what", LEFTOVERS)
def test_every_leftover_makes_a_disk_not_blank_and_wiping_takes_it_off(what: Leftover, tmp_path: Path) -> None:
    machine = FaultyMachine(E2660, speed_up=3600)
    blank = machine.hashes()
    machine.leave(IDS[0], what)
    disk = machine.inventory().disks[0]
    assert disk.state == "content" and machine.writes()[IDS[0]] == 0
    assert machine.hashes() != blank
    if not disk.selectable:
        return
    disks = machine.inventory().disks
    plan = planned("(2+1)", replace(E2660, disks=disks))
    run = Run(tmp_path, plan, machine)
    run.build()
    run.undo()
    after = machine.inventory().disks[0]
    assert after.unsigned
    if what == "data-middle":  # no step writes there: what is between the ends stays, and is found again
        assert (after.state, after.sampled) == ("content", disk.sampled)
        machine.leave(IDS[0], "xfs")
        assert not machine.inventory().disks[0].unsigned
    else:
        assert machine.hashes() == blank


def test_a_failing_member_costs_its_place_and_the_spare_takes_it(tmp_path: Path) -> None:
    """The middle of the last member cannot be written: md throws it out while it is built in."""
    run, said = failing(tmp_path, Fault(kind="write-error", disk=IDS[2], part="middle"))
    assert "working devices: '3', not '4'" in said
    assert [line.partition(" at ")[0] for line in run.machine.fired] == [f"write-error on {IDS[2]}"]
    run.machine.advance(YEAR)
    assert "Active device 2" in say(run.machine, "mdadm", "--examine", PATHS[3])


def test_a_create_that_cannot_write_a_member_takes_nothing_back(tmp_path: Path) -> None:
    fault = Fault(kind="write-error", disk=IDS[1], words=("mdadm", "--create"))
    run, said = failing(tmp_path, fault)
    assert "mdadm --create ended with exit code 1" in said
    assert run.machine.holders(PATHS[0]) == ("md127",)
    assert run.machine.names("/dev/md") == ()


def test_an_unplugged_member_of_a_running_array_degrades_it_and_a_build_does_not_end_well(tmp_path: Path) -> None:
    fault = Fault(kind="unplug", disk=IDS[0], words=("mkfs.xfs",))
    run, said = failing(tmp_path, fault)
    assert said
    with pytest.raises(Refused, match="'Add 1 hot spare' was done, but its result has changed"):
        run.resume()  # the spare took the member's place


def test_events_other_than_commands_are_counted_too(tmp_path: Path) -> None:
    machine = FaultyMachine(E2660)
    machine.arm(Fault(kind="unplug", disk=IDS[0], on="wait", at=2))
    machine.wait(1)
    assert machine.pin(PATHS[0]) is not None
    machine.wait(1)
    assert machine.pin(PATHS[0]) is None
    machine.plug(IDS[0])
    pin = machine.pin(PATHS[0])
    assert pin is not None and (pin.name, pin.sequence) == ("sdbi", "61")
    machine.arm(Fault(kind="unplug", disk=IDS[1], on="lock"))
    with pytest.raises(MachineFailed), machine.lock(PATHS):
        pass
    assert len(machine.fired) == 2


def test_a_lying_tool_changes_nothing(tmp_path: Path) -> None:
    machine = FaultyMachine(E2660)
    machine.leave(IDS[0], "xfs")
    before = machine.hashes()
    machine.arm(Fault(kind="lie", words=("wipefs",)))
    assert do(machine, tmp_path, "wipefs", "--all", PATHS[0])[0] == 0
    assert machine.hashes() == before
    assert do(machine, tmp_path, "wipefs", "--all", PATHS[0])[0] == 0
    assert machine.hashes() != before
