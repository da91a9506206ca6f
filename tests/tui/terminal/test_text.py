"""Text in cells, and states said three times."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from raidtui.tui.terminal.glyphs import ASCII, CONSOLE, GLYPHS, UNICODE, translated
from raidtui.tui.terminal.text import Span, fit, mark, why, wrapped
from raidtui.tui.terminal.themes import ANSI, CONTRAST, DARK, tones
from raidtui.tui.widgets.pane import strip_of
from raidtui.values.inventory import Disk, Smart, Use


@given(st.text(), st.integers(0, 40), st.booleans())
def test_fitted_text_has_exactly_its_cells(text: str, width: int, right: bool) -> None:
    assert cell_len(fit(text, width, UNICODE, right=right)) == width


@given(st.text(), st.integers(1, 40))
def test_wrapped_lines_are_never_too_long(text: str, width: int) -> None:
    assert all(cell_len(row) <= width for row in wrapped(text, max(width, 2)) if width > 1)


def test_lines_are_not_broken_inside_a_number_or_before_its_unit() -> None:
    text = "loss a year 1 in 68 000; rebuild disk 12 h, 40 % of 5.70 GB/s"
    assert list(wrapped(text, 21)) == ["loss a year 1 in", "68 000; rebuild disk", "12 h, 40 % of", "5.70 GB/s"]


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


def test_what_stock_widgets_draw_becomes_something_like_it() -> None:
    assert translated("▔▁▊▎▌", ASCII) == "--|||"
    assert translated("╭─╮│●", CONSOLE) == "┌─┐│•"


def test_every_tone_has_a_style_in_every_theme() -> None:
    assert set(tones(DARK)) == set(tones(CONTRAST)) == set(tones(ANSI))


def test_the_eight_colour_theme_uses_no_bright_colour() -> None:
    numbers = {
        colour.number
        for style in tones(ANSI).values()
        for colour in (style.color, style.bgcolor)
        if colour is not None and colour.number is not None
    }
    assert numbers <= set(range(8))


def test_states_go_from_what_forbids_to_what_is_merely_worth_knowing() -> None:
    busy = (Use(kind="mounted", where="/srv", active=True),)
    old = (Use(kind="lvm-pv", where="vg0", active=False),)
    cases = [
        (Disk(id="a", size_bytes=1, protected=True, not_selectable="no"), "# system bad"),
        (Disk(id="a", size_bytes=1, uses=busy, not_selectable="no"), "# in use bad"),
        (Disk(id="a", size_bytes=1, not_selectable="zoned"), "X unfit bad"),
        (Disk(id="a", size_bytes=1), "? unknown warn"),
        (Disk(id="a", size_bytes=1, state="content", uses=old), "= content warn"),
        (Disk(id="a", size_bytes=1, state="blank", smart=Smart(healthy=False)), "X failing bad"),
        (Disk(id="a", size_bytes=1, state="blank", smart=Smart(reallocated=3)), "! worn warn"),
        (Disk(id="a", size_bytes=1, state="blank", smart=Smart(reallocated=0)), "o free good"),
        (Disk(id="a", size_bytes=1, state="blank"), "o free good"),
    ]
    assert [" ".join(mark(disk, ASCII)) for disk, _ in cases] == [expected for _, expected in cases]
    assert " ".join(mark(cases[-1][0], ASCII, left_out=True)) == "- left out muted"
    assert " ".join(mark(cases[4][0], ASCII, taken_over=True)) == "! erase warn"


def test_a_reason_is_given_once() -> None:
    busy = (Use(kind="mounted", where="/srv", active=True),)
    assert (
        why(Disk(id="a", size_bytes=1, uses=busy, not_selectable="in use: mounted at /srv"))
        == "in use: mounted at /srv"
    )
    left = (Use(kind="file-system", where="ext4 notes", active=False),)
    assert why(Disk(id="a", size_bytes=1, uses=left, not_selectable="zoned")) == "zoned; file-system ext4 notes"
    assert why(Disk(id="a", size_bytes=1, smart=Smart(reallocated=16))) == "16 sectors reallocated"
    assert why(Disk(id="a", size_bytes=1)) == ""
