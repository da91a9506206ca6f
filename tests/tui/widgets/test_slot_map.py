"""The slot map says of every bay which array its disk belongs to, by label and by colour."""

from __future__ import annotations

from raidtui.model.design import Design
from raidtui.model.inventory import Disk, Inventory, Place
from raidtui.model.notation import parse
from raidtui.tui.widgets.slot_map import SlotMap, group_tone
from tests.tui.robot import robot

MIRRORS = Inventory(
    origin="machine",
    name="stor02",
    disks=tuple(
        Disk(
            id=f"wwn-0x{number:04d}", size_bytes=4_000_787_030_016, kernel_name=f"disk{number}", state="blank",
            by_id=(f"wwn-0x{number:04d}",),
            place=Place(enclosure="e", slot=f"drawer {number // 12 + 1:02d} slot {number % 12 + 1:02d}"),
        )
        for number in range(120)
    ),
)  # fmt: skip


async def test_the_map_on_the_disks_page_turns_from_states_to_arrays() -> None:
    async with robot() as user:
        await user.press("shift+tab", "v")
        rows = [line for line in user.lines() if "drawer" in line and "SIME" not in line]
        assert [row[row.rindex("drawer") :].strip() for row in rows[:5]] == [
            "drawer 1 A B B C C D D A A B + C",
            "drawer 2 D B A C B D C A D B A +",
            "drawer 3 C D D A A B B C C D + A",
            "drawer 4 B D C A D B A C B D C +",
            "drawer 5 A C B D C A D B A C B D",
        ]


async def test_more_arrays_than_letters_get_two_characters_and_bays_stay_in_line() -> None:
    async with robot(MIRRORS, width=200, height=60, design=Design(layout=parse("58x raid1(2)+4"))) as user:
        await user.press("shift+tab", "shift+tab", "v")
        rows = {line[75:84]: line[84:134].rstrip() for line in user.lines() if line[75:].startswith("drawer")}
        assert rows["drawer 01"] == " [A]  B   C   D   E   F   G   H   I   J   K   +"
        assert rows["drawer 05"] == "  s   t   u   v   w   x   y   z   A1  B1  C1  D1"
        assert rows["drawer 06"] == "  E1  F1  A   B   C   D   E   F   G   H   I   J"


def test_arrays_take_the_colours_in_turn_and_spares_none() -> None:
    labels = ("A", "B", "C", "D", "E", "Z", "a", "z", "A1", "B1", "+")
    assert [group_tone(label) for label in labels] == ["a", "b", "c", "d", "a", "b", "c", "d", "a", "b", "muted"]


async def test_a_bay_narrower_than_its_label_keeps_the_columns_in_line() -> None:
    async with robot(MIRRORS, design=Design(layout=parse("58x raid1(2)+4"))) as user:
        await user.press("shift+tab", "v")
        drawn = user.app.screen.query_one("#slots", SlotMap)
        texts = ["".join(span.text for span in drawn.line_at(row, 20)) for row in range(1, drawn.line_count())]
        assert texts[0] == "d01 A B C D E F G H I J K + "
        assert texts[4] == "d05 s t u v w x y z A1B1C1D1"
