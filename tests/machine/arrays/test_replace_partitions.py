"""A disk whose partitions are members of several arrays, replaced on the simulated machine: in turn, and resumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.machine.arrays.read import observe, tables_of
from raidtui.steps.replace import replacement
from raidtui.values.acts import Replacement
from raidtui.values.errors import BadInput, Stale
from raidtui.values.inventory import Inventory
from tests.machine.living import carried_out
from tests.machine.simulation import E2660, Cut, Run, built_run, cut_in_wait, do

SMALL, LARGE = 2_000_000_000_000 // 512 * 512, 4_000_000_000_000 // 512 * 512
MIXED = replace(
    E2660,
    disks=tuple(replace(disk, size_bytes=SMALL if at < 2 else LARGE) for at, disk in enumerate(E2660.disks[:7])),
)
"""two small disks, five large ones: sda to sdg"""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """md127 on the first partition of sda to sde, md126 on the second of sdc to sde."""
    return built_run(tmp_path, "hybrid(5)", MIXED, after=1_000_000)


def asked(
    run: Run, array: str = "md127", member: str | None = "sdd", new: str = "sdf"
) -> tuple[Replacement, Inventory]:
    inventory = run.machine.inventory()
    seen, tables = observe(run.machine, inventory), tables_of(run.machine, inventory)
    return replacement(seen, inventory, array, member=member, new=new, tables=tables), inventory


def replaced(run: Run, *words: str | None) -> None:
    carried_out(asked(run, *words)[0], run.machine, run.folder)  # type: ignore[arg-type]


def members(run: Run) -> dict[str, list[str]]:
    seen = observe(run.machine, run.machine.inventory())
    return {each.name: [f"{member.device}: {member.state}" for member in each.members] for each in seen.arrays}


def whole(*names: str) -> list[str]:
    return [f"{name}: in-sync" for name in names]


REPLACED = {"md126": whole("sdc2", "sdf2", "sde2"), "md127": whole("sda1", "sdb1", "sdc1", "sdf1", "sde1")}
OLD, NEW = "/dev/disk/by-id/wwn-0x3000013300000004", "/dev/disk/by-id/wwn-0x3000013300000006"


@pytest.mark.parametrize("array", ["md127", "md126"])
def test_what_is_typed(run: Run, array: str) -> None:
    """Whichever array is named, the disk leaves both."""
    found, _ = asked(run, array)
    first, second = ("md127", 1), ("md126", 2)
    turns = (first, second) if array == "md127" else (second, first)
    assert (found.array, found.also, found.findings) == (turns[0][0], (turns[1][0],), ())
    assert found.needed_bytes == 3_999_999_738_368  # the end of the last partition, and the table behind it
    table, *steps = found.steps
    (write, settle) = table.commands
    assert write.argv == ("sfdisk", "--lock=yes", "--wipe=never", "--wipe-partitions=never", NEW)
    assert settle.argv == ("udevadm", "settle", "--timeout=180")
    assert [line.partition(", type")[0] for line in (write.stdin or "").splitlines()[4:]] == [
        "start=2048, size=3906246656", "start=3906248704, size=3906250752",
    ]  # fmt: skip
    each = [
        (
            f"mdadm --manage /dev/{name} --add-spare {NEW}-part{number}",
            f"mdadm --manage /dev/{name} --replace {OLD}-part{number} --with {NEW}-part{number}",
            f"mdadm --manage /dev/{name} --remove {OLD}-part{number}",
            f"mdadm --zero-superblock {OLD}-part{number}",
        )
        for name, number in turns
    ]
    assert [" ".join(command.argv) for step in steps for command in step.commands] == [
        *each[0], *each[1], *(f"mdadm --misc --action=check /dev/{name}" for name, _ in turns),
    ]  # fmt: skip


def test_no_guid_is_that_of_the_member(run: Run) -> None:
    replaced(run)
    tables = tables_of(run.machine, run.machine.inventory())
    old, new = tables["sdd"], tables["sdf"]
    assert [(each.start_sectors, each.size_sectors, each.type) for each in old.entries] == [
        (each.start_sectors, each.size_sectors, each.type) for each in new.entries
    ]
    guids = [{table.guid, *(each.guid for each in table.entries)} for table in (old, new)]
    assert [len(each) for each in guids] == [3, 3]
    assert not guids[0] & guids[1]


def test_each_array_gets_its_partition(run: Run) -> None:
    replaced(run)
    assert members(run) == REPLACED


def test_a_disk_that_is_gone_is_rebuilt_in_both(run: Run) -> None:
    run.machine.unplug(run.plan.disks[3].id)
    run.machine.advance(10)
    found, _ = asked(run, "md126", None)
    assert ([step.title for step in found.steps], found.also, found.survives) == (
        [
            "Give the new disk the partitions of a member",
            "Add the new disk as a spare of md126", "Wait until md126 has ended it",
            "Add the new disk as a spare of md127", "Wait until md127 has ended it",
            "Check all members of md126", "Check all members of md127",
        ],
        ("md127",), 0,
    )  # fmt: skip
    replaced(run, "md127", None)
    assert members(run) == REPLACED


def test_the_array_that_survives_least_counts(run: Run, tmp_path: Path) -> None:
    """md126 lacks another member: the disk must not go, and nothing more may fail there."""
    assert do(run.machine, tmp_path, "mdadm", "--manage", "/dev/md126", "--fail", "/dev/sdc2")[0] == 0
    found, _ = asked(run)
    assert (found.survives, [each.code for each in found.findings], found.steps) == (0, ["other-member-first"], ())


@pytest.mark.parametrize("at", range(1, 8))
@pytest.mark.parametrize("gone", [False, True])
def test_an_interrupted_one_goes_on_where_it_is(run: Run, at: int, gone: bool) -> None:
    """By the same call, also where the first array has ended."""
    words = ("md127", None if gone else "sdd")
    if gone:
        run.machine.unplug(run.plan.disks[3].id)
        run.machine.advance(10)
    with cut_in_wait(run.machine, at):
        try:
            replaced(run, *words)
        except Cut:
            assert members(run) != REPLACED
        else:
            return
    replaced(run, *words)
    assert members(run) == REPLACED


def test_a_disk_with_a_table_of_somebody_is_refused(run: Run) -> None:
    assert {each.code for each in asked(run, new="sdc")[0].findings} == {"new-is-member"}
    replaced(run)
    run.machine.leave(run.plan.disks[0].id, "ext4")
    with pytest.raises(BadInput, match="sdd is no member of md127"):
        asked(run, new="sdg")


def test_a_small_disk_and_a_table_that_was_not_read_are_refused(run: Run) -> None:
    inventory = run.machine.inventory()
    seen = observe(run.machine, inventory)
    found = replacement(seen, inventory, "md127", member="sdd", new="sdf")
    assert ([each.code for each in found.findings], found.steps) == (["table-not-copied"], ())
    disks = tuple(replace(each, size_bytes=SMALL) if each.kernel_name == "sdf" else each for each in inventory.disks)
    found = replacement(
        seen,
        replace(inventory, disks=disks),
        "md127",
        member="sdd",
        new="sdf",
        tables=tables_of(run.machine, inventory),
    )
    assert [each.code for each in found.findings] == ["new-too-small"]


def test_a_partition_that_is_not_blank_is_not_added(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run.machine.first_nonzero

    def read(path: str, areas: Sequence[tuple[int, int]]) -> int | None:
        pin = run.machine.pin(path)
        return 7 if pin is not None and pin.name == "sdf2" else first(path, areas)

    monkeypatch.setattr(run.machine, "first_nonzero", read)
    with pytest.raises(Stale, match=r"part2 \(serial SIME26600006, .*\) is not blank any more \(byte 7\)"):
        replaced(run)
    monkeypatch.undo()
    assert "sdd2: in-sync" in members(run)["md126"]
    replaced(run)
    assert members(run) == REPLACED


def test_partitions_of_somebody_are_named(run: Run) -> None:
    inventory = run.machine.inventory()
    disks = tuple(
        replace(each, partitions=(1, 2, 3)) if each.kernel_name == "sdd" else each for each in inventory.disks
    )
    found = replacement(
        observe(run.machine, inventory), replace(inventory, disks=disks), "md127", member="sdd", new="sdf",
        tables=tables_of(run.machine, inventory),
    )  # fmt: skip
    assert [(each.code, each.message) for each in found.findings] == [
        (
            "partitions-not-copied",
            "Partition 3 of sdd is no member of an array that runs: what is there is not copied.",
        )
    ]
