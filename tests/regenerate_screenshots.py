"""Writes the text goldens in `tests/golden_screens/`, and the pictures of `screenshots/` that README and topics show.

`python -m tests.regenerate_screenshots` writes them all.

Everything is drawn from the simulated chassis without a terminal, so the same program gives the same files: e2660
unless the name of the picture says another one.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from unittest.mock import patch

from raidtui.engine.site import MACHINE
from raidtui.fleet.tui.app import FleetApp
from raidtui.fleet.values import FleetOverview
from raidtui.machine.inventory.shipped import load
from raidtui.session.session import Session
from raidtui.tui.terminal.profile import Tier
from raidtui.values.plan import Plan
from tests.simulated.machine import FaultyMachine
from tests.tui.benches import Staged, report_on, writing
from tests.tui.builds import standing, standing_run
from tests.tui.fleets import FleetRobot, alike, building, fleet_robot, thousand
from tests.tui.robot import RUN_ID, Robot, robot
from tests.tui.stills import stills, taken

ROOT = Path(__file__).resolve().parent.parent
SCREENSHOTS = ROOT / "screenshots"
GOLDEN = ROOT / "tests" / "golden_screens"
SHOWN = frozenset(
    stem
    for page in (ROOT / "README.md", *(ROOT / "raidtui" / "topics").glob("*.md"))
    for stem in re.findall(r"screenshots/([^)\"]+)\.svg[)\"]", page.read_text(encoding="utf-8"))
)
"""stems of the pictures that README and the topics show"""
KEYS = {
    "disks": (),
    "design": ("2", "S", "A", "enter", "down", "down", "down", "left", "left", "down", "down", "right", "right"),
    "compare": ("3", "down"),
    "commands": ("4", "down", "down", "down"),
    "build": ("5",),
    "arrays": ("9", "down"),
}
MEASURED_KEYS = {"bench": ("6",), "bench-done": ("6", "down"), "report": ("7", "down", "down")}
"""for pictures of a simulated benchmark: as it goes, when it is over, and what it comes to"""
PLAIN_KEYS = {
    "watch": ("8",), "bench-choose": ("6",), "design": ("2",), "compare": ("3", "down"),
    "guide": ("g", "enter", "enter"), "confirm": ("4", "b"), "extend": ("9", "E", *"spare", "space", *"sdx", "enter"),
    "failed": ("9",), "failed-disks": ("9", "1"), "failed-build": ("9", "5"),
}  # fmt: skip
"""for pictures of other chassis, and of what lies over a screen"""
FLEETS: Mapping[str, tuple[Callable[[], tuple[FleetOverview, Mapping[str, Plan]]], tuple[str, ...]]] = {
    "fleet": (building, ()),
    "fleet-alike": (lambda: (alike(), {}), ()),
    "fleet-thousand": (lambda: (thousand(), {}), ()),
    "fleet-host": (building, ("enter",)),
}
"""for pictures of `raidtui fleet show`: what is known of the hosts, and the keys"""
CHASSIS = ("pod45", "nas4", "trio", "jbod84", "nvme24")
"""those beside e2660"""
HALF_SYNCED = 9000.0
"""seconds of simulated time after which the picture of Build is taken"""
FAILED = load("e2660").disks[7].id
"""the disk that has failed, a member of the first array"""
SMALL: tuple[Tier, ...] = ("ascii", "console", "unicode")
_CHECKSUM = re.compile(r"terminal-\d+")
_MAKER = re.compile(r"\s*<!-- Generated .*?-->", re.DOTALL)
_FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


@dataclass(frozen=True)
class Picture:
    """One screen at one size in one tier."""

    screen: str
    width: int
    height: int
    tier: Tier = "unicode"
    chassis: str = "e2660"

    @property
    def stem(self) -> str:
        """File name without its ending."""
        name = self.screen if self.chassis == "e2660" else f"{self.screen}-{self.chassis}"
        return f"{name}-{self.width}x{self.height}-{self.tier}"

    @property
    def keys(self) -> tuple[str, ...]:
        """What is pressed before the picture is taken."""
        if self.screen in MEASURED_KEYS:
            return MEASURED_KEYS[self.screen]
        plain = self.chassis != "e2660" or self.screen not in KEYS
        return PLAIN_KEYS[self.screen] if plain else KEYS[self.screen]


PICTURES = (
    *(Picture(screen, 80, 24, tier) for screen in KEYS for tier in SMALL),
    *(Picture(screen, 200, 60) for screen in KEYS),
    *(Picture(screen, 132, 43) for screen in (*KEYS, "bench", "report", "watch")),
    *(Picture(screen, 60, 18) for screen in (*KEYS, "guide", "confirm", "bench", "report", "watch")),
    *(
        Picture(screen, width, height, chassis=chassis)
        for screen in ("design", "compare")
        for chassis in CHASSIS
        for width, height in ((80, 24), (200, 60))
    ),
    *(Picture(screen, 80, 24, tier) for screen in ("guide", "confirm", "bench", "report") for tier in SMALL),
    *(Picture(screen, 200, 60) for screen in MEASURED_KEYS),
    Picture("bench-done", 80, 24),
    Picture("bench-choose", 200, 60),
    Picture("bench", 80, 24, chassis="nvme24"),
    *(Picture("watch", 80, 24, tier) for tier in SMALL),
    *(Picture("watch", width, height, chassis="nvme24") for width, height in ((80, 24), (200, 60))),
    Picture("watch", 200, 60),
    *(Picture("extend", width, height) for width, height in ((80, 24), (200, 60))),
    *(Picture("failed", 80, 24, tier) for tier in SMALL),
    *(Picture("failed", width, height) for width, height in ((60, 18), (132, 43), (200, 60))),
    *(Picture(screen, 80, 24) for screen in ("failed-disks", "failed-build")),
    *(Picture("fleet", 80, 24, tier) for tier in SMALL),
    *(Picture("fleet", width, height) for width, height in ((60, 18), (132, 43), (200, 60))),
    *(Picture(screen, 80, 24) for screen in ("fleet-alike", "fleet-thousand", "fleet-host")),
    *(Picture(screen, 200, 60) for screen in ("fleet-alike", "fleet-thousand")),
)


class Drawn(NamedTuple):
    """What a picture is held against: the screen as text, as SVG if README shows it, and the cells of each line."""

    text: str
    svg: str
    widths: tuple[int, ...]


async def drawn(picture: Picture) -> Drawn:
    """The screen of `picture`, in an app of its own."""
    if picture.screen in FLEETS:
        make, keys = FLEETS[picture.screen]
        overview, plans = make()
        theme = "raidtui" if picture.tier == "unicode" else "raidtui-ansi"
        async with fleet_robot(
            overview, plans, tier=picture.tier, theme=theme, width=picture.width, height=picture.height
        ) as fleet:
            await fleet.press(*keys)
            return _drawn_by(fleet, picture)
    async with opened(picture) as user:
        return _drawn_by(user, picture)


@asynccontextmanager
async def opened(picture: Picture) -> AsyncIterator[Robot]:
    """The app with the screen of `picture` drawn."""
    theme = "raidtui" if picture.tier == "unicode" else "raidtui-ansi"
    size = {"width": picture.width, "height": picture.height}
    with _runs(picture) as roots, stills():
        async with robot(picture.chassis, tier=picture.tier, theme=theme, roots=lambda: roots, **size) as user:
            if picture.screen in MEASURED_KEYS:
                await _measure(user, picture)
            for key in picture.keys:
                await user.press(key)
                await user.settle()
                if key == "9":  # a busy machine takes longer to read them
                    await user.finds("md124")
            if picture.screen == "watch":
                await taken(user)
            await user.pilot.pause()
            yield user
            patch.stopall()


async def _measure(user: Robot, picture: Picture) -> None:
    """A benchmark of the chassis, held in the middle of a test unless its end is to be seen."""
    from raidtui.tui.screens import report

    held = writing() if picture.screen == "bench" else lambda _: False
    bench = Staged(Path(os.environ["XDG_STATE_HOME"]), load(picture.chassis), until=held)
    patch.object(report, "gathered", lambda _: report_on(bench)).start()
    await user.app.bench_follower.follow(bench.folder)


def _drawn_by(user: Robot | FleetRobot[FleetApp], picture: Picture) -> Drawn:
    strips = user.app.screen._compositor.render_strips()
    text = "".join(f"{strip.text.rstrip()}\n" for strip in strips)
    svg = standing_alone(user.app.export_screenshot(title="raidtui")) if picture.stem in SHOWN else ""
    return Drawn(text, svg, tuple(strip.cell_length for strip in strips))


@contextmanager
def _runs(picture: Picture) -> Iterator[tuple[Path, ...]]:
    """Where runs lie for a picture: nowhere, or one that is half in sync for Build, Arrays and what is over it; for
    `failed` it is stopped, a disk has failed, and a spare is filled."""
    inventory = load(picture.chassis)
    with TemporaryDirectory() as place, patch.dict(os.environ, {"XDG_STATE_HOME": place}):
        if picture.screen.startswith("failed"):
            folder = standing_run(Path(place), Session(inventory, run_id=RUN_ID).plan(), inventory, seconds=HALF_SYNCED)
            machine = FaultyMachine.kept(folder / MACHINE)
            machine.fail(FAILED)
            machine.advance(HALF_SYNCED)
            yield (Path(place),)
        elif picture.screen not in ("build", "arrays", "extend"):
            yield ()
        else:
            plan = Session(inventory, run_id=RUN_ID).plan()
            with standing(inventory, plan, seconds=HALF_SYNCED) as root:
                yield (root,)


def standing_alone(svg: str) -> str:
    """`svg` with fonts of the reader's own machine in place of fonts fetched from elsewhere.

    Blanks at the start of a text count: without the attribute librsvg and what uses it drop them.
    """
    svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1)
    local = "font-family: 'Fira Code', 'DejaVu Sans Mono', Menlo, Consolas, monospace"
    return _CHECKSUM.sub("terminal", _MAKER.sub("", _FONT_FACE.sub("", svg))).replace(
        "font-family: Fira Code, monospace", local
    )


def main() -> None:
    """Writes every file."""
    from tests.regenerate_walk import WALK, walk  # it draws with `opened`

    for directory in (SCREENSHOTS, GOLDEN):
        directory.mkdir(exist_ok=True)
    for picture in PICTURES:
        made = asyncio.run(drawn(picture))
        (GOLDEN / f"{picture.stem}.txt").write_text(made.text, encoding="utf-8")
        if made.svg:
            (SCREENSHOTS / f"{picture.stem}.svg").write_text(made.svg, encoding="utf-8")
    WALK.write_text(asyncio.run(walk()), encoding="utf-8")


if __name__ == "__main__":
    main()
