"""Acts on arrays that run, carried out on the simulated machine."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

from raidtui.engine import journal, living
from raidtui.engine.folders import CHANGES_FOLDER, ControlRequest
from raidtui.machine.system.ports import Runner
from raidtui.values.acts import Extension, Replacement

_COUNT = itertools.count(1)


def carried_out(
    found: Replacement | Extension,
    machine: Runner,
    root: Path,
    request: Callable[[], ControlRequest] = ControlRequest,
) -> list[str]:
    """What is told of it; journals go to a directory below `root` of their own."""
    state = root / f"state-{next(_COUNT)}"
    living.go_on(found, state, machine, request)
    return told_in(state)


def told_in(root: Path) -> list[str]:
    """Each step that was begun and how it went on, as `--begin` tells it. `root`: directory of all runs."""
    told = ("step", "waiting", "progress", "stopped")
    found = (record for folder in (root / CHANGES_FOLDER).iterdir() for record in journal.records(folder))
    return [record.text for record in found if record.kind in told]
