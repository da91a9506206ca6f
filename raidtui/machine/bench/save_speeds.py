"""Saves the speeds of single disks that a benchmark measured, for the planner's predictions."""

from __future__ import annotations

from pathlib import Path

from raidtui.machine.inventory import measured_speeds
from raidtui.model.bench import BenchResult
from raidtui.model.inventory import Inventory, Measured
from raidtui.planner.measurement.disk_speeds import measured_disk_speeds


def keep_speeds(result: BenchResult, inventory: Inventory, path: Path) -> dict[str, Measured]:
    """Adds the speeds to the file at `path` and returns those added.

    Raises BadInput if the file is invalid, MachineFailed if it cannot be written.
    """
    found = measured_disk_speeds(result, inventory, measured_speeds.kept(path)) if not result.bench.simulated else {}
    if found:
        measured_speeds.keep(path, found)
    return found
