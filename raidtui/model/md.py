"""The state of one md array as the kernel has it: shape now and before a reshape, members with md's flags, sync."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from raidtui.model.codec_rules import Value
from raidtui.model.layout import PARITY


@dataclass(frozen=True, slots=True, kw_only=True)
class MdShape(Value):
    """How an array spreads its data over its slots."""

    level: str
    """raid6, linear, ...; empty where it is not known"""
    devices: int
    """slots; 0 where it is not known"""
    layout: int = 0
    """the kernel's number: of RAID10 near copies, far copies in the second byte, offset in bit 16, far sets above"""
    chunk_bytes: int = 0
    """0 for a level without chunks"""

    @property
    def parity(self) -> int | None:
        """Members that hold parity; None for a level that copies, and for one that is not known."""
        if self.level in ("raid0", "linear"):
            return 0
        return next((count for level, count in PARITY.items() if level == self.level and count), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reshape(Value):
    """A change of an array's shape that has begun and not ended: it runs, waits, or was interrupted."""

    before: MdShape
    """shape of what it has not reached yet"""
    position_bytes: int | None = None
    """of the array, up to where it has come; None: not known"""
    backwards: bool = False
    """it goes from the end of the array to its start"""
    backup: bool | None = None
    """what it moves is kept outside of the members' own data: in the file of --backup-file, or on a spare; None: not
    read"""


_RESERVE_FROM = 8
"""slots from which a mirror with a tail of empty ones counts as made for disks to come, as NAS systems do"""


def slots_in_reserve(level: str, devices: int, there: Collection[int]) -> range:
    """Empty slots at the end of a mirror that was made with more than the machine has disks (QNAP, Synology).

    `there`: slots with a copy, two at the least. Which of the others once had one, the kernel does not say."""
    if level != "raid1" or devices < _RESERVE_FROM or len(there) < 2:
        return range(0)
    return range(max(there) + 1, devices)
