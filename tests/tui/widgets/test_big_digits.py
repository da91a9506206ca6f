"""Numbers three lines high."""

from __future__ import annotations

import pytest

from raidtui.tui.terminal.glyphs import CONSOLE, UNICODE
from raidtui.tui.widgets.axes import big_digits


def test_a_number_is_drawn_with_box_characters() -> None:
    assert big_digits("86.71", CONSOLE.digits) == (
        "┌─┐ ┌──  ──┐  ┐  ",
        "├─┤ ├─┐    │  │  ",
        "└─┘ └─┘ .  │  │  ",
    )


@pytest.mark.parametrize("glyphs", [CONSOLE, UNICODE])
def test_every_digit_is_four_cells_wide_and_unlike_the_others(glyphs: object) -> None:
    box = getattr(glyphs, "digits")  # noqa: B009
    shapes = [big_digits(digit, box) for digit in "0123456789"]
    assert {len(row) for shape in shapes for row in shape} == {4}
    assert len(set(shapes)) == 10


def test_points_and_blanks_take_one_cell() -> None:
    assert [len(row) for row in big_digits("7 200", CONSOLE.digits)] == [17, 17, 17]
    assert big_digits(".", CONSOLE.digits) == (" ", " ", ".")
