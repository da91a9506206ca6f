"""The player of a benchmark, where the app closes under it."""

from __future__ import annotations

from typing import Any

from raidtui.tui.jobs.bench_player import BenchPlayer
from tests.tui.jobs.closing import Closing


class Seen:
    """What a benchmark has shown so far."""

    busy = True

    def __init__(self) -> None:
        self.applied: list[object] = []

    def apply(self, event: object) -> None:
        self.applied.append(event)
        self.busy = False


def test_a_benchmark_that_ends_after_the_screens_have_gone_changes_no_screen() -> None:
    player = BenchPlayer(Closing())  # type: ignore[arg-type]
    seen: Any = Seen()
    player.seen = seen
    player._leave_signals = lambda: None  # type: ignore[method-assign] # no loop runs
    end: Any = object()
    player._events.append(end)
    player.listen()
    assert seen.applied == [end]
