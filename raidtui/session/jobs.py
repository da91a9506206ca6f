"""How jobs start, and what is asked of them: builds, undos, replacements, trials. Each is a folder with one executor.

An executor is a process of its own, whoever started it: the command line, a screen, a control host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar, cast

from raidtui.engine import folders, journal, living
from raidtui.engine import survey as accepted_loss
from raidtui.engine.folders import CHANGES, CHANGES_FOLDER, RUNS, ControlRequest, WorkFolder, is_alive, readable
from raidtui.engine.living import LivingAct
from raidtui.engine.process import checked, require_not_undone
from raidtui.engine.recovery import asks_again
from raidtui.engine.runs import confirmed_plan, load
from raidtui.engine.simulation import SimulatedRunner
from raidtui.engine.site import SPEED_UP, Site, holder_of, locked, site_for, site_of_run
from raidtui.engine.survey import survey
from raidtui.machine.system.passphrase import Passphrase
from raidtui.steps.replace import disk_named
from raidtui.values.amounts import listed
from raidtui.values.errors import Refused
from raidtui.values.findings import Finding
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.location import short_slot
from raidtui.values.plan import Plan
from raidtui.values.run import JobPurpose, RunPurpose, Standing


class Started(Protocol):
    """An executor that was started."""

    def running(self) -> bool:
        """True while it is starting or working."""


S = TypeVar("S", bound=Started, covariant=True)
NOTHING = ControlRequest()
"""nothing is asked"""


class Launch(Protocol[S]):
    """Starts the executor of the job in a directory; see `raidtui.engine.process.launch`."""

    def __call__(
        self, folder: Path, purpose: JobPurpose, digest: str, /, *, simulated: bool, speed_up: float,
        passphrase: Passphrase | None = None,
    ) -> S:  # fmt: skip
        """The started executor. Raises MachineFailed if it cannot be started."""


def at_work(work: WorkFolder, roots: Sequence[Path]) -> Iterator[Path]:
    """The folders in `roots` on which an executor works now."""
    return (folder for folder, alive in readable(work.all_folders(roots), is_alive) if alive)


def newest(roots: Sequence[Path], *, busy_only: bool) -> Path | None:
    """The run, or act on arrays that run, with a live executor; else, unless `busy_only`, the readable run that was
    written to last. `roots`: directories of runs.

    If none is readable, the run written to last: following it reports the error.
    """
    changes = at_work(CHANGES, [root / CHANGES_FOLDER for root in roots])
    busy = next(changes, None) or next(at_work(RUNS, roots), None)
    if busy is not None or busy_only:
        return busy
    latest = sorted(RUNS.all_folders(roots), key=RUNS.written, reverse=True)
    return next((folder for folder, _ in readable(latest, load)), latest[0] if latest else None)


def objections(plan: Plan, inventory: Inventory) -> tuple[Site, Sequence[Finding]]:
    """The site of `plan` and the preflight findings from a fresh probe. May take seconds."""
    site = site_for(plan, inventory if plan.simulated else None)
    return site, checked(plan, site, holder_of(site), during_sync=False)


def begin(
    plan: Plan, site: Site, launch: Launch[S], request: ControlRequest = NOTHING, *, speed_up: float = SPEED_UP
) -> tuple[Path, S]:
    """Creates the run's directory with a first `request` and starts its executor, which repeats all checks."""

    def made() -> Path:
        folder = journal.create(site.root, plan)
        site.prepare(folder)
        return folder

    return begin_job(
        made, "build", plan.digest, launch, request, free=site, simulated=site.simulated, speed_up=speed_up
    )


def begin_act(act: LivingAct, site: Site, launch: Launch[S], *, speed_up: float = SPEED_UP) -> tuple[Path, S]:
    """Makes the folder of an act, unless it was begun before, and starts its executor, which looks again."""
    made = partial(living.prepare, act, site.root)
    return begin_job(made, act.purpose, act.digest, launch, free=site, simulated=site.simulated, speed_up=speed_up)


def begin_job(
    made: Callable[[], Path], purpose: JobPurpose, digest: str, launch: Launch[S], request: ControlRequest = NOTHING,
    *, free: Site | None = None, simulated: bool, speed_up: float = SPEED_UP,
) -> tuple[Path, S]:  # fmt: skip
    """Starts an executor in the folder that `made` makes, or finds.

    `digest`: of what was confirmed; `request`: what is asked of it at first, whatever was asked of an earlier one;
    `free`: raises Refused while a job works on that machine."""
    if free is not None:
        _require_free(free)
    folder = made()
    if request != NOTHING or folders.read_request(folder) != NOTHING:
        folders.write_request(folder, request)
    return folder, launch(folder, purpose, digest, simulated=simulated, speed_up=speed_up)


def _require_free(site: Site) -> None:
    if holder := holder_of(site):
        raise Refused(f"{holder} is running", hint="wait until it has ended")


def fail_disk(folder: Path, plan: Plan, name: str, *, swap: bool = False) -> tuple[str, tuple[Disk, Disk] | None]:
    """A disk of the simulated machine of a run breaks, or is swapped for a new one: what happened, and with `swap` the
    old disk and the new one. `name`: kernel name, serial number or slot.

    Raises BadInput for a name of no disk, Refused while an executor works or where no array has the disk."""
    site = site_of_run(folder, plan, speed_up=SPEED_UP)
    _require_free(site)
    with locked(site.lock_path):
        machine = cast(SimulatedRunner, site.reader())
        old = disk_named(site.inventory(plan), name)
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


def asks_passphrase(folder: Path, plan: Plan) -> bool:
    """True if a resume of the run in `folder` needs its passphrase. Raises RaidtuiError."""
    return plan.asks_passphrase and asks_again(plan, site_of_run(folder, plan).reader(), journal.records(folder))


def go_on(
    folder: Path,
    purpose: RunPurpose,
    launch: Launch[S],
    plan: Plan | LivingAct,
    standing: Standing | None = None,
    *,
    asked: Callable[[ControlRequest], ControlRequest] = lambda request: request,
    speed_up: float = SPEED_UP,
) -> S:
    """Starts an executor on an existing run, or act, and clears earlier pause and stop requests.

    `plan`: as shown and confirmed; `standing`: for an undo, the content that was given up; `asked`: what else is asked.
    Raises Stale if `folder` holds another plan, Refused for a resume after an undo.
    """
    if isinstance(plan, Plan):
        confirmed_plan(folder, plan.digest)
        if standing is not None:
            accepted_loss.write(folder, plan, standing)
    if purpose == "resume":
        require_not_undone(journal.records(folder))
    change(folder, lambda request: asked(replace(request, pause=False, stop=False)))
    return launch(folder, purpose, plan.digest, simulated=plan.simulated, speed_up=speed_up)


def change(folder: Path, how: Callable[[ControlRequest], ControlRequest]) -> ControlRequest:
    """Writes a changed request for the executor; returns it."""
    request = how(folders.read_request(folder))
    folders.write_request(folder, request)
    return request
