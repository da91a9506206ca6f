"""Robot walks: every key on every screen, in a seeded order, and what was seen on the way.

python -m tests.tui.walk [SEEDS]     every key at three sizes, SEEDS times (default 3); prints the counts
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from raidtui.machine.inventory.shipped import load
from raidtui.machine.run.run_folders import at_work
from raidtui.tui.state.session import Session
from tests.tui.builds import Executors, standing_run
from tests.tui.robot import RUN_ID, Robot, robot

SIZES = ((60, 18), (80, 24), (200, 60))
SCREENS = "12345678"
KEYS: Sequence[str] = (
    *"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "space", "enter", "escape", "tab", "shift+tab", "up", "down", "left", "right", "home", "end", "pageup", "pagedown",
    "plus", "minus", "comma", "full_stop", "less_than_sign", "greater_than_sign", "slash", "colon", "question_mark",
    "f1", "f2", "f12", "backspace", "delete", "ctrl+z", "ctrl+l", "ctrl+p", "ctrl+a", "alt+x", "left_square_bracket",
)  # fmt: skip


@dataclass
class Seen:
    """What a walk came through."""

    keys: int = 0
    states: set[tuple[object, ...]] = field(default_factory=set)
    left: int = 0
    """times that a key left the app"""


def state_of(user: Robot, size: tuple[int, int]) -> tuple[object, ...]:
    """Where the user is: size, screen, dialog, focused pane, question."""
    app = user.app
    focused = app.focused
    page = app.page
    place = (focused.id or type(focused).__name__) if focused is not None else ""
    return (size, page.page_name, type(app.screen).__name__, place, page.asking, *sorted(page.classes))


async def walk(seen: Seen, size: tuple[int, int], order: random.Random, *, keys: int, chassis: str = "nas4") -> None:
    """Presses `keys` keys on each screen, all of them once if it is as many; a question gets some text and Enter."""
    inventory = load(chassis)
    todo = [(digit, key) for digit in SCREENS for key in order.sample(KEYS, keys)]
    with (
        tempfile.TemporaryDirectory() as place,
        contextlib.chdir(place),
        patch.dict(os.environ, {"XDG_STATE_HOME": place}),
    ):
        root = Path(place) / "runs"
        root.mkdir(mode=0o700)
        run = standing_run(root, Session(inventory, run_id=RUN_ID).plan(), inventory, seconds=10)
        more: dict[str, Any] = {"roots": lambda: (root,), "launch": Executors(), "designs": Path(place) / "designs"}
        while todo:
            with at_work(run):
                async with robot(inventory, width=size[0], height=size[1], **more) as user:
                    while todo and not user.app._exit:
                        await _press(user, seen, size, order, *todo.pop())
                    seen.left += user.app._exit
                    await asyncio.wait_for(user.settle(), 60)


async def _press(user: Robot, seen: Seen, size: tuple[int, int], order: random.Random, digit: str, key: str) -> None:
    """One key on one screen, after every dialog and question was closed."""
    for _ in range(4):
        if user.app.screen is user.app.page and not user.app.page.asking:
            break
        await user.pilot.press("escape")
    await user.pilot.press(digit)
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


async def walks(seeds: int) -> Seen:
    """Every key on every screen at every size, `seeds` times in another order, on a small and a large chassis."""
    seen = Seen()
    for seed in range(seeds):
        for size in SIZES:
            order = random.Random(f"{seed} {size}")
            await walk(seen, size, order, keys=len(KEYS), chassis="e2660" if seed % 2 else "nas4")
            print(f"seed {seed} {size[0]}x{size[1]}: {seen.keys} keys, {len(seen.states)} states", flush=True)
    return seen


if __name__ == "__main__":
    total = asyncio.run(walks(int(sys.argv[1]) if len(sys.argv) > 1 else 3))
    print(f"{total.keys} keys pressed, {len(total.states)} states seen, left {total.left} times, exceptions 0")
