"""Which panes a small terminal keeps."""

from __future__ import annotations

import pytest

from raidtui.tui.widgets.pane import SmallPane, is_small, kept, upper_lines

PANES = (SmallPane("table", 6), SmallPane("map", 5), SmallPane("tree", 4))


@pytest.mark.parametrize(
    ("lines", "front", "expected"),
    [
        (20, "table", {"table": 11, "map": 5, "tree": 4}),
        (15, "table", {"table": 6, "map": 5, "tree": 4}),
        (14, "table", {"table": 9, "map": 5}),
        (10, "table", {"table": 10}),
        (14, "tree", {"table": 6, "tree": 8}),
        (3, "tree", {"tree": 3}),
        (14, "", {"table": 9, "map": 5}),
    ],
)
def test_the_last_pane_is_left_out_first_and_the_one_with_the_focus_never(
    lines: int, front: str, expected: dict[str, int]
) -> None:
    assert kept(PANES, lines, front) == expected


def test_a_screen_without_panes_keeps_none() -> None:
    assert kept((), 10, "table") == {}


@pytest.mark.parametrize(
    ("size", "small"), [((80, 24), False), ((80, 23), False), ((79, 24), True), ((200, 22), True), ((60, 18), True)]
)
def test_a_status_line_of_tmux_does_not_make_a_terminal_small(size: tuple[int, int], small: bool) -> None:
    assert is_small(size) is small


@pytest.mark.parametrize(
    ("upper", "lower", "expected"), [(5, 4, 5), (15, 3, 15), (30, 40, 11), (30, 4, 14), (12, 40, 11), (3, 40, 3)]
)
def test_two_panes_of_a_column_get_lines_by_their_text(upper: int, lower: int, expected: int) -> None:
    assert upper_lines(18, upper, lower) == expected
