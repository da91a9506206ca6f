"""Starts, resumes and undoes runs: the only place where the screens start an executor."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from raidtui.machine.run import journal, living, requests
from raidtui.machine.run.executor_process import checked, require_not_undone
from raidtui.machine.run.requests import ControlRequest
from raidtui.machine.run.run_folders import confirmed_plan, load
from raidtui.machine.run.site import SPEED_UP, Site, holder_of, locked, site_for, site_of_run
from raidtui.machine.run.work_folder import CHANGES, CHANGES_FOLDER, RUNS, is_alive, readable
from raidtui.machine.safety import accepted_loss
from raidtui.machine.safety.survey import survey
from raidtui.machine.simulated.machine import SimulatedMachine
from raidtui.model.errors import Refused
from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.location import short_slot
from raidtui.model.plan import Act, Plan
from raidtui.model.replacement import Replacement
from raidtui.model.run import RunPurpose
from raidtui.model.standing import Standing
from raidtui.planner.numbers import listed
from raidtui.steps.replace import disk_named
from raidtui.tui.jobs.run_view import RunView, Started


class Launch(Protocol):
    """Starts the executor of the run in a directory; see `raidtui.machine.run.launch.launch`."""

    def __call__(
        self, folder: Path, purpose: RunPurpose, digest: str, /, *, simulated: bool, speed_up: float
    ) -> Started:
        """The started executor. Raises MachineFailed if it cannot be started."""


def refusal(plan: Act, verb: str, *, allow_writes: bool, root: bool) -> str:
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
    _require_free(site)
    folder = journal.create(site.root, plan)
    site.prepare(folder)
    return folder, launch(folder, "build", plan.digest, simulated=site.simulated, speed_up=SPEED_UP)


def begin_act(act: Replacement, site: Site, launch: Launch) -> tuple[Path, Started]:
    """Makes the folder of a replacement, unless it was begun before, and starts its executor, which looks again."""
    _require_free(site)
    folder = living.prepare(act, site.root)
    return folder, go_on(folder, "replace", launch, act)


def _require_free(site: Site) -> None:
    if holder := holder_of(site):
        raise Refused(f"{holder} is running", hint="wait until it has ended")


def fail_disk(run: RunView, name: str, *, swap: bool = False) -> tuple[str, tuple[Disk, Disk] | None]:
    """A disk of the simulated machine of a run breaks, or is swapped for a new one: what happened, and with `swap` the
    old disk and the new one. `name`: kernel name, serial number or slot.

    Raises BadInput for a name of no disk, Refused while an executor works or where no array has the disk."""
    site = site_of_run(run.folder, run.plan, speed_up=SPEED_UP)
    _require_free(site)
    with locked(site.lock_path):
        machine = site.reader()
        assert isinstance(machine, SimulatedMachine)
        old = disk_named(site.inventory(run.plan), name)
        label = " ".join(filter(None, (short_slot(old.place.slot or ""), old.serial)))
        if swap:
            new = machine.swap(old.id)
            assert new is not None
            return f"{label} is pulled; the new disk in its place: {new.serial}", (old, new)
        arrays = machine.fail(old.id)
        if not arrays:
            raise Refused(f"no array has {label}, or it has failed before", hint="9 shows the arrays and their disks")
    return f"{label} fails: {listed(arrays)} lost it", None


def standing_of(folder: Path, plan: Plan) -> Standing:
    """Survey of what is on the arrays of the run in `folder`; may take seconds. Raises RaidtuiError."""
    site = site_of_run(folder, plan)
    return survey(plan, site.reader(), journal.records(folder))


def go_on(
    folder: Path, purpose: RunPurpose, launch: Launch, plan: Plan | living.LivingAct, standing: Standing | None = None
) -> Started:
    """Starts an executor on an existing run, or act, and clears earlier pause and stop requests.

    `plan`: as shown and confirmed; `standing`: for an undo, the content that was given up. Raises Stale if `folder`
    holds another plan, Refused for a resume after an undo.
    """
    if isinstance(plan, Plan):
        confirmed_plan(folder, plan.digest)
        if standing is not None:
            accepted_loss.write(folder, plan, standing)
    if purpose == "resume":
        require_not_undone(journal.records(folder))
    requests.write(folder, replace(requests.read(folder), pause=False, stop=False))
    return launch(folder, purpose, plan.digest, simulated=plan.simulated, speed_up=SPEED_UP)


def change(folder: Path, how: Callable[[ControlRequest], ControlRequest]) -> ControlRequest:
    """Writes a changed request for the executor; returns it."""
    wish = how(requests.read(folder))
    requests.write(folder, wish)
    return wish


def newest(roots: Sequence[Path], *, at_work: bool) -> Path | None:
    """The run, or act on arrays that run, with a live executor; else, unless `at_work`, the readable run that was
    written to last.

    If none is readable, the run written to last: following it reports the error.
    """
    changes = CHANGES.all_folders(root / CHANGES_FOLDER for root in roots)
    found = tuple(readable(RUNS.all_folders(roots), is_alive))
    busy = [folder for folder, alive in readable(changes, is_alive) if alive]
    busy += [folder for folder, alive in found if alive]
    if busy or at_work:
        return busy[0] if busy else None
    latest = sorted((folder for folder, _ in found), key=RUNS.written, reverse=True)
    return next((folder for folder, _ in readable(latest, load)), latest[0] if latest else None)


def is_root() -> bool:
    """True if this process can write to disks."""
    return os.geteuid() == 0
