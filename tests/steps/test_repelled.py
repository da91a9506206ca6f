"""What a third person did between two looks at an array that runs: nothing of others is written to."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raidtui.engine.changes import asked_replacement, extension
from raidtui.machine.arrays.read import observe, tables_of
from raidtui.steps.replace import replacement
from raidtui.values.acts import Extension, Replacement
from raidtui.values.errors import MachineFailed, Stale
from raidtui.values.units import GIB
from tests.machine.living import carried_out
from tests.machine.safety.test_ownership import plant
from tests.machine.simulation import E2660, Run, built_run, say
from tests.planner.plans import plan_of
from tests.simulated.fault_model import Leftover
from tests.simulated.machine import FaultyMachine


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Two RAID6 of six, each with a spare: md127 has sdm, md126 sdn."""
    return built_run(tmp_path, "2x(4+2)+2", name="data", after=100_000)


def asked(run: Run, array: str, *words: str) -> Extension:
    return extension(run.machine, run.machine.inventory(), array, words[0], words[1:])


def codes(found: Extension | Replacement) -> list[str]:
    return [each.code for each in found.findings]


def taken_out(run: Run) -> str:
    """The identity of md127's spare, which somebody took out; its superblock stays."""
    spare = next(disk for disk in run.machine.inventory().disks if disk.kernel_name == "sdm")
    state = run.machine._state
    array = next(each for each in state.arrays if each.name == "md127")
    array.members = [each for each in array.members if each.state != "spare"]
    return spare.id


@pytest.mark.parametrize("what", ["ext4", "xfs", "dos", "gpt-backup", "luks", "lvm", "swap", "data-middle"])
def test_a_spare_that_was_taken_out_and_reused_is_refused(run: Run, what: Leftover) -> None:
    """Its superblock cancels nothing else that is on it: not the answer, and not right before the write."""
    disk = taken_out(run)
    clean = asked(run, "md126", "spare", disk)
    assert [step.title for step in clean.steps] == ["Erase its superblock of md127", "Add the disk as a spare"]
    run.machine.leave(disk, what)
    before = run.machine.hashes()
    if what != "data-middle":  # an inventory reads no place between the ends where one of them is not zero
        found = asked(run, "md126", "spare", disk)
        assert found.steps == ()
        assert set(codes(found)) & {"new-not-blank", "new-in-use"}
    with pytest.raises(Stale, match=r"holds|is not blank any more"):
        carried_out(clean, run.machine, run.folder)
    assert run.machine.hashes() == before


def test_a_spare_that_somebody_writes_to_is_refused(run: Run) -> None:
    disk = taken_out(run)
    clean = asked(run, "md126", "spare", disk)
    run.machine.open(next(each.path for each in clean.disks), "qemu", 4711)
    before = run.machine.hashes()
    found = asked(run, "md126", "spare", disk)
    assert (found.steps, codes(found)[0]) == ((), "new-in-use")
    with pytest.raises(Stale, match=r"is open for writing by qemu \(pid 4711\)"):
        carried_out(clean, run.machine, run.folder)
    assert run.machine.hashes() == before


def test_a_spare_in_its_array_that_holds_something_is_not_taken_out(run: Run) -> None:
    spare = next(disk for disk in run.machine.inventory().disks if disk.kernel_name == "sdm")
    clean = asked(run, "md126", "spare", "sdm")
    assert [step.title for step in clean.steps] == [
        "Take the spare out of md127", "Erase its superblock of md127", "Add the disk as a spare",
    ]  # fmt: skip
    run.machine.leave(spare.id, "data-middle")
    with pytest.raises(Stale, match="is not blank any more"):
        carried_out(clean, run.machine, run.folder)
    assert [each.device for each in observe(run.machine, run.machine.inventory()).arrays[-1].spares] == ["sdm"]


def test_a_spare_that_is_moved_leaves_nothing_of_its_array(run: Run) -> None:
    carried_out(asked(run, "md126", "spare", "sdm"), run.machine, run.folder)
    by_name = {each.name: each for each in observe(run.machine, run.machine.inventory()).arrays}
    assert {name: [each.device for each in array.spares] for name, array in by_name.items()} == {
        "md127": [], "md126": ["sdm", "sdn"],
    }  # fmt: skip
    assert by_name["md126"].uuid in say(run.machine, "mdadm", "--examine", "/dev/sdm")


def grown(root: Path, fs: str) -> tuple[Run, Extension]:
    """A mirror of which half is used, and what growing it takes."""
    built = built_run(root, "raid1(2)", name="data", member_bytes=10**12, fs=fs, after=100_000)
    return built, asked(built, "md127", "grow")


@pytest.mark.parametrize("fs", ["xfs", "ext4"])
def test_a_file_system_that_is_mounted_over_ours_is_not_grown(tmp_path: Path, fs: str) -> None:
    """Not where it is there before the answer, and not where it comes before the last command."""
    run, found = grown(tmp_path, fs)
    assert found.steps[-1].title == f"Grow {fs} at /srv/data"
    space = say(run.machine, "stat", "--file-system", "--format=%S %b", "/srv/data")
    over: list[str] = []

    def wait(seconds: float, wait: Callable[[float], None] = run.machine.wait) -> None:
        if not over:
            run.machine.stand("/dev/md127", "hidden")
            over.append("hidden")
        wait(seconds)

    run.machine.wait = wait  # type: ignore[method-assign]
    with pytest.raises(Stale, match="what is mounted at /srv/data is not the file system on /dev/md127"):
        carried_out(found, run.machine, run.folder)
    assert say(run.machine, "stat", "--file-system", "--format=%S %b", "/srv/data") == space
    again = asked(run, "md127", "grow")
    assert [each.message for each in again.findings if each.code == "not-grown"] == [
        "What is on md127 is not grown with it: another file system is mounted over /srv/data."
    ]


def right_before(machine: FaultyMachine, word: str, strike: Callable[[], None]) -> None:
    """Strikes once, between the last look and the first command with this word."""
    struck: list[str] = []

    def run(argv: tuple[str, ...], *more: Any, run: Callable[..., int] = machine.run, **named: Any) -> int:
        if word in argv and not struck:
            struck.append(word)
            strike()
        return run(argv, *more, **named)

    machine.run = run  # type: ignore[method-assign]


@pytest.mark.parametrize("word", ["--add-spare", "--replace", "--zero-superblock"])
def test_a_disk_that_is_put_in_where_ours_was_pulled_is_not_written_to(run: Run, word: str) -> None:
    """The kernel gives its name and number to the next disk, unless somebody has it open."""
    machine, inventory = run.machine, run.machine.inventory()
    theirs = next(disk.id for disk in inventory.disks if disk.kernel_name == "sdt")
    machine.leave(theirs, "ext4")
    machine.unplug(theirs)
    found = replacement(observe(machine, inventory), inventory, "md127", member="sdb", new="sdo")
    pulled = next(disk.id for disk in inventory.disks if disk.kernel_name == ("sdb" if "zero" in word else "sdo"))
    before = machine.hashes()[theirs]

    def strike() -> None:
        machine.unplug(pulled)
        machine.plug(theirs)

    right_before(machine, word, strike)
    with contextlib.suppress(MachineFailed, Stale):  # where the old one is gone the others are done
        carried_out(found, machine, run.folder)
    assert machine.hashes()[theirs] == before


def test_a_superblock_is_not_called_gone_because_a_link_leads_to_another_disk(run: Run) -> None:
    machine, inventory = run.machine, run.machine.inventory()
    found = replacement(observe(machine, inventory), inventory, "md127", member="sdb", new="sdo")
    old = next(disk for disk in inventory.disks if disk.kernel_name == "sdb")
    blank = next(disk.id for disk in inventory.disks if disk.kernel_name == "sdt")

    right_before(machine, "--remove", lambda: machine.lead(old.path, blank))
    said = "\n".join(carried_out(found, machine, run.folder))
    assert f"{old.path} may still have a superblock; mdadm --examine {old.path} shows of which array" in said
    assert "MD_UUID" in say(machine, "mdadm", "--examine", "--export", "/dev/sdb")


SMALL, LARGE = 2_000_000_000_000 // 512 * 512, 4_000_000_000_000 // 512 * 512
MIXED = replace(
    E2660,
    disks=(
        *(replace(disk, size_bytes=SMALL if at < 2 else LARGE) for at, disk in enumerate(E2660.disks[:6])),
        *E2660.disks[6:9],
    ),
)
"""two small disks, four large ones, and three of somebody"""


@pytest.fixture
def shared(tmp_path: Path) -> Run:
    """md127 and md126 on partitions of sda to sde; md125 of somebody on sdg and sdh."""
    built = built_run(tmp_path, "hybrid(5)", MIXED)
    theirs = plan_of(
        "raid1(2)", MIXED.disks[6:8], inventory=MIXED, host=MIXED.name, name="theirs", run_id="5" * 32,
        mount_point="/srv/theirs",
    )  # fmt: skip
    Run(tmp_path, theirs, built.machine).build()
    built.machine.advance(1_000_000)
    return built


@pytest.mark.parametrize("at", range(1, 6))
def test_an_array_whose_name_somebody_else_got_is_not_written_to(shared: Run, at: int) -> None:
    """While the first array copies, the second is stopped, and a bystander's array gets its kernel name."""
    machine = shared.machine
    inventory = machine.inventory()
    found = replacement(
        observe(machine, inventory), inventory, "md127", member="sdd", new="sdf", tables=tables_of(machine, inventory)
    )
    theirs = next(each.uuid for each in observe(machine, inventory).arrays if each.name == "md125")
    count = 0

    def wait(seconds: float, wait: Callable[[float], None] = machine.wait) -> None:
        nonlocal count
        count += 1
        if count == at:
            names = {"md126": "md125", "md125": "md126"}
            for array in machine._state.arrays:
                array.name = names.get(array.name, array.name)
        wait(seconds)

    machine.wait = wait  # type: ignore[method-assign]
    with pytest.raises(Stale, match=r"/dev/md126 (leads to another device than when it was shown|is not the array)"):
        carried_out(found, machine, shared.folder)
    (bystander,) = [each for each in observe(machine, machine.inventory()).arrays if each.uuid == theirs]
    assert [each.device for each in bystander.members] == ["sdg", "sdh"]


@pytest.mark.parametrize(("at", "stops"), [(GIB, True), (GIB + 4096, False)])
def test_what_is_between_the_places_of_a_spare_is_not_seen(run: Run, at: int, stops: bool) -> None:
    """Between 1 GiB and the next place that is read nothing is."""
    disk = taken_out(run)
    clean = asked(run, "md126", "spare", disk)
    plant(run.machine, disk, at)
    if stops:
        with pytest.raises(Stale, match=f"is not blank any more .byte {at}."):
            carried_out(clean, run.machine, run.folder)
    else:
        carried_out(clean, run.machine, run.folder)
    array = next(each for each in observe(run.machine, run.machine.inventory()).arrays if each.name == "md126")
    assert [each.device for each in array.spares] == (["sdn"] if stops else ["sdm", "sdn"])


CONF = "/etc/mdadm/mdadm.conf"


def with_device_line(run: Run, *paths: str) -> None:
    """From the next boot on mdadm looks at these devices alone."""
    text = run.machine.read_text(CONF) or ""
    run.machine.write_text(CONF, f"DEVICE {' '.join(paths)}\n{text}", 0o644)


def test_a_new_disk_that_the_next_boot_does_not_look_at_is_refused(run: Run) -> None:
    """The members that left would start the array with what they held then."""
    before = [disk.path for disk in run.plan.disks]
    with_device_line(run, *before)
    found = asked_replacement(run.machine, run.machine.inventory(), "md127", member="sdb", new="sdx")
    assert (found.steps, codes(found)[0]) == ((), "device-line")
    new = next(disk.path for disk in run.machine.inventory().disks if disk.kernel_name == "sdx")
    assert new in found.findings[0].message + found.findings[0].way_out
    spare = asked(run, "md127", "spare", "sdx")
    assert (spare.steps, codes(spare)[0]) == ((), "device-line")
    with_device_line(run, *before, new)
    assert codes(asked_replacement(run.machine, run.machine.inventory(), "md127", member="sdb", new="sdx")) == []


def test_what_was_wrong_before_does_not_stop_a_replacement(run: Run) -> None:
    with_device_line(run, *(disk.path for disk in run.plan.disks[1:]))  # a member is left out already
    new = next(disk.path for disk in run.machine.inventory().disks if disk.kernel_name == "sdx")
    with_device_line(run, new)
    found = asked_replacement(run.machine, run.machine.inventory(), "md127", member="sdb", new="sdx")
    assert [(each.code, each.severity) for each in found.findings] == [("device-line", "warning")]
    assert found.steps


def test_a_line_that_leaves_out_one_more_than_before_is_refused(run: Run) -> None:
    """Of the members one is left out already; with the new disk there are two."""
    with_device_line(run, *(disk.path for disk in run.plan.disks[1:]))
    found = asked_replacement(run.machine, run.machine.inventory(), "md127", member="sdb", new="sdx")
    assert ([each.severity for each in found.findings if each.code == "device-line"], found.steps) == (["error"], ())
