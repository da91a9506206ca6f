"""Acts on arrays that run, carried out on the simulated machine."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

from raidtui.engine import living
from raidtui.engine.folders import ControlRequest
from raidtui.machine.system.ports import Runner
from raidtui.values.acts import Extension, Replacement

_COUNT = itertools.count(1)


def carried_out(
    found: Replacement | Extension,
    machine: Runner,
    root: Path,
    request: Callable[[], ControlRequest] = ControlRequest,
) -> list[str]:
    """What it tells; journals go to a directory below `root` of their own."""
    said: list[str] = []
    living.go_on(found, root / f"state-{next(_COUNT)}", machine, request, said.append)
    return said
