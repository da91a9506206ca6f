"""Nobody else writes to the disks of a plan: asked of the simulated machine as an executor asks it."""

from __future__ import annotations

import os
from typing import Any

import pytest

from raidtui.engine.things import check_unused
from raidtui.machine.system.ports import User
from raidtui.values.errors import MachineFailed, Stale
from raidtui.values.plan import Command
from tests.faults.scene import Scene, canonical
from tests.simulated.machine import FaultyMachine


@pytest.fixture
def scene() -> Scene:
    return canonical()


def test_a_writer_stops_and_names_disk_process_and_way_out(scene: Scene) -> None:
    machine = scene.fresh()
    check_unused(scene.plan.disks, machine)
    machine.occupy(scene.targets[2], "open")
    with pytest.raises(Stale, match=r"serial S003\) is open for writing by qemu-system-x86 \(pid 4711\)$") as told:
        check_unused(scene.plan.disks, machine)
    assert "stop that process" in told.value.hint and "raidtui undo" in told.value.hint
    machine.release(scene.targets[2])
    check_unused(scene.plan.disks, machine)


def test_a_reader_and_a_writer_on_another_disk_do_not(scene: Scene) -> None:
    machine = scene.fresh()
    first = scene.plan.disks[0].path
    machine.open(first, "smartd", 812, writing=False)
    bystander = next(disk for disk in machine.inventory().disks if disk.id not in scene.targets)
    machine.open(bystander.path, "qemu-system-x86", 4711)
    check_unused(scene.plan.disks, machine)
    assert machine.users((first,)) == (User(path=first, by="smartd (pid 812)", writing=False),)
    assert [disk.opened_by[0].command for disk in machine.inventory().disks if disk.opened_by] == [
        "smartd", "qemu-system-x86",
    ]  # fmt: skip


@pytest.mark.parametrize("device", ["/dev/md/data-0", "/dev/data/data"])
def test_a_writer_on_what_stands_on_the_disks_stops(scene: Scene, device: str) -> None:
    machine = scene.fresh()
    built(machine, scene)
    check_unused(scene.plan.disks, machine)
    machine.open(device, "mysqld", 900)
    with pytest.raises(Stale, match=r"mysqld \(pid 900\), and \d+ more disks of the plan are in use"):
        check_unused(scene.plan.disks, machine)
    machine.close(900)
    check_unused(scene.plan.disks, machine)
    for disk in scene.plan.disks[:2]:
        machine.open(disk.path, "dd", 901)
    with pytest.raises(Stale, match=r"dd \(pid 901\), and 1 more disk of the plan is in use"):
        check_unused(scene.plan.disks, machine)


@pytest.mark.parametrize(("how", "by"), [("loop", "the loop device loop0"), ("exported", "the export LIO iblock_0")])
def test_a_user_in_the_kernel_stops(scene: Scene, how: Any, by: str) -> None:
    machine = scene.fresh()
    machine.occupy(scene.targets[0], how)
    with pytest.raises(Stale, match=f"is open for writing by {by}"):
        check_unused(scene.plan.disks, machine)


def test_a_writer_that_ends_in_the_fifth_look_does_not(scene: Scene) -> None:
    class Brief:
        looks, waited = 0, 0

        def users(self, paths: tuple[str, ...]) -> tuple[User, ...]:
            self.looks += 1
            return (User(path=paths[0], by="mdadm (pid 7)", writing=True),) if self.looks < 5 else ()

        def wait(self, seconds: float) -> None:
            self.waited += 1

    runner: Any = Brief()
    check_unused(scene.plan.disks, runner)
    assert (runner.looks, runner.waited) == (5, 4)


def test_what_cannot_be_looked_at_stops(scene: Scene) -> None:
    class Blind:
        def users(self, paths: tuple[str, ...]) -> tuple[User, ...]:
            raise MachineFailed("the users of the disks are unknown: the open files of process 1 cannot be read")

    runner: Any = Blind()
    with pytest.raises(MachineFailed, match="are unknown"):
        check_unused(scene.plan.disks, runner)


def test_processes_end_with_the_machine(scene: Scene) -> None:
    machine = scene.fresh()
    machine.occupy(scene.targets[0], "open")
    assert FaultyMachine.from_json(machine.to_json()).users((scene.plan.disks[0].path,)) != ()
    machine.reboot()
    check_unused(scene.plan.disks, machine)


def test_a_device_that_is_not_there_cannot_be_opened(scene: Scene) -> None:
    with pytest.raises(ValueError, match="/dev/md/none is not there"):
        scene.fresh().open("/dev/md/none", "dd", 5)


def built(machine: FaultyMachine, scene: Scene) -> None:
    output = os.open(os.devnull, os.O_WRONLY)
    for step in scene.plan.steps:
        for action in step.actions:
            if isinstance(action, Command) and step.stage in ("wipe", "create", "volume"):
                assert machine.run(action.argv, output) in action.good_exits, action
    os.close(output)
