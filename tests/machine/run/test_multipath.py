"""Multipath maps: udev ignores their lock (systemd's udev-worker.c) and assembles what is half erased."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.machine.run.journal import records
from raidtui.model.errors import Stale
from raidtui.model.inventory import Inventory
from tests.faults.scene import map_of
from tests.machine.simulation import Run, planned
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
    run = Run(tmp_path, planned("(3+1)+1", MACHINE), FaultyMachine(MACHINE, speed_up=3600))
    run.build()
    return run


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
