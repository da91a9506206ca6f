"""`raidtui script`: a plan as a bash script or as a Markdown document. It executes nothing."""

from __future__ import annotations

import argparse

from raidtui.cli.verbs.plan import planned_by
from raidtui.model.errors import Exit
from raidtui.planner.export import bash_script
from raidtui.planner.export.runbook import runbook
from raidtui.planner.export.undo_script import undo_script


def script(options: argparse.Namespace) -> int:
    """Prints the build script, the undo script or the runbook of a plan."""
    plan = planned_by(options)
    if options.undo:
        print(undo_script(plan), end="")
    elif options.runbook:
        print(runbook(plan), end="")
    else:
        print(bash_script.script(plan), end="")
    return Exit.DONE
