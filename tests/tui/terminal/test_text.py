"""Text in cells, and states said three times."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from raidtui.tui.terminal.glyphs import GLYPHS, UNICODE, translated
from raidtui.tui.terminal.text import Span, wrapped
from raidtui.tui.terminal.themes import ANSI, DARK, tones
from raidtui.tui.widgets.pane import strip_of


def test_lines_are_not_broken_inside_a_number_or_before_its_unit() -> None:
    text = "loss a year 1 in 68 000; rebuild disk 12 h, 40 % of 5.70 GB/s"
    assert list(wrapped(text, 21)) == ["loss a year", "1 in 68 000; rebuild", "disk 12 h, 40 % of", "5.70 GB/s"]
    pair = "read / write 1.48 / 1.14 GB/s, link 6 Gbit/s"
    assert list(wrapped(pair, 18)) == ["read / write", "1.48 / 1.14 GB/s,", "link 6 Gbit/s"]


@given(st.lists(st.text(), max_size=4), st.integers(0, 40))
def test_a_strip_has_its_width_and_no_control_character(texts: list[str], width: int) -> None:
    strip = strip_of([Span(text) for text in texts], width, tones(DARK), UNICODE, fill="text")
    assert strip.cell_length == width
    assert sum(cell_len(segment.text) for segment in strip) == width
    assert all(segment.text.isprintable() and segment.control is None for segment in strip)


@given(st.text(), st.sampled_from(sorted(GLYPHS)))
def test_the_last_gate_keeps_cells_and_lets_nothing_else_through(text: str, tier: str) -> None:
    glyphs = GLYPHS[tier]  # type: ignore[index]
    shown = translated(text, glyphs)
    assert all(glyphs.allows(char) for char in shown)
    assert cell_len(shown) == cell_len(text) or not text.isprintable()


def test_the_eight_colour_theme_uses_no_bright_colour() -> None:
    numbers = {
        colour.number
        for style in tones(ANSI).values()
        for colour in (style.color, style.bgcolor)
        if colour is not None and colour.number is not None
    }
    assert numbers <= set(range(8))
