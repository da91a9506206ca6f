"""The load of each member: md's rules worked out by hand, a published iostat table, and the sum over members."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from raidtui.answers.speed import asked_lines
from raidtui.machine.inventory.shipped import load
from raidtui.predict.purchase import purchase
from raidtui.predict.speed.operating_point import first_copies, near_copies
from raidtui.values.notation import parse
from raidtui.values.speed import AskedRate, MemberLoad
from tests.planner.performance.test_ask_rate import asked
from tests.suite import examples

TRIO = load("trio")
FLASH = purchase("12x2TB", rotational=False)
MB = 1_000_000


def of(text: str, layout: str, flash: bool = False) -> AskedRate:
    return asked(text, layout, FLASH.disks, FLASH) if flash else asked(text, layout)


def reads(found: AskedRate) -> list[float]:
    return [round(each.read_bytes_per_s / found.bytes_per_s, 3) for each in found.members]


def writes(found: AskedRate) -> list[float]:
    return [round(each.write_bytes_per_s / found.bytes_per_s, 3) for each in found.members]


@pytest.mark.parametrize(
    ("layout", "ask", "shares"),
    [
        ("raid0(4)", "read", [0.25] * 4),
        ("4x disk", "read", [0.25] * 4),
        ("raid1(4)", "read", [0.25] * 4),
        ("raid1(4)", "read,streams=4", [0.25] * 4),
        ("raid1(4)", "read,streams=2", [0.5, 0.5, 0.0, 0.0]),
        ("raid1(4)", "read,streams=1", [1.0, 0.0, 0.0, 0.0]),
        ("raid4(3+1)", "read", [0.333, 0.333, 0.333, 0.0]),
        ("raid5(3+1)", "read", [0.25] * 4),
        ("raid6(3+2)", "read,random", [0.2] * 5),
        ("raid10(4)", "read", [0.25] * 4),
        ("raid10(4)", "read,streams=1", [0.5, 0.0, 0.5, 0.0]),
        ("raid10(3)", "read,streams=1", [0.333, 0.0, 0.667]),
        ("raid10(3)", "read,streams=1,size=64K,depth=1", [0.333, 0.333, 0.333]),
        ("raid10(3,o2)", "read,streams=1", [0.333, 0.333, 0.333]),
        ("raid10(4,f2)", "read,streams=1", [0.25] * 4),
    ],
)
def test_what_each_member_reads_of_a_byte(layout: str, ask: str, shares: list[float]) -> None:
    assert reads(of(ask, layout)) == shares


@pytest.mark.parametrize(
    ("layout", "ask", "read", "written"),
    [
        ("raid0(4)", "write", [0.0] * 4, [0.25] * 4),
        ("raid1(3)", "write", [0.0] * 3, [1.0] * 3),
        ("raid4(3+1)", "write", [0.0] * 4, [0.333] * 4),
        ("raid5(3+1)", "write", [0.0] * 4, [0.333] * 4),
        ("raid6(4+2)", "write", [0.0] * 6, [0.25] * 6),
        ("raid10(3)", "write", [0.0] * 3, [0.667] * 3),
        ("raid10(4,f2)", "write", [0.0] * 4, [0.5] * 4),
        # one of four data chunks: old data and parity are read (2), both are written (2)
        ("raid5(4+1)", "write,random", [0.4] * 5, [0.4] * 5),
        # RAID6 of 5+2: 3 reads, 3 writes over 7 members
        ("raid6(5+2)", "write,random", [0.429] * 7, [0.429] * 7),
        # three data chunks: rcw, which reads the other two
        ("raid5(3+1)", "write,random", [0.5] * 4, [0.5] * 4),
        # RAID4, one of four: the parity member is read and written each time
        ("raid4(4+1)", "write,random", [0.25] * 4 + [1.0], [0.25] * 4 + [1.0]),
        # less than a stripe in flight reads first: 64K of 3 x 512K
        ("raid5(3+1)", "write,streams=1,size=64K,depth=1", [0.5] * 4, [0.5] * 4),
    ],
)
def test_what_each_member_reads_and_writes_of_a_byte_written(
    layout: str, ask: str, read: list[float], written: list[float]
) -> None:
    found = of(ask, layout)
    assert (reads(found), writes(found)) == (read, written)


def test_chunks_of_a_near_layout_by_hand() -> None:
    """n2 on three: chunk 0 on members 0 and 1, chunk 1 on 2 and 0, chunk 2 on 1 and 2."""
    assert first_copies(3, 2) == [1 / 3, 1 / 3, 1 / 3]
    assert near_copies(3, 2) == [1 / 3, 0.0, 2 / 3]
    assert first_copies(4, 2) == near_copies(4, 2) == [0.5, 0.0, 0.5, 0.0]
    assert first_copies(6, 3) == [0.5, 0.0, 0.0, 0.5, 0.0, 0.0]


def test_one_reader_of_three_unequal_disks_as_iostat_showed_them() -> None:
    """Field report: near 15, 54 and 87 MB/s, offset 47 each, far 95 each; disks of a near layout in md's order unknown.

    Head-following gives 0, 1/3 and 2/3; the tenth on the first comes from moments when a member had nothing pending.
    """
    near = asked("read,streams=1", "raid10(3)", TRIO.disks, TRIO)
    found = sorted(near.members, key=lambda each: each.read_bytes_per_s)
    assert [round(each.read_bytes_per_s / MB) for each in found] == [0, 45, 90]
    for seen, each in zip((15.17, 54.0, 87.08), found, strict=True):
        assert each.read_low <= seen * MB <= each.read_high
    offset = asked("read,streams=1", "raid10(3,o2)", TRIO.disks, TRIO)
    assert [round(each.read_bytes_per_s / MB) for each in offset.members] == [45, 45, 45]
    far = asked("read,streams=1", "raid10(3,f2)", TRIO.disks, TRIO)
    assert [round(each.read_bytes_per_s / MB) for each in far.members] == [90, 90, 90]


def test_three_readers_of_a_mirror_have_a_disk_each_at_its_own_rate() -> None:
    """Field report: 95, 112 and 110 MB/s, 317 together; 0.95 of 95, 110 and 112 is expected."""
    found = asked("read", "raid1(3)", TRIO.disks, TRIO)
    assert sorted(round(each.read_bytes_per_s / MB) for each in found.members) == [90, 104, 106]
    assert round(found.bytes_per_s / MB) == 301
    assert found.low <= 317 * MB <= found.high


def test_a_mirror_of_flash_that_waits_for_each_random_read_uses_its_first_member() -> None:
    assert reads(of("read,random,streams=1,depth=1", "raid1(3)", flash=True)) == [1.0, 0.0, 0.0]
    assert reads(of("read,random,streams=1,depth=1", "raid1(4)")) == [0.25] * 4


def test_operations_are_those_of_members() -> None:
    """4 KiB each; RAID5 of 4+1: two reads and two writes of a member for each write."""
    found = of("write,random,streams=8,depth=1,size=4K", "raid5(4+1)")
    assert found.requests_per_s is not None
    assert sum(each.reads_per_s or 0 for each in found.members) == pytest.approx(2 * found.requests_per_s, abs=5)
    assert {each.reads_per_s for each in of("read", "raid5(4+1)").members} == {None}


def test_separate_arrays_without_a_reader_are_idle() -> None:
    found = asked("read,streams=1", "2xraid0(2)", stack="separate")
    assert reads(found) == [0.5, 0.5, 0.0, 0.0]


def test_members_in_words() -> None:
    near = asked("read,streams=1", "raid10(3)", TRIO.disks, TRIO)
    assert [line for line in asked_lines([near]) if line.startswith("  member")] == [
        "  member 0: reads 45.1 MB/s (0 to 90.2 MB/s, as md chooses copies)",
        "  member 1: reads 0 MB/s (0 to 90.2 MB/s, as md chooses copies)",
        "  member 2: reads 90.2 MB/s (0 to 90.2 MB/s, as md chooses copies)",
    ]
    parity = replace(near, members=tuple(MemberLoad(
        array=array, member=member, read_bytes_per_s=MB * (member < 2), read_low=MB * (member < 2),
        read_high=MB * (member < 2), write_bytes_per_s=0) for array in range(2) for member in range(3)))  # fmt: skip
    assert [line for line in asked_lines([parity]) if line.startswith("  member")] == [
        "  members 0, 1 of each array: reads 1.00 MB/s",
        "  member 2 of each array: idle",
    ]


@examples(60)
@given(
    layout=some.sampled_from(
        ("raid0(5)", "raid1(3)", "raid4(4+1)", "raid5(4+1)", "raid6(6+2)", "raid10(5)", "raid10(5,o2)", "raid10(6,f2)",
         "raid10(7,n3)", "3x(4+2)", "2xraid10(4)", "4x disk", "hybrid(5)")
    ),
    kind=some.sampled_from(("read", "write")),
    random=some.booleans(),
    streams=some.integers(1, 40),
    depth=some.none() | some.integers(1, 32),
    size=some.sampled_from((4, 64, 512, 1024, 4096)),
)  # fmt: skip
def test_members_together_move_the_users_bytes_times_the_amplification(
    layout: str, kind: str, random: bool, streams: int, depth: int | None, size: int
) -> None:
    words = [kind, *(["random"] if random else []), f"streams={streams}", f"size={size}K"]
    found = asked(",".join([*words, *([f"depth={depth}"] if depth else [])]), layout)
    read = sum(each.read_bytes_per_s for each in found.members)
    written = sum(each.write_bytes_per_s for each in found.members)
    slack = len(found.members) + found.bytes_per_s * 1e-6
    if kind == "read":
        assert read == pytest.approx(found.bytes_per_s, abs=slack)
        assert written == 0
    else:
        shape = parse(layout).shapes[0]
        least = {"raid1": shape.members, "raid10": shape.copies}.get(shape.level, shape.members / shape.data)
        assert written >= least * found.bytes_per_s - slack or layout.startswith("hybrid")
        assert shape.parity or read == 0
        if not (random or depth or layout.startswith("hybrid")):
            assert read == 0
            assert written == pytest.approx(least * found.bytes_per_s, abs=slack)
    for each in found.members:
        assert 0 <= each.read_low <= each.read_bytes_per_s <= each.read_high


@pytest.mark.parametrize(("streams", "left"), [(3, 1.0), (4, 0.951), (6, 0.951)])
def test_streams_on_a_mirror_seek_only_where_a_member_has_several(streams: int, left: float) -> None:
    """Two streams on a member leave 1 / 1.052 of its rate, as on any array."""
    alone = asked("read", "raid1(3)", TRIO.disks, TRIO).bytes_per_s
    assert asked(f"read,streams={streams}", "raid1(3)", TRIO.disks, TRIO).bytes_per_s / alone == pytest.approx(
        left, abs=0.001
    )
