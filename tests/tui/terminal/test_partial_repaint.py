"""Partial repaints, played on a small terminal of our own, leave the screen as a full one would."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate
from textual.strip import Strip

from raidtui.tui.terminal.partial_repaint import PartialUpdate, ScreenPiece, pieces_of
from tests.tui.small_terminal import SmallTerminal

CONSOLE = Console(color_system="standard", force_terminal=True)
PLAIN = Style(color="default", bgcolor="default")
WARN = Style(color="yellow", bgcolor="default", bold=True)


def sent(*pieces: ScreenPiece) -> str:
    return PartialUpdate(pieces).render_segments(CONSOLE)


def test_styles_are_named_once_and_jumps_are_short() -> None:
    first = ScreenPiece(4, 2, [Segment("198", PLAIN), Segment("!", WARN)])
    second = ScreenPiece(12, 2, [Segment("x", WARN)])
    third = ScreenPiece(0, 3, [Segment("y", PLAIN)])
    assert sent(first, second, third) == "\x1b[3;5H198\x1b[1;33m!\x1b[4Cx\x1b[4H\x1b[my"


def test_only_what_changes_of_a_style_is_sent() -> None:
    red = Style(color="red", bgcolor="black")
    bold = Style(color="red", bgcolor="black", bold=True)
    blue = Style(color="bright_blue", bgcolor="black")
    bare = Style(color="default", bgcolor="black")
    made = sent(ScreenPiece(0, 0, [Segment("a", red), Segment("b", bold), Segment("c", blue), Segment("d", bare)]))
    assert made == "\x1b[1H\x1b[31;40ma\x1b[1mb\x1b[0;94;40mc\x1b[39md\x1b[m"


def test_the_style_is_closed_at_the_end() -> None:
    assert sent(ScreenPiece(0, 0, [Segment("!", WARN)])) == "\x1b[1H\x1b[1;33m!\x1b[m"


def test_a_link_is_closed_too() -> None:
    made = sent(ScreenPiece(0, 0, [Segment("a", Style(link="http://x")), Segment("b", PLAIN)]))
    assert re.fullmatch(r"\x1b\[1H\x1b\[m\x1b\]8;id=\d+;http://x\x1b\\a\x1b\]8;;\x1b\\b", made)


def test_where_two_styles_alternate_each_is_drawn_at_once() -> None:
    """Twelve rows of a figure and a curve: two changes of style in place of twenty-four, and the same screen."""
    curve = Style(color="color(110)", bgcolor="default")
    pieces = [
        piece
        for y in range(12)
        for piece in (ScreenPiece(2, y, [Segment(f"{y:3}", PLAIN)]), ScreenPiece(9, y, [Segment("▂▃", curve)]))
    ]
    made = PartialUpdate(pieces).render_segments(Console(color_system="256", force_terminal=True))
    assert made.count("m") == 2
    screen = SmallTerminal(12, 12)
    screen.feed(made)
    assert [row.rstrip() for row in screen.lines()] == [f"  {y:3}    ▂▃" for y in range(12)]


SPANS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 19), st.integers(1, 12)), min_size=1, max_size=6)


@given(SPANS)
def test_it_draws_what_textual_draws(spans: list[tuple[int, int, int]]) -> None:
    rows = [f"{y}bcdefghi█klmnopqrst"[:20] for y in range(5)]
    chops = [
        {0: Strip([Segment(row[:8], PLAIN)], 8), 8: Strip([Segment(row[8:12], WARN), Segment(row[12:], PLAIN)], 12)}
        for row in rows
    ]
    merged = sorted({(y, x, min(x + long, 20)) for y, x, long in spans})
    merged = [each for at, each in enumerate(merged) if not at or merged[at - 1][0] != each[0]]
    coarse = ChopsUpdate(chops, merged, [[8, 20]] * 5)
    ours, theirs = SmallTerminal(20, 5), SmallTerminal(20, 5)
    fine = PartialUpdate(list(pieces_of(coarse))).render_segments(CONSOLE)
    ours.feed(fine)
    theirs.feed(coarse.render_segments(CONSOLE))
    for y, first, last in merged:
        assert ours.lines()[y][first:last] == rows[y][first:last]
        assert theirs.lines()[y][first:last] == rows[y][first:last]
    drawn = sum(last - first for _, first, last in merged)
    assert sum(cell != " " for line in ours.lines() for cell in line) == drawn
