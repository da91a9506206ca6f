"""`raidtui tune`: which chunk and file system, tried on small arrays; md's settings on a built one."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from raidtui.cli.arguments_numbers import SPEED_UP, number
from raidtui.model.choices import BITMAPS, METADATA, STACKS
from raidtui.model.errors import BadInput, Exit, RaidtuiError, Refused

if TYPE_CHECKING:
    from pathlib import Path

    from raidtui.machine.run.launch import Launched
    from raidtui.machine.trials.measure import BenchMeasure
    from raidtui.model.choices import Initramfs
    from raidtui.model.design import Design
    from raidtui.model.inventory import Disk, Inventory
    from raidtui.model.plan import Plan
    from raidtui.model.tune import SettingsResult, TuneResult, Tuning
    from raidtui.planner.compile.trial_plans import Ask

    Chosen = Callable[[Inventory, argparse.Namespace, Design], tuple[Disk, ...]]

DEFAULT_PROFILE, DEFAULT_REPEATS = "quick", 3
_POLL_SECONDS = 0.3


def add_verb(verbs: Any, add_disk_options: Callable[[argparse.ArgumentParser], None]) -> None:
    """Adds `tune` to the subparsers `verbs`."""
    tune = verbs.add_parser(
        "tune",
        help="try chunks and file systems on small arrays, measured and taken back; or settings on a built one",
        description="Before the decision: builds the layout with every chunk and file system on a slice of the disks, "
        "measures your workloads on it, takes it back, proves the disks zero at both ends, and goes on to the next. "
        "With --settings: sweeps stripe cache, read-ahead and parity threads of a built array; then all is as before.",
    )
    tune.add_argument("layout", metavar="LAYOUT|RUN", nargs="?", help="a layout; with --settings a finished run")
    tune.add_argument("--chunks", metavar="A..B|LIST", default="64K..1M", help="4K..1M, or 64K,256K (default 64K..1M)")
    tune.add_argument("--fs", metavar="LIST", default="xfs", help="file systems: xfs, ext4, or both: xfs,ext4")
    tune.add_argument("--slice", metavar="SIZE", default="2G", help="used of each disk, from its start (default 2G)")
    tune.add_argument(
        "--first-sync", action="store_true", help="wait for the first sync of each instead of leaving it out"
    )
    tune.add_argument(
        "--settings", metavar="LIST", nargs="?", const="", help="stripe_cache_size,read_ahead_kb,group_thread_cnt"
    )
    tune.add_argument("--keep", action="store_true", help="with --settings: the best stays, by a udev rule")
    tune.add_argument("--profile", metavar="NAME|FILE", default=DEFAULT_PROFILE, help="workloads (default: quick)")
    tune.add_argument(
        "--seconds", metavar="S", type=float, help="of each measurement; under 30 they are labelled short"
    )
    tune.add_argument("--repeats", metavar="N", type=int, default=DEFAULT_REPEATS, help="of each (default 3)")
    tune.add_argument("--stack", choices=STACKS, default="lvm", help="how several arrays become one volume")
    tune.add_argument("--metadata", choices=METADATA, default="1.2", help="md superblock version")
    tune.add_argument("--bitmap", choices=BITMAPS, default="auto", help="write-intent bitmap")
    tune.add_argument("--spread", action="store_true", help="spread members over enclosures, controllers, expanders")
    tune.add_argument("--only", metavar="DISK", action="append", help="take only these disks")
    tune.add_argument("--exclude", metavar="DISK", action="append", help="leave these disks out")
    tune.add_argument("--dry-run", action="store_true", help="what would be done, with its digest; writes nothing")
    tune.add_argument("--attach", metavar="ID", help="follow a tuning that was begun, or see what it came to")
    tune.add_argument("--list", action="store_true", help="the tunings of this machine")
    group = tune.add_argument_group("confirmation without a terminal")
    group.add_argument("--yes", action="store_true", help="confirmed; for trials it counts only with --confirm")
    group.add_argument("--confirm", metavar="DIGEST", help="the digest that --dry-run shows; it counts once")
    group.add_argument("--accept-content", metavar="KIND|SERIAL", action="append", help="give up what is on this disk")
    tune.add_argument("--json", action="store_true", help="the result as JSON")
    tune.add_argument("--detach", action="store_true", help="start it and do not follow")
    tune.add_argument("--speed-up", metavar="N", type=number(*SPEED_UP), default=600.0, help="simulated: times as fast")
    add_disk_options(tune)
    tune.set_defaults(verb="tune")


def tune(
    options: argparse.Namespace,
    inventory: Callable[[], Inventory],
    chosen: Chosen,
    initramfs: Callable[[Inventory], Initramfs],
) -> int:
    """Tries, sweeps, lists or follows. `inventory`: the disks that were named, else this machine's."""
    if options.list:
        return _list(options)
    if options.attach is not None:
        from raidtui.cli.run import roots
        from raidtui.machine.trials.tuning import find

        return _follow(find(roots(), options.attach), None, options)
    if options.layout is None:
        raise BadInput("tune which layout?", hint="raidtui tune '4x(12+2)+4' --chunks 64K..1M")
    if options.settings is not None:
        return _settings(options)
    if options.keep:
        raise BadInput("--keep goes with --settings", hint="a trial keeps nothing; build the chunk you choose")
    return _trials(options, inventory(), chosen, initramfs)


def execute(folder: Path, what: str, digest: str, *, simulated: bool, speed_up: float) -> int:
    """The process that carries out a tuning or a sweep; the verb starts it with the digest that was confirmed."""
    carried = _execute_settings if what == "settings" else _execute_trials
    return carried(folder, digest, simulated, speed_up)


# Trials.


def _trials(
    options: argparse.Namespace, inventory: Inventory, chosen: Chosen, initramfs: Callable[[Inventory], Initramfs]
) -> int:
    from raidtui.machine.bench import profiles
    from raidtui.machine.run.site import site_for
    from raidtui.machine.trials import measure as tune_measure
    from raidtui.planner.compile.trial_plans import NAME, seconds_of, tuning

    _check_times(options)
    profile = tune_measure.files_only(profiles.load(options.profile))
    ask = _asked(options, profile.name)
    disks = chosen(inventory, options, ask.design)
    family = initramfs(inventory)
    count = 0
    while True:  # as often as this was tried here before: a digest is confirmed once
        made, plans = tuning(ask, inventory, disks, host=inventory.name, before=count, initramfs=family)
        site = site_for(plans[0], inventory if plans[0].simulated else None)
        if not _there(site.root / "tunings" / made.id):
            break
        count += 1
    if options.dry_run:
        _show_dry(made, plans, seconds_of(profile, ask), options)
        return Exit.DONE
    from raidtui.cli.confirm import confirm, show
    from raidtui.cli.run import refuse_unready

    refuse_unready(plans[0], site, options)
    from dataclasses import replace

    from raidtui.planner.text.tune import tuning_lines

    out = sys.stderr if options.json else sys.stdout
    show((*tuning_lines(made, seconds_of(profile, ask)), ""), plans[0], out)
    confirm(replace(plans[0], digest=made.digest), options)
    from raidtui.machine.run.launch import launch
    from raidtui.machine.trials import tuning as carried

    folder = carried.create(site.root, made, plans, site)
    tune_measure.kept_profile(folder, profile)
    launched = launch(folder, "tune", made.digest, simulated=made.simulated, speed_up=options.speed_up)
    print(f"{_label(made.simulated)}raidtui: tuning {made.id[:8]} of '{NAME}' arrays: {launched.said}", file=sys.stderr)
    return Exit.DONE if options.detach else _follow(folder, launched, options)


def _there(folder: Path) -> bool:
    try:
        return folder.exists()
    except OSError:  # root's, and this is somebody else looking
        return False


def _asked(options: argparse.Namespace, profile: str) -> Ask:
    from raidtui.model.design import Design
    from raidtui.model.notation import parse
    from raidtui.planner.compile.trial_plans import Ask

    file_systems = tuple(word.strip() for word in options.fs.split(","))
    for word in file_systems:
        if word not in ("xfs", "ext4"):
            raise BadInput(f"--fs: '{word}' cannot be tried", hint="write xfs, ext4, or xfs,ext4")
    return Ask(
        design=Design(
            layout=parse(options.layout), metadata=options.metadata, bitmap=options.bitmap, stack=options.stack
        ),
        chunks=_chunks(options.chunks),
        file_systems=file_systems,
        slice_bytes=_size("--slice", options.slice),
        first_sync=options.first_sync,
        profile=profile,
        seconds=options.seconds,
        repeats=options.repeats,
    )


def _chunks(text: str) -> tuple[int, ...]:
    from raidtui.planner.compile.trial_plans import chunk_range

    least, dots, most = text.partition("..")
    if dots:
        return chunk_range(_size("--chunks", least), _size("--chunks", most))
    return tuple(_size("--chunks", word) for word in text.split(","))


def _size(option: str, text: str) -> int:
    from raidtui.model.units import parse_binary_size

    try:
        return parse_binary_size(text.strip())
    except ValueError as problem:
        raise BadInput(f"{option}: {problem}", hint="write for example --chunks 64K..1M --slice 2G") from problem


def _check_times(options: argparse.Namespace) -> None:
    if options.seconds is not None and not 1 <= options.seconds <= 86400:
        raise BadInput(f"--seconds {options.seconds:g} is out of range", hint="write 1 to 86400")
    if options.repeats is not None and not 1 <= options.repeats <= 100:
        raise BadInput(f"--repeats {options.repeats} is out of range", hint="write 1 to 100")


def _show_dry(made: Tuning, plans: Sequence[Plan], seconds: float, options: argparse.Namespace) -> None:
    from raidtui.cli.confirm import show
    from raidtui.model.codec import plain
    from raidtui.model.plan import Command
    from raidtui.planner.text.run import command_text
    from raidtui.planner.text.tune import tuning_lines

    commands = [[command for step in plan.steps for command in step.commands] for plan in plans]
    if options.json:
        argvs = [[command.argv for command in each] for each in commands]
        print(json.dumps({"tuning": plain(made), "seconds": seconds, "commands": plain(argvs)}, indent=2))
        return
    lines = [*tuning_lines(made, seconds)[:-1], "All commands of the first trial; those of the others that differ:"]
    seen: set[Command] = set()
    for variant, own in zip(made.variants, commands, strict=True):
        lines.append(f"-- {variant.number} {variant.name}")
        lines += [f"   $ {command_text(command.argv)}" for command in own if command not in seen]
        seen.update(own)
    show([*lines, "", f"Digest of the tuning: {made.digest}"], plans[0], sys.stdout)


def _execute_trials(folder: Path, digest: str, simulated: bool, speed_up: float) -> int:
    from raidtui.machine.trials import tuning as carried
    from raidtui.machine.trials.process import session

    made, _ = carried.read(folder, digest)
    if made.simulated != simulated:
        raise Refused("the tuning is not for this kind of machine", hint="raidtui tune begins it")
    measure = _measure(folder, made.seconds, made.repeats, simulated=simulated)
    root = folder.parent.parent
    with session(folder, root, simulated=simulated, stop=measure.stop) as held:
        result = carried.carry_out_tuning(
            folder, digest, held.lock, measure, carried.ProgressFile(folder), held.wish,
            speed_up=speed_up if simulated else None,
        )  # fmt: skip
    return _code(result.outcome)


def _measure(folder: Path, seconds: float | None, repeats: int | None, *, simulated: bool) -> BenchMeasure:
    """`folder` has the profile; the inventory is looked up anew for each measurement."""
    from raidtui.machine.trials.measure import BenchMeasure, profile_in

    def inventory() -> Inventory:
        if simulated:
            from raidtui.machine.input_files import MACHINE_FILE, read_own
            from raidtui.machine.run.site import MACHINE
            from raidtui.machine.simulated.machine import SimulatedMachine

            place = folder if (folder / MACHINE).exists() else folder.parent
            return SimulatedMachine.from_json(read_own(place / MACHINE, MACHINE_FILE).decode("utf-8")).inventory()
        from raidtui.machine.host import SystemHost
        from raidtui.machine.inventory.probe import probe

        return probe(SystemHost())

    return BenchMeasure(profile_in(folder), inventory, seconds=seconds, repeats=repeats)


def _follow(folder: Path, launched: Launched | None, options: argparse.Namespace) -> int:
    """Prints progress until the executor has ended, then the result. Ctrl-C: it stops, and takes back what it made."""
    from raidtui.machine.trials import tuning as carried
    from raidtui.planner.text.tune import result_lines

    _watch(folder, launched)
    result = carried.load(folder)
    _show_result(result, result_lines(result), result.tuning.simulated, options)
    return _code(result.outcome)


def _watch(folder: Path, launched: Launched | None) -> None:
    from dataclasses import replace

    from raidtui.machine.run import requests
    from raidtui.machine.run.run_folders import is_alive
    from raidtui.machine.trials import tuning as carried
    from raidtui.model.safe import safe

    shown, stopping = 0, False
    while True:
        try:
            busy = is_alive(folder) or (launched is not None and launched.running())
            lines = carried.progress_lines(folder, shown)
            shown += len(lines)
            for line in lines:
                number = f"trial {line.variant}: " if line.variant else ""
                print(
                    f"raidtui: {line.time[11:19]} {number}{safe(line.text, longest=400)}", file=sys.stderr, flush=True
                )
            if not busy and not lines:
                return
            time.sleep(0 if lines else _POLL_SECONDS)
        except KeyboardInterrupt:
            if stopping:
                raise
            stopping = True
            requests.write(folder, replace(requests.read(folder), stop=True))
            print("\nraidtui: it ends, and puts everything back first; Ctrl-C again leaves it alone", file=sys.stderr)


def _show_result(
    result: TuneResult | SettingsResult, lines: Sequence[str], simulated: bool, options: argparse.Namespace
) -> None:
    from raidtui.model.codec import to_json

    if options.json:
        print(to_json(result))
        return
    for line in lines:
        print(f"{_label(simulated)}{line}".rstrip(" "))


def _code(outcome: str) -> int:
    return {"finished": Exit.DONE, "stopped": Exit.INTERRUPTED}.get(outcome, Exit.MACHINE)


def _label(simulated: bool) -> str:
    return "SIMULATED  " if simulated else ""


def _list(options: argparse.Namespace) -> int:
    from raidtui.cli.run import roots
    from raidtui.machine.trials import tuning as carried
    from raidtui.model.codec import plain
    from raidtui.planner.text.summary import columns

    found = []
    for root in roots():
        for folder in carried.folders(root):
            try:
                found.append(carried.load(folder))
            except RaidtuiError as problem:
                print(f"raidtui: not read: {problem}", file=sys.stderr)
    if options.json:
        print(json.dumps({"tunings": plain(found)}, indent=2))
        return Exit.DONE
    rows = [("TUNING", "LAYOUT", "TRIALS", "MEASURED", "STATE", "HOST")]
    rows += [
        (
            each.tuning.id[:8], each.tuning.asked_layout, str(len(each.trials)),
            str(sum(trial.outcome == "measured" for trial in each.trials)), each.outcome,
            each.tuning.host + (" SIMULATED" if each.tuning.simulated else ""),
        )
        for each in found
    ]  # fmt: skip
    print("\n".join(columns(rows)) if found else "nothing was ever tuned here")
    return Exit.DONE


# Settings.


def _settings(options: argparse.Namespace) -> int:
    from raidtui.cli.run import roots
    from raidtui.machine.bench import profiles
    from raidtui.machine.run.launch import launch
    from raidtui.machine.run.run_folders import find, load
    from raidtui.machine.run.site import site_of_run
    from raidtui.machine.trials import measure as tune_measure
    from raidtui.machine.trials import settings_sweep
    from raidtui.model.tune import SETTINGS
    from raidtui.planner.measurement.settings_values import settings_of

    _check_times(options)
    begun = load(find(roots(), options.layout))
    plan = begun.plan
    if plan.design.trial is not None or begun.run.outcome != "finished" or begun.run.purpose == "undo":
        raise Refused(f"run {plan.run_id[:8]} is no finished build", hint="raidtui status shows what each run came to")
    asked = tuple(word.strip() for word in options.settings.split(",") if word.strip()) or SETTINGS
    if wrong := [word for word in asked if word not in SETTINGS]:
        raise BadInput(f"--settings: '{wrong[0]}' is none of them", hint=f"write some of {','.join(SETTINGS)}")
    profile = tune_measure.files_only(profiles.load(options.profile))
    swept = settings_of(plan, asked)
    if not swept:
        raise Refused("these arrays have none of the settings", hint="stripe cache and threads are of RAID4, 5 and 6")
    site = site_of_run(begun.folder, simulated=plan.simulated)
    settings_sweep.check_ready(plan, site.runner(-1))
    _say(plan.simulated, f"sweeps {', '.join(swept)} of run {plan.run_id[:8]}, every value is set as before afterwards")
    _say(plan.simulated, f"files are made on {plan.filesystems[0].mount_point} and removed again")
    if options.dry_run:
        return Exit.DONE
    if not options.yes and not plan.simulated:
        _ask()
    ask = settings_sweep.SettingsAsk(
        run_id=plan.run_id, settings=swept, keep=options.keep, seconds=options.seconds, repeats=options.repeats
    )
    folder = settings_sweep.create(begun.folder, ask, plan, profile.name)
    tune_measure.kept_profile(folder, profile)
    launched = launch(folder, "settings", plan.digest, simulated=plan.simulated, speed_up=options.speed_up)
    _say(plan.simulated, f"{folder.name}: {launched.said}")
    if options.detach:
        return Exit.DONE
    _watch(folder, launched)
    from raidtui.planner.text.tune import settings_lines

    result = settings_sweep.load(folder)
    _show_result(result, settings_lines(result), plan.simulated, options)
    return _code(result.outcome)


def _execute_settings(folder: Path, digest: str, simulated: bool, speed_up: float) -> int:
    from raidtui.machine.input_files import RUN_FILE, read_own
    from raidtui.machine.run.run_folders import confirmed_plan
    from raidtui.machine.run.site import site_of_run
    from raidtui.machine.trials import settings_sweep
    from raidtui.machine.trials.process import session
    from raidtui.machine.trials.tuning import ProgressFile
    from raidtui.model.codec import from_json

    run = folder.parent
    plan = confirmed_plan(run, digest)
    path = folder / "settings.json"
    ask = from_json(settings_sweep.SettingsAsk, read_own(path, RUN_FILE), source=str(path))
    measure = _measure(folder, ask.seconds, ask.repeats, simulated=simulated)
    with session(folder, run.parent, simulated=simulated, stop=measure.stop) as held:
        site = site_of_run(run, simulated=simulated, speed_up=speed_up)
        sweep = settings_sweep.Sweep(folder, plan, site.runner(held.lock), measure, ProgressFile(folder), held.wish)
        return _code(sweep.run().outcome)


def _ask() -> None:
    if not sys.stdin.isatty():
        raise Refused("there is no terminal to ask on; nothing was changed", hint="say --yes")
    print("Start? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Refused("not started; nothing was changed", hint="answer y, or say --yes")


def _say(simulated: bool, text: str) -> None:
    print(f"{_label(simulated)}raidtui: {text}", file=sys.stderr, flush=True)
