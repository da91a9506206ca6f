"""What members should move: parts worked out by hand, and the table of iostat that a field report printed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from raidtui.machine.gauges.expected_load import ExpectedLoads, MemberPart, PresentWork, parts_of, work_of
from raidtui.machine.gauges.rates import IDLE
from raidtui.values.gauges import Gauge, Scene, Tick, WatchedArray, WatchedDisk
from raidtui.values.notation import parse
from raidtui.values.speed import parse_ask

MB = 1e6


def loads(text: str, ask: str, *moved: tuple[float, float]) -> list[tuple[int, str, bool]]:
    """(expected MB/s, deviation, off) of each member after a tick in which they read and wrote so much."""
    names = tuple(f"sd{letter}" for letter, _ in zip("abcdefgh", moved, strict=False))
    scene = Scene(
        host="x",
        disks=tuple(WatchedDisk(name=name, array="md0", role="member") for name in names),
        arrays=(WatchedArray(name="md0", level="any", members=names),),
    )
    watched = ExpectedLoads(scene, {"md0": parts_of(parse(text).first, work_of(parse_ask(ask)), rotational=True)})
    gauges = {name: at(read * MB, write * MB) for name, (read, write) in zip(names, moved, strict=True)}
    watched.add(Tick(time=1.0, seconds=1.0, disks=gauges))
    return [(round(each.expected / MB), each.words, each.off) for each in watched.now().values()]


def at(read: float, write: float) -> Gauge:
    return replace(IDLE, read_bytes_per_s=read, write_bytes_per_s=write)


def test_parity_members_move_the_same_and_one_that_does_not_is_off() -> None:
    assert loads("raid5(3+1)", "read", (100, 0), (100, 0), (100, 0), (60, 0)) == [
        (90, "+11 %", True), (90, "+11 %", True), (90, "+11 %", True), (90, "-33 %", True),
    ]  # fmt: skip
    assert loads("raid5(3+1)", "write", (0, 100), (0, 101), (0, 99), (0, 100))[2] == (100, "-1 %", False)


def test_the_parity_member_of_raid4_moves_more_when_little_is_written() -> None:
    """One of four data chunks: its old data and the parity are read (2) and both are written (2)."""
    assert loads("raid4(4+1)", "write,random", (10, 10), (10, 10), (10, 10), (10, 10), (40, 40)) == [
        *[(20, "+0 %", False)] * 4, (80, "+0 %", False),
    ]  # fmt: skip


def test_one_reader_of_a_near_layout_may_use_either_copy() -> None:
    """Field report S4: three disks at 15, 54 and 87 MB/s; md may read up to two thirds of all chunks from one."""
    found = loads("raid10(3)", "read,streams=1", (54, 0), (15, 0), (87, 0))
    assert [(expected, off) for expected, _, off in found] == [(52, False), (0, False), (104, False)]
    assert loads("raid10(3,o2)", "read,streams=1", (47, 0), (47, 0), (47, 0)) == [(47, "+0 %", False)] * 3


def test_a_mirror_serves_each_reader_from_one_member() -> None:
    two = PresentWork(reads=1.0, random=False, streams=2, alone=False)
    assert [part.point for part in parts_of(parse("raid1(4)").first, two, rotational=True)] == [0.5, 0.5, 0.0, 0.0]
    unequal = parts_of(parse("raid1(2)").first, two._replace(streams=None), rotational=True, serving=(300.0, 100.0))
    assert unequal == (MemberPart(0.75, 0.75, 0.75), MemberPart(0.25, 0.25, 0.25))


def test_reads_and_writes_at_once() -> None:
    """Of ten requests seven read; each write goes to both copies."""
    work = work_of(parse_ask("mixed,read=70,random"))
    assert (work.reads, work.alone) == (0.7, False)
    assert [part.point for part in parts_of(parse("raid10(4)").first, work, rotational=True)] == pytest.approx(
        [0.25] * 4
    )
