"""The table of disks: what fits, what matches, in which order."""

from __future__ import annotations

from raidtui.tui.widgets.disk_table import COLUMNS, matching, ordered, shown_columns, widths
from raidtui.values.inventory import Disk, Place, Smart

DISKS = (
    Disk(id="a", size_bytes=2000398934016, kernel_name="sda", serial="Z10", model="A" * 30, place=Place(slot="bay 10")),
    Disk(
        id="b", size_bytes=480103981056, kernel_name="sdb", serial="Z9", place=Place(slot="bay 9"), smart=Smart(hours=7)
    ),
    Disk(id="c", size_bytes=2000398934016, kernel_name="sdc", place=Place(slot="bay 11"), smart=Smart(hours=31877)),
)


def column(title: str):  # type: ignore[no-untyped-def]
    return next(found for found in COLUMNS if found.title == title)


def test_columns_are_as_wide_as_their_longest_text_and_vanish_when_nobody_has_any() -> None:
    found = dict(zip((found.title for found in COLUMNS), widths(DISKS), strict=True))
    assert found["slot"] == 4
    assert found["model"] == 24
    assert found["size"] == 7
    assert found["hours"] == 5
    assert found["temp"] == 0


def test_the_model_gives_way_before_any_figure_does() -> None:
    needs = widths(DISKS)
    found = {column.title: width for column, width in shown_columns(needs, 63, 19)}
    assert found == {"slot": 4, "dev": 3, "model": 8, "serial": 6, "size": 7, "sect": 4, "hours": 5}
    del found["model"]
    assert {column.title: width for column, width in shown_columns(needs, 62, 19)} == found
    assert {column.title: width for column, width in shown_columns(needs, 54, 19)} == found
    del found["sect"]
    assert {column.title: width for column, width in shown_columns(needs, 53, 19)} == found
    assert "identity" in {column.title for column, _ in shown_columns(needs, 200, 19)}


def test_every_word_of_a_filter_must_be_shown_somewhere() -> None:
    assert [disk.id for disk in matching(DISKS, "2.00 free", lambda disk: "free")] == ["a", "c"]
    assert matching(DISKS, "2.00 content", lambda disk: "free") == []
    assert matching(DISKS, "  ", lambda disk: "free") == list(DISKS)


def test_numbers_in_names_are_sorted_as_numbers_and_the_unknown_stays_last() -> None:
    assert [disk.id for disk in ordered(DISKS, column("slot"), down=False)] == ["b", "a", "c"]
    assert [disk.id for disk in ordered(DISKS, column("hours"), down=False)] == ["b", "c", "a"]
    assert [disk.id for disk in ordered(DISKS, column("hours"), down=True)] == ["c", "b", "a"]
    assert [disk.id for disk in ordered(DISKS, column("size"), down=False)] == ["b", "a", "c"]
    assert ordered(DISKS, None, down=True) == list(DISKS)
