"""A robot user: it starts the app on a chassis, presses keys, and reads the screen as a person would."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from textual import events
from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from raidtui.machine.inventory.shipped import load
from raidtui.tui.app import RaidtuiApp
from raidtui.tui.terminal.profile import TerminalProfile, Tier
from raidtui.values.inventory import Inventory

PATIENCE = 20
"""seconds after which a test gives up"""
_CHARACTERS = {
    "colon": ":", "comma": ",", "equals_sign": "=", "full_stop": ".", "greater_than_sign": ">", "less_than_sign": "<",
    "minus": "-", "plus": "+", "question_mark": "?", "slash": "/", "space": " ",
}  # fmt: skip
"""what the keys with names type"""
SCREENS = "".join(page.digit for page in RaidtuiApp.PAGES)
"""the key of each screen"""
RUN_ID = "0123456789abcdef0123456789abcdef"


class Hands(Pilot[int]):
    """Textual's pilot, which waits until the app has acted on what was typed."""

    async def press(self, *keys: str) -> None:
        """Presses `keys`, each when the one before has had its effect."""
        for key in keys:
            await super().press(key)
            await self.acted()

    async def pause(self, delay: float | None = None) -> None:
        """Waits until everything is drawn, or for `delay` seconds."""
        await self.acted()
        await super().pause(delay)

    async def acted(self) -> None:
        """Waits until everything that was typed has acted."""
        arrived = asyncio.Event()
        if not self.app._exit and self.app.call_later(arrived.set):
            await arrived.wait()
        while waiting := [worker for worker in self.app.workers if worker.group == "keys"]:
            with suppress(WorkerCancelled):  # a key has left the app
                await self.app.workers.wait_for_complete(waiting)


@dataclass
class Robot:
    """What a test has in hand."""

    app: RaidtuiApp
    pilot: Pilot[int]

    async def press(self, *keys: str) -> None:
        """Presses `keys` and waits until everything is drawn."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def writes(self, *keys: str) -> None:
        """Presses `keys` at once, as a slow line hands them over, and waits until everything is drawn."""
        self.post(*keys)
        await self.pilot.pause()

    def post(self, *keys: str) -> None:
        """Presses `keys` at once, and waits for nothing."""
        for key in keys:
            self.app.post_message(key_event(key))

    async def types(self, text: str) -> None:
        """Types `text`, each character as the key it is on."""
        named = {" ": "space", "/": "slash", "(": "left_parenthesis", ")": "right_parenthesis", "+": "plus"}
        await self.press(*(named.get(char, char) for char in text))

    async def answers(self, text: str) -> None:
        """Clears the line at the bottom, types `text` and presses Enter."""
        await self.press("ctrl+a", "ctrl+k")
        await self.types(text)
        await self.press("enter")

    async def closes(self) -> None:
        """Closes what lies over the screen and what is asked on it."""
        for _ in range(4):
            if self.app.screen is self.app.page and not self.app.page.asking:
                return
            await self.press("escape")

    async def settle(self) -> None:
        """Waits for what goes on beside the keyboard, and for what that begins."""
        await self.pilot.pause()
        while self.app.workers:
            with suppress(WorkerCancelled):  # another one takes its place
                await self.app.workers.wait_for_complete()
            await self.pilot.pause()

    def lines(self) -> list[str]:
        """The screen, without the blanks at the end of its lines."""
        return [strip.text.rstrip() for strip in self.app.screen._compositor.render_strips()]

    def sees(self, text: str) -> bool:
        """True when `text` stands somewhere on the screen."""
        return text in "\n".join(self.lines())

    async def eventually(self, condition: Callable[[], bool]) -> None:
        """Waits as a person does."""
        for _ in range(PATIENCE * 20):
            if condition():
                await self.pilot.pause()
                return
            await self.pilot.pause(0.05)
        raise AssertionError("\n".join(self.lines()))

    async def finds(self, text: str) -> None:
        """Waits until `text` stands on the screen."""
        await self.eventually(lambda: self.sees(text))

    def note(self) -> str:
        """The message or status above the keys; a long one has several lines."""
        place = self.app.page.note_bar.region
        return " ".join(text.strip() for text in self.lines()[place.y : place.bottom])


def key_event(key: str) -> events.Key:
    """The event of a key, with the character that it types."""
    return events.Key(key, _CHARACTERS.get(key, key if len(key) == 1 else None))


def profile_of(tier: Tier = "unicode", theme: str = "raidtui") -> TerminalProfile:
    """A local terminal that shows `tier`."""
    return TerminalProfile(kind="local", tier=tier, theme=theme)


@asynccontextmanager
async def robot(
    inventory: Inventory | str = "e2660", *, width: int = 80, height: int = 24, tier: Tier = "unicode", **more: Any
) -> AsyncIterator[Robot]:
    """The app on `inventory` (a value, or the name of a chassis) in a terminal of that size."""
    disks = load(inventory) if isinstance(inventory, str) else inventory
    theme = more.pop("theme", "raidtui")
    app = RaidtuiApp(disks, profile=profile_of(tier, theme), run_id=RUN_ID, **more)
    async with app.run_test(size=(width, height)) as pilot:
        await pilot.pause()
        yield Robot(app, Hands(app))
