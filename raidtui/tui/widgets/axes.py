"""Plot axes: the cell of each value and the round numbers of the ticks. Nothing here draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Span

_LEAST = 1e-15
"""smallest value of a logarithmic axis; smaller ones are drawn here"""
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis: the values at its ends, and its ticks."""

    low: float
    """value at the middle of the first cell; with `log` its base-10 logarithm"""
    high: float
    """value at the middle of the last cell, likewise; always above `low`"""
    log: bool
    """True for a logarithmic axis"""
    ticks: tuple[float, ...]
    """round numbers in between, ascending"""

    def with_ends(self) -> Axis:
        """The same axis with the values at its ends in place of round ones."""
        ends = (10.0**self.low, 10.0**self.high) if self.log else (self.low, self.high)
        return replace(self, ticks=ends)

    def cell(self, value: float, cells: int) -> int:
        """The cell of `value` among `cells`, 0 for the lowest; clamped to the axis."""
        if self.log:
            value = math.log10(max(value, _LEAST)) if value > 0 else self.low
        share = (value - self.low) / (self.high - self.low)
        return max(0, min(cells - 1, round(share * (cells - 1))))


def axis(values: Sequence[float], *, log: bool, ticks: int) -> Axis:
    """An axis that covers every value, with about `ticks` round numbers on it.

    On a logarithmic axis values of 0 are placed at its lower end.
    """
    if log:
        return _log_axis([max(value, _LEAST) for value in values if value > 0], ticks)
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        gap = abs(low) / 10 or 1.0
        low, high = low - gap, high + gap
    return Axis(low=low, high=high, log=False, ticks=_round_figures(low, high, ticks))


def _log_axis(values: Sequence[float], ticks: int) -> Axis:
    low, high = (math.log10(min(values)), math.log10(max(values))) if values else (-6.0, -3.0)
    if high - low < 0.1:
        low, high = low - 0.5, high + 0.5
    return Axis(low=low, high=high, log=True, ticks=_round_factors(low, high, max(ticks, 2)))


def _round_factors(low: float, high: float, ticks: int) -> tuple[float, ...]:
    """At most `ticks` figures from 10**low to 10**high, each the same power of ten times the one before, powers of ten
    where two of them fit; of less than a decade 1, 2 and 5, or figures as of a linear axis."""
    powers = range(math.floor(low), math.ceil(high) + 1)
    found = [
        [mark for power in powers if low - 1e-9 <= math.log10(mark := digit * 10.0**power) <= high + 1e-9]
        for digit in (1, 2, 5)
    ]
    even = next((marks for marks in found if len(marks) > 1), [])
    if not even:
        some = tuple(sorted(mark for marks in found for mark in marks))
        return some if len(some) > 1 else _round_figures(10.0**low, 10.0**high, ticks)
    step = math.ceil(len(even) / ticks)
    most = max((even[at::step] for at in range(step)), key=len)
    return tuple(most)


def _round_figures(low: float, high: float, ticks: int) -> tuple[float, ...]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten from `low` to `high`: `ticks` of them or a few less."""
    rough = (high - low) / max(ticks, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in _STEPS if factor * power >= rough * 0.8)
    first = math.ceil(low / step - 1e-9)
    count = math.floor(high / step + 1e-9) - first + 1
    return tuple((first + number) * step for number in range(max(count, 0)))


# Horizontal axis below a plot, as lines.


def floor(ticks: Sequence[tuple[int, str]], columns: int, indent: int, glyphs: Glyphs) -> tuple[Line, Line]:
    """The axis below a plot of `columns` cells, and the labels of its ticks (column, text) where they fit."""
    rule, labels = [glyphs.rule] * columns, [" "] * (columns + indent + 1)
    free = 0
    for column, text in ticks:
        start = min(max(column + indent + 1 - len(text) // 2, 0), len(labels) - len(text))
        if start >= free:
            rule[column] = glyphs.tick_below
            labels[start : start + len(text)] = text
            free = start + len(text) + 2
    return (
        (Span(" " * indent), Span(glyphs.corners[2] + "".join(rule), "rule")),
        (Span("".join(labels), "muted"),),
    )


# Numbers three lines high, of box characters. Nothing here draws.


HIGH = 3
"""lines of a large number"""
_SHAPES = {
    "0": ("2 0 3", "1 . 1", "4 0 5"), "1": (". 3 .", ". 1 .", ". 1 ."), "2": ("0 0 3", "2 0 5", "4 0 0"),
    "3": ("0 0 3", ". 0 7", "0 0 5"), "4": ("1 . 1", "4 0 7", ". . 1"), "5": ("2 0 0", "4 0 3", "0 0 5"),
    "6": ("2 0 0", "6 0 3", "4 0 5"), "7": ("0 0 3", ". . 1", ". . 1"), "8": ("2 0 3", "6 0 7", "4 0 5"),
    "9": ("2 0 3", "4 0 7", "0 0 5"),
}  # fmt: skip
"""cells of each digit: an index into the box characters, or `.` for a blank"""


def big_digits(number: str, box: str) -> tuple[str, str, str]:
    """`number` in three lines of equal width, drawn with the eight characters of `box`.

    Digits are three cells wide with a blank after each; any other character takes one cell of the lowest line.
    """
    rows = ["", "", ""]
    for char in number:
        shape = _SHAPES.get(char)
        for at in range(HIGH):
            if shape is None:
                rows[at] += char if at == HIGH - 1 else " "
            else:
                rows[at] += "".join(" " if cell == "." else box[int(cell)] for cell in shape[at].split()) + " "
    return rows[0], rows[1], rows[2]
