"""`raidtui bench`: real fio jobs on a file system of ours, or what the model makes of a simulated machine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from raidtui.model.errors import BadInput, Exit, RaidtuiError, Refused

if TYPE_CHECKING:
    from pathlib import Path

    from raidtui.machine.bench.prepare import Prepared
    from raidtui.model.bench import Bench, Profile
    from raidtui.model.finding import Finding
    from raidtui.model.inventory import Inventory
    from raidtui.model.plan import Plan
    from raidtui.planner.measurement.bench_plan import Ask

DEFAULT_PROFILE = "quick"


def add_verb(verbs: Any, add_disk_options: Callable[[argparse.ArgumentParser], None]) -> None:
    """Adds `bench` to the subparsers `verbs`."""
    bench = verbs.add_parser(
        "bench",
        help="measure a file system and what it stands on with fio; devices are only read",
        description="Measures in a directory of its own on the target, removed afterwards. Devices are only read.",
    )
    bench.add_argument(
        "target", metavar="TARGET", nargs="?", help="a mounted directory, a plan's .json file, a run, or a layout"
    )
    bench.add_argument("--profile", metavar="NAME|FILE", default=DEFAULT_PROFILE, help="what to run (default: quick)")
    bench.add_argument("--list", action="store_true", help="the profiles, and the benchmarks kept on this machine")
    bench.add_argument("--seconds", metavar="S", type=float, help="of each figure; under 30 they are labelled short")
    bench.add_argument("--repeats", metavar="N", type=int, help="of each figure")
    bench.add_argument("--precondition", action="store_true", help="flash: fill most of the room, twice, before")
    bench.add_argument("--during-sync", action="store_true", help="measure while arrays sync, and label it")
    bench.add_argument("--dry-run", action="store_true", help="only what would run, with fio's exact command lines")
    bench.add_argument("--resume", metavar="ID", help="go on with a benchmark that was stopped or killed")
    bench.add_argument("--out", metavar="DIR", help="keep it there instead of with the others")
    bench.add_argument("--yes", action="store_true", help="start without asking")
    bench.add_argument("--hosts", metavar="A,B,...", help="on all of these at once; each runs `fio --server`")
    bench.add_argument("--ssh", action="store_true", help="start their agents over ssh, reached through a tunnel")
    bench.add_argument("--room", metavar="SIZE", help="on each of several hosts, at most (default 8GiB)")
    bench.add_argument("--json", action="store_true", help="everything that happens, one JSON object a line")
    bench.add_argument("--chunk", metavar="SIZE", help="of a layout (default 512K)")
    bench.add_argument("--speed-up", metavar="N", type=float, default=20.0, help="simulated: times as fast")
    add_disk_options(bench)
    bench.set_defaults(verb="bench")


def bench(options: argparse.Namespace, inventory: Callable[[], Inventory]) -> int:
    """Measures, resumes, or lists. `inventory`: the disks that were named, else this machine's."""
    if options.list:
        return _list(options)
    _check(options)
    if options.resume is not None:
        return _resume(options)
    if options.target is None:
        raise BadInput("measure what?", hint="name a mounted directory, such as raidtui bench /srv/data")
    from raidtui.machine.bench import profiles
    from raidtui.planner.measurement.bench_plan import Ask

    profile = profiles.load(options.profile)
    ask = Ask(seconds=options.seconds, repeats=options.repeats, precondition=options.precondition)
    if options.hosts is not None:
        from raidtui.cli.bench_hosts import bench_hosts

        return bench_hosts(options, profile, ask, started)
    return started(_prepared(options, inventory, profile, ask), options, inventory)


def started(prepared: Prepared, options: argparse.Namespace, inventory: Callable[[], Inventory] | None = None) -> int:
    """Shows what it takes, asks, and runs it. Disks of `inventory` that it measures alone are kept for the planner."""
    from raidtui.cli.bench_progress import run
    from raidtui.model.finding import refused

    _show_estimate(prepared, options)
    if refused(prepared.findings):
        raise Refused("not ready to measure; nothing was written", hint="each line above says what and the way out")
    if options.dry_run:
        return Exit.DONE
    _ask(options, prepared.bench)
    folder = _folder(options, prepared.bench)
    try:
        return run(prepared.begin, prepared.bench, folder, options)
    finally:
        if inventory is not None and not prepared.bench.simulated:
            _keep_speeds(folder, inventory)


def _keep_speeds(folder: Path, inventory: Callable[[], Inventory]) -> None:
    """What was measured of single disks, for the planner from now on; a benchmark is none the worse if that fails."""
    from raidtui.cli.bench_progress import narrate
    from raidtui.machine.bench import store
    from raidtui.machine.bench.save_speeds import keep_speeds
    from raidtui.machine.state_paths import speeds_path

    try:
        result = store.load(folder)
        alone = {task.number for task in result.bench.tasks if task.target.kind == "disk"}
        if alone & {figure.task for figure in result.figures}:
            kept = keep_speeds(result, inventory(), speeds_path())
            narrate(f"the planner reckons with the measured speed of {len(kept)} disks from now on")
    except RaidtuiError as problem:
        narrate(f"speeds of disks were not kept: {problem}")


def _check(options: argparse.Namespace) -> None:
    if options.seconds is not None and not 1 <= options.seconds <= 86400:
        raise BadInput(f"--seconds {options.seconds:g} is out of range", hint="write 1 to 86400")
    if options.repeats is not None and not 1 <= options.repeats <= 100:
        raise BadInput(f"--repeats {options.repeats} is out of range", hint="write 1 to 100")
    if not 0 <= options.speed_up <= 1e6:
        raise BadInput(f"--speed-up {options.speed_up:g} is out of range", hint="write 1 to 1000000, 0: at once")


def _prepared(options: argparse.Namespace, inventory: Callable[[], Inventory], profile: Profile, ask: Ask) -> Prepared:
    """What the target means: a simulated plan or layout, a plan or run of this machine, a directory."""
    from pathlib import Path

    from raidtui.cli.bench_progress import narrate
    from raidtui.machine.bench import prepare, store
    from raidtui.machine.bench.targets import place_of, places_of_plan

    named = options.inventory is not None or options.disks is not None
    plan = _plan(options.target)
    if plan is None and named:
        return _layout(options, inventory(), profile, ask)
    if plan is not None and plan.simulated:
        return _simulated_plan(options, plan, inventory() if named else None, profile, ask)
    if named:
        raise BadInput("a real target is measured on this machine", hint="leave out --inventory and --disks")
    places = places_of_plan(plan) if plan is not None else (place_of(Path(options.target)),)
    if not options.dry_run:
        for left in prepare.sweep([place.path for place in places], store.root()):
            narrate(f"removed what a killed benchmark left: {left}")
    return prepare.prepare(places, inventory(), profile, ask, plan=plan, during_sync=options.during_sync)


def _plan(target: str) -> Plan | None:
    """The plan in a file or of a run; None when the target is neither."""
    from pathlib import Path

    from raidtui.machine.input_files import is_directory

    if is_directory(target):
        return None
    if target.endswith(".json"):
        from raidtui.machine.run.plan_files import read_plan

        return read_plan(Path(target))
    if len(target) >= 4 and set(target) <= set("0123456789abcdef"):
        from raidtui.machine.run.run_folders import find, load
        from raidtui.machine.run.site import REAL_ROOT, simulated_root

        return load(find((REAL_ROOT, simulated_root()), target)).plan
    return None


def _simulated_plan(
    options: argparse.Namespace, plan: Plan, named: Inventory | None, profile: Profile, ask: Ask
) -> Prepared:
    from raidtui.machine.bench.prepare import prepare_simulated
    from raidtui.machine.run.site import site_for
    from raidtui.model.assumptions import defaults_for
    from raidtui.planner.design.assess import assessed

    inventory = site_for(plan, named).inventory()
    by_id = {disk.id: disk for disk in inventory.disks}
    disks = tuple(by_id[name] for name in plan.prediction.disks)
    found = assessed(plan.design, disks, plan.prediction, inventory, defaults_for(disks), spread=False)
    mount_point = plan.filesystems[0].mount_point if plan.filesystems else f"/srv/{plan.name}"
    return prepare_simulated(
        inventory, plan.design, disks, found, profile, ask, mount_point=mount_point, name=plan.name,
        plan_digest=plan.digest, speed_up=options.speed_up,
    )  # fmt: skip


def _layout(options: argparse.Namespace, inventory: Inventory, profile: Profile, ask: Ask) -> Prepared:
    from raidtui.machine.bench.prepare import prepare_simulated
    from raidtui.model.assumptions import defaults_for
    from raidtui.model.design import DEFAULT_CHUNK, Design
    from raidtui.model.finding import refused
    from raidtui.model.notation import parse
    from raidtui.model.units import parse_binary_size
    from raidtui.planner.design.assess import assessed
    from raidtui.planner.design.choose_disks import choose
    from raidtui.planner.design.predict import predict

    if not inventory.simulated:
        raise BadInput("a layout is only measured on simulated disks", hint="name the directory it is mounted at")
    try:
        chunk = parse_binary_size(options.chunk) if options.chunk else DEFAULT_CHUNK
    except ValueError as problem:
        raise BadInput(f"--chunk: {problem}", hint="write for example 256K") from problem
    design = Design(layout=parse(options.target), chunk_bytes=chunk)
    disks = choose(inventory)
    prediction = predict(design, disks)
    if refused(prediction.findings):
        first = next(finding for finding in prediction.findings if finding.severity == "error")
        raise Refused(first.message, hint=first.way_out)
    prediction = assessed(design, disks, prediction, inventory, defaults_for(disks), spread=False)
    return prepare_simulated(inventory, design, disks, prediction, profile, ask, speed_up=options.speed_up)


def _folder(options: argparse.Namespace, bench: Bench) -> Path:
    from pathlib import Path

    from raidtui.machine.bench import store

    if options.out is not None:
        return store.create_at(Path(options.out), bench)
    return store.create(store.simulated_root() if bench.simulated else store.root(), bench)


def _resume(options: argparse.Namespace) -> int:
    from pathlib import Path

    from raidtui.cli.bench_progress import narrate, run
    from raidtui.machine.bench import prepare, store
    from raidtui.machine.run.run_folders import is_alive
    from raidtui.model.errors import Locked

    folder = store.find(store.root(), options.resume)
    result = store.load(folder)
    if is_alive(folder):
        raise Locked(f"benchmark {result.bench.id[:8]} is at work", hint="stop it first")
    if result.outcome == "finished":
        raise Refused(f"benchmark {result.bench.id[:8]} is finished", hint="start a new one")
    if result.bench.simulated:
        raise Refused("a simulated benchmark is not resumed", hint="start it anew; it takes no time")
    if "hosts" in result.bench.conditions:
        raise Refused("a benchmark of several hosts is not resumed", hint="start it anew")
    prepare.check_names(result)
    places = {Path(task.target.paths[0]) for task in result.bench.tasks if task.target.kind == "files"}
    for left in prepare.sweep(sorted(places), store.root()):
        narrate(f"removed what it left: {left}")
    _ask(options, result.bench)
    return run(
        lambda where: prepare.begin(result.bench, where, during_sync=options.during_sync), result.bench, folder,
        options,
    )  # fmt: skip


def _list(options: argparse.Namespace) -> int:
    import json

    from raidtui.cli.bench_progress import narrate
    from raidtui.machine.bench import profiles, store
    from raidtui.model.codec import plain
    from raidtui.planner.text.bench import benches_table, profiles_table

    shipped = [profiles.load(name) for name in profiles.names()]
    kept = []
    for where in (store.root(), store.simulated_root()):
        for folder in store.folders(where):
            try:
                kept.append(store.load(folder))
            except RaidtuiError as problem:
                narrate(f"not read: {problem}")
    if options.json:
        benches = [
            {"id": each.bench.id, "started": each.bench.started, "host": each.bench.host, "outcome": each.outcome,
             "profile": each.bench.profile, "simulated": each.bench.simulated, "figures": len(each.figures)}
            for each in kept
        ]  # fmt: skip
        print(json.dumps({"profiles": plain(shipped), "benches": benches}, indent=2))
    else:
        print("\n".join([*profiles_table(shipped), *([""] if kept else []), *benches_table(kept)]))
    return Exit.DONE


def _show_estimate(prepared: Prepared, options: argparse.Namespace) -> None:
    import json

    from raidtui.cli.bench_progress import show
    from raidtui.model.codec import plain
    from raidtui.planner.text.bench import command_line, estimate_lines
    from raidtui.planner.text.summary import findings_lines

    bench = prepared.bench
    commands = _commands(bench, precondition=options.precondition) if options.dry_run else []
    if options.json:
        if options.dry_run or any(finding.severity == "error" for finding in prepared.findings):
            document = {"bench": plain(bench), "seconds": prepared.seconds, "bytes_used": prepared.bytes_used}
            document |= {"findings": plain(prepared.findings), "simulated": bench.simulated, "commands": commands}
            print(json.dumps(document))
        return
    lines = estimate_lines(bench, prepared.seconds, prepared.bytes_used)
    lines += [f"  {command_line(command['argv'], command['folder'])}" for command in commands]
    show(lines, bench)
    show(_worth(findings_lines, prepared.findings), bench, to=sys.stderr)


def _worth(lines: Callable[[tuple[Finding, ...]], list[str]], findings: tuple[Finding, ...]) -> list[str]:
    return [line for line in lines(findings) if line]


def _commands(bench: Bench, *, precondition: bool) -> list[dict[str, Any]]:
    """Every command that would be started, once for each task, with the directory it is started in."""
    if bench.simulated:
        return []
    from raidtui.machine.bench import small_files
    from raidtui.machine.bench.child_process import PYTHON
    from raidtui.machine.bench.fio_load import filling, measuring
    from raidtui.machine.bench.scratch_dir import PREFIX
    from raidtui.planner.measurement.bench_plan import layout_of, needs_fill

    found: list[dict[str, Any]] = []
    laid: tuple[object, ...] = ()
    for task in bench.tasks:
        folder = f"{task.target.paths[0].rstrip('/')}/{PREFIX}{bench.id}" if task.target.kind == "files" else ""
        job = task.job
        shape = (folder, *layout_of(job)) if needs_fill(job) else ()
        if shape and shape != laid:
            fill = filling(task, 2 if precondition else 1)
            found.append({"task": task.number, "folder": folder, "argv": list(fill.argv())})
        argv = list(measuring(task, 1).argv()) if job.pattern != "small-files" else [
            *PYTHON, small_files.__file__, str(job.files), str(job.block_bytes), str(job.streams), "tree-1", "1",
        ]  # fmt: skip
        found.append({"task": task.number, "folder": folder, "argv": argv})
        laid = shape if folder else laid
    return found


def _ask(options: argparse.Namespace, bench: Bench) -> None:
    """Returns when it may start. Nothing stands for the answer but `--yes`; simulated ones need none."""
    if options.yes or bench.simulated:
        return
    if not sys.stdin.isatty():
        raise Refused("there is no terminal to ask on; nothing was written", hint="say --yes")
    print("Start? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Refused("not started; nothing was written", hint="answer y, or say --yes")
