"""Location of a disk in its chassis, as plans, benchmarks and reports keep it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from raidtui.values.codec_rules import TextValue, Value
from raidtui.values.findings import Finding

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


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskIdentity(Value):
    """A disk as every document names it: the identity by which others name it, and what is printed on its label."""

    id: str
    """identity; empty in an answer where it is not known"""
    serial: str | None = None
    """serial number, raw"""
    model: str | None = None
    """model string"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedDisk(DiskIdentity):
    """A disk with the place where a person finds it."""

    place: Location = NOWHERE
    """slot and enclosure in words, for the person who pulls it"""


@lru_cache(maxsize=4096)
def short_slot(slot: str) -> str:
    """`d1s07` for `drawer 1 slot 07`: words before a number become their first letter, if it ends in a number."""
    shortened = re.sub(r"([A-Za-z])[A-Za-z]*[\s_-]*(?=\d)", r"\1", slot).replace(" ", "")
    return shortened if shortened[-1:].isdigit() else slot


# Which disk goes to which array, and what the loss of each failure domain costs: a certificate anyone can check.


DomainKind = Literal["enclosure", "controller", "expander", "drawer"]
DomainVerdict = Literal["survives", "degraded", "lost"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate(Value):
    """What happens to the arrays when one failure domain goes away whole."""

    kind: DomainKind
    """what sort of domain"""
    domain: str
    """its name as the inventory has it"""
    members_lost: tuple[int, ...]
    """members that each array loses, in order"""
    spares_lost: int
    """hot spares that go with it"""
    verdict: DomainVerdict
    """survives: no array loses a member; degraded: every array keeps its data; lost: an array does not"""
    reason: str
    """the count that decides it, in words"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement(Value):
    """Disks in the order that `members.dealt` takes them, and what each domain's loss costs."""

    disks: tuple[str, ...]
    """identities: members of array 0, of array 1, ..., then spares"""
    certificates: tuple[Certificate, ...]
    """one for each domain that holds a chosen disk, worst first"""
    findings: tuple[Finding, ...]
    """laggards, worn disks, domains that no placement survives and the nearest that would"""
