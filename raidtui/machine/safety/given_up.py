"""What a person gave up before an undo: a file beside the plan, written right before the executor is started."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from raidtui.machine.ports.runner import MachineReader
from raidtui.machine.safety.survey import survey
from raidtui.machine.system.durable_files import write_durably
from raidtui.machine.system.file_errors import failures
from raidtui.machine.system.input_files import RUN_FILE, read_own
from raidtui.model.codec import from_json, to_json
from raidtui.model.errors import Refused
from raidtui.model.finding import Finding, first_of
from raidtui.model.plan import Plan
from raidtui.model.run import Record
from raidtui.model.standing import GivenUp, Standing
from raidtui.planner.standing.findings import not_given_up

FILE = "given-up.json"
"""file in the directory of a run"""


def write(folder: Path, plan: Plan, standing: Standing) -> None:
    """Notes that everything in `standing` was given up. Raises MachineFailed when it cannot be written."""
    path = folder / FILE
    with failures(path, "make it writable for root"):
        write_durably(path, to_json(GivenUp(digest=plan.digest, standing=standing)) + "\n", mode=0o600)


def read(folder: Path) -> GivenUp | None:
    """What was given up; None when nothing was. Raises as `read_own`, and BadInput when it is not such a value."""
    path = folder / FILE
    return from_json(GivenUp, read_own(path, RUN_FILE), source=str(path)) if path.exists() else None


def require(plan: Plan, runner: MachineReader, folder: Path, records: Sequence[Record]) -> None:
    """Looks once more, right before an undo. Raises Refused for anything foreign and for what was not given up."""
    problems = not_given_up(plan, survey(plan, runner, records), read(folder))
    if problems:
        raise refusal(problems)


def refusal(problems: Sequence[Finding]) -> Refused:
    """Findings of a survey as the one refusal of an undo; the first stands for all, the rest is counted."""
    return Refused(f"{first_of(problems)}; nothing was removed", hint=problems[0].way_out)
