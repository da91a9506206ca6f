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
    from raidtui.bench import drill, job, tuning  # an executor of a build starts without them

    carried = {"bench": job.execute, "tune": tuning.execute, "drill": drill.execute}[options.purpose]
    return carried(folder, digest, speed_up=options.speed_up)
