"""The palette finds what people type, on whatever screen they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.widgets import Input

from raidtui.tui.palette import SYNONYMS, Palette
from raidtui.values.notation import show
from tests.tui.robot import Robot, robot
from tests.tui.test_keys import own_bindings


def offered(user: Robot, words: str) -> list[str]:
    """The titles of what the palette lists for `words`, best first."""
    return [entry.title for entry in Palette(user.app, user.app.page).find(words)]


async def asked(user: Robot) -> None:
    """Waits for the question of a command."""
    await user.eventually(lambda: user.app.page.asking and user.app.page.focused is not None)
    await user.eventually(lambda: isinstance(user.app.page.focused, Input))


async def picks(user: Robot, words: str) -> None:
    """Types `words` into the palette and presses Enter on the first command that it lists."""
    await user.press("colon")
    await user.types(words)
    await user.press("enter")


@pytest.mark.parametrize("digit", ["1", "4"])
async def test_what_people_type_is_found_on_any_screen(digit: str) -> None:
    export = "Write plan, scripts and runbook" if digit == "4" else "Write the files of this screen"
    async with robot() as user:
        await user.press(digit)
        for words, title in (
            ("export", export), ("quit", "Quit"), ("raid5", "Level: raid6"), ("xfs", "File system: xfs"),
            ("chunk", "Chunk: "), ("filter", "Show only disks that match"), ("copy", "Copy "), ("theme", "Theme raid"),
            ("throttle", "Limit the sync rate per disk"), ("benchmark", "Start, after typing start"),
        ):  # fmt: skip
            titles = offered(user, words)
            assert any(each.startswith(title) for each in titles[:3]), (words, titles)


async def test_the_commands_of_this_screen_come_first_and_a_click_runs_one() -> None:
    async with robot() as user:
        await user.press("colon")
        rows = [line.strip(" │") for line in user.lines()]
        first = rows.index(next(row for row in rows if row.startswith("Show only disks that match")))
        assert rows[first + 1].startswith("Exclude the disk from the design, or use it")
        await user.types("every key")
        place = next((line.index("Every key"), y) for y, line in enumerate(user.lines()) if "Every key" in line)
        await user.pilot.click(offset=place)
        await user.pilot.pause()
        assert user.sees("Keys: Disks")


async def test_a_field_of_the_design_is_asked_for_from_another_screen() -> None:
    async with robot() as user:
        assert offered(user, "chunk")[0].startswith("Chunk")
        await picks(user, "chunk")
        await asked(user)
        assert user.app.page.page_name == "Design"
        await user.answers("256K")
        assert user.app.session.decision.design.chunk_bytes == 256 * 1024


async def test_a_key_of_another_screen_shows_that_screen_first() -> None:
    async with robot() as user:
        await user.press("2")
        await picks(user, "show only disks")
        await asked(user)
        assert user.app.page.page_name == "Disks"


async def test_saved_designs_are_listed_and_loaded(tmp_path: Path) -> None:
    async with robot(designs=tmp_path / "designs") as user:
        await user.press("2", "slash")
        await user.answers("2x(28+2)")
        await user.press("S")
        await user.answers("wide")
        await user.press("u")
        assert offered(user, "wide")[0] == "Load design wide"
        await picks(user, "load design wide")
        await user.eventually(lambda: user.sees("wide loaded"))
        assert show(user.app.session.decision.design.layout) == "2x(28+2)"


def test_every_synonym_belongs_to_a_command() -> None:
    known = {binding.id for _, binding in own_bindings()}
    fields = {"arrays", "ask", "assumptions", "bitmap", "chunk", "fs", "layout", "level", "metadata", "mount"}
    fields |= {"name", "parity", "spares", "spread", "stack", "width"}
    assert set(SYNONYMS) - known - fields == set()


async def test_every_screen_of_the_app_is_in_it() -> None:
    async with robot() as user:
        titles = [entry.title for entry in Palette(user.app, user.app.page).entries]
        for page in user.app.PAGES:
            assert any(title.startswith(f"Screen: {page.kind.page_name}") for title in titles), page.name


async def test_keys_typed_ahead_of_the_palette_do_nothing_below_it() -> None:
    async with robot("e2660") as user:
        for key, character in (("colon", ":"), ("z", "z"), ("x", "x"), ("q", "q")):
            user.app.post_message(events.Key(key, character))
        await user.eventually(lambda: user.app.screen is not user.app.page)
        await user.closes()
        assert user.app.is_running
        assert user.sees("Topology")


async def test_f1_and_the_palette_look_a_word_up_in_the_pages_of_help() -> None:
    async with robot() as user:
        await user.press("2", "f1", "slash")
        await asked(user)
        await user.answers("scrub")
        await user.finds("A check reads all members and compares.")
        await user.press("escape")
        await picks(user, "look up a word")
        await asked(user)
        await user.answers("quux")
        assert user.note() == "no page of help has 'quux'; try luks, scrub or chunk"
        await user.press("escape")
        assert "quux" not in user.note()


DIFFERENCE = "2 Design (difference), 3 Compare (difference), 7 Report (difference)"
PAUSE = "5 Build (pause), 6 Bench (pause), 8 Watch (pause)"
ELSEWHERE = {
    "1": {
        "d": DIFFERENCE,
        "w": "3 Compare (why)",
        "m": "4 Commands (mount point)",
        "p": PAUSE,
        "F": "2 Design (recipe)",
    },
    "2": {"s": "1 Disks (sort), 3 Compare (sort)", "i": "1 Disks (detail)", "v": "3 Compare (table only)", "p": PAUSE},
    "3": {"L": "2 Design (load)", "f": "2 Design (domains)", "n": "4 Commands (name)", "c": "5 Build (wait for sync)"},
    "4": {"o": "1 Disks (reverse), 3 Compare (reverse)", "a": "3 Compare (few or all)", "d": DIFFERENCE, "p": PAUSE},
    "5": {"b": "4 Commands (build), 6 Bench (start)", "O": "6 Bench (own tree)", "E": "9 Arrays (extend)"},
    "6": {"t": "5 Build (throttle)", "D": "5 Build (undo build)", "r": "5 Build (resume), 9 Arrays (replace)"},
    "7": {"T": "6 Bench (tune)", "m": "4 Commands (mount point)", "L": "2 Design (load)", "p": PAUSE},
    "8": {"x": "5 Build (stop), 6 Bench (stop)", "w": "3 Compare (why)", "F": "2 Design (recipe)", "d": DIFFERENCE},
    "9": {"b": "4 Commands (build), 6 Bench (start)", "T": "6 Bench (tune)", "n": "4 Commands (name)"},
}
"""screen, a key without a use there, and where it works"""
_NO_BUILD = "no build yet; 4 Commands, then b, starts one"
_NO_REPORT = "no report yet; a build or a benchmark makes one"
NO_EFFECT = {
    "5": {"t (throttle)": _NO_BUILD, "D (undo build)": _NO_BUILD, "r (resume)": _NO_BUILD},
    "6": {"x (stop)": "no benchmark runs; b starts one", "/ (directory)": "a simulated machine has no directories"},
    "7": {"d (difference)": _NO_REPORT, "y (copy)": _NO_REPORT},
    "9": {"E (extend)": "no md array here; 2 Design, then 4 Commands and b build one"},
}
"""screen, a key of it that waits for something with what it does then, and what it waits for"""


@pytest.mark.parametrize("screen", ELSEWHERE)
async def test_thirty_keys_say_where_they_work(screen: str) -> None:
    async with robot() as user:
        await user.press(screen)
        await user.settle()  # what the screen says of itself comes first
        for key, where in ELSEWHERE[screen].items():
            await user.press(key)
            assert user.note() == f"{key} works on {where}"
        for key, reason in NO_EFFECT.get(screen, {}).items():
            await user.press("slash" if key[0] == "/" else key[0])
            assert user.note() == f"{key} has no effect now: {reason}"


async def test_a_key_that_does_nothing_here_says_where_it_works() -> None:
    elsewhere = {
        "b": "b works on 4 Commands (build), 6 Bench (start)", "x": "x works on 5 Build (stop), 6 Bench (stop)",
        "O": "O works on 6 Bench (own tree)", "T": "T works on 6 Bench (tune)", "t": "t works on 5 Build (throttle)",
        "D": "D works on 5 Build (undo build)", "E": "E works on 9 Arrays (extend)",
        "r": "r works on 5 Build (resume), 9 Arrays (replace)",
        "K": "K does nothing on any screen: ? lists the keys, : finds commands",
    }  # fmt: skip
    async with robot() as user:
        for digit in ("1", "2", "7"):
            await user.press(digit)
            for key, words in elsewhere.items():
                await user.press(key)
                assert user.note() == words
        await user.press("5", "x")
        assert user.note() == "x (stop) has no effect now: no build yet; 4 Commands, then b, starts one"
        for key, name in {"f5": "F5", "delete": "Delete", "insert": "Insert"}.items():
            await user.press(key)
            assert user.note() == f"{name} does nothing on any screen: ? lists the keys, : finds commands"
        await user.press("space")
        assert user.note() == "Space works on 1 Disks (leave out), 3 Compare (mark)"
        before = user.note()
        await user.press("escape", "up", "home")
        assert user.note() == before
        await user.press("ctrl+c")
        assert user.note() == "q quits"
