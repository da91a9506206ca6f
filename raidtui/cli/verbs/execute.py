"""`raidtui execute`: the executor process that another verb starts. Not for users."""

from __future__ import annotations

import argparse
from pathlib import Path

from raidtui.engine import process


def execute(options: argparse.Namespace) -> int:
    """Carries out one purpose of the run in a directory, with the digest that was confirmed."""
    folder, digest = Path(options.folder), options.digest
    if options.purpose in ("build", "resume", "undo"):
        return process.execute(folder, options.purpose, digest, speed_up=options.speed_up)
    if options.purpose in ("replace", "extend"):
        from raidtui.engine import living  # an executor of a build starts without it

        return living.execute(folder, digest, speed_up=options.speed_up)
    from raidtui.cli.verbs import execute_measure  # an executor of a build starts without it

    carried = execute_measure.tune if options.purpose == "tune" else execute_measure.drill
    return carried(folder, digest, speed_up=options.speed_up)
