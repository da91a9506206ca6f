"""Robot walks: every key on every screen, clicks anywhere, in a seeded order, and what was seen on the way.

python -m tests.tui.walk [SEEDS]     every key and 100 clicks a screen at three sizes, SEEDS times (default 3)
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from raidtui.engine.folders import at_work
from raidtui.fleet.tui.app import FleetApp
from raidtui.machine.inventory.shipped import load
from raidtui.session.session import Session
from tests.tui.builds import Executors, standing_run
from tests.tui.fleets import building, fleet_robot
from tests.tui.robot import RUN_ID, SCREENS, Robot, robot

SIZES = ((60, 18), (80, 24), (200, 60))
KEYS: Sequence[str] = (
    *"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "space", "enter", "escape", "tab", "shift+tab", "up", "down", "left", "right", "home", "end", "pageup", "pagedown",
    "plus", "minus", "comma", "full_stop", "less_than_sign", "greater_than_sign", "slash", "colon", "question_mark",
    "f1", "f2", "f12", "backspace", "delete", "ctrl+z", "ctrl+l", "ctrl+p", "ctrl+a", "alt+x", "left_square_bracket",
)  # fmt: skip

OPENS = ("question_mark", "slash", "colon", "g", "e", "b", "i", "enter", "f1", "z", "v", "d")
"""keys that open a dialog, a question or another view"""
Apps = Callable[["Seen"], AbstractAsyncContextManager[Robot]]
"""starts the app on a machine"""


@dataclass
class Seen:
    """What a walk came through."""

    keys: int = 0
    clicks: int = 0
    states: set[tuple[object, ...]] = field(default_factory=set)
    left: int = 0
    """times that a key or a click left the app"""


def state_of(user: Robot, size: tuple[int, int]) -> tuple[object, ...]:
    """Where the user is: size, screen, dialog, focused pane, question."""
    app = user.app
    focused = app.focused
    page = app.page
    place = (focused.id or type(focused).__name__) if focused is not None else ""
    return (size, page.page_name, type(app.screen).__name__, place, page.asking, *sorted(page.classes))


@asynccontextmanager
async def _machine(size: tuple[int, int], chassis: str) -> AsyncIterator[Apps]:
    """A simulated machine on which a build runs, in a state directory of its own."""
    inventory = load(chassis)
    with (
        tempfile.TemporaryDirectory() as place,
        contextlib.chdir(place),
        patch.dict(os.environ, {"XDG_STATE_HOME": place}),
    ):
        root = Path(place) / "runs"
        root.mkdir(mode=0o700)
        run = standing_run(root, Session(inventory, run_id=RUN_ID).plan(), inventory, seconds=10)
        more: dict[str, Any] = {"roots": lambda: (root,), "launch": Executors(), "designs": Path(place) / "designs"}

        @asynccontextmanager
        async def app(seen: Seen) -> AsyncIterator[Robot]:
            with at_work(run):
                async with robot(inventory, width=size[0], height=size[1], **more) as user:
                    yield user
                    seen.left += user.app._exit
                    await asyncio.wait_for(user.settle(), 60)

        yield app


async def walk(seen: Seen, size: tuple[int, int], order: random.Random, *, keys: int, chassis: str = "nas4") -> None:
    """Presses `keys` keys on each screen, all of them once if it is as many; a question gets some text and Enter."""
    todo = [(digit, key) for digit in SCREENS for key in order.sample(KEYS, keys)]
    async with _machine(size, chassis) as app:
        while todo:
            async with app(seen) as user:
                while todo and not user.app._exit:
                    await _press(user, seen, size, order, *todo.pop())


async def fleet_walk(seen: Seen, size: tuple[int, int], order: random.Random, *, keys: int) -> None:
    """Presses `keys` keys on each screen of `raidtui fleet show`, over sixty hosts that build."""
    todo = [(screen, key) for screen in [page.name for page in FleetApp.PAGES] for key in order.sample(KEYS, keys)]
    while todo:
        async with fleet_robot(*building(), width=size[0], height=size[1]) as user:
            while todo and not user.app._exit:
                screen, key = todo.pop()
                for _ in range(4):
                    if user.app.screen is user.app.page and not user.app.page.asking:
                        break
                    await user.pilot.press("escape")
                await user.app.action_show(screen)
                await user.pilot.press(*order.choice(((), ("tab",), ("down",), ("right",))), key)
                seen.keys += 1
                if user.app._exit:
                    seen.left += 1
                    break
                assert len(user.lines()) == size[1], f"after {key} on {screen}"
                seen.states.add((size, screen, type(user.app.screen).__name__, user.app.page.asking))


async def clicks(seen: Seen, size: tuple[int, int], order: random.Random, *, each: int, chassis: str = "nas4") -> None:
    """Clicks `each` times on every screen, anywhere, some of the time in a dialog or while a question is asked."""
    todo = [(digit, number % 10 == 0) for digit in SCREENS for number in range(each)]
    async with _machine(size, chassis) as app:
        while todo:
            async with app(seen) as user:
                while todo and not user.app._exit:
                    digit, opens = todo.pop(0)
                    if opens:
                        await _closed(user, digit)
                        await user.pilot.press(*order.sample(OPENS, order.randrange(2)))
                    await _click(user, seen, size, order)


async def _click(user: Robot, seen: Seen, size: tuple[int, int], order: random.Random) -> None:
    """One click, half of them where something is written."""
    if user.app._exit:
        return
    places = [(x, y) for y, text in enumerate(user.lines()) for x, char in enumerate(text[: size[0]]) if char != " "]
    anywhere = (order.randrange(size[0]), order.randrange(size[1]))
    await user.pilot.click(offset=order.choice(places) if places and order.random() < 0.5 else anywhere)
    await user.pilot.pause()
    seen.clicks += 1
    if not user.app._exit:
        assert len(user.lines()) == size[1]
        seen.states.add(state_of(user, size))


async def _closed(user: Robot, digit: str) -> None:
    """The screen of `digit`, without dialog and question."""
    for _ in range(4):
        if user.app.screen is user.app.page and not user.app.page.asking:
            break
        await user.pilot.press("escape")
    await user.pilot.press(digit)


async def _press(user: Robot, seen: Seen, size: tuple[int, int], order: random.Random, digit: str, key: str) -> None:
    """One key on one screen, after every dialog and question was closed."""
    await _closed(user, digit)
    for _ in range(order.randrange(3)):
        await user.pilot.press(order.choice(("tab", "down", "right")))
    await user.pilot.press(key)
    seen.keys += 1
    if user.app._exit:
        return
    lines = user.lines()
    assert len(lines) == size[1], f"{len(lines)} lines after {key} on {digit}"
    seen.states.add(state_of(user, size))
    if user.app.page.asking:
        await user.pilot.press(*order.choice((("x",), ("1", "0"), ("enter",), ("x", "enter"))))
        seen.keys += 1
        if not user.app._exit:
            seen.states.add(state_of(user, size))


def counted(seen: Seen) -> str:
    """What a walk came through, in words."""
    return f"{seen.keys} keys pressed, {seen.clicks} clicks, {len(seen.states)} states seen, left {seen.left} times"


async def walks(seeds: int) -> Seen:
    """Every key on every screen at every size, `seeds` times in another order, on a small and a large chassis."""
    seen = Seen()
    for seed in range(seeds):
        for size in SIZES:
            order = random.Random(f"{seed} {size}")
            chassis = "e2660" if seed % 2 else "nas4"
            await walk(seen, size, order, keys=len(KEYS), chassis=chassis)
            await clicks(seen, size, order, each=100, chassis=chassis)
            await fleet_walk(seen, size, order, keys=len(KEYS))
            print(f"seed {seed} {size[0]}x{size[1]}: {counted(seen)}", flush=True)
    return seen


if __name__ == "__main__":
    total = asyncio.run(walks(int(sys.argv[1]) if len(sys.argv) > 1 else 3))
    print(f"{counted(total)}, exceptions 0")
