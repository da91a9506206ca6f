"""Blocks of a report document, rendered as Markdown, as HTML and in the app; all text in them is untrusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BlockTone = Literal["", "good", "warn", "bad", "quiet"]
"""meaning of a block; always stated in text too, colour only repeats it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """Heading of a section or subsection."""

    text: str
    level: Literal[2, 3] = 2
    anchor: str = ""
    """letters, digits and hyphens; empty for a part"""
    short: str = ""
    """short title for the list of sections; empty: the text"""
    result: str = ""
    """what the section comes to, in one line"""
    tone: BlockTone = ""
    """of the result"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A paragraph of text."""

    text: str
    tone: BlockTone = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item of a list."""

    mark: str
    """its category in one word"""
    text: str
    more: str = ""
    """what to do about it"""
    tone: BlockTone = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A list of items."""

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """A list of (name, value) pairs."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    """Position of a ratio relative to its band; 1 is the prediction."""

    low: float
    high: float
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A table cell."""

    text: str
    tone: BlockTone = ""
    meter: Meter | None = None


def cells(*texts: str) -> tuple[Cell, ...]:
    """Plain cells with these texts."""
    return tuple(Cell(text=text) for text in texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table with column titles."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    right: frozenset[int] = frozenset()
    """columns of numbers"""
    optional: tuple[int, ...] = ()
    """columns that a page too narrow for all leaves out, the first of them first"""

    @property
    def worded(self) -> tuple[int, ...]:
        """Columns with a title, or with text in a row; the others hold only meters."""
        return tuple(
            number for number, title in enumerate(self.columns) if title or any(row[number].text for row in self.rows)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Fixed-width text: commands, or a table in another program's format."""

    lines: tuple[str, ...]
    title: str = ""
    folded: bool = False
    """True: collapsed on a screen, never on paper"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotBlock:
    """A plot; omitted if no plot of that name exists."""

    name: str
    """letters, digits and hyphens"""
    title: str
    text: str
    """alternative text"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signatures:
    """Signature lines, one per role."""

    roles: tuple[str, ...]


Block = Heading | Paragraph | Items | Pairs | Grid | Listing | PlotBlock | Signatures


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportDocument:
    """A report as title, verdict, facts and blocks."""

    id: str
    title: str
    subtitle: str
    banner: str
    """banner of a simulated report; empty otherwise"""
    verdict: str
    """in capitals"""
    tone: BlockTone
    """of the verdict"""
    reason: str
    facts: tuple[tuple[str, str], ...]
    blocks: tuple[Block, ...]
    made_by: str
