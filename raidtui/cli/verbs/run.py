"""`raidtui build`, `resume` and `undo`: check a plan, ask for confirmation, start the executor, follow it."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from raidtui.cli.confirm import confirm, confirm_undo, refuse_locked, refuse_unready, typed_passphrase
from raidtui.cli.follow import watch
from raidtui.cli.inputs import named_inventory, named_plan, names_plan, run_folder
from raidtui.cli.output import narrate, working
from raidtui.engine import journal
from raidtui.engine.folders import RUNS, ControlRequest, with_waiting
from raidtui.engine.process import Launched, launch, require_not_undone
from raidtui.engine.runs import Begun, load, plan_in
from raidtui.engine.site import Site, site_for, site_of_run
from raidtui.engine.survey import survey
from raidtui.machine.system.places import run_roots
from raidtui.session.jobs import asks_passphrase, at_work, begin, go_on
from raidtui.values.errors import BadInput, Exit, RaidtuiError, Refused, Stale
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan
from raidtui.values.run import RunPurpose, Standing


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
    asked = ControlRequest(during_sync=options.during_sync, wait_for_sync=options.wait_for_sync)
    passphrase = typed_passphrase(plan) if plan.asks_passphrase else None
    folder, launched = begin(plan, site, partial(launch, passphrase=passphrase), asked, speed_up=options.speed_up)
    return _followed(Begun(folder=folder, plan=plan, records=(), alive=True), launched, options)


def resume(options: argparse.Namespace) -> int:
    """`raidtui resume RUN|PLAN`: continues an interrupted build from the state of the disks."""
    where = _located(options.run, named_inventory(options))
    _refuse_trial(where.plan)
    if where.confirmed:
        require_not_undone(journal.records(where.folder))
    else:
        confirm(where.plan, options)
    return _go_on(where, "resume", options)


def undo(options: argparse.Namespace) -> int:
    """`raidtui undo RUN|PLAN`: removes what carries the plan's UUIDs."""
    where = _located(options.run, named_inventory(options))
    refuse_locked(where.site)
    records = journal.records(where.folder) if where.confirmed else ()
    with working("looking at what is on the arrays"):
        standing = survey(where.plan, where.site.reader(), records)
    confirm_undo(where.plan, standing, options)
    return _go_on(where, "undo", options, standing)


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
            f"{name} does not belong to run {plan.run_id[:8]}: its digest is {plan.digest}, that of the run is "
            f"{there.digest}; nothing was written",
            hint=f"name the run instead: {plan.run_id[:8]}",
        )
    site = site_of_run(folder, plan)
    try:
        return _Where(plan=plan, site=site, folder=folder, confirmed=bool(journal.records(folder)))
    except RaidtuiError as problem:
        narrate(f"{problem}; ignoring the journal, the state will be read from the disks")
        return _Where(plan=plan, site=site, folder=folder, confirmed=False, damaged=True)


def _go_on(where: _Where, purpose: RunPurpose, options: argparse.Namespace, standing: Standing | None = None) -> int:
    """Starts the executor in the directory of the run, recreated if it is lost or damaged, and follows it."""
    refuse_locked(where.site)
    if not journal.is_begun(where.folder):
        journal.create(where.site.root, where.plan)
        where.site.prepare(where.folder)
    elif where.damaged:
        journal.renew(where.folder)
    during, wait = (bool(getattr(options, name, False)) for name in ("during_sync", "wait_for_sync"))

    def asked(old: ControlRequest) -> ControlRequest:
        old = with_waiting(old, wait=False) if during else old
        return replace(old, wait_for_sync=wait or old.wait_for_sync)

    begun = load(where.folder)
    again = purpose == "resume" and asks_passphrase(where.folder, where.plan)
    how = partial(launch, passphrase=typed_passphrase(where.plan) if again else None)
    launched = go_on(where.folder, purpose, how, where.plan, standing, asked=asked, speed_up=options.speed_up)
    return _followed(begun, launched, options)


def _followed(begun: Begun, launched: Launched, options: argparse.Namespace) -> int:
    narrate(f"run {begun.folder.name[:8]}: {launched.how}", simulated=begun.plan.simulated)
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
    busy = list(at_work(RUNS, run_roots()))
    if not busy:
        raise Refused("no run is in progress", hint="raidtui status lists all runs")
    if len(busy) > 1:
        raise BadInput(
            f"{len(busy)} runs are in progress", hint=f"name one: {', '.join(each.name[:8] for each in busy)}"
        )
    return load(busy[0])
