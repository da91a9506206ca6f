"""Location of a disk in its chassis, as plans, benchmarks and reports keep it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from raidtui.model.codec_rules import TextValue

_IN_PLAN = ", enclosure "
_IN_BENCH = " of "
_SLOT = "slot "


@dataclass(frozen=True, slots=True)
class Location(TextValue):
    """Slot and enclosure of a disk. In files it is its text, `slot 3, enclosure 0x500`; empty if unknown."""

    text: str = ""
    """for the person who pulls the disk"""
    slot: str = field(default="", compare=False)
    """as the enclosure names it, without the word slot: `3`, `drawer 1 slot 07`; empty where it is unknown"""
    enclosure: str = field(default="", compare=False)
    """name of the enclosure; empty where it is unknown"""

    def __str__(self) -> str:
        """Its text."""
        return self.text

    @property
    def slot_text(self) -> str:
        """`slot 3`, `drawer 1 slot 07`: the slot; a bare number gets its noun."""
        return f"{_SLOT}{self.slot}" if self.slot.isdigit() else self.slot

    @classmethod
    def in_plan(cls, slot: str, enclosure: str) -> Location:
        """As a plan names it: `slot 3, enclosure 0x500`, `drawer 1 slot 07, enclosure 0x500`."""
        words = (f"{_SLOT}{slot}" if slot.isdigit() else slot, f"enclosure {enclosure}" if enclosure else "")
        return cls(", ".join(word for word in words if word), slot, enclosure)

    @classmethod
    def in_bench(cls, slot: str, enclosure: str) -> Location:
        """As a benchmark names it: `slot 3 of 0x500`; empty where the slot is unknown."""
        if not slot:
            return cls()
        return cls(f"{_SLOT}{slot}{_IN_BENCH}{enclosure}" if enclosure else f"{_SLOT}{slot}", slot, enclosure)

    @classmethod
    def read(cls, text: str) -> Location:
        """The location of this text, in either form."""
        bare = _IN_PLAN.removeprefix(", ")
        if text.startswith(bare):
            return cls(text, "", text.removeprefix(bare))
        slot, _, enclosure = text.partition(_IN_PLAN if _IN_PLAN in text else _IN_BENCH)
        return cls(text, slot.removeprefix(_SLOT), enclosure)


NOWHERE = Location()
"""the location of a disk without a known slot and enclosure"""


@lru_cache(maxsize=4096)
def short_slot(slot: str) -> str:
    """`d1s07` for `drawer 1 slot 07`: words before a number become their first letter, if it ends in a number."""
    shortened = re.sub(r"([A-Za-z])[A-Za-z]*[\s_-]*(?=\d)", r"\1", slot).replace(" ", "")
    return shortened if shortened[-1:].isdigit() else slot
