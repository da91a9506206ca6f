"""Saves what a benchmark found out about this machine for the planner: speeds of single disks, scatter of arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from raidtui.machine.inventory import measured_speeds
from raidtui.model.bench import BenchResult
from raidtui.model.errors import RaidtuiError
from raidtui.model.inventory import Inventory, MeasuredSpeed
from raidtui.model.machine_figures import NO_FIGURES, MachineFigures
from raidtui.planner.measurement.disk_speeds import measured_disk_speeds
from raidtui.planner.measurement.scatter import figures_of_benchmark


def keep_measured(result: BenchResult, inventory: Callable[[], Inventory], path: Path) -> Iterator[str]:
    """Stores all that the planner can use in the file at `path`; what was stored or why it was not, sentences."""
    try:
        alone = {task.number for task in result.bench.tasks if task.target.kind == "disk"}
        if alone & {figure.task for figure in result.figures}:
            kept = keep_speeds(result, inventory(), path)
            yield f"stored the measured speed of {len(kept)} disks for the planner"
        if keep_array_figures(result, path) != NO_FIGURES:
            yield "stored how near these arrays came to their limits, for the planner"
    except RaidtuiError as problem:
        yield f"what was measured was not stored for the planner: {problem}"


def keep_speeds(result: BenchResult, inventory: Inventory, path: Path) -> dict[str, MeasuredSpeed]:
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
