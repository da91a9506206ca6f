"""Directories of the runs that this user may read."""

from __future__ import annotations

from pathlib import Path

from raidtui.cli.output import narrate
from raidtui.machine.run.work_folder import RUNS
from raidtui.machine.system.state_paths import run_roots


def run_folders() -> tuple[Path, ...]:
    """Directories of all runs, real ones first; prints a line for each place that cannot be read."""
    return RUNS.all_folders(run_roots(), narrate)
