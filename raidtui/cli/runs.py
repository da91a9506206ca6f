"""Directories of the runs that this user may read."""

from __future__ import annotations

from pathlib import Path

from raidtui.cli.output import narrate
from raidtui.machine.run.run_folders import folders
from raidtui.machine.run.site import run_roots
from raidtui.model.errors import RaidtuiError


def run_folders() -> tuple[Path, ...]:
    """Directories of all runs, real ones first; prints a line for each place that cannot be read."""
    found: list[Path] = []
    for root in run_roots():
        try:
            found += folders(root)
        except RaidtuiError as problem:
            narrate(f"not read: {problem}: {problem.hint}")
    return tuple(found)
