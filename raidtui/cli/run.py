"""The verbs that run a plan: build, resume, undo, status, wish, and the executor behind them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from raidtui.cli.confirm import confirm, confirm_undo, label, show
from raidtui.cli.follow_run import watch
from raidtui.machine.input_files import is_named
from raidtui.machine.run import journal, requests
from raidtui.machine.run.executor_process import anything_done, checked, execute, problem_of, refuse_undone
from raidtui.machine.run.launch import launch
from raidtui.machine.run.plan_files import read_plan
from raidtui.machine.run.run_folders import Begun, at_work_in, confirmed_plan, find, folders, is_alive, load, plan_in
from raidtui.machine.run.site import REAL_ROOT, Site, holder_of, simulated_root, site_for, site_of_run
from raidtui.machine.run.sync_limit import BOOT_ID, left_behind
from raidtui.machine.safety import given_up
from raidtui.machine.safety.survey import survey
from raidtui.machine.trials import settings_sweep
from raidtui.model.codec import to_json
from raidtui.model.errors import BadInput, EarlierPlan, Exit, Locked, RaidtuiError, Refused, Stale
from raidtui.model.finding import Finding, errors
from raidtui.model.inventory import Inventory
from raidtui.model.plan import Plan
from raidtui.model.run import Purpose, Record, RunList, RunStatus, RunUnread
from raidtui.model.safe import safe
from raidtui.planner.text.run import journal_lines, run_lines, runs_table
from raidtui.planner.text.summary import findings_lines


def build(options: argparse.Namespace, inventory: Inventory | None) -> int:
    """`raidtui build PLAN`: preflight, confirmation, start, view. `--attach`: view only."""
    if options.attach:
        return watch(_attached(options.plan), None, as_json=options.json)
    if options.plan is None:
        raise BadInput("build which plan?", hint="raidtui plan LAYOUT --out DIR writes DIR/plan.json")
    plan = read_plan(Path(options.plan))
    _refuse_trial(plan)
    site = site_for(plan, inventory)
    if journal.is_begun(site.root / plan.run_id):
        journal.create(site.root, plan)  # refuses, and says how to go on
    refuse_unready(plan, site, options)
    confirm(plan, options)
    folder = journal.create(site.root, plan)
    site.prepare(folder)
    if options.during_sync:
        requests.write(folder, requests.Wish(during_sync=True))
    return _start(folder, "build", plan, options)


def resume(options: argparse.Namespace, inventory: Inventory | None) -> int:
    """`raidtui resume RUN|PLAN`: goes on where an interrupted build ended, by what the disks say."""
    where = _located(options.run, inventory)
    _refuse_trial(where.plan)
    if where.confirmed:
        refuse_undone(journal.records(where.folder))
    else:
        confirm(where.plan, options)
    return _start(_ready(where, options), "resume", where.plan, options)


def undo(options: argparse.Namespace, inventory: Inventory | None) -> int:
    """`raidtui undo RUN|PLAN`: takes back what carries the plan's UUIDs."""
    where = _located(options.run, inventory)
    _refuse_locked(where.site)
    records = journal.records(where.folder) if where.confirmed else ()
    standing = survey(where.plan, where.site.runner(-1), records)
    confirm_undo(where.plan, standing, options)
    folder = _ready(where, options)
    given_up.write(folder, where.plan, standing)
    return _start(folder, "undo", where.plan, options)


def status(options: argparse.Namespace) -> int:
    """`raidtui status [RUN]`: what every run, or one, came to."""
    if options.run is not None:
        folder = find(roots(), options.run)
        try:
            begun = load(folder)
        except EarlierPlan as problem:
            if options.json:
                raise
            print(f"raidtui: {safe(str(problem))}; {problem.hint}", file=sys.stderr)
            print("\n".join(journal_lines(journal.records(folder))))
            return Exit.DONE
        if options.json:
            print(to_json(_status(begun)))
        else:
            show((*run_lines(begun.plan, begun.run, begun.records), *_left(begun)), begun.plan, sys.stdout)
        return Exit.DONE
    found: list[Begun] = []
    unread: list[RunUnread] = []
    for root in roots():
        for folder in _folders(root):
            try:
                found.append(load(folder))
            except RaidtuiError as problem:
                way_out, last = _way_out(folder, problem), _last_record(folder)
                unread.append(RunUnread(folder=str(folder), reason=str(problem), way_out=way_out, last=last))
    for each in unread:
        print(f"raidtui: not read: run {Path(each.folder).name[:8]}: {safe(each.reason)}", file=sys.stderr)
        print(f"         {safe(each.way_out)}", file=sys.stderr)
        if each.last is not None:
            print(f"         its last record: {each.last.purpose} {each.last.kind}, {each.last.time}", file=sys.stderr)
    if options.json:
        print(to_json(RunList(runs=tuple(map(_status, found)), unread=tuple(unread))))
    else:
        print("\n".join(runs_table([(begun.plan, begun.run, begun.records) for begun in found])))
    return Exit.DONE


def wish(options: argparse.Namespace) -> int:
    """`raidtui wish RUN WISH`: asks something of the executor at work."""
    folder = find(roots(), options.run)
    if not is_alive(folder):
        raise Refused(f"nobody is at work on run {folder.name[:8]}", hint="raidtui status shows what it came to")
    now = requests.read(folder)
    match options.wish.partition("="):
        case ("pause", "", ""):
            now = replace(now, pause=True)
        case ("go", "", ""):
            now = replace(now, pause=False)
        case ("stop", "", ""):
            now = replace(now, stop=True)
        case ("during-sync", "", ""):
            now = replace(now, during_sync=True)
        case ("limit", "=", number) if number.isdecimal() and len(number) <= 10 and int(number) < 2**31:
            now = replace(now, sync_kib_per_s=int(number) or None)
        case _:
            raise BadInput(
                f"'{options.wish}' is no wish", hint="pause, go, stop, during-sync, or limit=KIB_PER_S (0: no limit)"
            )
    requests.write(folder, now)
    return Exit.DONE


def executor(options: argparse.Namespace) -> int:
    """`raidtui execute FOLDER PURPOSE`: the executor's process, which the other verbs start."""
    folder, speed_up = Path(options.folder), options.speed_up
    return execute(folder, options.purpose, options.digest, simulated=options.simulated, speed_up=speed_up)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Where:
    """A run that is named for resume or undo; its directory may be lost."""

    plan: Plan
    site: Site
    folder: Path
    confirmed: bool
    """its journal says that a build was begun"""
    damaged: bool = False
    """its journal cannot be read"""


def _located(name: str, inventory: Inventory | None) -> _Where:
    """The run that an id or a plan's file names. Raises BadInput when nothing is called so."""
    if not is_named(name):
        begun = load(find(roots(), name))
        site = site_of_run(begun.folder, simulated=begun.plan.simulated)
        return _Where(plan=begun.plan, site=site, folder=begun.folder, confirmed=bool(begun.records))
    plan = read_plan(Path(name))
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
    site = site_of_run(folder, simulated=plan.simulated)
    try:
        return _Where(plan=plan, site=site, folder=folder, confirmed=bool(journal.records(folder)))
    except RaidtuiError as problem:
        print(f"raidtui: {safe(str(problem))}; it is put aside, the disks will tell", file=sys.stderr)
        return _Where(plan=plan, site=site, folder=folder, confirmed=False, damaged=True)


def _ready(where: _Where, options: argparse.Namespace) -> Path:
    """The directory of the run, made or mended where it was lost, with the wishes of earlier viewers forgotten."""
    _refuse_locked(where.site)
    if not journal.is_begun(where.folder):
        journal.create(where.site.root, where.plan)
        where.site.prepare(where.folder)
    elif where.damaged:
        journal.renew(where.folder)
    old = requests.read(where.folder)
    during_sync = bool(getattr(options, "during_sync", False)) or old.during_sync
    requests.write(where.folder, replace(old, pause=False, stop=False, during_sync=during_sync))
    return where.folder


def _start(folder: Path, purpose: Purpose, plan: Plan, options: argparse.Namespace) -> int:
    """Starts the executor of the `plan` that was confirmed. Raises Stale when the directory holds another."""
    confirmed_plan(folder, plan.digest)
    begun = load(folder)
    launched = launch(folder, purpose, plan.digest, simulated=plan.simulated, speed_up=options.speed_up)
    print(f"{label(begun.plan)}raidtui: run {folder.name[:8]}: {launched.said}", file=sys.stderr)
    if options.detach:
        return Exit.DONE
    return watch(begun, launched, as_json=options.json)


def refuse_unready(plan: Plan, site: Site, options: argparse.Namespace) -> None:
    """Shows all findings, and raises the refusal if one of them is an error."""
    findings = checked(plan, site, holder_of(site), during_sync=getattr(options, "during_sync", False))
    forbidding = errors(findings)
    if forbidding and options.json:
        print(to_json({"findings": findings}, indent=None))
    if findings:
        show(findings_lines(findings), plan, sys.stderr)
    if forbidding:
        raise _refusal(forbidding)


def _refusal(findings: Sequence[Finding]) -> RaidtuiError:
    count = f"{len(findings)} thing{'s' if len(findings) > 1 else ''}"
    hint = "each line above says what and the way out"
    if all(finding.code == "locked" for finding in findings):
        return Locked("another run holds the lock; nothing was written", hint=findings[0].way_out)
    if isinstance(problem_of(findings), Stale):
        return Stale(f"the plan no longer fits this machine: {count}; nothing was written", hint=hint)
    return Refused(f"not ready to build: {count}; nothing was written", hint=hint)


def _refuse_trial(plan: Plan) -> None:
    """An array of a trial is measured and taken back, nothing else: it may hold parity that was never computed."""
    if plan.design.trial is not None:
        raise Refused("the plan is a trial's; raidtui tune alone carries it out", hint="raidtui undo takes it back")


def _refuse_locked(site: Site) -> None:
    if holder := holder_of(site):
        raise Locked(f"another run holds the lock: {holder}", hint="raidtui status shows it; wait until it has ended")


def _attached(name: str | None) -> Begun:
    if name is not None:
        if is_named(name):
            name = read_plan(Path(name)).run_id
        return load(find(roots(), name))
    busy = [folder for root in roots() for folder in _busy(root)]
    if not busy:
        raise Refused("no run is at work", hint="raidtui status lists them all")
    if len(busy) > 1:
        raise BadInput(f"{len(busy)} runs are at work", hint=f"name one: {', '.join(each.name[:8] for each in busy)}")
    return load(busy[0])


def roots() -> tuple[Path, ...]:
    """Where runs are: real ones, simulated ones."""
    return (REAL_ROOT, simulated_root())


def _folders(root: Path) -> tuple[Path, ...]:
    try:
        return folders(root)
    except RaidtuiError as problem:
        print(f"raidtui: not read: {safe(str(problem))}: {safe(problem.hint)}", file=sys.stderr)
        return ()


def _busy(root: Path) -> tuple[Path, ...]:
    return at_work_in(root) if _folders(root) else ()


def _last_record(folder: Path) -> Record | None:
    """The last record of a journal; None without one, or when it cannot be read."""
    try:
        return next(reversed(journal.records(folder)), None)
    except RaidtuiError:
        return None


def _way_out(folder: Path, problem: RaidtuiError) -> str:
    return problem.hint or f"look at {folder}; raidtui resume PLAN, with the plan's file, reads the disks instead"


def _status(begun: Begun) -> RunStatus:
    plan, run = begun.plan, begun.run
    return RunStatus(
        run_id=plan.run_id, plan=plan.name, host=plan.host, digest=plan.digest, simulated=plan.simulated,
        folder=str(begun.folder), purpose=run.purpose, outcome=run.outcome, reason=run.reason,
        anything_done=anything_done(begun.records), steps_done=sum(step.state == "done" for step in run.steps),
        steps=run.steps, last=run.now, left_behind=_left(begun),
    )  # fmt: skip


def _left(begun: Begun) -> tuple[str, ...]:
    """What a killed executor of the run did not restore; a simulated machine has a boot of its own."""
    if begun.alive:
        return ()
    boot = "" if begun.plan.simulated else Path(BOOT_ID).read_text().strip()
    return (*left_behind(begun.folder, boot), *settings_sweep.left_behind(begun.folder, boot))
