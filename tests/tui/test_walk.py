"""Keys and clicks in a seeded order on every screen at three sizes; `python -m tests.tui.walk` presses every key."""

from __future__ import annotations

import random

import pytest

from tests.tui.walk import SIZES, Seen, clicks, fleet_walk, walk

SMALLEST, *LARGER = SIZES
ALL_SIZES = [SMALLEST, *(pytest.param(size, marks=pytest.mark.thorough) for size in LARGER)]


@pytest.mark.parametrize("size", ALL_SIZES)
async def test_no_key_on_any_screen_raises_and_the_picture_stays_whole(size: tuple[int, int]) -> None:
    seen = Seen()
    await walk(seen, size, random.Random(f"2026 {size}"), keys=2)
    assert seen.keys >= 16
    assert len({state[1] for state in seen.states}) >= 7


@pytest.mark.parametrize("size", ALL_SIZES)
async def test_no_click_anywhere_raises_and_the_picture_stays_whole(size: tuple[int, int]) -> None:
    seen = Seen()
    await clicks(seen, size, random.Random(f"2026 {size}"), each=2)
    assert seen.clicks >= 12


@pytest.mark.parametrize("size", ALL_SIZES)
async def test_no_key_on_the_screens_of_a_fleet_raises(size: tuple[int, int]) -> None:
    seen = Seen()
    await fleet_walk(seen, size, random.Random(f"2026 {size}"), keys=8)
    assert seen.keys == 24
    assert {state[1] for state in seen.states} == {"fleet", "disks", "build"}
