"""Blocks of an answer, rendered as text, Markdown, HTML and in the app; all text in them is untrusted."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from raidtui.values.amounts import RISK_ERROR, hours, one_in, rate, times_as_likely
from raidtui.values.units import GIB, binary_size, counted, exact_binary

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
    details: tuple[Block, ...] = ()
    """what Enter opens on a screen; paper leaves it out"""


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
    signed: bool = False
    """True: a screen puts the sign of the tone before it"""
    strong: bool = False
    """True for the one that counts among others"""
    meter: Meter | None = None


def cells(*texts: str) -> tuple[Cell, ...]:
    """Plain cells with these texts."""
    return tuple(Cell(text=text) for text in texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table with column titles."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    """a cell for each column; one cell alone is a title over the rows below it"""
    right: frozenset[int] = frozenset()
    """columns of numbers"""
    optional: tuple[int, ...] = ()
    """columns that a page too narrow for all leaves out, the first of them first"""
    folded: str = ""
    """title of a table that is collapsed on a screen and not printed; empty: shown"""
    keys: tuple[str, ...] = ()
    """names of the rows, by which a screen's cursor picks them; empty, all or one: only read"""

    @property
    def worded(self) -> tuple[int, ...]:
        """Columns with a title, or with text in a row; the others hold only meters."""
        rows, titles = self.whole, self.columns
        return tuple(at for at, title in enumerate(titles) if title or any(row[at].text for row in rows))

    @property
    def whole(self) -> tuple[tuple[Cell, ...], ...]:
        """The rows but for titles."""
        return tuple(row for row in self.rows if len(row) == len(self.columns))


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Fixed-width text: commands, or a table in another program's format."""

    lines: tuple[str, ...]
    title: str = ""
    folded: bool = False
    """True: collapsed on a screen, and not printed"""


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
    """Signature lines, one per role; they end the first page."""

    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Figures of a design, one a line, and how each differs from the same figure of another design."""

    rows: tuple[FigureRow, ...]
    before: tuple[float | None, ...] = ()
    """numbers of the other design, one for each row; empty: compared with none"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Blocks under a title that a screen opens and closes; on paper they stand below it."""

    key: str
    """its title, in capitals; no two of an answer have the same"""
    result: tuple[str, ...] = ()
    """what they come to, which is seen while they are closed; the first of them matters most"""
    blocks: tuple[Block, ...]
    opens: bool = False
    """True: open until somebody closes it"""


Block = Heading | Paragraph | Items | Pairs | Grid | Listing | PlotBlock | Signatures | Figures | Group


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
    page_line: str = ""
    """identities of report, plan and run, for every printed page: letters, digits, blanks and commas"""


# A row of the answer about a design, and differences of its numbers as text.


Better = Literal["more", "less", ""]


EQUAL = "="
"""text of no difference, and of one below the error of the figure"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureDifference:
    """How a figure differs from that of another design."""

    words: str
    kind: Literal["better", "worse", "equal", "other"]
    """`other`: different, and neither is better"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureRow:
    """One figure of a design: the same title, value and notes wherever it is shown."""

    title: str
    value: str
    large: str = ""
    """the digits of the value, which a large screen draws large; empty: it has none"""
    inner: bool = False
    """True for a detail of the first line above that is none; it is indented"""
    notes: tuple[str, ...] = ()
    """band, interval, next limit: in a narrow place the first of them, as far as they fit"""
    number: float | None = None
    """number to compare with a saved design's; None if not comparable"""
    delta: Callable[[float], str] = str
    """a difference of numbers as text"""
    short_delta: Callable[[float], str] | None = None
    """the same in a narrow column; None: there is no shorter text"""
    better: Better = ""
    """what a better design has here: `more` or `less`; empty where neither is better"""
    strong: bool = False
    """True for the most important figures"""
    about: str = ""
    """its meaning, for F1"""
    what: str = ""
    """what its number is, in a sentence that says how it differs; empty: the title"""
    derive: Callable[[], tuple[str, ...]] = tuple
    """makes `formula`, which most rows are never asked for"""

    def difference(self, before: float | None, *, short: bool = False) -> FigureDifference | None:
        """How it differs from the number of another design; None if they cannot be compared. `short`: in 13 cells."""
        if self.number is None or before is None:
            return None
        words = ((self.short_delta if short else None) or self.delta)(self.number - before)
        if words == EQUAL or not self.better:
            return FigureDifference(words=words, kind="equal" if words == EQUAL else "other")
        return FigureDifference(
            words=words, kind="better" if (self.number > before) == (self.better == "more") else "worse"
        )

    @property
    def formula(self) -> tuple[str, ...]:
        """Derivation with this layout's numbers and sources: further paragraphs for F1."""
        return self.derive()

    @property
    def label(self) -> str:
        """The title, indented where it is a detail."""
        return f"  {self.title}" if self.inner else self.title


def signed_bytes(difference: float) -> str:
    """A difference of sizes in bytes; `=` if there is none."""
    size = int(abs(difference))
    if size == 0:
        return EQUAL
    return ("+" if difference > 0 else "-") + (exact_binary(size) if size < GIB else binary_size(size))


def signed_count(noun: str) -> Callable[[float], str]:
    """Text of a difference of counts, `+1 spare`; `=` if there is none."""

    def text(difference: float) -> str:
        count = int(abs(difference))
        return f"{'+' if difference > 0 else '-'}{counted(count, noun)}" if count else EQUAL

    return text


def signed_permille(difference: float) -> str:
    """A difference of shares in permille, as percentage points."""
    return f"{difference / 10:+.1f} points" if difference else EQUAL


def signed_rate(difference: float) -> str:
    """A difference of rates in bytes per second."""
    if not difference:
        return EQUAL
    return ("+" if difference > 0 else "-") + rate(abs(difference))


def likelier(difference: float) -> str:
    """A difference of two natural logarithms of probabilities: `3.2x as likely`; `=` if they are about equal."""
    factor = _factor(difference)
    return EQUAL if factor is None else times_as_likely(factor)


def likelier_in_short(difference: float) -> str:
    """`likelier` in at most 13 cells: `3.2x more`, `2.2x less`."""
    factor = _factor(difference)
    if factor is None:
        return EQUAL
    return f"{one_in(1 / factor)}x more" if factor > 1 else f"{one_in(factor)}x less"


def _factor(difference: float) -> float | None:
    """The ratio of two probabilities with that difference of logarithms; None if they are about equal."""
    factor = math.exp(max(min(difference, 700.0), -700.0))
    return None if abs(math.log(factor)) < math.log(1 + RISK_ERROR) else factor


def signed_hours(difference: float) -> str:
    """A difference of hours; `=` below one minute."""
    if abs(difference) < 1 / 60:
        return EQUAL
    return ("+" if difference > 0 else "-") + hours(abs(difference))
