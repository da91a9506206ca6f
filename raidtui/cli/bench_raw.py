"""`raidtui bench PLAN|RUN --raw`: disks of a plan before its build, or arrays of a finished run, as block devices."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from raidtui.cli.bench_start import ask_unless_simulated, start
from raidtui.cli.confirm import confirm_word
from raidtui.cli.inventory import load_inventory, named_inventory, names_disks
from raidtui.cli.output import show, width
from raidtui.cli.preflight import refuse_content, refuse_locked, refuse_unready
from raidtui.cli.runs import named_plan, names_plan, run_folder
from raidtui.machine.bench.prepare import Prepared
from raidtui.machine.bench.raw import RawAsk, on_flash, prepare_raw, require_empty
from raidtui.machine.bench.simulated_start import begins_after, prepare_plan
from raidtui.machine.run import journal
from raidtui.machine.run.run_folders import load
from raidtui.machine.run.site import Site, locked, site_for, site_of_run
from raidtui.machine.system.state_paths import benches_root
from raidtui.model.bench import Profile
from raidtui.model.errors import BadInput, Refused
from raidtui.model.plan import Plan
from raidtui.planner.compile.raw_steps import require_no_volume
from raidtui.planner.measurement.bench_plan import BenchOptions, writes_of
from raidtui.planner.text.confirm import raw_page


def bench_raw(options: argparse.Namespace, profile: Profile, wanted: BenchOptions) -> int:
    """Measures block devices; writes are confirmed like a build and hold the run lock."""
    plan, site, built = _located(options)
    ask = RawAsk(plan=plan, built=built, writes=options.raw == "write")
    if ask.writes:
        _require_ready(ask, site, options)
    held: list[int] = []
    prepared = _prepared(ask, site, profile, wanted, options, held)
    with contextlib.ExitStack() as stack:

        def confirm() -> None:
            if not writes_of(prepared.bench.tasks):
                ask_unless_simulated(options, prepared.bench)
                return
            out = sys.stderr if options.json else sys.stdout
            page = raw_page(plan, built=built, width=width(plan.simulated, out))
            show(page, out, simulated=plan.simulated)
            confirm_word(plan, options, word="write")
            held.append(stack.enter_context(locked(site.lock_path)))

        return start(prepared, options, keep_speeds=False, confirm=confirm)


def _located(options: argparse.Namespace) -> tuple[Plan, Site, bool]:
    """Plan, site, and whether its arrays exist. Raises Refused for a run that is no finished build."""
    if names_plan(options.target):
        plan = named_plan(options.target)
        site = site_for(plan, named_inventory(options))
        folder = site.root / plan.run_id
        if not journal.is_begun(folder):
            return plan, site, False
    else:
        folder = run_folder(options.target)
    begun = load(folder)
    if begun.run.outcome != "finished" or begun.run.purpose == "undo":
        raise Refused(
            f"run {folder.name[:8]} is not a finished build",
            hint="raidtui status shows it; to measure its disks after an undo, plan again",
        )
    return begun.plan, site_of_run(folder, begun.plan), True


def _require_ready(ask: RawAsk, site: Site, options: argparse.Namespace) -> None:
    """Raises Refused unless the disks are blank, or the arrays carry nothing, as far as the plan tells."""
    refuse_locked(site)
    if ask.built:
        require_no_volume(ask.plan)
        require_empty(ask.plan, site.reader())
        return
    refuse_unready(ask.plan, site, options)
    refuse_content(ask.plan)


def _prepared(
    ask: RawAsk, site: Site, profile: Profile, wanted: BenchOptions, options: argparse.Namespace, held: Sequence[int]
) -> Prepared:
    """The benchmark; `held`: descriptor of the run lock, once it is taken."""
    plan = ask.plan
    if not plan.simulated:
        if names_disks(options):
            raise BadInput("a real target can only be measured on this machine", hint="remove --inventory and --disks")
        return prepare_raw(
            ask, load_inventory(options), site.reader(), profile, wanted,
            runner=lambda: site.runner(held[0]), root_user=os.geteuid() == 0, during_sync=options.during_sync,
        )  # fmt: skip
    profile, notes = ask.profile(profile)
    inventory = site.inventory(plan)
    prepared = prepare_plan(
        plan, inventory, profile, replace(wanted, raw_writes=ask.writes), speed_up=options.speed_up,
        start=begins_after(site.root / plan.run_id, benches_root(simulated=True), plan),
    )  # fmt: skip
    own = (disk for disk in inventory.disks if disk.id in plan.prediction.disks)
    return replace(prepared, findings=(*notes, *on_flash(own), *prepared.findings))
