"""Saves what a benchmark found out about this machine for the planner: speeds of single disks, scatter of arrays."""

from __future__ import annotations

from pathlib import Path

from raidtui.machine.inventory import measured_speeds
from raidtui.model.bench import BenchResult
from raidtui.model.inventory import Inventory, Measured
from raidtui.model.machine_figures import NO_FIGURES, MachineFigures
from raidtui.planner.measurement.disk_speeds import measured_disk_speeds
from raidtui.planner.measurement.scatter import figures_of_benchmark


def keep_speeds(result: BenchResult, inventory: Inventory, path: Path) -> dict[str, Measured]:
    """Adds the speeds to the file at `path` and returns those added.

    Raises BadInput if the file is invalid, MachineFailed if it cannot be written.
    """
    found = measured_disk_speeds(result, inventory, measured_speeds.kept(path)) if not result.bench.simulated else {}
    if found:
        measured_speeds.keep(path, found)
    return found


def keep_array_figures(result: BenchResult, path: Path) -> MachineFigures:
    """Adds what the benchmark says about arrays of this machine to the file at `path`; returns that, or NO_FIGURES.

    Raises like `keep_speeds`.
    """
    found = figures_of_benchmark(result, measured_speeds.stored(path).machine)
    if found != NO_FIGURES:
        measured_speeds.keep(path, {}, found)
    return found
