"""Members on partitions: only the plan's own table and partition are written to, and only these are removed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.engine.ownership import contents
from raidtui.simulated.leftovers import read_table
from raidtui.simulated.state import DiskMark
from raidtui.simulated.storage import put
from raidtui.values.errors import Exit, Refused, Stale
from raidtui.values.units import MIB
from tests.faults.bench import Bench, bench
from tests.faults.judge import uninterrupted
from tests.faults.scene import DAYS, FAST, other, picture
from tests.machine.safety.test_ownership import person, stop_before
from tests.simulated.fault_model import Fault, FaultSide
from tests.simulated.machine import FaultyMachine
from tests.suite import few

CREATE = ("mdadm", "--create")


def made_in(folder: Path) -> Bench:
    made = bench(other("partitions"), folder)
    made.accepted = True
    return made


def states(made: Bench) -> list[str]:
    return [each.state for each in contents(made.plan, made.machine, ())]


def table_of(machine: FaultyMachine, drive: int) -> DiskMark:
    return next(mark for mark in machine._state.drives[drive].marks if mark.kind == "gpt" and mark.facts)


def test_a_build_that_stops_after_the_tables_is_taken_back(tmp_path: Path) -> None:
    made = made_in(tmp_path)
    stop_before(made, *CREATE)
    made.begin()
    assert states(made) == ["table"] * 7
    assert made.undo().code == Exit.DONE
    assert {disk.state for disk in made.machine.inventory().disks[:7]} == {"blank"}
    assert all(not drive.partitions for drive in made.machine._state.drives[:7])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda made: put(made.machine._state, "d0p1", DiskMark(kind="xfs", offset=0, length=512)), "holds xfs in the"),
        (
            lambda made: put(made.machine._state, "d0p1", DiskMark(kind="data", offset=64 * 1024, length=512)),
            "holds data without a known signature in the plan's partition, from byte 1114112 of the disk on",
        ),
        (lambda made: table_of(made.machine, 0).facts.update({"size 1": 64 * MIB}), "which are not the planned one"),
        (lambda made: table_of(made.machine, 0).texts.update({"guid 1": "b" * 36}), "which are not the planned one"),
    ],
)
def test_what_others_put_into_the_partition_or_the_table_stays(
    tmp_path: Path, change: Callable[[Bench], None], reason: str
) -> None:
    """Neither an undo nor a resume writes to any disk."""
    made = made_in(tmp_path)
    stop_before(made, *CREATE)
    made.begin()
    change(made)
    before = made.machine.hashes()
    for ended in (made.undo(), made.resume()):
        assert isinstance(ended.problem, Refused)
        assert reason in str(ended.problem)
    assert made.machine.hashes() == before


def test_a_partition_in_the_room_that_is_left_is_kept_until_it_is_deleted(tmp_path: Path) -> None:
    """An undo refuses, and writes nothing; without that partition it takes all of the plan away."""
    made = bench(other("left"), tmp_path)
    assert made.begin().code == Exit.DONE
    state, table = made.machine._state, table_of(made.machine, 0)
    extra = {"type 2": "c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "guid 2": "b" * 36, "name 2": "efi"}
    table.facts.update({"start 2": MIB, "size 2": 32 * MIB})
    table.texts.update(extra)
    read_table(state, "d0")
    put(state, "d0p2", DiskMark(kind="ext4", offset=0, length=512))
    before = made.machine.hashes()
    ended = made.undo()
    assert isinstance(ended.problem, Refused)
    assert "has 2 partitions in the plan's table, which are not the planned one" in str(ended.problem)
    assert made.machine.hashes() == before
    for key in ("start 2", "size 2"):
        del table.facts[key]
    for key in extra:
        del table.texts[key]
    read_table(state, "d0")
    assert made.undo().code == Exit.DONE
    assert not any(mark.kind == "linux_raid_member" for drive in state.drives[:3] for mark in drive.marks)
    assert [mark.offset for mark in state.drives[0].marks] == [MIB], "what was in it stays"


def test_another_partition_in_its_place_stops_the_build_before_mdadm(tmp_path: Path) -> None:
    made = made_in(tmp_path)
    step = next(step for step in made.plan.steps if step.stage == "partition")
    made.hooks[("after", "proven", step.number, 0)] = lambda: table_of(made.machine, 1).texts.update(
        {"guid 1": "c" * 36}
    )
    ended = made.begin()
    assert isinstance(ended.problem, Stale)
    assert "is not the plan's: PART_ENTRY_UUID cccc" in str(ended.problem)
    assert not made.machine._state.arrays or all(each.link != "data-0" for each in made.machine._state.arrays)


def test_a_partition_that_was_written_to_stops_the_build_before_mdadm(tmp_path: Path) -> None:
    made = made_in(tmp_path)
    step = next(step for step in made.plan.steps if step.stage == "partition")
    mark = DiskMark(kind="data", offset=2 * MIB, length=512)
    made.hooks[("after", "proven", step.number, 0)] = lambda: put(made.machine._state, "d1p1", mark)
    ended = made.begin()
    assert isinstance(ended.problem, Stale)
    assert "was written to at byte 2097152 since it was wiped" in str(ended.problem)


@pytest.mark.parametrize("kind", ["lie", "fail", "fail-partly"])
def test_sfdisk_is_not_believed(tmp_path: Path, kind: str) -> None:
    made = made_in(tmp_path)
    made.machine.arm(Fault(kind=kind, words=("sfdisk",), at=3))  # type: ignore[arg-type]
    assert made.begin().code in (Exit.STALE, Exit.MACHINE)
    assert made.resume().code == Exit.DONE


def test_an_unfinished_table_is_erased_by_an_undo(tmp_path: Path) -> None:
    made = made_in(tmp_path)
    made.machine.arm(Fault(kind="kill", words=("sfdisk",), at=4, side="during"))
    made.begin()
    assert made.undo().code == Exit.DONE
    assert {disk.state for disk in made.machine.inventory().disks[:7]} == {"blank"}


def test_a_damaged_table_of_others_that_an_undo_only_had_the_kernel_read_is_kept(tmp_path: Path) -> None:
    """Of a table without its protective MBR blkid prints no GUID; the kernel still shows the partition."""
    made = made_in(tmp_path)
    (drive,) = (each for each in made.machine._state.drives[:7] if each.partitions)
    damaged = {"kind": "gpt", "offset": 512}
    assert [{"kind": mark.kind, "offset": mark.offset} for mark in drive.marks if mark.offset < MIB] == [damaged]
    before = made.machine.hashes()[drive.disk.id]
    stop_before(made, "wipefs", "--all")
    made.begin()
    stop_before(made, "blockdev", "--rereadpt")
    assert made.undo().code is None
    made.machine.arm()
    assert made.undo().code == Exit.DONE
    assert made.machine.hashes()[drive.disk.id] == before


def test_a_table_of_another_plan_is_not_touched(tmp_path: Path) -> None:
    made = made_in(tmp_path)
    stop_before(made, *CREATE)
    made.begin()
    table_of(made.machine, 2).uuid = "d" * 36
    before = made.machine.hashes()
    assert made.undo().code == Exit.DONE
    disk = made.plan.disks[2].id
    after = made.machine.hashes()
    assert after[disk] == before[disk]
    assert sum(after[each.id] != before[each.id] for each in made.plan.disks) == 6


@pytest.mark.parametrize(
    ("words", "side"),
    few(
        (
            (words, side)
            for words in (("sfdisk",), ("udevadm", "settle"), CREATE)
            for side in ("before", "during", "after")
        ),
        3,
    ),
)
def test_a_power_cut_is_gone_on_with_and_taken_back(tmp_path: Path, words: tuple[str, ...], side: FaultSide) -> None:
    """The disks are found in another order by the boot."""
    for way in ("resume", "undo"):
        (tmp_path / way).mkdir()
        made = made_in(tmp_path / way)
        made.machine.arm(Fault(kind="power", words=words, side=side, at=2))
        made.boot_order = tuple(reversed([disk.id for disk in made.machine.inventory().disks]))
        made.begin()
        if way == "resume":
            ended = made.resume()
            assert (ended.code, ended.problem) == (Exit.DONE, None)
            assert picture(made.machine, made.scene.targets) == uninterrupted(made.scene)
        ended = made.undo()
        assert (ended.code, ended.problem) == (Exit.DONE, None)
        states = {disk.id: disk.state for disk in made.machine.inventory().disks}
        assert {states[disk.id] for disk in made.plan.disks} == {"blank"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The machine after the build, and the directory of its run."""
    folder = tmp_path_factory.mktemp("built")
    made = made_in(folder)
    assert made.begin().code == Exit.DONE
    return made.machine.to_json(), made.folder


@pytest.mark.parametrize(
    ("words", "at", "side"),
    few(
        (
            (*command, side)
            for command in (*((("blkdiscard",), at) for at in (1, 5, 6, 35, 36, 37, 49)), (("blockdev",), 1))
            for side in ("before", "during", "after")
        ),
        8,
    ),
)
def test_an_undo_that_is_killed_goes_on(
    built: tuple[str, Path], tmp_path: Path, words: tuple[str, ...], at: int, side: FaultSide
) -> None:
    """Five areas of each of seven members are zeroed, then two of each table."""
    machine, folder = built
    made = made_in(tmp_path)
    shutil.copytree(folder, made.folder)
    made.machine = FaultyMachine.from_json(machine, speed_up=FAST)
    made.machine.arm(Fault(kind="kill", words=words, at=at, side=side))
    assert made.undo().code is None
    assert made.undo().code == Exit.DONE
    assert {disk.state for disk in made.machine.inventory().disks[:7]} == {"blank"}
    assert not any(drive.partitions for drive in made.machine._state.drives[:7])
    assert picture(made.machine, made.scene.targets)["arrays"].keys() == {"host:theirs"}


def test_a_table_that_somebody_changes_between_two_steps_of_an_undo_is_kept(
    built: tuple[str, Path], tmp_path: Path
) -> None:
    machine, folder = built
    made = made_in(tmp_path)
    shutil.copytree(folder, made.folder)
    made.machine = FaultyMachine.from_json(machine, speed_up=FAST)
    create = next(step.number for step in made.plan.steps if step.stage == "create")
    made.hooks["after", "proven", create, 0] = lambda: table_of(made.machine, 0).facts.update({"size 1": 64 * MIB})
    ended = made.undo()
    assert isinstance(ended.problem, Refused)
    assert "in the plan's table, which are not the planned one" in str(ended.problem)
    assert table_of(made.machine, 0).facts["size 1"] == 64 * MIB


def test_a_spare_that_the_monitor_moved_is_taken_back(built: tuple[str, Path], tmp_path: Path) -> None:
    machine, folder = built
    made = made_in(tmp_path)
    shutil.copytree(folder, made.folder)
    made.machine = FaultyMachine.from_json(machine, speed_up=FAST)
    second = made.plan.arrays[1]
    failed = next(disk for disk in made.plan.disks if disk.id == second.members[0])
    person(made, "mdadm", "--manage", second.device, "--fail", failed.members[0].path)
    made.machine.advance(DAYS)
    assert made.undo().code == Exit.DONE
    assert {disk.state for disk in made.machine.inventory().disks[:7]} == {"blank"}
