"""The slot map says of every bay which array its disk belongs to, by label and by colour."""

from __future__ import annotations

from raidtui.tui.widgets.slot_map import SlotMap
from raidtui.values.design import Design
from raidtui.values.inventory import Disk, Inventory, Place
from raidtui.values.notation import parse
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


async def test_a_low_pane_shows_every_drawer_and_what_the_marks_mean() -> None:
    async with robot(design=Design(layout=parse("4x(10+2)+6"))) as user:
        await user.press("2", "S", "A", "enter")
        first = next(number for number, line in enumerate(user.lines()) if "─ Placement ─" in line)
        assert "─ +spare  ·unused ─" in user.lines()[first]
        assert [line[:4] for line in user.lines()[first + 1 : first + 6]] == [f" d{row} " for row in range(1, 6)]


async def test_the_mark_of_a_journal_is_explained_where_there_is_no_room_for_every_mark() -> None:
    async with robot(design=Design(layout=parse("3x(10+2)+2"), journal=1)) as user:
        await user.press("2")
        first = next(number for number, line in enumerate(user.lines()) if "─ Placement ─" in line)
        assert "─ +spare =journal ─" in user.lines()[first]
        assert user.lines()[first + 2].startswith(" d1 A A B B C C = A = = · ·")


async def test_more_arrays_than_letters_get_two_characters_and_bays_stay_in_line() -> None:
    async with robot(MIRRORS, width=200, height=60, design=Design(layout=parse("58x raid1(2)+4"))) as user:
        await user.press("shift+tab", "v")
        rows = {line[2:11]: line[11:94].split() for line in user.lines() if line[2:].startswith("drawer")}
        assert list(rows) == [f"drawer {number:02d}" for number in range(1, 11)]
        assert rows["drawer 01"] == ["│", *" │ ".join(f"{number:02d}" for number in range(1, 13)).split(), "│"]
        shown = [line[11:].split("│")[1:13] for line in user.lines()[4:35:3]]
        assert "".join(shown[0][:4]) == " [A]   B    C    D  "
        assert [text.strip() for text in shown[4]] == ["s", "t", "u", "v", "w", "x", "y", "z", "A1", "B1", "C1", "D1"]
        assert [text.strip() for text in shown[5]] == ["E1", "F1", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J"]


async def test_bays_are_boxes_where_all_of_them_fit() -> None:
    async with robot(width=200, height=60) as user:
        await user.finds("A data-0")  # the design is there: boxes have a line for it
        rows = [line[1:30].rstrip() for line in user.lines()[2:13]]
        assert rows == [
            "          ┌─────┬─────┬─────┬",
            " drawer 1 │ 01  │ 02  │ 03  │",
            "          │ sda │ sdb │ sdc │",
            "          │ [●] │  ●  │  ●  │",
            "          │  A  │  B  │  B  │",
            "          ├─────┼─────┼─────┼",
            " drawer 2 │ 01  │ 02  │ 03  │",
            "          │ sdm │ sdn │ sdo │",
            "          │  ●  │  ●  │  ●  │",
            "          │  D  │  B  │  A  │",
            "          ├─────┼─────┼─────┼",
        ]


async def test_a_box_is_picked_by_keys_and_by_a_click_on_any_of_its_lines() -> None:
    async with robot(width=200, height=60) as user:
        await user.finds("A data-0")  # the design is there: boxes have a line for it
        drawn = user.app.screen.query_one("#slots", SlotMap)
        await user.press("shift+tab", "down", "right")
        assert drawn.disk is not None
        assert drawn.disk.kernel_name == "sdn"
        for line in range(2, 6):
            await user.pilot.click("#slots", offset=(26, line))
            assert drawn.disk.kernel_name == "sdc"
            await user.pilot.click("#slots", offset=(26, line + 5))
            assert drawn.disk.kernel_name == "sdo"
