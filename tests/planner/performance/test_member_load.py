"""The load of each member: md's rules worked out by hand, a published iostat table, and the sum over members."""

from __future__ import annotations

import pytest

from raidtui.machine.inventory.shipped import load
from raidtui.predict.stated_disks import purchase
from raidtui.values.speed import AskedRate
from tests.planner.performance.test_ask_rate import asked

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
