"""What the simulated machine has mounted where, and what others put in the way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from raidtui.machine.system.ports import Mounted
from raidtui.simulated.state import SimulatedMount
from tests.machine.simulation import built_run
from tests.simulated.machine import FaultyMachine

PLACE, ARRAY = "/srv/data", "/dev/md/data"


@pytest.fixture
def machine(tmp_path: Path) -> FaultyMachine:
    """One with a file system at PLACE."""
    run = built_run(tmp_path, "(4+2)")
    return run.machine


def test_the_array_that_is_mounted_is_known_by_its_number(machine: FaultyMachine) -> None:
    array = machine.pin(ARRAY)
    assert array is not None
    seen = machine.mount_at(PLACE)
    assert seen == Mounted(number=array.number, mount_id=32, root="/")
    assert seen.is_whole(array.number)
    assert machine.mount_at("/srv") is None
    assert machine.mount_at(f"{PLACE}/below") is None
    assert machine.mount_at("/no/such") is None


def test_of_several_mounts_on_one_place_the_last_is_seen(machine: FaultyMachine) -> None:
    array, seen = machine.pin(ARRAY), machine.mount_at(PLACE)
    assert array is not None
    assert seen is not None and seen.is_whole(array.number)
    drive = machine._state.drives[-1]
    machine._state.mounts.append(SimulatedMount(place=PLACE, key=drive.key, uuid="other"))
    assert machine.mount_at(PLACE) == Mounted(number=drive.number, mount_id=33, root="/")
    machine.stand(ARRAY, "hidden")
    assert machine.mount_at(PLACE) == Mounted(number="0:77", mount_id=90, root="/")


def test_a_part_of_a_file_system_is_not_the_whole(machine: FaultyMachine) -> None:
    array = machine.pin(ARRAY)
    assert array is not None
    machine.stand(ARRAY, "bind", "/mnt")
    seen = machine.mount_at("/mnt")
    assert seen == Mounted(number=array.number, mount_id=33, root="/letters")
    assert not seen.is_whole(array.number)


def test_a_link_is_named_and_leads_a_mount_elsewhere(machine: FaultyMachine) -> None:
    array = machine.pin(ARRAY)
    assert array is not None
    with Path(os.devnull).open("wb") as output:
        assert machine.run(("umount", PLACE), output.fileno()) == 0
        machine._state.symlinks["/srv"] = "/mnt"
        machine._state.folders.append("/mnt/data")
        assert machine.run(("mount", PLACE), output.fileno()) == 0
    assert machine.mount_at(PLACE) == Mounted(link="/srv")
    assert machine.mount_at("/mnt/data") == Mounted(number=array.number, mount_id=32, root="/")


def test_umount_takes_the_mount_on_top(machine: FaultyMachine) -> None:
    array = machine.pin(ARRAY)
    machine.stand(ARRAY, "hidden")
    with Path(os.devnull).open("wb") as output:
        assert machine.run(("umount", PLACE), output.fileno()) == 0
        seen = machine.mount_at(PLACE)
        assert seen is not None and array is not None and seen.is_whole(array.number)
        assert machine.run(("umount", PLACE), output.fileno()) == 0
        assert machine.mount_at(PLACE) is None
        assert machine.run(("umount", PLACE), output.fileno()) == 32
