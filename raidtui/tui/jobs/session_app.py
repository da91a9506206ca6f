"""The app with a session, as its screens and the jobs that need another job see it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from raidtui.session.session import Session
from raidtui.tui.jobs.bench_follower import BenchFollower
from raidtui.tui.jobs.run_follower import RunFollower
from raidtui.tui.jobs.watch import ArrayFollower
from raidtui.tui.terminal.profile import TerminalProfile
from raidtui.tui.widgets.frame import PageApp

if TYPE_CHECKING:
    from raidtui.session.jobs import Launch, Started


class SessionApp(PageApp):
    """Holds what outlives a screen: the session, and the jobs that are followed."""

    def __init__(
        self,
        profile: TerminalProfile,
        session: Session,
        *,
        roots: Callable[[], Sequence[Path]] | None,
        launch: Launch[Started] | None,
        allow_writes: bool,
        bench_root: Path | None,
    ) -> None:
        """`roots`: directories of runs; `launch`: starts executors, by default as a process.

        `bench_root`: directory of benchmarks, None for the default.
        """
        super().__init__(profile)
        self.session = session
        session.changed = self._follow
        self.run_follower = RunFollower(self, session, roots=roots, launch=launch, allow_writes=allow_writes)
        self.array_follower = ArrayFollower(self, session, self.run_follower)
        self.bench_follower = BenchFollower(self, session, root=bench_root)

    def _follow(self) -> None:
        if self.has_page:
            self.page.follow_session()
