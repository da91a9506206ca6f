"""Rules of the levels against three disks of 94 MB/s that were measured, and counts of disk operations."""

import csv
from pathlib import Path

import pytest

from raidtui.predict.speed.raid_level_rates import (
    cache_pages_for,
    degraded_reads,
    modifies,
    parity_operations,
    partial_share,
    random_read,
    random_write,
    sequential_read,
    sequential_write,
    wire_share,
)
from raidtui.values.layout import ArrayShape
from raidtui.values.notation import parse

MEASURED = Path(__file__).parents[2] / "measured"
THREE = {
    ("raid0", "3"): ArrayShape(level="raid0", members=3),
    ("raid1", "3-way"): ArrayShape(level="raid1", members=3),
    ("raid5", "1x(2+1)"): ArrayShape(level="raid5", members=3),
    ("raid10", "n2"): ArrayShape(level="raid10", members=3),
    ("raid10", "o2"): ArrayShape(level="raid10", members=3, spread="o"),
    ("raid10", "f2"): ArrayShape(level="raid10", members=3, spread="f"),
}


def test_three_measured_disks_are_met_within_twelve_percent() -> None:
    with (MEASURED / "three_disk_raid.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 13
    for row in rows:
        layout = THREE[row["level"], row["layout"]]
        if row["op"] == "read":
            rate = sequential_read(layout, 94, streams=int(row["streams"]), rotational=True)
        else:
            rate = sequential_write(layout, 94, rotational=True)
        assert rate == pytest.approx(float(row["total_mb_s"]), rel=0.12), row


@pytest.mark.parametrize(
    ("layout", "one", "many", "flash", "degraded", "degraded_flash", "write"),
    [
        ("raid0(4)", 400, 400, 400, None, None, 400),
        ("raid1(3)", 100, 300, 100, 100, 100, 100),
        ("raid4(4+1)", 400, 400, 400, 400, 400, 400),
        ("(4+1)", 400, 400, 500, 400, 400, 400),
        ("(12+2)", 1200, 1200, 1400, 1200, 1200, 1200),
        ("raid10(6)", 300, 600, 600, 300, 300, 300),
        ("raid10(6,n3)", 200, 600, 600, 200, 400, 200),
        ("raid10(5)", 250, 500, 500, 250, 250, 250),
        ("raid10(6,o2)", 300, 600, 600, 300, 300, 300),
        ("raid10(6,f2)", 600, 600, 600, 300, 300, 276),
    ],
)
def test_members_worth_of_100(
    layout: str, one: float, many: float, flash: float, degraded: float | None, degraded_flash: float, write: float
) -> None:
    shape = parse(layout).first
    assert sequential_read(shape, 100, streams=1, rotational=True) == pytest.approx(one)
    assert sequential_read(shape, 100, rotational=True) == pytest.approx(many)
    assert sequential_read(shape, 100, streams=1, rotational=False) == pytest.approx(flash)
    assert sequential_write(shape, 100, rotational=True) == pytest.approx(write)
    if degraded is not None:
        found = sequential_read(shape, 100, streams=1, rotational=True, degraded=True)
        assert found == pytest.approx(degraded)
        found = sequential_read(shape, 100, streams=1, rotational=False, degraded=True)
        assert found == pytest.approx(degraded_flash)


def test_far_copies_cost_nothing_where_no_head_moves() -> None:
    assert sequential_write(parse("raid10(6,f2)").first, 100, rotational=False) == pytest.approx(300)


@pytest.mark.parametrize(
    ("layout", "chunks", "operations", "modify"),
    [
        ("(4+1)", 1, (2, 2), True),
        ("(12+2)", 1, (3, 3), True),
        ("(2+1)", 1, (1, 2), False),
        ("(2+2)", 1, (1, 3), False),
        ("(8+2)", 1, (3, 3), True),
        ("(8+2)", 3, (5, 5), False),
        ("(8+2)", 2, (4, 4), True),
        ("(3+1)", 1, (2, 2), False),
        ("(12+2)", 12, (0, 14), False),
        ("(12+2)", 99, (0, 14), False),
    ],
)
def test_reads_and_writes_for_a_write_into_a_row(
    layout: str, chunks: int, operations: tuple[int, int], modify: bool
) -> None:
    assert parity_operations(parse(layout).first, chunks) == operations
    assert modifies(parse(layout).first, chunks) == modify


@pytest.mark.parametrize(
    ("layout", "write"),
    [("(4+1)", 125), ("(8+2)", 1000 / 6), ("(2+1)", 100), ("raid10(6)", 300), ("raid10(6,n3)", 200),
     ("raid1(3)", 100), ("raid0(4)", 400), ("raid4(4+1)", 50), ("raid4(2+1)", 100)],
)  # fmt: skip
def test_random_writes_of_members_with_100(layout: str, write: float) -> None:
    assert random_write(parse(layout).first, 100) == pytest.approx(write)


@pytest.mark.parametrize(
    ("layout", "whole", "degraded"),
    [("(3+1)", 400, 200), ("(8+2)", 1000, 1000 / (1 + 8 / 9)), ("raid4(4+1)", 400, 200), ("raid1(3)", 300, 200),
     ("raid10(4)", 400, 200), ("raid10(6,n3)", 600, 400)],
)  # fmt: skip
def test_random_reads_of_members_with_100(layout: str, whole: float, degraded: float) -> None:
    assert random_read(parse(layout).first, 100) == pytest.approx(whole)
    assert random_read(parse(layout).first, 100, degraded=True) == pytest.approx(degraded)


def test_disk_reads_for_a_degraded_read() -> None:
    assert degraded_reads(parse("(3+1)").first) == pytest.approx(6 / 4)
    assert degraded_reads(parse("raid10(4)").first) == 1


@pytest.mark.parametrize(
    ("layout", "write"),
    [("(12+2)", 14 / 12), ("(3+1)", 4 / 3), ("raid1(3)", 3), ("raid10(8)", 2), ("raid10(6,n3)", 3), ("raid0(4)", 1)],
)
def test_what_travels_for_each_byte(layout: str, write: float) -> None:
    assert wire_share(parse(layout).first, "write") == pytest.approx(write)
    assert wire_share(parse(layout).first, "read") == 1


def test_large_chunks_do_not_fit_the_default_stripe_cache() -> None:
    """A four-disk RAID5 gave 370 MB/s of 420 with 64 KiB chunks and about 240 with 512 KiB."""
    assert partial_share(64 * 1024) == 1.0
    assert partial_share(256 * 1024) == 1.0
    assert partial_share(512 * 1024) == 0.55
    assert partial_share(512 * 1024, cache_pages=4096) == 1.0
    layout = ArrayShape(level="raid5", members=4)
    assert sequential_write(layout, 140, rotational=True) == pytest.approx(370, rel=0.15)
    assert 0.55 * sequential_write(layout, 140, rotational=True) == pytest.approx(240, rel=0.15)


def test_a_stripe_cache_that_holds_four_rows_for_each_writer() -> None:
    assert cache_pages_for(512 * 1024) == 512
    assert cache_pages_for(512 * 1024, streams=8) == 4096
    assert cache_pages_for(4096) == 17
    assert cache_pages_for(64 * 1024 * 1024) == 32768
