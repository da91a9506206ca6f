"""A write journal on the simulated machine: built, failed, exchanged over every kill, taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.advice.arrays.state import journal_lost, layout_of
from raidtui.advice.audit.rules import audit
from raidtui.advice.inferred_design import InferredDesign
from raidtui.engine import living
from raidtui.engine.changes import asked_replacement
from raidtui.engine.folders import ControlRequest
from raidtui.machine.arrays.read import ArraysLook, observe
from raidtui.machine.arrays.settings import audit_facts
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


def mirrored(root: Path) -> Run:
    return built_run(root, "(3+1)", after=YEAR, journal=2)


def of_name(machine: FaultyMachine, name: str) -> ObservedArray:
    return next(each for each in observe(machine, machine.inventory()).arrays if each.path == f"/dev/md/{name}")


def test_on_a_mirror_it_is_read_back_and_comes_up_at_a_boot(tmp_path: Path) -> None:
    machine = mirrored(tmp_path).machine
    for _ in range(2):
        mirror, data = of_name(machine, "data-log"), of_name(machine, "data")
        assert [each.device for each in data.members if each.state == "journal"] == [mirror.name]
        assert {each.device: each.state for each in mirror.members} == {"sde": "in-sync", "sdf": "in-sync"}
        assert (mirror.level, mirror.bitmap.kind, data.consistency) == ("raid1", "internal", "journal")
        built = layout_of(data, (data, mirror), machine.inventory())
        assert isinstance(built, InferredDesign)
        assert (built.design.journal, built.notes) == (2, ())
        assert [each.kernel_name for each in built.disks] == ["sda", "sdb", "sdc", "sdd", "sde", "sdf"]
        machine.reboot()


def test_an_audit_finds_nothing_in_a_mirror_and_names_the_one_that_lacks_a_disk(tmp_path: Path) -> None:
    run = mirrored(tmp_path)
    assert _codes(run) & _BROKEN == set()
    run.machine.fail(_disk(run.machine, "sde"))
    assert _codes(run) & _BROKEN == {"array-degraded"}


_BROKEN = {
    "array-degraded",
    "journal-lost",
    "journal-missing",
    "plan-drift",
    "no-bitmap",
    "not-in-conf",
    "member-dropped",
}


def _codes(run: Run) -> set[str]:
    look = ArraysLook(run.machine, run.machine.inventory())
    return {each.code for each in audit(audit_facts(look, look.take(), [run.plan])).findings}


def _disk(machine: FaultyMachine, name: str) -> str:
    return next(disk.id for disk in machine.inventory().disks if disk.kernel_name == name)


def test_a_disk_of_the_mirror_fails_the_array_goes_on_and_it_is_replaced(tmp_path: Path) -> None:
    machine = mirrored(tmp_path).machine
    machine.fail(_disk(machine, "sde"))
    assert not journal_lost(of_name(machine, "data"))
    inventory = machine.inventory()
    serials = {disk.kernel_name: disk.serial or "" for disk in inventory.disks}
    found = asked_replacement(
        machine, inventory, "data-log", member=serials["sde"], new=serials["sdg"],
        begun=living.unfinished(tmp_path, Replacement),
    )  # fmt: skip
    living.go_on(found, tmp_path, machine, ControlRequest)
    assert {each.device: each.state for each in of_name(machine, "data-log").members} == {
        "sdg": "in-sync", "sdf": "in-sync",
    }  # fmt: skip
    machine.reboot()
    assert of_name(machine, "data").states == ("clean",)


def test_a_boot_without_a_disk_of_the_mirror_starts_the_array(tmp_path: Path) -> None:
    machine = mirrored(tmp_path).machine
    machine.reboot(without=(_disk(machine, "sde"),))
    machine.advance(60)
    mirror, data = of_name(machine, "data-log"), of_name(machine, "data")
    assert (mirror.lacks, bool(data.size_bytes), journal_lost(data)) == (1, True, False)


@pytest.mark.parametrize("journal", [1, 2])
def test_an_undo_leaves_blank_disks(tmp_path: Path, journal: int) -> None:
    run = built(tmp_path) if journal == 1 else mirrored(tmp_path)
    run.undo()
    assert run.last() == "finished"
    assert observe(run.machine, run.machine.inventory()).arrays == ()
    states = [disk.unsigned for disk in run.machine.inventory().disks[: 4 + journal]]
    assert states == [True] * (4 + journal)
