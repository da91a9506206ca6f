"""Result line of a design, and differences to a saved design as text. Nothing here draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from raidtui.model.units import GIB, TIB, binary_size, decimal_size, exact_binary


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


def signed_count(difference: float) -> str:
    """A difference of counts; `=` if there is none."""
    return f"{int(difference):+d}" if difference else "="


def signed_permille(difference: float) -> str:
    """A difference of shares in permille, as percentage points."""
    return f"{difference / 10:+.1f}" if difference else "="


def signed_rate(difference: float) -> str:
    """A difference of rates in bytes per second."""
    if not difference:
        return "="
    return ("+" if difference > 0 else "-") + f"{decimal_size(int(abs(difference)))}/s"
