"""Writes the table of keys into `raidtui/topics/keys.txt` and README: `python -m tests.regenerate_keys`.

The bindings of the app's classes are the table; the `?` dialog shows those that are active.
"""

from __future__ import annotations

import asyncio
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

from textual.binding import Binding
from textual.dom import DOMNode

from raidtui.model.fleet.overview import FleetOverview
from raidtui.tui.app import RaidtuiApp
from raidtui.tui.fleet_app import FLEET_PAGES, FleetApp
from raidtui.tui.gauges.host_list import HostList
from raidtui.tui.palette import PAGES
from raidtui.tui.screens.base import BaseScreen
from raidtui.tui.screens.fleet.frame import FleetFrame
from raidtui.tui.screens.watch.fleet import FleetWatchScreen
from raidtui.tui.widgets.key_rows import KeyRow, key_rows
from raidtui.tui.widgets.pane import Pane
from tests.tui.fleets import fleet_robot
from tests.tui.robot import robot

ROOT = Path(__file__).resolve().parent.parent
TOPIC = ROOT / "raidtui" / "topics" / "keys.txt"
README = ROOT / "README.md"
BEGIN, END = "<!-- keys: python -m tests.regenerate_keys -->\n", "<!-- end of keys -->\n"
COMMON = "Every screen"
FLEET = {"fleet": "Fleet (raidtui fleet show)", "disks": "Fleet: Disks of a host", "build": "Fleet: Build of a host"}
FLEET_WATCH = "Fleet: Watch (raidtui fleet watch)"
_KEYS = 22
_WIDTH = 78


def rows_of(kinds: Iterable[type[DOMNode]]) -> tuple[KeyRow, ...]:
    """Rows of the bindings that the classes `kinds` define themselves, class by class, each row once."""
    found: dict[KeyRow, None] = {}
    for kind in kinds:
        found |= dict.fromkeys(key_rows(Binding.make_bindings(kind.__dict__.get("BINDINGS", ()))))
    return tuple(found)


async def table() -> Mapping[str, tuple[KeyRow, ...]]:
    """Rows that hold on every screen, then those of each screen and its panes."""
    shared: list[type[DOMNode]] = [RaidtuiApp, BaseScreen, Pane]
    found = {COMMON: rows_of(shared)}
    async with robot() as user:
        for name, page in PAGES.items():
            await user.app.action_show(name)
            panes = [kind for pane in user.app.page.query(Pane) for kind in type(pane).__mro__]
            kinds = [kind for kind in dict.fromkeys((*page.__mro__, *panes)) if kind.__module__.startswith("raidtui.")]
            found[page.page_name] = rows_of(kind for kind in kinds if kind not in shared)
        await user.settle()
    async with fleet_robot(FleetOverview(hosts=("host",))) as fleet:
        kinds = [FleetApp]
        for name, title in FLEET.items():
            await fleet.app.action_show(name)
            page = FLEET_PAGES[name]
            panes = [kind for pane in fleet.app.page.query(Pane) for kind in type(pane).__mro__]
            kinds += [kind for kind in (*page.__mro__, *panes) if kind.__module__.startswith("raidtui.")]
            found[title] = rows_of(kind for kind in dict.fromkeys(kinds) if kind not in shared)
            shared += [FleetApp, FleetFrame]
            kinds.clear()
    found[FLEET_WATCH] = rows_of((FleetWatchScreen, HostList))
    return found


def text(rows: Mapping[str, tuple[KeyRow, ...]]) -> str:
    """The table for a terminal."""
    lines = ["keys: what each key of the app does", ""]
    for name, found in rows.items():
        lines += [name.upper(), ""]
        for row in found:
            first, *rest = textwrap.wrap(row.words, _WIDTH - _KEYS - 2)
            keys = "  ".join(row.keys)
            lines += [f"  {keys:<{_KEYS - 2}}  {first}", *(f"{'':<{_KEYS + 2}}{more}" for more in rest)]
        lines.append("")
    lines += ["? shows the keys that are active, : finds every command by its name."]
    return "\n".join(lines) + "\n"


def readme(rows: Mapping[str, tuple[KeyRow, ...]]) -> str:
    """README with the present table between its marks."""
    before, _, rest = README.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    table = text(rows).partition("\n\n")[2]
    return f"{before}{BEGIN}\n```text\n{table}```\n\n{END}{after}"


def main() -> None:
    """Writes both."""
    rows = asyncio.run(table())
    TOPIC.write_text(text(rows), encoding="utf-8")
    README.write_text(readme(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
