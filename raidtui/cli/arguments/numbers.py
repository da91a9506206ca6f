"""Numbers of the command line, with a range each. argparse reports what is outside as wrong usage, exit code 2."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable

from raidtui.model.ranges import LONGEST_NUMBER

SPEED_UP = (0.001, 1e9)
"""range of the factor by which simulated time is faster than real time"""


def whole(least: int, most: int) -> Callable[[str], int]:
    """A reader of whole numbers from `least` to `most`."""

    def read(text: str) -> int:
        said = text.strip()
        digits = said.removeprefix("-")
        if len(said) > LONGEST_NUMBER or not (digits.isascii() and digits.isdecimal()):
            raise ArgumentTypeError(f"{text[:LONGEST_NUMBER]!r} is not a whole number from {least} to {most}")
        if not least <= int(said) <= most:
            raise ArgumentTypeError(f"{said} is out of range: {least} to {most}")
        return int(said)

    return read


def number(least: float, most: float) -> Callable[[str], float]:
    """A reader of numbers from `least` to `most`; nan is refused."""

    def read(text: str) -> float:
        try:
            value = float(text) if len(text) <= LONGEST_NUMBER else None
        except ValueError:
            value = None
        if value is None:
            raise ArgumentTypeError(f"{text[:LONGEST_NUMBER]!r} is not a number from {least:g} to {most:g}")
        if not least <= value <= most:
            raise ArgumentTypeError(f"{text} is out of range: {least:g} to {most:g}")
        return value

    return read
