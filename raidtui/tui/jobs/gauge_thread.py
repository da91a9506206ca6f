"""Gauge thread: takes ticks in the background, since files of md and of drives may block a reader."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message
from textual.message_pump import MessagePump

from raidtui.model.errors import RaidtuiError
from raidtui.model.gauges import Scene, Tick
from raidtui.tui.terminal.profile import TerminalKind

if TYPE_CHECKING:
    from raidtui.machine.ports.ticks import Ticks
    from raidtui.planner.gauges.expected_load import ExpectedLoads, LoadSeen
    from raidtui.planner.gauges.slow_disks import Laggard

LoadsOf = Callable[["Scene"], "ExpectedLoads"]
"""makes what is expected of the disks of a scene; reads the arrays, so it is called in the background"""
PACE: dict[TerminalKind, float] = {"serial": 3.0, "console": 2.0, "ssh": 2.0, "local": 2.0}
"""seconds between ticks, by kind of terminal"""
CROWD = 500
"""number of disks from which the interval doubles, since nobody can read that many changing numbers"""
_JUDGED_EVERY = 4.0
"""seconds between searches for slow disks, which take longer than a tick"""


@dataclass
class GaugesBegan(Message):
    """Message: the scene is known."""

    thread: GaugeThread
    scene: Scene


@dataclass
class GaugesTicked(Message):
    """Message: a new tick; None after the last one."""

    thread: GaugeThread
    tick: Tick
    laggards: Sequence[Laggard]
    loads: Mapping[str, LoadSeen]


@dataclass
class GaugesFailed(Message):
    """Message: there is nothing to watch."""

    thread: GaugeThread
    reason: str


class GaugeThread:
    """Thread that takes ticks from a source at intervals and posts them to `page`."""

    def __init__(
        self, page: MessagePump, source: Callable[[], Ticks], *, pace: float, asked: float | None,
        loads: LoadsOf | None = None,
    ) -> None:  # fmt: skip
        """`asked`: seconds between ticks, None: `pace`. `loads`: what is expected."""
        self._page = page
        self._source = source
        self._loads = loads
        self._seconds = pace if asked is None else asked
        self._asked = asked is not None
        self._wanted = threading.Event()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def go(self) -> None:
        """Starts or resumes sampling."""
        self._wanted.set()
        if self._thread is None:
            # A daemon thread: exit never waits for it, since reading a file of a hung drive may block for minutes.
            self._thread = threading.Thread(target=self._run, name="ticks", daemon=True)
            self._thread.start()

    def rest(self) -> None:
        """Pauses sampling."""
        self._wanted.clear()

    def stop(self) -> None:
        """Ends the thread."""
        self._over.set()
        self._wanted.set()

    def _run(self) -> None:
        try:
            ticks = self._source()
            if not self._asked and len(ticks.scene.disks) >= CROWD:
                self._seconds *= 2
            self._page.post_message(GaugesBegan(self, ticks.scene))
            self._take_all(ticks)
        except RaidtuiError as error:
            self._page.post_message(GaugesFailed(self, str(error)))

    def _take_all(self, ticks: Ticks) -> None:
        from raidtui.planner.gauges.slow_disks import SlowDiskWindow  # by the thread, beside the first picture

        comparison = SlowDiskWindow(ticks.scene)
        loads = self._loads(ticks.scene) if self._loads is not None else None
        slow: tuple[Laggard, ...] = ()
        due = time.monotonic() + self._seconds
        judged = 0.0
        while not self._over.wait(max(due - time.monotonic(), 0.0)):
            if not self._wanted.is_set():
                self._wanted.wait()
                ticks.take()  # drops the interval of the pause
                due = time.monotonic() + self._seconds
                continue
            tick = ticks.take()
            comparison.add(tick)
            if tick.time >= judged + _JUDGED_EVERY:
                judged, slow = tick.time, comparison.laggards()
            if loads is not None:
                loads.add(tick)
            self._page.post_message(GaugesTicked(self, tick, slow, {} if loads is None else loads.now()))
            due = max(due + self._seconds, time.monotonic())
