"""Benchmark follower: polls what the executor of a benchmark writes, at a rate that fits the terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from raidtui.tui.jobs.follower import Follower
from raidtui.values.errors import RaidtuiError
from raidtui.values.safe import safe

if TYPE_CHECKING:
    from raidtui.bench.events import Event
    from raidtui.engine.folders import ControlRequest
    from raidtui.session.bench_view import BenchView, BenchWatch
    from raidtui.session.jobs import Started
    from raidtui.session.session import Session
    from raidtui.tui.widgets.frame import PageApp


class BenchFollower(Follower["BenchWatch", "tuple[BenchView | None, Sequence[Event]]"]):
    """Follows at most one benchmark, which does not depend on the app."""

    def __init__(self, app: PageApp, session: Session, *, root: Path | None = None) -> None:
        """`root`: directory of benchmarks, None for the default."""
        super().__init__(app)
        self.session, self.root = session, root
        self.speed_up: float | None = None
        """simulated seconds per real second; None: chosen so that the benchmark is short"""
        self.seen: BenchView | None = None
        self._followed: BenchWatch | None = None

    @property
    def busy(self) -> bool:
        """True while the benchmark on screen is starting or at work."""
        return self._followed is not None and (self.seen is None or self.seen.busy)

    # Which one.

    async def follow(self, folder: Path, started: Started | None = None) -> None:
        """Follows the benchmark in `folder` from now on; `started`: an executor that this app started."""
        from raidtui.session.bench_view import BenchWatch  # not before a benchmark is followed

        self.seen, self._followed = None, BenchWatch(folder, started)
        self.start()
        await self._look(self._followed)

    def find(self) -> None:
        """Follows a benchmark of this machine that is at work, if none is shown."""
        if self.seen is None and self._followed is None:
            self.app.run_worker(self._find(), group="find-bench", exclusive=True)

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

    def _due(self) -> BenchWatch | None:
        return self._followed if self.busy else None

    def _take(self, what: BenchWatch) -> tuple[BenchView | None, Sequence[Event]]:
        return what.look(self.seen)

    def _apply(self, what: BenchWatch, found: tuple[BenchView | None, Sequence[Event]]) -> None:
        if self._followed is not what:
            return
        before, (self.seen, new) = self.seen, found
        for event in new:
            if self.seen is not None:
                self.seen.apply(event)
        if (new or self.seen is not before) and self.app.has_page:
            self.app.page.bench_changed()
            if not self.busy or self.seen is not before:
                self.app.page.refresh_frame()

    def _fail(self, what: BenchWatch, error: RaidtuiError) -> None:
        if self._followed is not what:
            return
        self._followed = None
        if self.seen is not None:
            self.seen.outcome, self.seen.reason = "failed", error.with_hint
        if self.app.has_page:
            page = self.app.page
            page.say(f"not followed: {error.with_hint}", "bad")
            page.bench_changed()
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
            self.app.page.say(error.with_hint, "bad")
            return False
        return True

    def exit_message(self) -> str:
        """The exit message while a benchmark is at work; empty if there is none."""
        if self._followed is None or not self.busy:
            return ""
        from raidtui.bench.store import named  # only where one is at work

        name = named(self._followed.folder)
        return safe(f"raidtui: the benchmark {name} continues; raidtui bench --attach {name} shows it again")
