"""Writes the tables of keys into `raidtui/topics/keys.md`: `python -m tests.regenerate_keys`.

The bindings of the app's classes are the table; the `?` dialog shows those that are active.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path

from textual.binding import Binding
from textual.dom import DOMNode

from raidtui.fleet.tui.app import FleetApp, FleetFrame
from raidtui.fleet.values import FleetOverview
from raidtui.tui.app import RaidtuiApp
from raidtui.tui.widgets.dialogs import KeyRow, key_rows
from raidtui.tui.widgets.frame import Frame
from raidtui.tui.widgets.pane import Pane
from tests.tui.fleets import fleet_robot
from tests.tui.robot import robot

ROOT = Path(__file__).resolve().parent.parent
TOPIC = ROOT / "raidtui" / "topics" / "keys.md"
COMMON = "Every screen"
FLEET = ("Fleet (raidtui fleet show)", "Fleet: Disks of a host", "Fleet: Build of a host")


def rows_of(kinds: Iterable[type[DOMNode]]) -> tuple[KeyRow, ...]:
    """Rows of the bindings that the classes `kinds` define themselves, class by class, each row once."""
    found: dict[KeyRow, None] = {}
    for kind in kinds:
        found |= dict.fromkeys(key_rows(Binding.make_bindings(kind.__dict__.get("BINDINGS", ()))))
    return tuple(found)


async def table() -> Mapping[str, tuple[KeyRow, ...]]:
    """Rows that hold on every screen, then those of each screen and its panes."""
    shared: list[type[DOMNode]] = [RaidtuiApp, Frame, Pane]
    found = {COMMON: rows_of(shared)}
    async with robot() as user:
        for page in user.app.PAGES:
            await user.app.action_show(page.name)
            panes = [kind for pane in user.app.page.query(Pane) for kind in type(pane).__mro__]
            kinds = [
                kind for kind in dict.fromkeys((*page.kind.__mro__, *panes)) if kind.__module__.startswith("raidtui.")
            ]
            found[page.title] = rows_of(kind for kind in kinds if kind not in shared)
        await user.settle()
    async with fleet_robot(FleetOverview(hosts=("host",))) as fleet:
        kinds = [FleetApp]
        for page, title in zip(fleet.app.PAGES, FLEET, strict=True):
            await fleet.app.action_show(page.name)
            panes = [kind for pane in fleet.app.page.query(Pane) for kind in type(pane).__mro__]
            kinds += [kind for kind in (*page.kind.__mro__, *panes) if kind.__module__.startswith("raidtui.")]
            found[title] = rows_of(kind for kind in dict.fromkeys(kinds) if kind not in shared)
            shared += [FleetApp, FleetFrame]
            kinds.clear()
    return found


def text(rows: Mapping[str, tuple[KeyRow, ...]]) -> str:
    """The page."""
    lines = ["# keys: what each key of the app does", ""]
    lines += ["`?` shows the keys that are active, `:` finds every command by its name."]
    for name, found in rows.items():
        lines += ["", f"## {name}", "", "| key | does |", "| --- | --- |"]
        lines += [f"| {' '.join(f'`{key}`' for key in row.keys)} | {row.words} |" for row in found]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Writes the page."""
    TOPIC.write_text(text(asyncio.run(table())), encoding="utf-8")


if __name__ == "__main__":
    main()
