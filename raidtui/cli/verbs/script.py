"""`raidtui script`: a plan as a bash script or as a Markdown document. It executes nothing."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from raidtui.cli.output import working
from raidtui.cli.verbs.plan import planned_by
from raidtui.model.codec import to_json
from raidtui.model.errors import Exit
from raidtui.model.plan import Plan
from raidtui.model.printed import ScriptForm, ScriptText
from raidtui.planner.export.build_script import build_script
from raidtui.planner.export.runbook import runbook
from raidtui.planner.export.undo_script import undo_script


def script(options: argparse.Namespace) -> int:
    """Prints the build script, the undo script or the runbook of a plan."""
    form: ScriptForm = "undo" if options.undo else "runbook" if options.runbook else "build"
    plan = planned_by(options)
    with working(_WORK[form]):
        text = _WRITERS[form](plan)
    if options.json:
        print(to_json(ScriptText(form=form, plan_digest=plan.digest, text=text)))
    else:
        print(text, end="")
    return Exit.DONE


_WORK: Mapping[ScriptForm, str] = {
    "build": "writing the script", "undo": "writing the undo script", "runbook": "writing the runbook",
}  # fmt: skip
_WRITERS: Mapping[ScriptForm, Callable[[Plan], str]] = {
    "build": lambda plan: build_script(plan).text, "undo": lambda plan: undo_script(plan).text, "runbook": runbook,
}  # fmt: skip
