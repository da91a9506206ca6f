"""`raidtui bench`: fio jobs on a mounted file system, or the model's figures for a simulated machine."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from raidtui.answers.bench import profiles_table
from raidtui.bench import prepare, store
from raidtui.bench.plan import BenchOptions, writes_of
from raidtui.bench.prepare import Prepared, begins_after, prepare_plan, prepare_simulated
from raidtui.bench.targets import place_of, places_of_plan, plan_of_place
from raidtui.cli.bench import ask_unless_simulated, begin, bench_raw, followed, start
from raidtui.cli.inputs import decided, load_inventory, named_inventory, named_plan, names_disks, run_folder
from raidtui.cli.output import narrate
from raidtui.engine.folders import is_alive, is_prefix
from raidtui.engine.runs import load
from raidtui.engine.site import site_for
from raidtui.machine.arrays.read import ArraysLook
from raidtui.machine.system.files import is_directory
from raidtui.machine.system.places import all_benches_roots, benches_root, run_roots, simulated_root
from raidtui.predict.design import assess, predict
from raidtui.predict.placement.place import placed_disks
from raidtui.predict.stated_disks import choose_disks
from raidtui.sizes.partitions import on_disks
from raidtui.values.assumptions import defaults_for
from raidtui.values.bench import Profile
from raidtui.values.codec import to_json
from raidtui.values.decision import Decision
from raidtui.values.design import Design
from raidtui.values.errors import BadInput, Exit, Locked, Refused
from raidtui.values.findings import errors, refused
from raidtui.values.inventory import Inventory
from raidtui.values.notation import parse
from raidtui.values.options import ROW
from raidtui.values.plan import Plan
from raidtui.values.printed import BenchList

_SKIPPED = 10
"""names of a tree that are shown at most"""


def bench(options: argparse.Namespace) -> int:
    """Starts a benchmark, resumes one, or lists profiles."""
    if options.list:
        return _list(options)
    _check(options)
    if options.attach is not None:
        return followed(store.find(all_benches_roots(), options.attach), None, options)
    if options.resume is not None:
        return _resume(options)
    profile = _profile(options)
    if options.target is None:
        raise BadInput("no target", hint="name a mounted directory, such as raidtui bench /srv/data")
    ask = BenchOptions(seconds=options.seconds, repeats=options.repeats, precondition=options.precondition)
    if options.raw is not None:
        return bench_raw(options, profile, ask)
    return start(_prepared(options, profile, ask), options)


def _profile(options: argparse.Namespace) -> Profile:
    """The profile that was named, or that of a tree; what is skipped of it is named."""
    if options.tree is None:
        return prepare.load(options.profile or ("raw" if options.raw else "quick"))
    profile, skipped = prepare.of_tree(Path(options.tree))
    narrate(profile.title)
    for line in skipped[:_SKIPPED]:
        narrate(f"skipped {line}")
    if len(skipped) > _SKIPPED:
        narrate(f"skipped {len(skipped) - _SKIPPED} more")
    return profile


def _check(options: argparse.Namespace) -> None:
    others = (
        ("--resume", options.resume is not None),
        ("--attach", options.attach is not None),
        ("--precondition", options.precondition),
        ("--tree", options.tree is not None),
    )
    for name, given in others if options.raw is not None else ():
        if given:
            raise BadInput(f"--raw cannot be combined with {name}", hint=f"remove --raw or {name}")
    if options.tree is not None and options.profile is not None:
        raise BadInput("--tree cannot be combined with --profile", hint="remove one of them")
    if options.confirm is not None and options.raw != "write":
        raise BadInput("--confirm belongs to --raw write", hint="add --raw write, or remove --confirm")


def _prepared(options: argparse.Namespace, profile: Profile, ask: BenchOptions) -> Prepared:
    """The benchmark of the target: a simulated plan or layout, a plan or run of this machine, or a directory."""
    plan = _plan(options.target)
    if plan is None and names_disks(options):
        return _layout(options, load_inventory(options), profile, ask)
    if plan is not None and plan.simulated:
        return _simulated_plan(plan, named_inventory(options), profile, ask)
    if names_disks(options):
        raise BadInput("a real target can only be measured on this machine", hint="remove --inventory and --disks")
    places = places_of_plan(plan) if plan is not None else (place_of(Path(options.target)),)
    plan = plan or plan_of_place(places[0], run_roots())
    if not options.dry_run:
        for left in prepare.sweep([place.path for place in places], benches_root()):
            narrate(f"removed files of a killed benchmark: {left}")
    return prepare.prepare(places, load_inventory(options), profile, ask, plan=plan, during_sync=options.during_sync)


def _plan(target: str) -> Plan | None:
    """The plan in a file or of a run; None when the target is neither."""
    if is_directory(target):
        return None
    if target.endswith(".json"):
        return named_plan(target)
    if is_prefix(target):
        return load(run_folder(target)).plan
    return None


def _simulated_plan(plan: Plan, named: Inventory | None, profile: Profile, ask: BenchOptions) -> Prepared:
    site = site_for(plan, named)
    inventory = site.inventory(plan)
    return prepare_plan(
        plan, inventory, profile, ask,
        found=ArraysLook(site.reader(), inventory, around=False).take().arrays,
        start=begins_after(simulated_root() / plan.run_id, benches_root(simulated=True), plan),
    )  # fmt: skip


def _layout(options: argparse.Namespace, inventory: Inventory, profile: Profile, ask: BenchOptions) -> Prepared:
    if not inventory.simulated:
        raise BadInput(
            "a layout can only be measured on simulated disks",
            hint="name the directory where the file system is mounted",
        )
    start = Decision(design=Design(layout=parse(options.target)))
    design = decided(options, (ROW.chunk,), start).design
    disks = placed_disks(design.layout, choose_disks(inventory))
    design = on_disks(design, disks)
    prediction = predict(design, disks)
    if refused(prediction.findings):
        first = errors(prediction.findings)[0]
        raise Refused(first.message, hint=first.way_out)
    prediction = assess(design, disks, prediction, inventory, defaults_for(disks), spread=True)
    return prepare_simulated(inventory, design, disks, prediction, profile, ask)


def _resume(options: argparse.Namespace) -> int:
    folder = store.find((benches_root(), benches_root(simulated=True)), options.resume)
    result = store.load(folder)
    if is_alive(folder):
        raise Locked(f"benchmark {result.bench.id[:8]} is running", hint="stop it first")
    if result.outcome == "finished":
        raise Refused(f"benchmark {result.bench.id[:8]} is finished", hint="start a new one")
    if result.bench.simulated:
        raise Refused("a simulated benchmark cannot be resumed", hint="start a new one; it takes seconds")
    if writes_of(result.bench.tasks):
        raise Refused("a benchmark that writes to block devices cannot be resumed", hint="start a new one")
    order = store.ordered(replace(store.order_in(folder), during_sync=options.during_sync), result.bench)
    prepare.check_names(result)
    places = {Path(task.target.paths[0]) for task in result.bench.tasks if task.target.kind == "files"}
    for left in prepare.sweep(sorted(places), benches_root()):
        narrate(f"removed its old files: {left}")
    ask_unless_simulated(options, result.bench)

    def made() -> Path:
        store.put_order(folder, order)
        return folder

    return begin(made, order, options, simulated=False, start=store.starts(folder) + 1)


def _list(options: argparse.Namespace) -> int:
    shipped = [prepare.load(name) for name in prepare.names()]
    print(to_json(BenchList(profiles=tuple(shipped))) if options.json else "\n".join(profiles_table(shipped)))
    return Exit.DONE
