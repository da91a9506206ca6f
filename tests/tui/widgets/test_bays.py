"""Slots become rows of bays by what they are called."""

from __future__ import annotations

import pytest

from raidtui.machine.inventory.shipped import load
from raidtui.tui.widgets.slot_map import role_words, row_of, shelves
from raidtui.values.inventory import Disk, Place
from raidtui.values.location import short_slot
from raidtui.values.members import groups_of
from raidtui.values.notation import parse


def disk(slot: str | None, enclosure: str | None = "e") -> Disk:
    return Disk(id=f"{enclosure}/{slot}", size_bytes=1, place=Place(slot=slot, enclosure=enclosure))


@pytest.mark.parametrize(
    ("slot", "short", "row"),
    [
        ("drawer 1 slot 07", "d1s07", "drawer 1"), ("bay 3", "b3", ""), ("A07", "A07", ""), ("Slot 01", "S01", ""),
        ("backplane 9 slot 5", "b9s5", "backplane 9"), ("12", "12", ""), ("front", "front", ""), ("", "", ""),
    ],
)  # fmt: skip
def test_slots_are_shortened_without_losing_what_tells_them_apart(slot: str, short: str, row: str) -> None:
    assert short_slot(slot) == short
    assert row_of(slot) == row


def test_drawers_become_rows_and_slots_columns() -> None:
    (shelf,) = shelves(load("e2660").disks)
    assert shelf.labels == ("drawer 1", "drawer 2", "drawer 3", "drawer 4", "drawer 5")
    assert shelf.numbers == ("01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12")
    assert [len(row) for row in shelf.rows] == [12] * 5


def test_numbered_slots_stand_in_rows_of_twelve_and_holes_stay_holes() -> None:
    (shelf,) = shelves([disk("bay 1"), disk("bay 3"), disk("bay 14")])
    assert shelf.labels == ("1", "13")
    assert [[cell is not None for cell in row] for row in shelf.rows] == [
        [True, False, True, *[False] * 9], [False, True],
    ]  # fmt: skip


def test_every_enclosure_is_its_own_shelf_and_disks_without_a_slot_come_last() -> None:
    found = shelves([disk("1", "a"), disk(None), disk("1", "b"), disk("front")])
    assert [shelf.words for shelf in found] == [
        "enclosure a", "enclosure b", "slot unknown: in inventory order",
    ]  # fmt: skip
    assert [sum(cell is not None for row in shelf.rows for cell in row) for shelf in found] == [1, 1, 2]


def test_roles_are_said_in_words() -> None:
    disks = [disk(str(number)) for number in range(1, 5)]
    layout = parse("raid1(2)+1")
    assert role_words(layout, groups_of(layout, disks), "data") == {"e/1": "A data", "e/2": "A data", "e/3": "spare"}
