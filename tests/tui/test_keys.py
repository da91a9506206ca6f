"""One meaning a key on every screen, in every pane and dialog."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from textual.binding import Binding
from textual.dom import DOMNode

import raidtui.tui
from tests.tui.robot import SCREENS


class Meaning(NamedTuple):
    """What a key does wherever it does anything, and the actions that are this."""

    words: str
    actions: frozenset[str]


def does(words: str, *actions: str) -> Meaning:
    """The meaning of a key."""
    return Meaning(words, frozenset(actions))


CLOSE = ("dismiss", "cancel")
TABLE: dict[str, Meaning] = {
    **{digit: does("shows a screen", "show") for digit in SCREENS},
    "tab": does("next pane", "pane", "swap"),
    "shift+tab": does("previous pane", "pane", "swap"),
    **dict.fromkeys(("up", "k"), does("one up", "move")),
    **dict.fromkeys(("down", "j"), does("one down", "move")),
    **dict.fromkeys(("pageup", "pagedown"), does("one page", "page")),
    **dict.fromkeys(("home", "end"), does("first or last line", "jump")),
    **dict.fromkeys(("left", "h"), does("to the left: previous value, bay, branch", "step", "shut")),
    **dict.fromkeys(("right", "l"), does("to the right: next value, bay, branch", "step", "open")),
    "less_than_sign": does("previous value or column", "step", "sort"),
    "greater_than_sign": does("next value, column or test", "step", "sort", "next_job"),
    "minus": does("previous value", "step"),
    "plus": does("next value", "step"),
    "enter": does(
        "opens or uses what is under the cursor",
        "limit", "detail", "screen.type_value", "load", "screen.expand", "output", "details", "read", "pick", "dismiss",
        "answer", "open", "open_row", "open_host",
    ),
    "space": does("takes or marks what is under the cursor", "leave_out", "take", "mark", "pick", "accept"),
    "escape": does("clears the filter, or closes", "clear", "fold", *CLOSE),
    "slash": does(
        "a line to type: filter, layout, constraints, directory",
        "filter", "notation", "constraints", "look_up", "directory",
    ),
    "a": does("a few or all", "every", "outliers"),
    "b": does("begins: a build, a benchmark, another benchmark", "app.build", "start", "again"),
    "c": does("waits for the sync, or continues during it", "wait_for_sync"),
    "comma": does("next measure on the x axis", "axis"),
    "C": does("simulated chassis", "chassis"),
    "d": does("difference", "difference", "compare"),
    "D": does("undoes a build", "undo_run"),
    "e": does("writes files", "export", "app.export"),
    "E": does("extends an array", "extend"),
    "f": does("failure domains", "domains"),
    "F": does("writes a recipe for a fleet", "recipe"),
    "full_stop": does("next measure on the y axis", "axis"),
    "g": does("guide", "app.guide"),
    "G": does("groups by", "group"),
    "i": does("details of the disk", "detail", "dismiss"),
    "L": does("loads a design", "load"),
    "m": does("mount point", "mount"),
    "n": does("names", "rename"),
    "o": does("reverses the order", "turn"),
    "O": does("takes a tree of one's own", "tree"),
    "p": does("pauses, or continues", "pause", "freeze"),
    "q": does("leaves", "quit", "app.quit", *CLOSE),
    "ctrl+q": does("leaves", "quit"),
    "r": does("resumes a build, or replaces a failed disk", "resume", "replace"),
    "R": does("reads again", "rescan", "reread"),
    "s": does("sorts by the next column", "sort"),
    "S": does("saves a design", "save"),
    "T": does("trials of chunks", "tune"),
    "t": does("throttles the sync", "throttle"),
    "u": does("undoes a decision", "undo", "app.undo"),
    "ctrl+z": does("undoes a decision", "undo"),
    "U": does("redoes a decision", "redo"),
    "v": does("changes the view", "view"),
    "V": does("list or grid", "form"),
    "w": does("why", "why"),
    "x": does("stops", "stop"),
    "y": does("copies", "copy"),
    "z": does("zooms the pane", "zoom"),
    "colon": does("palette", "palette"),
    "ctrl+p": does("palette", "palette"),
    "question_mark": does("keys of this screen", "help", "dismiss"),
    "f1": does("explains the line", "explain", "dismiss"),
    "ctrl+l": does("redraws the screen", "redraw"),
    "ctrl+c": does("drops the keys that wait", "interrupted"),
}  # fmt: skip


def own_bindings() -> Iterator[tuple[str, Binding]]:
    """Every binding of every class of the app, with the name of its class."""
    for module in pkgutil.walk_packages(raidtui.tui.__path__, "raidtui.tui."):
        for name, kind in vars(importlib.import_module(module.name)).items():
            if isinstance(kind, type) and issubclass(kind, DOMNode) and kind.__module__ == module.name:
                for binding in kind.__dict__.get("BINDINGS", ()):
                    yield name, binding


BOUND = [
    (owner, key, binding.action.partition("(")[0])
    for owner, binding in own_bindings()
    for key in binding.key.split(",")
]


def test_the_walk_finds_every_screen() -> None:
    owners = {owner for owner, _, _ in BOUND}
    assert {"RaidtuiApp", "DisksScreen", "DesignForm", "CompareScreen", "CommandsScreen", "BuildScreen"} <= owners
    assert {"BenchScreen", "ReportScreen", "WatchScreen", "GaugePane", "GuideDialog", "ConfirmDialog"} <= owners
    assert len(BOUND) > 120


@pytest.mark.parametrize(("owner", "key", "action"), BOUND)
def test_a_key_has_one_meaning_everywhere(owner: str, key: str, action: str) -> None:
    assert key in TABLE, f"{owner}: {key} has no meaning in the table"
    assert action in TABLE[key].actions, f"{owner}: {key} {TABLE[key].words}, it cannot mean {action} as well"


def test_the_table_holds_no_key_that_nothing_is_bound_to() -> None:
    unbound = set(TABLE) - {key for _, key, _ in BOUND}
    assert unbound == set()
