"""The app with its jobs, as screens see it."""

from __future__ import annotations

from pathlib import Path

from raidtui.tui.jobs.bench_player import BenchPlayer
from raidtui.tui.jobs.desk import Desk
from raidtui.tui.jobs.run_follower import RunFollower
from raidtui.tui.jobs.watch import ArrayFollower


class JobDesk(Desk):
    """What a screen may ask of the app: what a job may, and the jobs that outlive a screen."""

    run_follower: RunFollower
    array_follower: ArrayFollower
    bench_player: BenchPlayer
    designs: Path | None
    """directory of saved designs; None: they last for this session only"""
