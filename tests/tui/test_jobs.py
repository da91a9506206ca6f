"""The jobs of four field reports and of a person who knows no RAID: keystrokes, and the answer on the screen.

The walks are on 80x24. A terminal takes each key by itself, so a typed layout counts with every character.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.tui.robot import Robot, robot

NAMED = {" ": "space", "/": "slash", "(": "left_parenthesis", ")": "right_parenthesis", "+": "plus"}


class Hands:
    """Presses keys and counts them."""

    def __init__(self, user: Robot) -> None:
        self.user, self.count = user, 0

    async def press(self, *keys: str) -> None:
        """One keystroke each."""
        self.count += len(keys)
        await self.user.press(*keys)
        await self.user.settle()

    async def types(self, text: str) -> None:
        """One keystroke a character."""
        await self.press(*(NAMED.get(char, char) for char in text))


@asynccontextmanager
async def hands(chassis: str) -> AsyncIterator[tuple[Robot, Hands]]:
    """The app on a chassis, just started."""
    async with robot(chassis) as user:
        yield user, Hands(user)


async def test_one_array_of_45_disks_and_where_its_speed_ends() -> None:
    """XFS on 45 spindles behind port multipliers: (41+2)+2 with chunks of 256 KiB. 20 keys before."""
    async with hands("pod45") as (user, keys):
        await keys.press("2", "slash")
        await keys.types("(41+2)+2 256K")
        await keys.press("enter")
        assert keys.count <= 16
        assert user.sees("Layout        (41+2)+2")
        assert user.sees("Chunk       ‹ 256 KiB  › 512KiB?")
        answer = " ".join(user.lines()[2:4])
        assert "74.07 TiB" in answer and "any 2 disks" in answer
        assert "381 / 364 MB/s" in answer and "PCIe slot" in answer
        assert user.sees("41 data disks in one array:")


async def test_raid5_of_four_in_chunks_of_64_kib_to_the_byte() -> None:
    """A NAS of four disks; its kernel showed 11603447232 blocks of 1 KiB. 21 keys before."""
    async with hands("nas4") as (user, keys):
        await keys.press("2", "slash")
        await keys.types("(3+1) 64K")
        await keys.press("enter")
        assert keys.count <= 12
        assert user.sees("10.73 TiB") and user.sees("370 / 370 MB/s")
        await keys.press("tab", "end", "enter")
        assert keys.count <= 15
        assert user.sees("sunit=16 swidth=48  blocks")
        await keys.press("home", "down", "down", "down", "enter")
        assert 11603447232 * 1024 == 11881929965568
        assert user.sees("11 881 929 965 568")


async def test_sixty_disks_as_four_arrays_and_their_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """60 disks as 4x(12+2)+4 with segments of 256 KiB, to be built elsewhere. 11 keys before."""
    monkeypatch.chdir(tmp_path)
    async with hands("e2660") as (user, keys):
        await keys.press("2", "slash")
        await keys.types("256K")
        await keys.press("enter")
        answer = " ".join(user.lines()[2:4])
        assert "86.71 TiB" in answer and "any 2 disks" in answer and "each array" in answer
        await keys.press("e", "enter")
        assert keys.count <= 9
        assert str(tmp_path / "raidtui-data") in user.note().replace(" ", "")
        script = (tmp_path / "raidtui-data" / "build.sh").read_text("utf-8")
        assert "--raid-devices=14" in script and "--chunk=256K" in script


async def test_three_disks_in_every_layout_beside_each_other() -> None:
    """One disk of 250 GB and two of 1 TB, all chosen at the start: RAID 0, 1, 5 and 10 in all three spreads."""
    async with hands("trio") as (user, keys):
        await keys.press("3")
        assert keys.count <= 1
        table = "\n".join(user.lines()[2:11])
        for layout in ("raid0(3)", "(2+1)", "raid10(3) ", "raid10(3,o2)", "raid10(3,f2)"):
            assert layout in table
        await keys.press("a")
        assert "raid10(3,f2)" not in "\n".join(user.lines()[2:11])


async def test_a_beginner_gets_one_suggestion_and_a_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every question answered with what stands there. 8 keys to the design before."""
    monkeypatch.chdir(tmp_path)
    async with hands("pod45") as (user, keys):
        assert user.sees("g starts the guide")
        await keys.press("g", "enter", "enter", "enter", "enter")
        card = " ".join(line.strip(" │┃") for line in user.lines() if "│" in line)
        assert "We suggest 3 arrays of 12+2 disks and 3 spares." in card
        assert "65.03 TiB" in card
        await keys.press("enter")
        assert keys.count <= 6
        assert user.sees("any 2 disks")
        await keys.press("e", "enter")
        assert keys.count <= 8
        assert (tmp_path / "raidtui-data" / "build.sh").exists()
