"""What is sent of a line that changed, put over what was there, is the line as it is now."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from raidtui.tui.terminal.text import Line, Span, cells
from raidtui.tui.widgets.live_pane import _cut, changes, joined

TEXT = st.text(st.sampled_from("ab0 █▂表"), max_size=6)
TONES = st.sampled_from(("text", "warn", "a"))
LINES = st.lists(st.builds(Span, TEXT, TONES), max_size=6).map(tuple)
WIDTH = 80


def drawn(spans: Line) -> list[tuple[str, str]]:
    """A character and a tone for every cell; the second cell of a wide character is empty."""
    found: list[tuple[str, str]] = []
    for text, tone in spans:
        for char in text:
            found += [(char, tone), *([("", tone)] * (cells(char) - 1))]
    return found + [(" ", "text")] * (WIDTH - len(found))


@given(LINES, LINES)
def test_a_changed_line(before: Line, now: Line) -> None:
    screen = drawn(before)
    for first, last in changes(before, now, WIDTH):
        piece = drawn(_cut(now, first, last))[: last - first]
        screen[first:last] = piece
    assert screen == drawn(now)


@given(LINES)
def test_a_line_that_stays_sends_nothing(spans: Line) -> None:
    assert changes(spans, spans, WIDTH) == []


def test_only_the_figure_that_changed_is_sent() -> None:
    before = (Span("  sda "), Span("  198"), Span("     0"), Span("   97%"), Span(" ab"))
    now = (Span("  sda "), Span("  203"), Span("     0"), Span("   98%"), Span(" ab"))
    assert changes(before, now, WIDTH) == [(8, 11), (21, 22)]
    assert _cut(now, 8, 11) == (Span("203"),)


@given(LINES)
def test_joining_changes_no_cell(spans: Line) -> None:
    assert drawn(joined(spans)) == drawn(spans)
