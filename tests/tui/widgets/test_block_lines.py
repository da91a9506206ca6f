"""Blocks of a document in the app: a table keeps its words at every width."""

from __future__ import annotations

from raidtui.tui.terminal.glyphs import ASCII
from raidtui.tui.widgets.lines import block_lines
from raidtui.values.blocks import (
    Block,
    Cell,
    Grid,
    Heading,
    Item,
    Items,
    Listing,
    Paragraph,
    PlotBlock,
    Signatures,  # fmt: skip
)

DISKS = Grid(
    columns=("place", "model", "read", ""),
    rows=(
        (Cell(text="slot 1, enclosure 0x50"), Cell(text="ST4000NM0035"), Cell(text="205 MB/s"), Cell(text="")),
        (Cell(text="slot 2"), Cell(text="ST4000NM0035"), Cell(text="98.4 MB/s"), Cell(text="SLOW", tone="bad")),
    ),
    right=frozenset((2,)),
    optional=(1,),
)


def text(width: int, *blocks: Block) -> list[str]:
    return ["".join(span.text for span in line).rstrip() for line in block_lines(blocks, width, ASCII)]


def test_a_table_with_room_for_all() -> None:
    assert text(60, DISKS) == [
        "place                   model              read",
        "slot 1, enclosure 0x50  ST4000NM0035   205 MB/s",
        "slot 2                  ST4000NM0035  98.4 MB/s  SLOW",
    ]


def test_a_narrow_one_leaves_out_what_may_go() -> None:
    assert text(45, DISKS) == [
        "place                        read",
        "slot 1, enclosure 0x50   205 MB/s",
        "slot 2                  98.4 MB/s  SLOW",
    ]


def test_then_words_wrap_in_their_cell() -> None:
    assert text(32, DISKS) == [
        "place                 read",
        "slot 1,           205 MB/s",
        "enclosure 0x50",
        "slot 2           98.4 MB/s  SLOW",
    ]


def test_then_each_row_is_names_and_values() -> None:
    assert text(22, DISKS) == [
        "place  slot 1,",
        "       enclosure 0x50",
        "model  ST4000NM0035",
        "read   205 MB/s",
        "",
        "place  slot 2",
        "model  ST4000NM0035",
        "read   98.4 MB/s",
        "       SLOW",
    ]


def test_a_column_of_meters_alone_is_left_out() -> None:
    grid = Grid(columns=("a", "", "b"), rows=((Cell(text="1"), Cell(text=""), Cell(text="2")),))
    assert text(20, grid) == ["a  b", "1  2"]


def test_the_other_blocks() -> None:
    point = Item(mark="blocking", text="the array is too slow", more="check the members", tone="bad")
    assert text(24, Heading(text="Points", level=3), Items(items=(point,))) == [
        "Points", "", "X blocking: the array is", "  too slow", "  check the members",
    ]  # fmt: skip
    commands = Listing(title="Commands", lines=("mdadm --create /dev/md0",))
    assert text(20, Paragraph(text="Nothing was measured."), commands) == [
        "Nothing was", "measured.", "", "Commands", "mdadm --create", "    /dev/md0",
    ]  # fmt: skip


def test_a_long_row_of_a_listing_goes_on_further_in_than_it_begins() -> None:
    rows = ("  1. Take it out", "     mdadm --manage /dev/md126 --remove /dev/sda")
    assert text(28, Listing(lines=rows)) == [
        "  1. Take it out", "     mdadm --manage", "         /dev/md126 --remove", "         /dev/sda",
    ]  # fmt: skip


def test_what_only_paper_has() -> None:
    assert (
        text(40, PlotBlock(name="rates", title="Rates", text="Bytes per second."), Signatures(roles=("Built by",)))
        == []
    )
