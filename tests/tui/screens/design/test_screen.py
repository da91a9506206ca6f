"""A person designs: changes, undoes, types, saves, compares. The figures expected here are written out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual import events

from raidtui.answers.design import figures_of
from raidtui.machine.inventory.shipped import load
from raidtui.predict.stated_disks import purchase
from raidtui.session.saved_designs import saved_of
from raidtui.tui.screens.design.screen import DesignScreen, result_of
from raidtui.tui.widgets.blocks_pane import BlocksPane
from raidtui.tui.widgets.slot_map import SlotMap
from raidtui.values.blocks import Items
from raidtui.values.decision import Decision
from raidtui.values.design import Design
from raidtui.values.inventory import Inventory, Smart
from raidtui.values.notation import parse, show
from tests.tui.robot import Robot, robot


def layout(user: Robot) -> str:
    return show(user.app.session.history.now.design.layout)


async def test_sixty_free_disks_start_as_four_arrays_with_four_spares() -> None:
    async with robot() as user:
        await user.press("2")
        assert layout(user) == "4x(12+2)+4"
        assert user.sees("86.71 TiB")
        assert user.sees("any 2 disks") and user.sees("each array")
        assert user.sees("60 used, 0 left")
        await user.press("shift+tab")
        await user.press("f1")
        assert user.sees("95 341 054 017 536")


async def test_what_would_not_fit_is_prevented_and_said_in_words() -> None:
    async with robot() as user:
        await user.press("2", "down", "down", "right")
        assert layout(user) == "4x(12+2)+4"
        assert user.note() == "one more array needs 74 disks, there are 60"
        assert not user.app.session.history.past


async def test_a_parity_count_cannot_be_changed_but_explains_itself() -> None:
    async with robot() as user:
        await user.press("2", "down", "down", "down", "down", "right")
        assert user.note() == "Parity is set by the other fields"
        await user.press("f1")
        assert user.sees("given by the level")


async def test_a_layout_that_cannot_be_is_refused_with_the_column_while_it_is_typed() -> None:
    async with robot() as user:
        await user.press("2", "slash", "ctrl+a", "ctrl+k")
        await user.types("(12+3)")
        assert user.note().startswith("column 5: 3 parity disks: md supports 1 (RAID5) and 2 (RAID6)")
        await user.press("enter")
        assert layout(user) == "4x(12+2)+4"
        await user.press("escape")
        assert user.sees("? ")
        assert layout(user) == "4x(12+2)+4"


async def test_a_layout_for_more_disks_than_there_are_is_refused() -> None:
    async with robot() as user:
        await user.press("2", "slash")
        await user.answers("5x(12+2)")
        assert user.note() == "5x(12+2) needs 70 disks, there are 60"


async def test_every_decision_can_be_undone_and_redone() -> None:
    async with robot() as user:
        await user.press("2", "down", "down", "left", "left", "down", "left")
        assert layout(user) == "2x(11+2)+4"
        await user.press("u", "u", "u")
        assert layout(user) == "4x(12+2)+4"
        await user.press("u")
        assert user.note() == "nothing to undo"
        await user.press("U", "U")
        assert layout(user) == "2x(12+2)+4"


async def test_a_saved_design_is_compared_with_and_can_be_gone_back_to() -> None:
    async with robot() as user:
        await user.press("2", "S")
        await user.answers("A")
        assert user.note().startswith("4×(12+2)+4 saved as A")
        await user.press("down", "down", "left")
        assert user.sees("difference from A: 4×(12+2)+4")
        assert user.sees("! -21.68 TiB")
        assert user.sees("SPEED    6 worse  4.45 / 3.42 GB/s")
        await user.press("d")
        assert not user.sees("difference from A")
        await user.press("L")
        await user.answers("a")
        assert layout(user) == "4x(12+2)+4"


@pytest.mark.parametrize(("width", "height", "lines"), [(80, 24, 4), (60, 18, 3)])
async def test_no_figure_of_the_strip_and_no_difference_is_cut(width: int, height: int, lines: int) -> None:
    async with robot(width=width, height=height) as user:
        await user.press("2", "S")
        await user.answers("A")
        for other in ("4x(12+2)+3", "(41+2)+2", "raid10(8)", "raid0(60)"):
            await user.press("slash")
            await user.answers(other)
            strip = user.lines()[1 : 1 + user.app.page.query_one("#answer").size.height]
            assert len(strip) == lines
            assert not [row for row in strip if user.app.glyphs.cut in row]


async def test_a_design_for_more_disks_than_there_are_shows_no_members() -> None:
    saved = saved_of(Decision(design=Design(layout=parse("4x(12+2)+4"))), "e2660")
    async with robot("nas4", saved=saved) as user:
        await user.press("1")
        assert [text for text in user.lines() if "free" in text and text.startswith(" bay")] == []
        assert not user.sees("A data-0") and not user.sees("spare")
        await user.press("2")
        assert user.sees("✗")
        placement = user.app.page.query_one("#placement", SlotMap)
        assert placement.groups == {}


async def test_enter_opens_the_finding_under_the_cursor_and_escape_closes_it() -> None:
    inventory = load("e2660")
    worn = replace(inventory.disks[4], smart=Smart(healthy=False))
    disks = (*inventory.disks[:4], worn, *inventory.disks[5:])
    async with robot(replace(inventory, disks=disks)) as user:
        await user.press("2", "slash")
        await user.answers("4x(12+2)+4")  # the first layout leaves the worn disk idle
        pane = user.app.page.query_one("#findings", BlocksPane)
        pane.focus()
        await user.press("home")
        (items,) = (each.items for each in pane.blocks if isinstance(each, Items))
        number = next(at for at, each in enumerate(items) if "SMART" in each.text)
        await user.press(*["down"] * number)
        assert user.sees(f"{number + 1} of {len(items)}") and user.sees("Enter  open")
        await user.press("enter")
        text = " ".join(" ".join(line.strip(" │").strip() for line in user.lines()).split())
        assert items[number].text.split(". ")[0] in text and "what to do" in text
        assert user.sees("sde: NL2000SAS72, serial SIME26600005")
        await user.press("escape")
        assert not user.sees("what to do")
        await user.press("end", "up")
        assert user.sees(f"{len(items) - 1} of {len(items)}")


async def test_a_small_screen_shows_the_figures_on_top_and_groups_that_open() -> None:
    async with robot() as user:
        await user.press("2")
        assert user.lines()[1:4] == [
            " Usable ───── Survives ─── Read / write ─── Loss a year ───────── Rebuild ─────",
            " 86.71 TiB    any 2 disks  5.70 / 4.56 GB/s 1 in 8 400            12 h",
            " 79.4 % raw   each array   PCIe slot        plan with 1 in 3 300  5.8 h to 17 h",
        ]
        assert [text[36:].rstrip() for text in user.lines()[5:11]] == [
            "▸ SAFETY   survives any 2 disks", "▸ SPEED    5.70 / 4.56 GB/s",
            "▸ CAPACITY 79.4 % of raw  60 used, 0 left", "▸ MD       4 x raid6 of 14 members + 1 spa…",
            "▸ LVM      4 stripes of 512 KiB", "▸ XFS      86.71 TiB",
        ]  # fmt: skip
        await user.press("tab", "enter")
        assert user.sees("▾ SAFETY") and user.sees("Rebuild              12 h  5.8 h to 17 h")
        await user.press("enter")
        assert not user.sees("Loss in 5 y")


async def test_a_change_says_what_it_made_better_and_worse() -> None:
    async with robot() as user:
        await user.press("2", "down", "down", "left")
        assert user.note() == "Worse: usable -21.68 TiB, writing -1.14 GB/s, random writes -280 IOPS"
        await user.press("down")
        assert user.note().startswith("Data disks in each array")


async def test_small_files_are_judged_by_their_random_rates() -> None:
    async with robot(width=132, height=43) as user:
        await user.press("2", *["down"] * 7, "right")
        assert "Random ─" in user.lines()[1] and not user.sees("Read / write ─")


async def test_f1_on_a_figure_shows_how_it_follows() -> None:
    async with robot(height=50) as user:
        await user.press("2", "shift+tab")
        await user.press("right", "right", "f1")
        assert user.sees("Reading: 5.70 GB/s (3.92-6.43 GB/s), bound by")
        await user.press("escape", "right", "f1")
        assert user.sees("Loss a year") and user.sees("1 - exp(-")
        await user.press("escape", "home", "f1")
        assert user.sees("95 341 054 017 536 bytes")


async def test_f1_on_a_limit_shows_the_ceilings_of_this_layout() -> None:
    async with robot(height=50) as user:
        await user.press("2", "tab", "home", *["down"] * 10, "f1")
        assert user.sees("Seq read: limit")
        assert user.sees("bound by PCIe slot")
        assert user.sees("28 of 56 members")
        await user.press("end")
        assert user.sees("The slowest disk reads 130 MB/s")


async def test_a_disk_speed_can_be_typed_and_taken_back() -> None:
    async with robot(width=200, height=60) as user:
        await user.press("2", "end", "enter", "down", "down")
        assert user.sees("Disk speed    130 MB/s inventory")
        await user.press("enter")
        await user.answers("fast")
        assert user.note() == "invalid rate 'fast': write for example 94MB/s, 1.2GiB/s or 94000000"
        await user.answers("1MB/s")
        assert user.sees("Disk speed    1.00 MB/s")
        assert user.sees("limit        members")
        await user.press("home", "left")
        assert user.sees("Assumptions › 1 changed")
        await user.press("enter", "down", "down")
        await user.press("enter")
        await user.answers("")
        assert user.sees("130 MB/s inventory")
        await user.press("home", "left")
        assert user.sees("Assumptions › defaults")


async def test_f_tells_what_the_loss_of_each_domain_costs() -> None:
    async with robot() as user:
        await user.press("2", "f")
        assert user.sees("lost: enclosure 0x3000000000e26600")
        assert user.sees("contains every disk")
        assert user.sees("array A loses 8 of 14 members, RAID6")
        await user.press("escape", "1", "space", "2", "f")
        assert user.note() == "a refused design has no placement"


async def test_a_refused_design_shows_its_findings_where_its_figures_would_be() -> None:
    async with robot() as user:
        await user.press("space", "2")
        assert user.sees("Disks             59 used  0 left")
        assert "── Findings ─" in user.lines()[5]
        assert user.lines()[2].startswith(" The layout needs 60 disks (56 members and 4 spares), found 59.")
        assert user.sees("select 1 more, or choose a smaller layout")


@pytest.mark.parametrize(
    ("chassis", "expected"),
    [
        ("e2660", "4x(12+2)+4"),
        ("jbod84", "6x(11+2)+6"),
        ("nvme24", "2x(9+2)+2"),
        ("nas4", "(2+2)"),
        ("trio", "raid1(2)"),
    ],
)
async def test_every_chassis_starts_with_a_design_that_is_accepted(chassis: str, expected: str) -> None:
    async with robot(chassis) as user:
        assert layout(user) == expected
        assert not [finding for finding in user.app.session.outcome.prediction.findings if finding.severity == "error"]


async def test_no_disks_at_all_is_said_not_crashed_on() -> None:
    async with robot(Inventory(origin="machine", name="bare")) as user:
        assert user.note() == "This machine has no disk, C opens a simulated chassis"
        await user.press("2")
        assert user.sees("error")
        await user.press("4")
        assert user.sees("no plan: the design is refused")


async def test_keys_typed_ahead_of_a_question_are_its_answer() -> None:
    """On a slow line the answer is often typed before the question is drawn."""
    async with robot() as user:
        await user.press("2")
        for key in ("S", "A", "enter"):
            user.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await user.pilot.pause()
        assert user.note().startswith("4×(12+2)+4 saved as A")
        await user.press("1")
        for key in ("slash", "d", "2", "enter"):
            user.app.post_message(events.Key(key, {"slash": "/", "enter": None}.get(key, key)))
        await user.pilot.pause()
        assert user.sees("1 of 12"), "twelve disks in drawer 2, and no change to screen 2"
        assert user.sees("d2s12")
        for key in (
            "slash",
            "d",
            "escape",
            "escape",
            "2",
            "S",
            "B",
            "enter",
            "1",
            "slash",
            "x",
            "escape",
            "escape",
            "8",
        ):
            user.app.post_message(events.Key(key, {"slash": "/"}.get(key, key if len(key) == 1 else None)))
        await user.pilot.pause()
        assert set(user.app.session.saved) == {"A", "B"}, "keys right after Esc or Enter are no text of the question"
        assert user.app.page.page_name == "Watch"


async def test_bands_are_typed_and_planned() -> None:
    """On Design, in the table of layouts and in the steps; the smaller disk, which is idle at first, is taken."""
    async with robot(purchase("1x4TB,2x8TB")) as user:
        await user.press("2", "slash")
        await user.answers("hybrid(3)")
        assert layout(user) == "hybrid(3)"
        assert user.sees("Bands         by size") and user.sees("Stack         lvm  linear")
        assert user.sees("10.84 TiB") and user.sees("2 arrays")
        await user.press("4")
        await user.settle()
        assert user.sees("raid1 of 2")
        await user.press("3")
        await user.settle()
        assert user.sees("hybrid(3): suggested"), "half more than arrays of whole disks"


async def test_capital_f_writes_the_design_as_a_recipe(tmp_path: Path) -> None:
    async with robot() as user:
        await user.press("2", "F")
        assert user.lines()[-1].strip() == "write recipe to file > ./data-recipe.toml"
        await user.answers(str(tmp_path / "rack.toml"))
        assert user.note().replace(" ", "") == f"recipewrittento{tmp_path / 'rack.toml'}", "a long path is wrapped"
        written = (tmp_path / "rack.toml").read_text()
        assert 'layout = "4x(12+2)+4"' in written.splitlines()
        assert "wwn-" not in written
        await user.press("F")
        await user.answers(str(tmp_path / "rack.toml"))
        assert "exists already" in user.note()


async def test_of_a_design_of_many_disks_that_changes_twice_the_last_one_is_shown() -> None:
    async with robot(inventory=purchase("300x8TB")) as user:
        await user.press("2", "down", "down")
        screen = user.app.screen
        assert isinstance(screen, DesignScreen)
        await user.press("left", "left")
        expected = [(each.title, each.value) for each in figures_of(result_of(user.app.session.outcome))]
        assert [(each.title, each.value) for each in figures_of(screen.result.blocks)] == expected


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_lines_that_are_not_drawn_again_are_as_they_would_be_drawn(size: tuple[int, int]) -> None:
    async with robot(width=size[0], height=size[1]) as user:
        await user.press("2")
        for keys in (
            ("down", "down", "left"),
            ("down", "left", "left"),
            ("down", "down", "right"),
            ("u", "u"),
            ("S", "A", "enter"),
            ("left",),
            ("tab", "down", "tab", "v", "tab", "down", "tab"),
            ("slash", *"raid10(9)+2", "enter"),
            ("slash", *"2x(12+2)+3x(4+2)+2", "enter"),
            ("1", "space", "2", "left"),
        ):
            await user.press(*keys)
            before = user.lines()
            user.app.repaint()
            await user.pilot.pause()
            assert before == user.lines()
        user.app.action_tier("ascii")
        await user.pilot.pause()
        shown = "\n".join(user.lines())
        assert shown.isascii()


async def test_the_field_of_spares_explains_how_many_are_enough() -> None:
    async with robot() as user:
        await user.press("2", "down", "down", "down", "down", "down", "f1")
        await user.finds("Here: 56 of 60 disks are members, which leaves 4 for spares.")
        assert user.sees("Spares: 4; 1 is enough for 30 days.")
        assert user.sees("Enough: the fewest with which at most 1 year in 10 has a failure")
