"""The benchmark that the app runs or plays back: in a thread of its own, heard as often as the terminal can take it."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from textual.timer import Timer

from raidtui.model.errors import RaidtuiError
from raidtui.tui.jobs.run_follower import TICK
from raidtui.tui.widgets.question import Question

if TYPE_CHECKING:
    from raidtui.machine.bench.events import Event
    from raidtui.model.bench import BenchResult
    from raidtui.model.gauges import Scene
    from raidtui.tui.jobs.bench_view import BenchView
    from raidtui.tui.jobs.desk import Desk

_SIGNALS = (signal.SIGHUP, signal.SIGTERM)
LONGEST_STOP = 30.0
"""seconds that leaving waits for a benchmark to take its files away"""


class Player(Protocol):
    """A benchmark that runs, or one that is played back."""

    folder: Path

    @property
    def scene(self) -> Scene:
        """What its ticks are about."""

    def run(self, on_event: Callable[[Event], None]) -> BenchResult:
        """To the end, in the caller's thread."""

    def pause(self) -> None:
        """Nothing runs until `go`."""

    def go(self) -> None:
        """Goes on."""

    def next_job(self) -> None:
        """Leaves the present task."""

    def stop(self) -> None:
        """Ends, and leaves nothing behind."""


class BenchPlayer:
    """At most one benchmark."""

    def __init__(self, desk: Desk, *, root: Path | None = None, played: Path | None = None) -> None:
        """`root`: where benchmarks lie unless that is where they always do; `played`: one to be played back."""
        self.desk = desk
        self.root = root
        self.played = played
        self.speed_up: float | None = None
        """seconds that pass on a simulated machine in one of ours; None: as many as make it short to look at"""
        self.seen: BenchView | None = None
        self.player: Player | None = None
        self._thread: threading.Thread | None = None
        self._events: deque[Event] = deque()
        self._problem: RaidtuiError | None = None
        self._timer: Timer | None = None

    @property
    def busy(self) -> bool:
        """A benchmark that moves or would move data is at work; one that is played back is not."""
        alive = self._thread is not None and self._thread.is_alive()
        return alive and self.seen is not None and not self.seen.replayed

    @property
    def running(self) -> bool:
        """The thread is there, or has said what nobody heard yet."""
        return self._thread is not None and (self._thread.is_alive() or bool(self._events))

    def play(self, player: Player, seen: BenchView) -> None:
        """Begins; only where none is at work."""
        assert not self.running
        self.player, self.seen, self._problem = player, seen, None
        self._events.clear()
        self._thread = threading.Thread(target=self._work, args=(player,), name="benchmark", daemon=True)
        self._thread.start()
        if not seen.replayed:
            self._heed_signals()
        if self._timer is None:
            self._timer = self.desk.set_interval(TICK[self.desk.profile.kind], self.listen)

    def _heed_signals(self) -> None:
        """A terminal that is gone, or whoever ends us, ends the benchmark first: its files are taken away."""
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.add_signal_handler(number, self._ended_from_outside)

    def _leave_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.remove_signal_handler(number)

    def _ended_from_outside(self) -> None:
        self.desk.run_worker(self._ended(self.desk.exit), group="leave", exclusive=True)

    def _work(self, player: Player) -> None:
        try:
            player.run(self._events.append)
        except RaidtuiError as problem:
            self._problem = problem

    def listen(self) -> None:
        """Everything that was told since the last time, then the picture of it."""
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
        if heard:
            page = self.desk.page
            page.bench_changed()
            if not seen.busy:
                page.refresh_frame()
                if not seen.replayed:
                    self._leave_signals()

    async def play_back(self) -> None:
        """The recorded benchmark, on the Bench screen."""
        from raidtui.machine.bench.playback import Playback  # only where a benchmark is played back
        from raidtui.tui.jobs.bench_view import BenchView  # only where a benchmark is played back

        assert self.played is not None
        try:
            player = await asyncio.to_thread(Playback, self.played)
        except RaidtuiError as error:
            self.desk.page.say(f"{error}; {error.hint}", "bad")
            return
        self.play(player, BenchView(player.result.bench, player.scene, player.folder, replayed=True))
        await self.desk.action_show("bench")

    def confirm_quit(self, leave: Callable[[], None]) -> Question:
        """Asks before the app is left while a benchmark runs, which ends with it."""

        def accept(typed: str) -> str | None:
            if typed.strip() != "leave":
                return "type leave, or Esc"
            self.desk.page.say("ends the benchmark, and takes its files away ...")
            self.desk.run_worker(self._ended(leave), group="leave", exclusive=True)
            return None

        return Question(label="ends the benchmark that runs; what is measured is kept: type leave", accept=accept)

    async def _ended(self, leave: Callable[[], None]) -> None:
        if await asyncio.to_thread(self.stop, wait=True):
            leave()
        else:
            self.desk.page.say(f"the benchmark did not end in {LONGEST_STOP:.0f} s; q asks again", "bad")

    def stop(self, *, wait: bool = False) -> bool:
        """Ends it; with `wait`, returns when nothing of it runs any more, or False when that took too long."""
        thread, player = self._thread, self.player
        if thread is None or player is None or not thread.is_alive():
            return True
        player.stop()
        if wait:
            thread.join(LONGEST_STOP)
        return not thread.is_alive()
