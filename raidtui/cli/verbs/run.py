"""`raidtui build`, `resume` and `undo`: check a plan, ask for confirmation, start the executor, follow it."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

from raidtui.cli.confirm import confirm, confirm_undo, refuse_locked, refuse_unready
from raidtui.cli.follow import watch
from raidtui.cli.inputs import named_inventory, named_plan, names_plan, run_folder, run_folders
from raidtui.cli.output import narrate, working
from raidtui.engine import folders, journal
from raidtui.engine import survey as accepted_loss
from raidtui.engine.folders import is_alive, readable
from raidtui.engine.process import launch, require_not_undone
from raidtui.engine.runs import Begun, confirmed_plan, load, plan_in
from raidtui.engine.site import Site, site_for, site_of_run
from raidtui.engine.survey import survey
from raidtui.values.errors import BadInput, Exit, RaidtuiError, Refused, Stale
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan
from raidtui.values.run import RunPurpose


def build(options: argparse.Namespace) -> int:
    """`raidtui build PLAN`: preflight, confirmation, start, view. `--attach`: view only."""
    inventory = named_inventory(options)
    if options.attach:
        return watch(_attached(options.plan), None, as_json=options.json, plain=options.plain)
    if options.plan is None:
        raise BadInput("no plan", hint="raidtui plan LAYOUT --out DIR writes DIR/plan.json")
    plan = named_plan(options.plan)
    _refuse_trial(plan)
    site = site_for(plan, inventory)
    if journal.is_begun(site.root / plan.run_id):
        journal.create(site.root, plan)  # raises the refusal with its hint
    refuse_unready(plan, site, options)
    confirm(plan, options)
    folder = journal.create(site.root, plan)
    site.prepare(folder)
    asked = folders.ControlRequest(during_sync=options.during_sync, wait_for_sync=options.wait_for_sync)
    if asked != folders.ControlRequest():
        folders.write(folder, asked)
    return _start(folder, "build", plan, options)


def resume(options: argparse.Namespace) -> int:
    """`raidtui resume RUN|PLAN`: continues an interrupted build from the state of the disks."""
    where = _located(options.run, named_inventory(options))
    _refuse_trial(where.plan)
    if where.confirmed:
        require_not_undone(journal.records(where.folder))
    else:
        confirm(where.plan, options)
    return _start(_ready(where, options), "resume", where.plan, options)


def undo(options: argparse.Namespace) -> int:
    """`raidtui undo RUN|PLAN`: removes what carries the plan's UUIDs."""
    where = _located(options.run, named_inventory(options))
    refuse_locked(where.site)
    records = journal.records(where.folder) if where.confirmed else ()
    with working("looking at what is on the arrays"):
        standing = survey(where.plan, where.site.reader(), records)
    confirm_undo(where.plan, standing, options)
    folder = _ready(where, options)
    accepted_loss.write(folder, where.plan, standing)
    return _start(folder, "undo", where.plan, options)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Where:
    """A run that is named for resume or undo; its directory may be lost."""

    plan: Plan
    site: Site
    folder: Path
    confirmed: bool
    """True: its journal records that a build was started"""
    damaged: bool = False
    """True: its journal cannot be read"""


def _located(name: str, inventory: Inventory | None) -> _Where:
    """The run that an id or a plan's file names. Raises BadInput when there is none of that name."""
    if not names_plan(name):
        begun = load(run_folder(name))
        site = site_of_run(begun.folder, begun.plan)
        return _Where(plan=begun.plan, site=site, folder=begun.folder, confirmed=bool(begun.records))
    plan = named_plan(name)
    site = site_for(plan, inventory)
    folder = site.root / plan.run_id
    if not journal.is_begun(folder):
        return _Where(plan=plan, site=site, folder=folder, confirmed=False)
    there = plan_in(folder)
    if there.digest != plan.digest:
        raise Stale(
            f"{name} is not the plan of run {plan.run_id[:8]}: its digest is {plan.digest}, that of the run is "
            f"{there.digest}; nothing was written",
            hint=f"name the run instead: {plan.run_id[:8]}",
        )
    site = site_of_run(folder, plan)
    try:
        return _Where(plan=plan, site=site, folder=folder, confirmed=bool(journal.records(folder)))
    except RaidtuiError as problem:
        narrate(f"{problem}; ignoring the journal, the state will be read from the disks")
        return _Where(plan=plan, site=site, folder=folder, confirmed=False, damaged=True)


def _ready(where: _Where, options: argparse.Namespace) -> Path:
    """The directory of the run, recreated if it is lost or damaged, with earlier requests cleared."""
    refuse_locked(where.site)
    if not journal.is_begun(where.folder):
        journal.create(where.site.root, where.plan)
        where.site.prepare(where.folder)
    elif where.damaged:
        journal.renew(where.folder)
    old = folders.read(where.folder)
    during, wait = (bool(getattr(options, name, False)) for name in ("during_sync", "wait_for_sync"))
    asked = folders.with_waiting(old, wait=False) if during else old
    asked = replace(asked, pause=False, stop=False, wait_for_sync=wait or asked.wait_for_sync)
    folders.write(where.folder, asked)
    return where.folder


def _start(folder: Path, purpose: RunPurpose, plan: Plan, options: argparse.Namespace) -> int:
    """Starts the executor of the `plan` that was confirmed. Raises Stale when the directory holds another."""
    confirmed_plan(folder, plan.digest)
    begun = load(folder)
    launched = launch(folder, purpose, plan.digest, simulated=plan.simulated, speed_up=options.speed_up)
    narrate(f"run {folder.name[:8]}: {launched.how}", simulated=plan.simulated)
    if options.detach:
        return Exit.DONE
    return watch(begun, launched, as_json=options.json, plain=options.plain)


def _refuse_trial(plan: Plan) -> None:
    """Raises Refused for a plan of a trial: its arrays may have parity that was never computed."""
    if plan.design.trial is not None:
        raise Refused(
            "this is the plan of a trial, which only raidtui tune can build", hint="raidtui undo removes its array"
        )


def _attached(name: str | None) -> Begun:
    if name is not None:
        if names_plan(name):
            name = named_plan(name).run_id
        return load(run_folder(name))
    busy = [folder for folder, alive in readable(run_folders(), is_alive) if alive]
    if not busy:
        raise Refused("no run is in progress", hint="raidtui status lists all runs")
    if len(busy) > 1:
        raise BadInput(
            f"{len(busy)} runs are in progress", hint=f"name one: {', '.join(each.name[:8] for each in busy)}"
        )
    return load(busy[0])
