"""The slot map says of every bay which array its disk belongs to, by label and by colour."""

from __future__ import annotations

from raidtui.tui.widgets.slot_map import SlotMap, edge, group_tone
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


async def test_more_arrays_than_letters_get_two_characters_and_bays_stay_in_line() -> None:
    async with robot(MIRRORS, width=200, height=60, design=Design(layout=parse("58x raid1(2)+4"))) as user:
        await user.press("shift+tab", "shift+tab", "v")
        rows = {line[57:66]: line[66:].split() for line in user.lines() if line[57:].startswith("drawer")}
        assert list(rows) == [f"drawer {number:02d}" for number in range(1, 11)]
        assert rows["drawer 01"] == ["│", *" │ ".join(f"{number:02d}" for number in range(1, 13)).split(), "│", "│"]
        shown = [line[66:].split("│")[1:13] for line in user.lines()[5:36:3]]
        assert "".join(shown[0][:4]) == "   [A]       B        C        D    "
        assert [text.strip() for text in shown[4]] == ["s", "t", "u", "v", "w", "x", "y", "z", "A1", "B1", "C1", "D1"]
        assert [text.strip() for text in shown[5]] == ["E1", "F1", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J"]


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


async def test_bays_are_boxes_where_all_of_them_fit() -> None:
    async with robot(width=200, height=60) as user:
        await user.finds("A data-0")  # the design is there: boxes have a line for it
        rows = [line[56:98].rstrip() for line in user.lines()[2:14]]
        assert rows == [
            " enclosure 0x3000000000e26600",
            "          ┌─────────┬─────────┬─────────┬─",
            " drawer 1 │   01    │   02    │   03    │",
            "          │   sda   │   sdb   │   sdc   │",
            "          │   [●]   │    ●    │    ●    │",
            "          │    A    │    B    │    B    │",
            "          ├─────────┼─────────┼─────────┼─",
            " drawer 2 │   01    │   02    │   03    │",
            "          │   sdm   │   sdn   │   sdo   │",
            "          │    ●    │    ●    │    ●    │",
            "          │    D    │    B    │    A    │",
            "          ├─────────┼─────────┼─────────┼─",
        ]


async def test_a_box_is_picked_by_keys_and_by_a_click_on_any_of_its_lines() -> None:
    async with robot(width=200, height=60) as user:
        await user.finds("A data-0")  # the design is there: boxes have a line for it
        drawn = user.app.screen.query_one("#slots", SlotMap)
        await user.press("shift+tab", "shift+tab", "down", "right")
        assert drawn.disk is not None
        assert drawn.disk.kernel_name == "sdn"
        for line in range(3, 7):
            await user.pilot.click("#slots", offset=(36, line))
            assert drawn.disk.kernel_name == "sdc"
            await user.pilot.click("#slots", offset=(36, line + 5))
            assert drawn.disk.kernel_name == "sdo"


async def test_boxes_that_do_not_fit_give_way_to_a_line_for_each_row() -> None:
    async with robot(width=200, height=60) as user:
        await user.finds("A data-0")  # the design is there: boxes have a line for it
        drawn = user.app.screen.query_one("#slots", SlotMap)
        assert (drawn.inside, drawn.line_count()) == (4, 27)
        await user.pilot.resize_terminal(200, 43)
        await user.settle()
        assert (drawn.inside, drawn.line_count()) == (3, 22)
        await user.pilot.resize_terminal(132, 43)
        await user.settle()
        assert (drawn.inside, drawn.line_count()) == (0, 6)
        await user.pilot.resize_terminal(200, 60)
        await user.settle()
        assert (drawn.inside, drawn.line_count()) == (4, 27)


def test_a_row_with_fewer_bays_than_the_one_above_closes_its_last_box() -> None:
    assert edge(0, 3, 3) == "┌──┬──┬──┐"
    assert edge(3, 2, 3) == "├──┼──┼──┘"
    assert edge(3, 3, 3) == "├──┼──┼──┤"
    assert edge(2, 0, 3) == "└──┴──┘"


async def test_boxes_are_drawn_at_any_width_until_the_layout_follows() -> None:
    """A monkey found it: the terminal became narrow between layout and picture."""
    async with robot("nvme24", width=200, height=60) as user:
        await user.settle()
        drawn = user.app.screen.query_one("#slots", SlotMap)
        assert drawn.inside
        for width in range(-2, 60):
            assert all(drawn.line_at(index, width) for index in range(drawn.line_count()))
