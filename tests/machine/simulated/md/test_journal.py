"""A write journal on the simulated machine: built, failed, exchanged over every kill, taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.advice.arrays.state import journal_lost
from raidtui.engine import living
from raidtui.engine.changes import asked_replacement
from raidtui.engine.folders import ControlRequest
from raidtui.machine.arrays.read import observe
from raidtui.values.acts import Replacement
from raidtui.values.arrays import ObservedArray
from tests.machine.simulation import YEAR, Run, built_run, say
from tests.simulated.fault_model import Fault, Killed
from tests.simulated.machine import FaultyMachine

OLD, NEW = "sde", "sdf"
"""the journal of four members, and the disk that comes"""


def built(root: Path) -> Run:
    return built_run(root, "(3+1)", after=YEAR, journal=1)


def array(machine: FaultyMachine) -> ObservedArray:
    (found,) = observe(machine, machine.inventory()).arrays
    return found


def parts(machine: FaultyMachine) -> dict[str, str]:
    return {each.device: each.state for each in array(machine).members}


def exchange(machine: FaultyMachine, root: Path) -> tuple[str, ...]:
    """Calls `raidtui replace` once; what it refuses with."""
    inventory = machine.inventory()
    serials = {disk.kernel_name: disk.serial or "" for disk in inventory.disks}
    begun = living.unfinished(root, Replacement)
    found = asked_replacement(machine, inventory, "data", member=serials[OLD], new=serials[NEW], begun=begun)
    if found.steps:
        living.go_on(found, root, machine, ControlRequest)
    return tuple(finding.code for finding in found.findings)


def test_it_is_read_back_as_md_says_it(tmp_path: Path) -> None:
    machine = built(tmp_path).machine
    assert parts(machine) == {**dict.fromkeys(("sda", "sdb", "sdc", "sdd"), "in-sync"), OLD: "journal"}
    assert (array(machine).consistency, array(machine).states) == ("journal", ("clean",))
    assert "   Device Role : Journal\n" in say(machine, "mdadm", "--examine", f"/dev/{OLD}")
    machine.reboot()
    assert parts(machine)[OLD] == "journal"


def test_without_it_nothing_is_written_and_a_boot_does_not_start_it(tmp_path: Path) -> None:
    machine = built(tmp_path).machine
    machine.fail(next(disk.id for disk in machine.inventory().disks if disk.kernel_name == OLD))
    assert journal_lost(array(machine))
    assert exchange(machine, tmp_path)[0] == "journal-needs-read-only"
    machine.reboot()
    machine.advance(60)
    assert array(machine).states == ("inactive",)


@pytest.mark.parametrize("side", ["before", "during", "after"])
@pytest.mark.parametrize("command", [1, 2, 3, 4])
def test_a_killed_exchange_goes_on(tmp_path: Path, command: int, side: str) -> None:
    machine = built(tmp_path).machine
    with Path("/dev/null").open("wb") as nowhere:
        assert machine.run(("mdadm", "--readonly", "/dev/md/data"), nowhere.fileno()) == 0
    machine.arm(Fault(kind="kill", at=command, side=side))  # type: ignore[arg-type]
    with pytest.raises(Killed):
        exchange(machine, tmp_path)
    machine.revive()
    exchange(machine, tmp_path)
    exchange(machine, tmp_path)  # a call that finds the new one in erases the old superblock where a cut left it
    assert "MD_UUID" not in say(machine, "mdadm", "--examine", "--export", f"/dev/{OLD}")
    assert parts(machine) == {**dict.fromkeys(("sda", "sdb", "sdc", "sdd"), "in-sync"), NEW: "journal"}


def test_an_undo_leaves_blank_disks(tmp_path: Path) -> None:
    run = built(tmp_path)
    run.undo()
    assert run.last() == "finished"
    assert observe(run.machine, run.machine.inventory()).arrays == ()
    states = {disk.kernel_name: disk.unsigned for disk in run.machine.inventory().disks[:5]}
    assert states == dict.fromkeys(("sda", "sdb", "sdc", "sdd", OLD), True)
