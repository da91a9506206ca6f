"""Carries out an act on arrays that run: a replacement, an extension.

ROOT/changes/replace-0123456789ab/    0700; the same for each call of what was confirmed
    act.json                          what was confirmed
    journal, output/, wish            like those of a build

The machine itself holds what is done; the journal holds what was written, and why. Command line and app start a process
for an act, as for a build.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from raidtui.engine import journal as journals
from raidtui.engine.changes import asked_replacement, extension, still_starts
from raidtui.engine.executor import Executor, Stopped
from raidtui.engine.folders import ACT, CHANGES, CHANGES_FOLDER, RUNS, at_work, readable
from raidtui.engine.journal import Journal
from raidtui.engine.process import Requests, anything_done, requests_to
from raidtui.engine.runs import plan_in
from raidtui.engine.site import RealSite, Site, locked, site_of_run
from raidtui.machine.system.files import RUN_FILE, read_document
from raidtui.machine.system.places import require_private, require_trusted
from raidtui.machine.system.ports import MachineReader, Runner
from raidtui.steps.living import is_left_of
from raidtui.values.acts import Extension, Replacement, digest_of
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput, Exit, Refused, Stale
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan, Step

LivingAct = Replacement | Extension
A = TypeVar("A", Replacement, Extension)


def unfinished(root: Path, kind: type[A]) -> tuple[A, ...]:
    """The acts of a kind that were begun and are not finished, the last one first. `root`: directory of all runs.

    What cannot be read is left out: the machine itself holds what is done."""
    folders = CHANGES.all_folders((root / CHANGES_FOLDER,))
    found = (each for _, each in readable(folders, lambda folder: (act_in(folder), journals.records(folder))))
    return tuple(act for act, did in found if isinstance(act, kind) and did and did[-1].kind != "finished")


def prepare(act: LivingAct, root: Path) -> Path:
    """The folder of an act, made unless it was begun before. `root`: directory of all runs."""
    if not act.steps:
        raise Refused("there is nothing to carry out", hint="the answer without --begin shows why")
    folder = root / CHANGES_FOLDER / f"{act.purpose}-{act.digest[:12]}"
    if not folder.exists():
        journals.begin(folder, ACT, to_json(act) + "\n", simulated=act.simulated)
    return folder


def go_on(
    act: LivingAct,
    root: Path,
    runner: Runner,
    request: Requests,
    end: Callable[[], str] = lambda: "",
    first: Callable[[], None] = lambda: None,
) -> None:
    """Carries out the steps that are not done yet; see `Executor.go_on`. `root`: directory of all runs; `first`: a look
    before the first step, whose failure is journalled. The caller holds the folder's lock."""
    folder = prepare(act, root)

    def steps() -> Iterator[Step]:
        first()
        yield from act.steps

    with contextlib.closing(Journal(folder, act.purpose, runner.clock)) as journal:
        Executor(act, runner, journal, request).go_on(steps(), end)


# The process.


def act_in(folder: Path) -> LivingAct:
    """The confirmed act in its folder.

    Raises Refused if others than the owner may write there (for real disks also in a directory above), BadInput or
    MachineFailed if it cannot be read."""
    require_private(folder)
    is_replacement = folder.name.startswith("replace-")
    path = folder / ACT
    act = read_document(Replacement, path, RUN_FILE) if is_replacement else read_document(Extension, path, RUN_FILE)
    if not act.simulated:
        require_trusted(folder)
    return act


def confirmed_act(folder: Path, digest: str) -> LivingAct:
    """The act in its folder. Raises Stale if its digest is not the confirmed `digest`, BadInput if its steps are not
    those of its digest."""
    act = act_in(folder)
    if act.digest != digest:
        raise Stale(
            f"{folder / ACT} is not what was confirmed, whose digest is {digest}; nothing was written", hint=_ANEW
        )
    if digest_of(act) != digest:
        raise BadInput(
            f"{folder / ACT} was changed after it was written: its digest does not match; nothing was written",
            hint=_ANEW,
        )
    return act


_ANEW = "ask anew: raidtui replace, or extend, shows what there is to do now"


def run_of(act: LivingAct, root: Path) -> tuple[Path, Plan]:
    """The run on whose simulated machine the act's arrays are, and its plan. Raises BadInput where none has them."""
    uuids = {array.uuid for array in act.arrays}
    for folder, plan in readable(RUNS.folders(root), plan_in):
        if uuids <= {array.uuid for array in plan.arrays}:
            return folder, plan
    raise BadInput("no simulated run has these arrays", hint="raidtui status lists the runs")


def execute(folder: Path, digest: str, *, speed_up: float) -> int:
    """Carries out the act in `folder`, or what is left of it. Returns the exit code; viewers read everything else in
    the journal.

    `digest`: of the confirmed act. Raises Stale, before anything is written, if `folder` holds another one.

    SIGTERM and SIGINT end it before the next command. SIGHUP is ignored."""
    request = requests_to(folder)
    act, root = confirmed_act(folder, digest), folder.parent.parent
    site = RealSite(root) if not act.simulated else site_of_run(*run_of(act, root), speed_up=speed_up)
    return carry_on(act, site, request)


def carry_on(act: LivingAct, site: Site, request: Requests) -> int:
    """Carries out an act under the run lock. Returns the exit code; raises and journals any failure."""
    folder = prepare(act, site.root)
    with locked(site.lock_path) as lock, at_work(folder):
        runner = site.runner(lock)
        inventory = site.inventory(act)
        begun = anything_done(journals.records(folder))

        def as_confirmed() -> None:
            found = _asked_again(act, runner, inventory)
            if found.digest != act.digest and not (begun and is_left_of(found, act)):
                raise Refused("the array or the disks changed meanwhile; nothing was written", hint="ask anew")

        try:
            go_on(act, site.root, runner, request, end=lambda: boot_after(act, runner, inventory), first=as_confirmed)
        except Stopped:
            return Exit.INTERRUPTED
    return Exit.DONE


def _asked_again(act: LivingAct, reader: MachineReader, inventory: Inventory) -> LivingAct:
    """The same question, answered from a fresh look."""
    if isinstance(act, Extension):
        return extension(reader, inventory, act.uuid, act.kind, act.what)
    return asked_replacement(reader, inventory, act.uuid, begun=(act,))


def boot_after(act: LivingAct, reader: MachineReader, inventory: Inventory) -> str:
    """What the next boot makes of the arrays, where a disk joined one; see `still_starts`."""
    joined = isinstance(act, Replacement) or act.kind == "spare"
    return still_starts(act, reader, inventory) if joined else ""
