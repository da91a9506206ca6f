"""The follower of a benchmark, where the app closes under it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from raidtui.machine.inventory.shipped import load
from raidtui.tui.jobs.bench_follower import BenchFollower
from tests.tui.benches import Staged
from tests.tui.jobs.closing import Closing


class _Closing(Closing):
    """It still has its timers."""

    class profile:
        kind = "local"

    def set_interval(self, *_: object) -> None: ...


def test_a_benchmark_that_ends_after_the_screens_have_gone_changes_no_screen(tmp_path: Path) -> None:
    follower = BenchFollower(_Closing(), None)  # type: ignore[arg-type]
    asyncio.run(follower.follow(Staged(tmp_path, load("nas4")).folder))
    assert follower.seen is not None
    assert follower.seen.outcome == "finished"
    assert not follower.busy
