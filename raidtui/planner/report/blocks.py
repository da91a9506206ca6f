"""What a report document is made of: blocks of outside text that Markdown and HTML each show in their own way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tone = Literal["", "good", "warn", "bad", "quiet"]
"""how a thing is meant; said in words too, colour only repeats it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """Begins a section, or a part of one."""

    text: str
    level: Literal[2, 3] = 2
    anchor: str = ""
    """letters, digits and hyphens; empty for a part"""
    short: str = ""
    """for the list of sections; empty: the text"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A paragraph."""

    text: str
    tone: Tone = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One point of a list."""

    mark: str
    """what it is in a word"""
    text: str
    more: str = ""
    """what to do about it"""
    tone: Tone = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A list of points."""

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Names and values."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    """Where a ratio lies beside its band; 1 is as predicted."""

    low: float
    high: float
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a table."""

    text: str
    tone: Tone = ""
    meter: Meter | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    right: frozenset[int] = frozenset()
    """columns of numbers"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Lines of a fixed-width text: commands, a table of another program's shape."""

    lines: tuple[str, ...]
    title: str = ""
    folded: bool = False
    """long: may be folded away on a screen, never on paper"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotBlock:
    """A plot, where there is one by that name."""

    name: str
    """letters, digits and hyphens"""
    title: str
    text: str
    """what it shows, for those who do not see it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signatures:
    """Lines to sign on."""

    roles: tuple[str, ...]


Block = Heading | Paragraph | Items | Pairs | Grid | Listing | PlotBlock | Signatures


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A report as it is read."""

    id: str
    title: str
    subtitle: str
    banner: str
    """over everything, where nothing in it is of a real machine; empty otherwise"""
    verdict: str
    """in capitals"""
    tone: Tone
    """of the verdict"""
    reason: str
    facts: tuple[tuple[str, str], ...]
    blocks: tuple[Block, ...]
    made_by: str
