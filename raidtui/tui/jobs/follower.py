"""Follower: looks at something again and again, at a rate that fits the terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Generic, TypeVar

from textual.timer import Timer

from raidtui.tui.terminal.profile import TerminalKind
from raidtui.tui.widgets.frame import PageApp
from raidtui.values.errors import RaidtuiError

W = TypeVar("W")
F = TypeVar("F")
TICK: dict[TerminalKind, float] = {"serial": 1.0, "console": 0.5, "ssh": 0.25, "local": 0.2}
"""seconds between looks, by kind of terminal"""


class Follower(Generic[W, F]):
    """Takes one look at a time: reads what is due in a thread, and applies what it found on the app's loop."""

    def __init__(self, app: PageApp, every: Mapping[TerminalKind, float] = TICK) -> None:
        self.app, self._every = app, every
        self._timer: Timer | None = None
        self._one_at_a_time = asyncio.Lock()

    # Provided by subclasses.

    def _due(self) -> W | None:
        """What to look at now; None where nothing may have changed."""
        raise NotImplementedError

    def _take(self, what: W) -> F:
        """Reads it, in a thread: it may block on disks. Raises RaidtuiError."""
        raise NotImplementedError

    def _apply(self, what: W, found: F) -> None:
        """Shows what was found."""
        raise NotImplementedError

    def _fail(self, what: W, error: RaidtuiError) -> None:
        """Shows why it cannot be read."""
        raise NotImplementedError

    # Looking.

    def start(self) -> None:
        """Looks from now on; a look at what was followed before holds up none."""
        self._one_at_a_time = asyncio.Lock()
        if self._timer is None:
            self._timer = self.app.set_interval(self._every[self.app.profile.kind], self.look_now)

    def look_now(self) -> None:
        """Looks if something may have changed and no look is under way."""
        what = None if self._one_at_a_time.locked() else self._due()
        if what is not None:
            self.app.run_worker(self._look(what), group=type(self).__name__)

    async def _look(self, what: W) -> None:
        async with self._one_at_a_time:
            try:
                found = await asyncio.to_thread(self._take, what)
            except RaidtuiError as error:
                self._fail(what, error)
            else:
                self._apply(what, found)
