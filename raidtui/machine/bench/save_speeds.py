"""Keeps what a benchmark measured of single disks, so that the planner reckons with it from then on."""

from __future__ import annotations

from pathlib import Path

from raidtui.machine.inventory import measured_speeds
from raidtui.model.bench import BenchResult
from raidtui.model.inventory import Inventory, Measured
from raidtui.planner.measurement.disk_speeds import speeds_found


def keep_speeds(result: BenchResult, inventory: Inventory, path: Path) -> dict[str, Measured]:
    """Adds to the measurements kept at `path` and returns what was added.

    Raises BadInput when those kept cannot be understood, MachineFailed when they cannot be written.
    """
    found = speeds_found(result, inventory, measured_speeds.kept(path)) if not result.bench.simulated else {}
    if found:
        measured_speeds.keep(path, found)
    return found
