"""What survives, by formula, against every chunk of a table that is laid out as the kernel does it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.values.arrays import MdShape
from raidtui.values.survival import further_failures, holds_all, starts
from tests.suite import examples

COMMON = ("raid0", "linear", "raid1", "raid4", "raid5", "raid6")


def near(devices: int, copies: int) -> list[set[int]]:
    """Chunks in order, each so many times, over the members row by row (md(4), near)."""
    cells = [chunk for chunk in range(4 * devices) for _ in range(copies)]
    table: dict[int, set[int]] = {}
    for place, chunk in enumerate(cells):
        table.setdefault(chunk, set()).add(place % devices)
    return list(table.values())


def shifted(devices: int, copies: int) -> list[set[int]]:
    """A stripe of chunks, and copies of it each a member further (md(4), far and offset)."""
    return [{(chunk + copy) % devices for copy in range(copies)} for chunk in range(4 * devices)]


def in_sets(devices: int, copies: int) -> list[set[int]]:
    """The same among the members of a set; what does not divide is in the last set (raid10.c, far_set_size)."""
    count = devices // copies
    sets = [list(range(number * copies, (number + 1) * copies)) for number in range(count)]
    sets[-1] += range(count * copies, devices)
    found = []
    for chunk in range(devices):
        own = next(each for each in sets if chunk in each)
        at = own.index(chunk)
        found.append({own[(at + copy) % len(own)] for copy in range(copies)})
    return found


Table = Callable[[int, int], list[set[int]]]
RAID10: dict[str, tuple[Table, Callable[[int], int]]] = {
    "near": (near, lambda n: n | 1 << 8),
    "far": (shifted, lambda n: 1 | n << 8),
    "offset": (shifted, lambda n: 1 | n << 8 | 1 << 16),
    "sets": (in_sets, lambda n: 1 | n << 8 | 2 << 17),
}


@st.composite
def cases(draw: st.DrawFn) -> tuple[MdShape, list[set[int]], set[int]]:
    """A shape, the slots of each of its chunks, and slots that are gone."""
    kind = draw(st.sampled_from([*RAID10, *COMMON]))
    if kind in RAID10:
        made, number = RAID10[kind]
        devices = draw(st.integers(2, 12))
        copies = draw(st.integers(2, devices))
        shape = MdShape(level="raid10", devices=devices, layout=number(copies), chunk_bytes=2**19)
        table = made(devices, copies)
    else:
        least = {"raid4": 2, "raid5": 2, "raid6": 4}.get(kind, 1)
        devices = draw(st.integers(least, 12))
        shape, table = MdShape(level=kind, devices=devices), []
    gone = draw(st.sets(st.integers(0, devices - 1), max_size=devices))
    return shape, table, gone


def brute(shape: MdShape, table: list[set[int]], gone: set[int]) -> bool:
    parity = {"raid0": 0, "linear": 0, "raid4": 1, "raid5": 1, "raid6": 2}
    if shape.level == "raid1":
        return bool(set(range(shape.devices)) - gone)
    if shape.level in parity:
        return len(gone) <= parity[shape.level]
    return all(slots - gone for slots in table)


@given(cases())
@examples(400)
def test_the_formula_equals_every_chunk(case: tuple[MdShape, list[set[int]], set[int]]) -> None:
    shape, table, gone = case
    held = brute(shape, table, gone)
    assert holds_all(shape, gone) is held
    most = further_failures(shape, gone)
    rest = sorted(set(range(shape.devices)) - gone)
    whole = [all(brute(shape, table, gone | set(more)) for more in combinations(rest, count))
             for count in range(min(len(rest), 4) + 1)]  # fmt: skip
    survived = max((count for count, good in enumerate(whole) if good), default=0)
    assert most is not None
    assert min(most, 4) == (survived if held else 0)
    if starts(shape, gone):
        assert held


@pytest.mark.parametrize(
    ("layout", "devices", "gone", "works"),
    [
        (0x102, 4, {0}, True), (0x102, 4, {0, 1}, False), (0x102, 4, {1, 2}, True), (0x102, 4, {0, 2}, True),
        (0x201, 4, {0, 1}, False), (0x201, 4, {0, 2}, True), (0x10201, 4, {0, 2}, True), (0x10201, 4, {3, 0}, False),
        (0x103, 5, {0, 1}, True), (0x103, 5, {0, 1, 2}, False), (0x102, 5, {0, 2}, True), (0x102, 5, {4, 0}, False),
    ],
)  # fmt: skip
def test_raid10_of_four_and_five(layout: int, devices: int, gone: set[int], works: bool) -> None:
    shape = MdShape(level="raid10", devices=devices, layout=layout)
    assert (holds_all(shape, gone), starts(shape, gone)) == (works, works)


def test_what_is_not_known_is_not_concluded() -> None:
    for shape in (MdShape(level="raid7", devices=4), MdShape(level="", devices=4), MdShape(level="raid6", devices=0),
                  MdShape(level="raid10", devices=4, layout=9 << 17 | 0x102)):  # fmt: skip
        assert (holds_all(shape, {0}), further_failures(shape)) == (None, None)
