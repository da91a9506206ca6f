"""Runs and plans as a user names them, and the directories of the runs that this user may read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from raidtui.cli.output import narrate
from raidtui.machine.run.work_folder import RUNS
from raidtui.machine.system.input_files import is_named
from raidtui.machine.system.state_paths import run_roots
from raidtui.model.errors import BadInput

if TYPE_CHECKING:
    from raidtui.model.plan import Plan

_SHOWN = 5


def run_folders() -> tuple[Path, ...]:
    """Directories of all runs, real ones first; prints a line for each place that cannot be read."""
    return RUNS.all_folders(run_roots(), narrate)


def run_folder(name: str) -> Path:
    """The directory of the run whose id starts with `name`. Raises BadInput that lists the runs there are."""
    try:
        if name.removeprefix("/dev/").startswith("md"):
            hint = "raidtui arrays lists arrays, raidtui status runs"
            raise BadInput(f"{name} is an array; a run is the build of a plan", hint=hint)
        return RUNS.find(run_roots(), name)
    except BadInput as problem:
        ids = [folder.name[:8] for folder in RUNS.all_folders(run_roots())]
        there = ", ".join(ids[:_SHOWN]) + ", ..." * (len(ids) > _SHOWN) if ids else "none"
        raise BadInput(str(problem), hint=f"{problem.hint}; runs here: {there}") from problem


def names_plan(name: str) -> bool:
    """True for a file, or a directory with a plan in it."""
    return is_named(name) or is_named(f"{name}/plan.json")


def named_plan(name: str) -> Plan:
    """The plan in the file `name`. Raises BadInput, which names the plan in a directory."""
    if not is_named(name) and names_plan(name):
        raise BadInput(f"{name} is a directory", hint=f"name the plan in it: {Path(name, 'plan.json')}")
    from raidtui.machine.run.plan_files import read_plan  # with all that a plan is written as: audit starts without it

    return read_plan(Path(name))
