"""How many members a domain may hold, and the nearest layout that stays within it."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.predict.placement.domains import can_survive, member_capacity
from raidtui.values.notation import parse


@pytest.mark.parametrize(
    ("layout", "counts", "room", "can"),
    [
        ("6x(8+2)", (12, 12, 12, 12, 12), 60, True),
        ("4x(12+2)+4", (12, 12, 12, 12, 12), 40, False),
        ("10x raid1(2)", (10, 10), 20, True),
        ("10x raid1(2)", (19, 1), 11, False),
        ("10x raid1(2)", (40, 10), 20, True),
        ("raid10(7,f2)", (4, 3), 6, False),
        ("raid10(7,f2)", (3, 2, 2), 7, True),
        ("raid0(2)", (1, 1), 0, False),
    ],
)
def test_the_counting_bound(layout: str, counts: tuple[int, ...], room: int, can: bool) -> None:
    assert member_capacity(parse(layout), counts) == room
    assert can_survive(parse(layout), counts) is can


def fits(widths: list[int], counts: list[int], each: int) -> bool:
    """By trying everything: can arrays of `widths` be filled, each with at most `each` disks of a domain."""
    if not widths:
        return True
    for taken in product(*(range(min(count, each) + 1) for count in counts)):
        if sum(taken) == widths[0]:
            left = [count - part for count, part in zip(counts, taken, strict=True)]
            if fits(widths[1:], left, each):
                return True
    return False


@given(st.lists(st.integers(4, 7), min_size=2, max_size=3), st.lists(st.integers(1, 8), min_size=2, max_size=4))
def test_unequal_arrays_survive_exactly_if_trying_everything_finds_a_placement(
    widths: list[int], counts: list[int]
) -> None:
    layout = parse("+".join(f"({width - 2}+2)" for width in widths))
    assert can_survive(layout, counts) is fits(widths, counts, 2)
