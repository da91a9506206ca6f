"""Multipath maps: udev ignores their lock (systemd's udev-worker.c) and assembles what is half erased."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from raidtui.engine.journal import records
from raidtui.machine.system.ports import AS_NAMED, Ran
from raidtui.values.errors import Stale
from raidtui.values.inventory import Inventory
from tests.faults.scene import map_of
from tests.machine.simulation import Run, built_run
from tests.planner.plans import disks
from tests.simulated.fault_model import Fault
from tests.simulated.machine import FaultyMachine

MACHINE = Inventory(
    origin="chassis", name="host", machine_id="f" * 32, disks=tuple(map(map_of, disks(5, 2**33), range(5)))
)
BLANKING = ("blkdiscard", "--zeroout", "--offset=8192")
"""the second command on each member of an undo: the superblock is still there"""


@pytest.fixture
def built(tmp_path: Path) -> Run:
    return built_run(tmp_path, "(3+1)+1", MACHINE)


def test_an_undo_stops_what_udev_assembles_of_half_erased_maps(built: Run) -> None:
    before = FaultyMachine(MACHINE).hashes()
    built.undo()
    assert built.last() == "finished"
    assert built.machine.hashes() == before
    assert built.machine.names("/dev/md") == ()
    retried = [
        record.exit for record in records(built.folder) if record.kind == "result" and record.argv[:3] == BLANKING
    ]
    assert retried == [1, 0] * 5  # udev came first each time


def test_an_undo_does_not_erase_a_map_that_an_array_of_others_has_taken_meanwhile(built: Run) -> None:
    disk = built.plan.disks[0]
    built.machine.arm(Fault(kind="use", what="md-inactive", disk=disk.id, words=BLANKING))
    with pytest.raises(Stale, match=f"{disk.path} belongs to data: '.*', not '{built.plan.arrays[0].uuid}'"):
        built.undo()
    assert len(built.machine.fired) == 1
    assert built.machine.first_nonzero(disk.path, ((4096, 4096),)) == 4096  # their superblock


@pytest.mark.parametrize("words", [("mdadm", "--stop"), BLANKING, ("umount",)])
def test_an_undo_tries_again_whatever_the_program_printed(built: Run, words: tuple[str, ...]) -> None:
    """mdadm 4.2 prints "Cannot get exclusive access" for an array that is open, without the word busy."""
    built.machine.arm(Fault(kind="fail", words=words))
    built.undo()
    assert (built.last(), len(built.machine.fired)) == ("finished", 1)


class Unreadable:
    """A machine on which mdadm names no array at a device that holds members, as one made by `mdadm --build`."""

    def __init__(self, machine: FaultyMachine) -> None:
        self._machine = machine

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)

    def ask(self, argv: tuple[str, ...], devices: Any = AS_NAMED) -> Ran:
        if argv[:3] == ("mdadm", "--detail", "--export") and argv[3].startswith("/dev/md1"):
            return Ran(exit=1, stdout="", stderr="")
        return self._machine.ask(argv, devices)


def test_an_undo_does_not_stop_a_holder_whose_array_cannot_be_read(built: Run) -> None:
    built.machine = Unreadable(built.machine)  # type: ignore[assignment]
    with pytest.raises(Stale, match=f"{built.plan.disks[0].path} is held by md127, whose array UUID cannot be read"):
        built.undo()


class Renamed(Unreadable):
    """A machine on which another array has the name of one that `mdadm --stop` did not stop at once."""

    def __init__(self, machine: FaultyMachine, name: str) -> None:
        super().__init__(machine)
        self.name = name
        self.stops: list[str] = []

    def run(self, argv: tuple[str, ...], *words: Any, **more: Any) -> int:
        if argv[:2] == ("mdadm", "--stop") and argv[2].startswith(self.name):
            self.stops.append(argv[2])
            return 1
        return int(self._machine.run(argv, *words, **more))

    def ask(self, argv: tuple[str, ...], devices: Any = AS_NAMED) -> Ran:
        if self.stops and argv == ("mdadm", "--detail", "--export", self.stops[0]):
            return Ran(exit=0, stdout="MD_UUID=11111111:22222222:33333333:44444444\n", stderr="")
        return self._machine.ask(argv, devices)


@pytest.mark.parametrize("name", ["/dev/md/", "/dev/md1"], ids=["made by the plan", "assembled by udev"])
def test_a_stop_is_not_tried_again_on_an_array_that_has_taken_the_name(built: Run, name: str) -> None:
    machine = built.machine = Renamed(built.machine, name)  # type: ignore[assignment]
    with pytest.raises(Stale, match="11111111:22222222:33333333:44444444"):
        built.undo()
    assert [each.startswith(name) for each in machine.stops] == [True]
