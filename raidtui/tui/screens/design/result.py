"""Result line of a design, and differences to a saved design as text. Nothing here draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from raidtui.model.counted import counted
from raidtui.model.units import GIB, TIB, binary_size, exact_binary
from raidtui.planner.amounts import rate
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Span

Better = Literal["more", "less", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One result of a design."""

    title: str
    value: str
    inner: bool = False
    """True for a detail of the first line above that is none; it is indented"""
    asides: tuple[str, ...] = ()
    """band, interval, next limit: shown in this order as far as they fit"""
    number: float | None = None
    """number to compare with a saved design's; None if not comparable"""
    delta: Callable[[float], str] = str
    """a difference of numbers as text"""
    short_delta: Callable[[float], str] | None = None
    """the same in a narrow column; None: there is no shorter text"""
    better: Better = ""
    """what a better design has here: `more` or `less`; empty where neither is better"""
    strong: bool = False
    """True for the most important results"""
    about: str
    """its meaning, for F1"""
    formula: tuple[str, ...] = ()
    """derivation with this layout's numbers and sources: further paragraphs for F1"""

    @property
    def label(self) -> str:
        """The title, indented where it is a detail."""
        return f"  {self.title}" if self.inner else self.title


def short_bytes(count: int) -> str:
    """Bytes as comparable text: TiB with two decimals, smaller sizes exact."""
    return f"{count / TIB:,.2f} TiB".replace(",", " ") if count >= TIB else binary_size(count)


def signed_bytes(difference: float) -> str:
    """A difference of sizes in bytes; `=` if there is none."""
    size = int(abs(difference))
    if size == 0:
        return "="
    return ("+" if difference > 0 else "-") + (exact_binary(size) if size < GIB else short_bytes(size))


def signed_count(noun: str) -> Callable[[float], str]:
    """Text of a difference of counts, `+1 spare`; `=` if there is none."""

    def text(difference: float) -> str:
        count = int(abs(difference))
        return f"{'+' if difference > 0 else '-'}{counted(count, noun)}" if count else "="

    return text


def signed_permille(difference: float) -> str:
    """A difference of shares in permille, as percentage points."""
    return f"{difference / 10:+.1f} points" if difference else "="


def signed_rate(difference: float) -> str:
    """A difference of rates in bytes per second."""
    if not difference:
        return "="
    return ("+" if difference > 0 else "-") + rate(abs(difference))


def difference_from(result: Result, before: float | None, glyphs: Glyphs, *, short: bool = False) -> Span | None:
    """The difference of `result` from a saved design's number, with its sign, unit and a mark for better or worse.

    None if they cannot be compared. `short`: for a narrow column.
    """
    if result.number is None or before is None:
        return None
    delta = (result.short_delta if short else None) or result.delta
    words = delta(result.number - before)
    if words == "=":
        return Span(words, "muted")
    if not result.better:
        return Span(words, "title")
    gains = (result.number > before) == (result.better == "more")
    return Span(f"{glyphs.better if gains else glyphs.worse} {words}", "good" if gains else "warn")
