"""One line of the answer to a design, and differences to a saved one in words. Nothing here draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from raidtui.model.units import GIB, TIB, binary_size, decimal_size, exact_binary


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One line of the answer."""

    title: str
    value: str
    asides: tuple[str, ...] = ()
    """band, interval, next limit: said in this order as far as there is room"""
    number: float | None = None
    """what a saved design's is compared with; None where there is nothing to compare"""
    delta: Callable[[float], str] = str
    """a difference of numbers in words"""
    strong: bool = False
    """the figures people come for"""
    about: str
    """what it means, for F1"""
    formula: tuple[str, ...] = ()
    """how it follows, with this layout's numbers and sources: further paragraphs for F1"""


def short_bytes(count: int) -> str:
    """Bytes in figures an admin compares: TiB with two decimals, smaller ones as they come."""
    return f"{count / TIB:,.2f} TiB".replace(",", " ") if count >= TIB else binary_size(count)


def signed_bytes(difference: float) -> str:
    """A difference of sizes, in bytes; `=` when there is none."""
    size = int(abs(difference))
    if size == 0:
        return "="
    return ("+" if difference > 0 else "-") + (exact_binary(size) if size < GIB else short_bytes(size))


def signed_count(difference: float) -> str:
    """A difference of counts; `=` when there is none."""
    return f"{int(difference):+d}" if difference else "="


def signed_permille(difference: float) -> str:
    """A difference of shares held in thousandths, as percentage points."""
    return f"{difference / 10:+.1f}" if difference else "="


def signed_rate(difference: float) -> str:
    """A difference of rates, in bytes per second."""
    if not difference:
        return "="
    return ("+" if difference > 0 else "-") + f"{decimal_size(int(abs(difference)))}/s"
