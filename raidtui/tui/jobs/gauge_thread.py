"""Takes ticks beside the keyboard: a thread of its own, since md's and the drives' files may keep a reader waiting."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message
from textual.message_pump import MessagePump

from raidtui.model.errors import RaidtuiError
from raidtui.model.gauges import Scene, Tick
from raidtui.tui.terminal.profile import Kind

if TYPE_CHECKING:
    from raidtui.machine.ports.ticks import Ticks
    from raidtui.planner.gauges.slow_disks import Laggard

PACE: dict[Kind, float] = {"serial": 3.0, "console": 2.0, "ssh": 2.0, "local": 2.0}
"""seconds between two ticks, by what the terminal hangs on"""
CROWD = 500
"""disks from which on nobody reads figures as they change: twice the seconds"""
_JUDGED_EVERY = 4.0
"""seconds between two judgements of who is slow, which takes longer than to take a tick"""


@dataclass
class Began(Message):
    """The machine was looked at: what there is to watch."""

    watching: Watching
    scene: Scene


@dataclass
class Ticked(Message):
    """An interval is over; None when there are no more."""

    watching: Watching
    tick: Tick | None
    laggards: Sequence[Laggard]


@dataclass
class Failed(Message):
    """There is nothing to watch."""

    watching: Watching
    reason: str


class Watching:
    """Asks a source for a tick every so often while it is wanted, and tells `page` by messages."""

    def __init__(self, page: MessagePump, source: Callable[[], Ticks], *, pace: float, asked: float | None) -> None:
        """`asked`: seconds between ticks, 0 for a source that keeps its own time; `pace`: what they are when None."""
        self._page = page
        self._source = source
        self._seconds = pace if asked is None else asked
        self._asked = asked is not None
        self._wanted = threading.Event()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def go(self) -> None:
        """Ticks are wanted from now on."""
        self._wanted.set()
        if self._thread is None:
            # Leaving never waits for it: a file of a drive that hangs may keep it for minutes.
            self._thread = threading.Thread(target=self._run, name="ticks", daemon=True)
            self._thread.start()

    def rest(self) -> None:
        """Nobody looks: nothing is sampled."""
        self._wanted.clear()

    def stop(self) -> None:
        """Nobody will look again."""
        self._over.set()
        self._wanted.set()

    def _run(self) -> None:
        try:
            ticks = self._source()
            if not self._asked and len(ticks.scene.disks) >= CROWD:
                self._seconds *= 2
            self._page.post_message(Began(self, ticks.scene))
            self._take_all(ticks)
        except RaidtuiError as error:
            self._page.post_message(Failed(self, str(error)))

    def _take_all(self, ticks: Ticks) -> None:
        from raidtui.planner.gauges.slow_disks import Comparison

        comparison = Comparison(ticks.scene)
        slow: tuple[Laggard, ...] = ()
        due = time.monotonic() + self._seconds
        judged = 0.0
        while not self._over.wait(max(due - time.monotonic(), 0.0)):
            if not self._wanted.is_set():
                self._wanted.wait()
                if self._seconds:
                    ticks.take()  # the interval in which nobody looked
                due = time.monotonic() + self._seconds
                continue
            tick = ticks.take()
            if tick is not None:
                comparison.add(tick)
                if tick.time >= judged + _JUDGED_EVERY:
                    judged, slow = tick.time, comparison.laggards()
            self._page.post_message(Ticked(self, tick, slow))
            if tick is None:
                return
            due = max(due + self._seconds, time.monotonic())
