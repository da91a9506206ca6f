"""A person compares: reads the table, marks, sorts, asks for more, takes one into the design and back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Event
from time import sleep
from typing import Any

import pytest

from raidtui.advice.proposals.propose import SearchProgress
from raidtui.session.fields.field import with_design
from raidtui.session.search_thread import SearchRequest, Steps, steps_of
from raidtui.tui.screens.compare import screen
from raidtui.tui.screens.compare.table import CompareTable
from raidtui.values.inventory import Inventory
from raidtui.values.notation import show
from raidtui.values.proposal import Constraints, Proposal
from tests.tui.robot import Robot, robot

pytestmark = pytest.mark.usefixtures("compare")


@asynccontextmanager
async def comparing(**more: Any) -> AsyncIterator[Robot]:
    """The Compare screen with its table filled."""
    async with robot(**more) as user:
        await user.press("3")
        await found(user)
        yield user


async def found(user: Robot) -> None:
    """Waits until the search has ended."""
    for _ in range(200):
        await user.pilot.pause(0.01)
        if not user.sees("searching"):
            return
    raise AssertionError("the search does not end")


def layout(user: Robot) -> str:
    return show(user.app.session.decision.design.layout)


def letters(user: Robot) -> str:
    """The first column of the table, without its heading and titles."""
    table = user.app.page.query_one("#layouts").region
    return "".join(text[1:2] for text in user.lines()[table.y + 2 : table.bottom]).strip()


async def test_the_table_shows_the_present_design_then_the_picks_then_the_rest() -> None:
    async with comparing() as user:
        assert user.lines()[3:8] == [
            " *  4×(12+2)+4     86.75 4.61  4.10 7.00k 1.20k    12 h    24 000 present",
            " a  2×(27+2)+2     97.50 4.61  2.40 7.00k 1.20k    13 h     1 900 most room",
            " b  5×(10+2)       90.75 4.61  4.61 7.00k 1.20k    12 h    34 000 balanced +1",
            " c  30× raid1(2)   54.25 4.61  2.31 7.00k 1.20k   6.0 h   330 000 safest",
            " d  3×(17+2)+3     92.50 4.61  3.60 7.00k 1.20k    12 h     9 100",
        ]
        assert user.sees("4 best trade-offs of 412 layouts, GB/s")


async def test_while_it_searches_keys_work_and_it_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(_: SearchRequest) -> Steps:
        while True:
            sleep(0.001)
            yield SearchProgress(17, 412)

    monkeypatch.setattr(screen, "steps_of", endless)
    async with robot() as user:
        await user.press("3")
        for _ in range(100):
            await user.pilot.pause(0.01)
            if user.sees("searching ... 17 of 412 layouts"):
                break
        assert user.sees("searching ... 17 of 412 layouts")
        assert letters(user) == "*"
        await user.press("2")
        assert user.sees("Result")
        await user.press("down", "down", "left", "3")
        assert layout(user) == "3x(12+2)+4"
        assert user.sees("searching")


async def test_rows_come_in_while_it_searches_and_the_cursor_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real search, held after its first layouts with all figures."""
    go_on = Event()

    def held(ask: SearchRequest) -> Steps:
        steps = steps_of(ask)
        while True:
            try:
                progress = next(steps)
            except StopIteration as ended:
                proposal: Proposal = ended.value
                return proposal
            yield progress
            if progress.found is not None and len(progress.found.layouts) > 40:
                go_on.wait(5)

    monkeypatch.setattr(screen, "steps_of", held)
    monkeypatch.setattr("raidtui.session.search_thread.SHOW_S", 0.0)
    async with robot() as user:
        await user.press("3")
        table = user.app.page.query_one(CompareTable)
        for _ in range(300):
            await user.pilot.pause(0.01)
            if len(table.rows) > 4:
                break
        assert user.sees("searching")
        await user.press("s", "down", "down")  # sorted by a measure
        assert table.row is not None
        under_cursor, sort = table.row.key, table.sort
        go_on.set()
        await found(user)
        assert table.sort is sort is not None
        assert table.row is not None
        assert table.row.key == under_cursor or under_cursor not in [row.key for row in table.rows]
        merits = [sort.merit(row.candidate) for row in table.rows]
        assert merits == sorted(merits, reverse=True)


async def test_without_disks_it_says_so_and_nothing_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "steps_of", steps_of)
    async with robot(Inventory(origin="machine", name="empty", disks=())) as user:
        await user.press("3", "enter", "space", "d", "comma", "full_stop", "s", "o", "a", "v")
        await found(user)
        assert user.sees("No layout fits")
        await user.press("w", "escape", "g", "end", "enter")
        await found(user)
        assert user.sees("Compare")


async def test_enter_takes_a_layout_into_the_design_and_undo_takes_it_back() -> None:
    async with comparing() as user:
        user.app.session.decide(with_design(user.app.session.decision, chunk_bytes=1024 * 1024))
        await found(user)
        await user.press("down", "down", "enter")
        assert layout(user) == "5x(10+2)"
        assert user.app.session.decision.design.chunk_bytes == 1024 * 1024
        assert user.sees("Result")
        assert user.note() == "5x(10+2) is now the design, spread over the chassis; u undoes it"
        await user.press("u")
        assert layout(user) == "4x(12+2)+4"
        await user.press("U", "3")
        await found(user)
        assert user.lines()[3].startswith(" *  5×(10+2)  ")
        assert letters(user) == "*abc"


async def test_the_cursor_stays_on_its_layout_when_the_order_changes() -> None:
    async with comparing() as user:
        await user.press("down", "down", "down", "s")
        assert user.sees("30× raid1(2): safest")


async def test_the_first_mark_says_that_the_cursor_moves_on() -> None:
    async with comparing() as user:
        await user.press("space")
        assert user.note() == (
            "present 4x(12+2)+4 is marked, and the cursor moves on: mark another, then d shows the differences"
        )


async def test_a_fourth_mark_takes_the_place_of_the_oldest_and_says_so() -> None:
    async with comparing() as user:
        await user.press("space", "space", "space")
        assert user.note() == "present 4x(12+2)+4, 2x(27+2)+2 and 5x(10+2) are marked: d shows their differences"
        await user.press("space")
        assert [letter for letter in "*abcd" if user.sees(f" {letter}✓ ")] == ["a", "b", "c"]
        assert user.note() == (
            "2x(27+2)+2, 5x(10+2) and 30x raid1(2) are marked, present 4x(12+2)+4 no longer: d shows their differences"
        )


async def test_three_marked_layouts_stand_side_by_side() -> None:
    async with comparing(width=100, height=40) as user:
        await user.press("space", "space", "space", "d")
        assert user.sees("2x(27+2)+2 and 5x(10+2) in place of present 4x(12+2)+4")
        for words in (
            "Usable         86.75 TiB",
            "97.50 TiB (+12 %)",
            "90.75 TiB (+4.6 %)",
            "2x(27+2)+2 in place of present 4x(12+2)+4. Worse: writing -41 %, rebuild +1.8 h,",
        ):
            assert user.sees(words), words


async def test_layouts_of_your_own_are_typed_or_named_and_stand_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real search on four disks."""
    monkeypatch.setattr(screen, "steps_of", steps_of)
    async with comparing(inventory="nas4") as user:
        await user.press("2", "S")
        await user.answers("mine")
        await user.press("3", "slash")
        await user.answers("raid0(4), mine")
        await found(user)
        compared = user.app.session.decision.constraints
        assert compared is not None
        assert compared.compare == ("raid0(4)", show(user.app.session.decision.design.layout))
        table = user.app.page.query_one(CompareTable)
        (stripe,) = (row.candidate for row in table.rows if row.candidate.layout == "raid0(4)")
        assert (stripe.asked, stripe.breaks) == (True, "unprotected")
        assert user.note().endswith("   / changes them")
        await user.press("slash", "ctrl+a", "ctrl+k")
        await user.types("width 4 4x disk, mine")
        await user.press("enter")
        await found(user)
        assert user.app.session.decision.constraints is not None
        assert user.app.session.decision.constraints.max_width == 4
        assert user.app.session.decision.constraints.compare == ("4x disk", "(2+2)")


async def test_layouts_that_were_typed_are_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real search on four disks."""
    monkeypatch.setattr(screen, "steps_of", steps_of)
    async with comparing(inventory="nas4") as user:
        await user.press("slash")
        await user.answers("raid10 (3+1)")
        await found(user)
        assert [letter for letter in "*abcd" if user.sees(f" {letter}✓ ")] == ["a", "b"]
        await user.press("d")
        assert user.sees("raid10(4) in place of (3+1)")


async def test_without_marks_the_cursor_is_compared_with_the_present_design() -> None:
    async with comparing() as user:
        await user.press("d")
        assert user.note().startswith("Space marks a layout; d compares two")
        await user.press("down", "d")
        assert user.sees("2x(27+2)+2 in place of present 4x(12+2)+4") or user.sees("in place of 2x(27+2)+2")


async def test_why_holds_reasons_why_nots_vendors_and_findings() -> None:
    async with comparing(width=120, height=50) as user:
        await user.press("w")
        for words in (
            "MOST ROOM: 2x(27+2)+2", "Alternatives: half the room", "why not RAID5", "VENDOR RECOMMENDATIONS",
            "- HPE says 10 to 12 disks", "disk speed is a class default",
        ):  # fmt: skip
            assert user.sees(words)


async def test_constraints_are_typed_kept_and_undone() -> None:
    async with comparing() as user:
        await user.press("slash")
        assert user.note().startswith("such as  4x(12+2)+4, raid10(60)  >=800TB  survive 2")
        await user.types("survive 1")
        assert user.note().startswith("such as  4x(12+2)+4, raid10(60)  >=800TB  survive 2")
        await user.press("escape")
        assert user.note() == "/ sets constraints, or compares layouts of your own; g asks in plain words"
        await user.press("slash")
        await user.types(">=80TB survive 2 width 16")
        await user.press("enter")
        await found(user)
        assert user.app.session.decision.constraints == Constraints(
            usable_bytes=80_000_000_000_000, survive=2, max_width=16
        )
        assert user.note() == "constraints: >=80TB survive 2 width 16   / changes them"
        await user.press("u")
        assert user.app.session.decision.constraints is None


async def test_a_wrong_constraint_is_refused_while_it_is_typed() -> None:
    async with comparing() as user:
        await user.press("slash")
        await user.types("survive many")
        assert user.note() == "survive: 'many' is not a whole number"
        await user.press("enter")
        assert user.app.session.decision.constraints is None
        await user.press("escape")
        assert letters(user) == "*abcd"


async def test_when_nothing_fits_the_reason_and_the_way_out_are_said() -> None:
    async with comparing() as user:
        await user.press("slash")
        await user.types(">=900TB")
        await user.press("enter")
        await found(user)
        assert user.sees("No layout fits")
        assert user.sees("60 disks make 97.50 TiB at most; ask for less")
        assert letters(user) == "*"


async def test_keys_typed_ahead_of_the_question_go_into_it() -> None:
    async with comparing() as user:
        await user.press("slash", "s", "u", "r", "v")
        assert user.app.screen.focused.value == "surv"  # type: ignore[union-attr]
        assert letters(user) == "*abcd"


async def test_a_wide_table_cuts_no_layout_and_the_reasons_have_the_lines_below_it() -> None:
    async with robot(width=200, height=60) as user:
        await user.press("3")
        await user.settle()
        table, reasons = user.app.page.query_one("#layouts"), user.app.page.query_one("#why")
        rows = user.lines()[table.region.y + 2 : table.region.bottom - 1]
        assert not any(user.app.glyphs.cut in text[:60] for text in rows)
        assert reasons.region.y == table.region.bottom
        assert reasons.size.height > 25
