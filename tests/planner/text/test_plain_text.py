"""Tables as text, Markdown and HTML: what a narrow terminal leaves out or wraps, and titles between rows."""

from raidtui.answers.html import html_page
from raidtui.answers.markdown import markdown
from raidtui.answers.plain_text import plain_lines
from raidtui.values.blocks import Cell, Grid, Heading, Item, Items, Paragraph, ReportDocument, cells

TABLE = Grid(
    columns=("disk", "rate", "why it is slow", "seen"),
    rows=(
        (Cell(text="shelf one"),),
        cells("d1", "1.2 GB/s", "it shares an expander with eleven other disks", "gauges"),
        (Cell(text="shelf two", strong=True),),
        cells("d2", "900 MB/s", "-", "gauges"),
    ),
    right=frozenset({1}), optional=(3,),
)  # fmt: skip


def test_a_pipe_gets_every_column_whole() -> None:
    assert plain_lines((TABLE,)) == [
        "disk      rate  why it is slow                                 seen",
        "shelf one",
        "d1    1.2 GB/s  it shares an expander with eleven other disks  gauges",
        "shelf two",
        "d2    900 MB/s  -                                              gauges",
    ]


def test_a_narrow_terminal_leaves_out_what_may_go_and_wraps_the_rest() -> None:
    assert plain_lines((TABLE,), width=40) == [
        "disk      rate  why it is slow",
        "shelf one",
        "d1    1.2 GB/s  it shares an expander",
        "                with eleven other disks",
        "shelf two",
        "d2    900 MB/s  -",
    ]


def test_where_not_even_that_fits_each_row_is_names_and_values() -> None:
    lines = plain_lines((TABLE,), width=24)
    assert lines[:4] == ["shelf one", "", "  disk        d1", "  rate        1.2 GB/s"]


def test_rows_of_names_and_values_stand_apart_and_keep_their_titles() -> None:
    wide = Grid(
        columns=("PLACE", "SERIAL"), rows=(cells("file-system: 2 disks"), cells("p" * 20, "s1"), cells("q", "s2"))
    )
    assert plain_lines((wide,), width=12) == [
        "file-system: 2 disks", "", f"  PLACE       {'p' * 20}", "  SERIAL      s1",
        "", "  PLACE       q", "  SERIAL      s2",
    ]  # fmt: skip


def test_what_is_below_a_heading_is_indented_and_what_is_not_stands_apart() -> None:
    items = Items(items=(Item(mark="note", text="nothing"),))
    small = Grid(columns=("a", "b"), rows=(cells("1", "2"),))
    assert plain_lines((Paragraph(text="before"), small, items)) == ["before", "", "a  b", "1  2", "", "note: nothing"]
    assert plain_lines((Heading(text="HEAD"), small, items)) == ["HEAD", "  a  b", "  1  2", "  note: nothing"]


def test_titles_between_rows_are_on_paper_too() -> None:
    paper = ReportDocument(
        id="1", title="t", subtitle="s", banner="", verdict="V", tone="", reason="", facts=(), blocks=(TABLE,),
        made_by="m",
    )  # fmt: skip
    assert "| shelf one |" in markdown(paper, {})
    assert '<th colspan="4">shelf one</th>' in html_page(paper, {})
