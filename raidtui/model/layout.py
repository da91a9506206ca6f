"""A layout: how many arrays of what shape, and how many hot spares. Its notation is in `notation`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.choices import LEVELS as LEVELS
from raidtui.model.choices import Level as Level
from raidtui.model.codec_rules import STRICT

Spread = Literal["n", "f", "o"]
PARITY: dict[Level, int] = {"raid0": 0, "raid1": 0, "raid4": 1, "raid5": 1, "raid6": 2, "raid10": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """`arrays` arrays of `members` disks each, all of one level, and `spares` hot spares beside them."""

    __pydantic_config__ = STRICT

    level: Level
    """the md level of every array"""
    members: int
    """disks in each array, parity included, spares not"""
    arrays: int = 1
    """how many such arrays"""
    spares: int = 0
    """hot spares in all, beside the arrays"""
    copies: int = 2
    """RAID10 only: how many copies of every chunk"""
    spread: Spread = "n"
    """RAID10 only: near, far or offset placement of the copies"""

    @property
    def parity(self) -> int:
        """Parity disks in each array: 0, 1 or 2."""
        return PARITY[self.level]

    @property
    def data(self) -> int:
        """Disks' worth of data in each array's full stripe, at least 1.

        RAID10 counts members over near copies where that divides evenly, since far and
        offset copies do not shorten the stripe.
        """
        if self.level == "raid1":
            return 1
        if self.level == "raid10" and self.spread == "n" and self.members % self.copies == 0:
            return self.members // self.copies
        return self.members - self.parity

    @property
    def disks(self) -> int:
        """Disks the layout takes in all, spares included."""
        return self.arrays * self.members + self.spares

    def spares_of(self, array: int) -> int:
        """Spares attached to array number `array`: one each first, the rest dealt round."""
        return self.spares // self.arrays + (1 if array < self.spares % self.arrays else 0)

    @property
    def survives(self) -> int:
        """Member failures that every single array outlives, whichever members they are."""
        if self.level == "raid1":
            return self.members - 1
        if self.level == "raid10":
            return self.copies - 1
        return self.parity


def least_members(level: Level, copies: int = 2) -> int:
    """The fewest members md makes an array of; RAID0 and RAID1 of one disk need force, so two."""
    if level == "raid10":
        return max(2, copies)
    return 4 if level == "raid6" else 2
