"""Numbers of the command line, with a range each. argparse reports what is outside as wrong usage, exit code 2."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import TypeVar

from raidtui.model.ranges import decimal_number, require_range, whole_number

N = TypeVar("N", int, float)
SPEED_UP = (0.001, 1e9)
"""range of the factor by which simulated time is faster than real time"""


def whole(least: int, most: int) -> Callable[[str], int]:
    """A reader of whole numbers from `least` to `most`."""
    return _within(whole_number, least, most)


def number(least: float, most: float) -> Callable[[str], float]:
    """A reader of numbers from `least` to `most`; nan is refused."""
    return _within(decimal_number, least, most)


def _within(read: Callable[[str], N], least: float, most: float) -> Callable[[str], N]:
    def reader(text: str) -> N:
        try:
            value = read(text)
            require_range(value, least, most)
        except ValueError as problem:
            raise ArgumentTypeError(str(problem)) from problem
        return value

    return reader


SECONDS = number(1, 86400)
"""of a measurement"""
REPEATS = whole(1, 100)
"""of a measurement"""
