"""Benchmark player: runs a benchmark in a thread; its events are polled at a rate that fits the terminal."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Protocol

from textual.timer import Timer

from raidtui.tui.jobs.run_follower import TICK
from raidtui.tui.widgets.prompt import TextQuestion, word_question
from raidtui.values.errors import RaidtuiError

if TYPE_CHECKING:
    from raidtui.bench.events import Event
    from raidtui.tui.jobs.bench import BenchView
    from raidtui.tui.widgets.frame import PageApp
    from raidtui.values.bench import BenchResult
    from raidtui.values.gauges import Scene

_Handler = Callable[[int, FrameType | None], object] | int | None
_SIGNALS = (signal.SIGHUP, signal.SIGTERM)
LONGEST_STOP = 30.0
"""timeout in seconds at exit for a benchmark to remove its files"""


class Player(Protocol):
    """A benchmark that runs."""

    folder: Path

    @property
    def scene(self) -> Scene:
        """The disks and arrays that its ticks describe."""

    def run(self, on_event: Callable[[Event], None]) -> BenchResult:
        """Runs to the end in the caller's thread."""

    def pause(self) -> None:
        """Pauses until `go`."""

    def go(self) -> None:
        """Resumes."""

    def next_job(self) -> None:
        """Skips the rest of the present task."""

    def stop(self) -> None:
        """Stops and removes its files."""


class BenchPlayer:
    """Holds at most one benchmark and reports its events to the app."""

    def __init__(self, desk: PageApp, *, root: Path | None = None) -> None:
        """`root`: directory of benchmarks, None for the default."""
        self.desk = desk
        self.root = root
        self.speed_up: float | None = None
        """simulated seconds per real second; None: chosen so that the benchmark is short"""
        self.seen: BenchView | None = None
        self.player: Player | None = None
        self._thread: threading.Thread | None = None
        self._events: deque[Event] = deque()
        self._problem: RaidtuiError | None = None
        self._timer: Timer | None = None
        self._former: dict[signal.Signals, _Handler] = {}

    @property
    def busy(self) -> bool:
        """True while a benchmark is running."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def running(self) -> bool:
        """True while the thread lives or its events are not drained."""
        return self._thread is not None and (self._thread.is_alive() or bool(self._events))

    def play(self, player: Player, seen: BenchView) -> None:
        """Starts the thread; only if no benchmark is running."""
        assert not self.running
        self.player, self.seen, self._problem = player, seen, None
        self._events.clear()
        self._thread = threading.Thread(target=self._work, args=(player,), name="benchmark", daemon=True)
        self._thread.start()
        self._heed_signals()
        if self._timer is None:
            self._timer = self.desk.set_interval(TICK[self.desk.profile.kind], self.listen)

    def _heed_signals(self) -> None:
        """Installs handlers for SIGHUP and SIGTERM that stop the benchmark first, so that its files are removed."""
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            self._former[number] = signal.getsignal(number)
            loop.add_signal_handler(number, self._ended_from_outside, 128 + number)

    def _leave_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
            signal.signal(number, self._former.pop(number) or signal.SIG_DFL)

    def _ended_from_outside(self, code: int) -> None:
        self.desk.run_worker(self._ended(lambda: self.desk.exit(return_code=code)), group="leave", exclusive=True)

    def _work(self, player: Player) -> None:
        try:
            player.run(self._events.append)
        except RaidtuiError as problem:
            self._problem = problem

    def listen(self) -> None:
        """Drains the events since the last call, then updates the screen."""
        seen = self.seen
        if seen is None:
            return
        alive = self._thread is not None and self._thread.is_alive()
        heard = False
        while self._events:
            seen.apply(self._events.popleft())
            heard = True
        if not alive and seen.busy:
            seen.outcome = "failed"
            seen.reason = f"{self._problem}; {self._problem.hint}" if self._problem is not None else "it ended early"
            heard = True
        if heard and self.desk.has_page:
            page = self.desk.page
            page.bench_changed()
            if not seen.busy:
                page.refresh_frame()
        if heard and not seen.busy:
            self._leave_signals()

    def confirm_quit(self, leave: Callable[[], None]) -> TextQuestion:
        """The confirmation before the app exits while a benchmark runs; exit stops the benchmark."""

        def stop() -> None:
            self.desk.page.say("stopping the benchmark and removing its files ...")
            self.desk.run_worker(self._ended(leave), group="leave", exclusive=True)

        return word_question("stops the running benchmark, keeps its results: type quit", "quit", stop)

    async def _ended(self, leave: Callable[[], None]) -> None:
        if await asyncio.to_thread(self.stop, wait=True):
            leave()
        else:
            self.desk.page.say(f"the benchmark did not stop within {LONGEST_STOP:.0f} s; press q to retry", "bad")

    def stop(self, *, wait: bool = False) -> bool:
        """Stops it; with `wait`, returns after its thread has ended, or False on timeout."""
        thread, player = self._thread, self.player
        if thread is None or player is None or not thread.is_alive():
            return True
        player.stop()
        if wait:
            thread.join(LONGEST_STOP)
        return not thread.is_alive()
