"""Benchmark player: polls what the executor of a benchmark writes, at a rate that fits the terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.timer import Timer

from raidtui.tui.jobs.run_follower import TICK
from raidtui.values.errors import MachineFailed, RaidtuiError
from raidtui.values.safe import safe

if TYPE_CHECKING:
    from raidtui.bench.events import Event
    from raidtui.bench.store import EventReader
    from raidtui.engine.folders import ControlRequest
    from raidtui.session.jobs import Started
    from raidtui.session.session import Session
    from raidtui.tui.jobs.bench import BenchView
    from raidtui.tui.widgets.frame import PageApp


@dataclass(slots=True)
class _Followed:
    """A benchmark that is looked at."""

    folder: Path
    reader: EventReader
    started: Started | None
    """its executor, if this app started it"""

    def look(self, seen: BenchView | None) -> tuple[BenchView | None, tuple[Event, ...]]:
        """What is known of it, None while it starts, and the events since the last look; reads files."""
        from raidtui.bench import events, store  # not before a benchmark is followed
        from raidtui.engine.folders import is_alive  # beside them
        from raidtui.tui.jobs.bench import KEPT_TICKS, BenchView  # beside them

        # first: an executor that has exited has written everything
        busy = is_alive(self.folder) or (self.started is not None and self.started.running())
        if seen is None:
            if (scene := self.reader.scene) is None and busy:
                return None, ()
            result = store.load(self.folder)
            if scene is None:
                raise MachineFailed(result.reason)
            seen = BenchView(result.bench, scene, self.folder)
        found = self.reader.new(KEPT_TICKS)
        if not busy and not found:
            found = (events.Ended(result=store.load(self.folder)),)
        return seen, found


class BenchPlayer:
    """Follows at most one benchmark, which does not depend on the app."""

    def __init__(self, desk: PageApp, session: Session, *, root: Path | None = None) -> None:
        """`root`: directory of benchmarks, None for the default."""
        self.desk, self.session = desk, session
        self.root = root
        self.speed_up: float | None = None
        """simulated seconds per real second; None: chosen so that the benchmark is short"""
        self.seen: BenchView | None = None
        self._followed: _Followed | None = None
        self._timer: Timer | None = None
        self._looking = False

    @property
    def busy(self) -> bool:
        """True while the benchmark on screen is starting or at work."""
        return self._followed is not None and (self.seen is None or self.seen.busy)

    # Which one.

    async def follow(self, folder: Path, started: Started | None = None) -> None:
        """Follows the benchmark in `folder` from now on; `started`: an executor that this app started."""
        from raidtui.bench.store import EventReader  # not before a benchmark is followed

        self.seen, self._followed = None, _Followed(folder, EventReader(folder), started)
        if self._timer is None:
            self._timer = self.desk.set_interval(TICK[self.desk.profile.kind], self.listen)
        self._looking = True
        await self._look(self._followed)

    def find(self) -> None:
        """Follows a benchmark of this machine that is at work, if none is shown."""
        if self.seen is None and self._followed is None:
            self.desk.run_worker(self._find(), group="find-bench", exclusive=True)

    async def _find(self) -> None:
        from raidtui.engine.folders import BENCHES  # not before one is looked for
        from raidtui.machine.system.places import benches_root  # beside it
        from raidtui.session.jobs import at_work  # beside it

        root = self.root or benches_root(simulated=self.session.inventory.simulated)
        folder = await asyncio.to_thread(lambda: next(at_work(BENCHES, (root,)), None))
        if folder is not None and self.seen is None and self._followed is None:
            await self.follow(folder)

    def leave(self) -> None:
        """Forgets a benchmark that has ended."""
        self.seen = self._followed = None

    # Polling.

    def listen(self) -> None:
        """Polls unless a poll is running."""
        if self._followed is not None and self.busy and not self._looking:
            self._looking = True
            self.desk.run_worker(self._look(self._followed), group="look-bench", exit_on_error=True)

    async def _look(self, followed: _Followed) -> None:
        before, problem = self.seen, ""
        found: tuple[Event, ...] = ()
        try:
            seen, found = await asyncio.to_thread(followed.look, before)
        except RaidtuiError as error:
            seen, problem = before, error.with_hint
        finally:
            self._looking = False
        if self._followed is not followed:
            return
        self.seen = seen
        for event in found:
            if seen is not None:
                seen.apply(event)
        if problem:
            self._followed = None
            if seen is not None:
                seen.outcome, seen.reason = "failed", problem
        if (found or problem or seen is not before) and self.desk.has_page:
            page = self.desk.page
            if problem:
                page.say(f"not followed: {problem}", "bad")
            page.bench_changed()
            if not self.busy or seen is not before:
                page.refresh_frame()

    # Requests.

    def ask(self, how: Callable[[ControlRequest], ControlRequest]) -> bool:
        """Asks something of the executor: False, and says why, where that cannot be written."""
        from raidtui.session.jobs import change  # not before something is asked

        if self.seen is None:
            return False
        try:
            change(self.seen.folder, how)
        except RaidtuiError as error:
            self.desk.page.say(error.with_hint, "bad")
            return False
        return True

    def exit_message(self) -> str:
        """The exit message while a benchmark is at work; empty if there is none."""
        if self._followed is None or not self.busy:
            return ""
        from raidtui.bench.store import named  # only where one is at work

        name = named(self._followed.folder)
        return safe(f"raidtui: the benchmark {name} continues; raidtui bench --attach {name} shows it again")
