"""Plans read from files."""

from __future__ import annotations

from pathlib import Path

from raidtui.machine.system.input_files import PLAN, read_named
from raidtui.model.codec import document_digest, from_json
from raidtui.model.errors import BadInput
from raidtui.model.plan import Plan


def read_plan(path: Path) -> Plan:
    """The plan in `path`. Raises BadInput if it is not a plan or does not match its digest."""
    text = read_named(path, PLAN)
    if text.startswith(b"#!"):
        raise BadInput(f"{path} is a script, not a plan", hint="name the plan.json beside it; bash runs the script")
    return plan_from(text, path, PLAN.way_out)


def plan_from(text: bytes, path: Path, hint: str = "") -> Plan:
    """The plan in `text`, the content of the file `path`; `hint` is the way out where it is no plan.

    Raises BadInput as `read_plan`.
    """
    plan = from_json(Plan, text, source=str(path), hint=hint)
    if document_digest(plan) != plan.digest:
        raise BadInput(
            f"{path} was changed after it was written: its digest does not match", hint="make the plan again"
        )
    return plan
