"""`raidtui drill`: a member of a new array is failed on purpose, its rebuild measured, and everything put back."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from raidtui.cli.arguments_numbers import SPEED_UP, number, whole
from raidtui.model.errors import BadInput, Exit, MachineFailed, Refused
from raidtui.model.ranges import MOST_DISKS

if TYPE_CHECKING:
    from pathlib import Path

    from raidtui.machine.run.launch import Launched
    from raidtui.model.drill import DrillAsk
    from raidtui.model.inventory import Inventory
    from raidtui.model.plan import Plan


def add_verb(verbs: Any, add_disk_options: Callable[[argparse.ArgumentParser], None]) -> None:
    """Adds `drill` to the subparsers `verbs`. It is about a run, so no disks are named."""
    del add_disk_options
    drill = verbs.add_parser(
        "drill",
        help="fail a member of a new, empty array: watch the rebuild, compare it, put all back, check",
        description="Fails one member of an array that raidtui built, watches md rebuild it onto the spare, compares "
        "the rate with the prediction, puts the member back into its place and proves the array by a check. Can be "
        "interrupted at any moment: the same command goes on from what the machine shows.",
    )
    drill.add_argument("run", metavar="RUN", help="a finished run (raidtui status)")
    drill.add_argument(
        "--array", metavar="N", type=whole(0, MOST_DISKS), default=0, help="which array of the run, from 0 (default 0)"
    )
    drill.add_argument("--stay-swapped", action="store_true", help="the failed member stays in as the spare")
    drill.add_argument("--profile", metavar="NAME|FILE", help="workloads to run on the file system during the rebuild")
    drill.add_argument("--seconds", metavar="S", type=float, help="of each of them")
    drill.add_argument("--with-data", metavar="WORDS", help="drill although the array holds files; says which words")
    group = drill.add_argument_group("confirmation without a terminal")
    group.add_argument("--yes", action="store_true", help="confirmed; counts only with --confirm")
    group.add_argument("--confirm", metavar="DIGEST", help="the whole digest of the plan; counts only with --yes")
    drill.add_argument("--json", action="store_true", help="the result as JSON")
    drill.add_argument("--detach", action="store_true", help="start it and do not follow")
    drill.add_argument(
        "--speed-up", metavar="N", type=number(*SPEED_UP), default=600.0, help="simulated: times as fast"
    )
    drill.set_defaults(verb="drill")


def drill(options: argparse.Namespace) -> int:
    """Begins a drill, or goes on with the one that was interrupted."""
    from raidtui.cli.confirm import show
    from raidtui.cli.run import roots
    from raidtui.machine.bench import profiles
    from raidtui.machine.run import requests
    from raidtui.machine.run.launch import launch
    from raidtui.machine.run.run_folders import find, load
    from raidtui.machine.run.site import holder_of, site_of_run
    from raidtui.machine.trials import drill as drills
    from raidtui.machine.trials import measure as tune_measure
    from raidtui.model.errors import Locked
    from raidtui.planner.text.drill import page

    begun = load(find(roots(), options.run))
    plan = begun.plan
    if begun.run.outcome != "finished" or begun.run.purpose not in ("build", "resume"):
        raise Refused(f"run {plan.run_id[:8]} is no finished build", hint="raidtui status shows what each run came to")
    site = site_of_run(begun.folder, simulated=plan.simulated)
    folder = drills.open_drill(begun.folder, options.array)
    profile = tune_measure.files_only(profiles.load(options.profile)) if options.profile else None
    ask = _asked(options, plan, profile.name if profile else "") if folder is None else drills.load(folder).ask
    if folder is None:
        drills.check_ready(plan, ask, site, site.runner(-1))
    if holder := holder_of(site):
        raise Locked(f"another run holds the lock: {holder}", hint="raidtui status shows it; wait until it has ended")
    out = sys.stderr if options.json else sys.stdout
    show(page(ask, plan, going_on=folder is not None), plan, out)
    _confirm(plan, options)
    if folder is None:
        folder = drills.create(begun.folder, ask, simulated=plan.simulated)
        if profile is not None:
            tune_measure.kept_profile(folder, profile)
    requests.write(folder, requests.Wish())
    launched = launch(folder, "drill", plan.digest, simulated=plan.simulated, speed_up=options.speed_up)
    print(f"{_label(plan)}raidtui: {folder.name} of run {plan.run_id[:8]}: {launched.said}", file=sys.stderr)
    return Exit.DONE if options.detach else _follow(folder, plan, launched, options)


def execute(folder: Path, digest: str, *, simulated: bool, speed_up: float) -> int:
    """The process that carries out a drill; the verb starts it with the digest of the plan that was confirmed."""
    from raidtui.machine.run.run_folders import confirmed_plan
    from raidtui.machine.run.site import SimulatedSite, site_of_run
    from raidtui.machine.trials import drill as drills
    from raidtui.machine.trials.process import session

    run = folder.parent
    plan = confirmed_plan(run, digest)
    if plan.simulated != simulated:
        raise Refused("the drill is not for this kind of machine", hint="raidtui drill RUN begins it")
    measure = _measure(folder, run, simulated=simulated)
    stop = measure.stop if measure is not None else (lambda: None)
    with session(folder, run.parent, simulated=simulated, stop=stop) as held:
        site = site_of_run(run, simulated=simulated, speed_up=speed_up)
        clock = _clock(site.runner(held.lock)) if isinstance(site, SimulatedSite) else _monotonic()
        made = drills.Drill(folder, plan, site, held.lock, held.wish, clock=clock, measure=measure)
        return drills.exit_of(made.run())


def _asked(options: argparse.Namespace, plan: Plan, profile: str) -> DrillAsk:
    from raidtui.machine.trials.drill import WITH_DATA, ask_for

    if options.with_data is not None and options.with_data != WITH_DATA:
        raise BadInput("--with-data takes a sentence, to the letter", hint=f"--with-data '{WITH_DATA}'")
    if options.seconds is not None and not 1 <= options.seconds <= 86400:
        raise BadInput(f"--seconds {options.seconds:g} is out of range", hint="write 1 to 86400")
    if profile and not plan.filesystems:
        raise BadInput("the plan makes no file system to measure on", hint="leave --profile out")
    return ask_for(
        plan, options.array, restore=not options.stay_swapped, with_data=options.with_data is not None,
        profile=profile, seconds=options.seconds,
    )  # fmt: skip


def _confirm(plan: Plan, options: argparse.Namespace) -> None:
    from raidtui.cli.confirm import confirm_word

    confirm_word(plan, options, word="drill")


def _measure(folder: Path, run: Path, *, simulated: bool):  # type: ignore[no-untyped-def]
    if not (folder / "profile.json").exists():
        return None
    from raidtui.machine.run.site import site_of_run
    from raidtui.machine.trials.drill import load
    from raidtui.machine.trials.measure import BenchMeasure, profile_in

    def inventory() -> Inventory:
        return site_of_run(run, simulated=simulated).inventory()

    seconds = load(folder).ask.seconds
    return BenchMeasure(profile_in(folder), inventory, seconds=seconds, repeats=1, during_sync=True)


def _clock(machine: Any) -> Callable[[], float]:
    return lambda: float(machine.now)


def _monotonic() -> Callable[[], float]:
    import time

    return time.monotonic


def _follow(folder: Path, plan: Plan, launched: Launched, options: argparse.Namespace) -> int:
    """Prints records until the executor has ended, then the result. Ctrl-C leaves the drill alone."""
    from raidtui.cli.confirm import show
    from raidtui.machine.run.journal import records
    from raidtui.machine.run.run_folders import follow
    from raidtui.machine.trials import drill as drills
    from raidtui.model.codec import to_json
    from raidtui.planner.text.drill import record_lines, result_lines

    before = records(folder)
    after = before[-1].sequence if before and before[-1].kind in ("stopped", "failed") else 0
    try:
        for batch in follow(folder, after=after, running=launched.running):
            for record in batch:
                if lines := record_lines(record):
                    show(lines, plan, sys.stderr if options.json else sys.stdout)
    except KeyboardInterrupt:
        print(f"\n{_label(plan)}left; the drill goes on by itself", file=sys.stderr)
        return Exit.INTERRUPTED
    result = drills.load(folder)
    if options.json:
        print(to_json(result))
    else:
        show(("", *result_lines(result)), plan, sys.stdout)
    if result.outcome == "interrupted":
        raise MachineFailed("the executor of the drill is gone", hint=f"what it said is in {folder / 'executor'}")
    return drills.exit_of(result)


def _label(plan: Plan) -> str:
    from raidtui.cli.confirm import label

    return label(plan)
