"""Starts, resumes and undoes runs: the only place where the screens start an executor."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from raidtui.machine.run import journal, requests
from raidtui.machine.run.executor_process import checked, findings_to_error, require_not_undone
from raidtui.machine.run.requests import ControlRequest
from raidtui.machine.run.run_folders import confirmed_plan, load
from raidtui.machine.run.site import SPEED_UP, Site, holder_of, site_for, site_of_run
from raidtui.machine.run.work_folder import RUNS, is_alive, readable
from raidtui.machine.safety import accepted_loss
from raidtui.machine.safety.survey import survey
from raidtui.model.finding import Finding
from raidtui.model.inventory import Inventory
from raidtui.model.plan import Plan
from raidtui.model.run import RunPurpose
from raidtui.model.standing import Standing
from raidtui.tui.jobs.run_view import Started


class Launch(Protocol):
    """Starts the executor of the run in a directory; see `raidtui.machine.run.launch.launch`."""

    def __call__(
        self, folder: Path, purpose: RunPurpose, digest: str, /, *, simulated: bool, speed_up: float
    ) -> Started:
        """The started executor. Raises MachineFailed if it cannot be started."""


def refusal(plan: Plan, verb: str, *, allow_writes: bool, root: bool) -> str:
    """Reason why this app may not write to the plan's disks, with `verb` as the alternative; empty if it may."""
    if plan.simulated or (allow_writes and root):
        return ""
    if not allow_writes:
        return f"this app is read-only; as root: {verb} (or start raidtui --allow-writes)"
    return f"only root can write to disks: sudo raidtui --allow-writes, or sudo {verb}"


def objections(plan: Plan, inventory: Inventory) -> tuple[Site, Sequence[Finding]]:
    """The site of `plan` and the preflight findings from a fresh probe. May take seconds."""
    site = site_for(plan, inventory if plan.simulated else None)
    return site, checked(plan, site, holder_of(site), during_sync=False)


def begin(plan: Plan, site: Site, launch: Launch) -> tuple[Path, Started]:
    """Creates the run's directory and starts its executor, which repeats all checks."""
    holder = holder_of(site)
    if holder:
        raise findings_to_error(
            [
                Finding(
                    severity="error", code="locked", message=f"{holder} is running", way_out="wait until it has ended"
                )
            ]
        )
    folder = journal.create(site.root, plan)
    site.prepare(folder)
    return folder, launch(folder, "build", plan.digest, simulated=site.simulated, speed_up=SPEED_UP)


def standing_of(folder: Path, plan: Plan) -> Standing:
    """Survey of what is on the arrays of the run in `folder`; may take seconds. Raises RaidtuiError."""
    site = site_of_run(folder, plan)
    return survey(plan, site.reader(), journal.records(folder))


def go_on(folder: Path, purpose: RunPurpose, launch: Launch, plan: Plan, standing: Standing | None = None) -> Started:
    """Starts an executor on an existing run and clears earlier pause and stop requests.

    `plan`: as shown and confirmed; `standing`: for an undo, the content that was given up. Raises Stale if `folder`
    holds another plan, Refused for a resume after an undo.
    """
    confirmed_plan(folder, plan.digest)
    if purpose == "resume":
        require_not_undone(journal.records(folder))
    if standing is not None:
        accepted_loss.write(folder, plan, standing)
    requests.write(folder, replace(requests.read(folder), pause=False, stop=False))
    return launch(folder, purpose, plan.digest, simulated=plan.simulated, speed_up=SPEED_UP)


def change(folder: Path, how: Callable[[ControlRequest], ControlRequest]) -> ControlRequest:
    """Writes a changed request for the executor; returns it."""
    wish = how(requests.read(folder))
    requests.write(folder, wish)
    return wish


def newest(roots: Sequence[Path], *, at_work: bool) -> Path | None:
    """The run with a live executor; else, unless `at_work`, the readable run that was written to last.

    If none is readable, the run written to last: following it reports the error.
    """
    found = tuple(readable(RUNS.all_folders(roots), is_alive))
    busy = [folder for folder, alive in found if alive]
    if busy or at_work:
        return busy[0] if busy else None
    latest = sorted((folder for folder, _ in found), key=RUNS.written, reverse=True)
    return next((folder for folder, _ in readable(latest, load)), latest[0] if latest else None)


def is_root() -> bool:
    """True if this process can write to disks."""
    return os.geteuid() == 0
