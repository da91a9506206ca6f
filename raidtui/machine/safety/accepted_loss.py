"""Content that the user gave up for an undo: a file beside the plan, written before the executor is started."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from raidtui.machine.ports.runner import MachineReader
from raidtui.machine.safety.survey import survey
from raidtui.machine.system.documents import kept_document, save_document
from raidtui.machine.system.input_files import RUN_FILE
from raidtui.model.errors import Refused
from raidtui.model.finding import Finding, first_of
from raidtui.model.plan import Plan
from raidtui.model.run import Record
from raidtui.model.standing import AcceptedLoss, Standing
from raidtui.planner.standing.findings import not_given_up

FILE = "given-up.json"
"""file in the directory of a run"""


def write(folder: Path, plan: Plan, standing: Standing) -> None:
    """Records that everything in `standing` was given up. Raises MachineFailed if it cannot be written."""
    found = AcceptedLoss(digest=plan.digest, standing=standing)
    save_document(folder / FILE, found, way_out="make it writable for root")


def read(folder: Path) -> AcceptedLoss | None:
    """The content given up; None if there is no file. Raises like `read_own`, and BadInput for an invalid file."""
    return kept_document(AcceptedLoss, folder / FILE, RUN_FILE)


def require(plan: Plan, runner: MachineReader, folder: Path, records: Sequence[Record]) -> None:
    """Surveys again right before an undo. Raises Refused for foreign content and for content not given up."""
    problems = not_given_up(plan, survey(plan, runner, records), read(folder))
    if problems:
        raise refusal(problems)


def refusal(problems: Sequence[Finding]) -> Refused:
    """One error from the findings of a survey: the first finding and the number of others."""
    return Refused(f"{first_of(problems)}; nothing was removed", hint=problems[0].way_out)
