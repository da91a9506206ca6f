"""`raidtui drill`: a member of a new array is failed on purpose, the rebuild is measured, the member restored."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from raidtui.cli.confirm import confirm_word
from raidtui.cli.output import label, narrate, show
from raidtui.cli.preflight import refuse_locked
from raidtui.cli.runs import run_folder
from raidtui.machine.bench import profiles
from raidtui.machine.run import requests
from raidtui.machine.run.journal import records
from raidtui.machine.run.launch import Launched, launch
from raidtui.machine.run.run_folders import follow, load
from raidtui.machine.run.site import site_of_run
from raidtui.machine.trials import drill as drills
from raidtui.machine.trials import measure
from raidtui.model.codec import to_json
from raidtui.model.drill import DrillAsk
from raidtui.model.errors import BadInput, Exit, MachineFailed, Refused
from raidtui.model.plan import Plan
from raidtui.planner.text.drill import drill_page, record_lines, result_lines


def drill(options: argparse.Namespace) -> int:
    """Starts a drill, or continues the interrupted one."""
    begun = load(run_folder(options.run))
    plan = begun.plan
    if begun.run.outcome != "finished" or begun.run.purpose not in ("build", "resume"):
        raise Refused(
            f"run {plan.run_id[:8]} is not a finished build", hint="raidtui status lists all runs and their results"
        )
    site = site_of_run(begun.folder, plan)
    folder = drills.open_drill(begun.folder, options.array)
    profile = measure.files_only(profiles.load(options.profile)) if options.profile else None
    ask = _asked(options, plan, profile.name if profile else "") if folder is None else drills.load(folder).ask
    if folder is None:
        drills.check_ready(plan, ask, site, site.reader())
    refuse_locked(site)
    out = sys.stderr if options.json else sys.stdout
    show(drill_page(ask, plan, going_on=folder is not None), out, simulated=plan.simulated)
    confirm_word(plan, options, word="drill")
    if folder is None:
        folder = drills.create(begun.folder, ask, site.reader())
        if profile is not None:
            measure.kept_profile(folder, profile)
    requests.write(folder, requests.ControlRequest())
    launched = launch(folder, "drill", plan.digest, simulated=plan.simulated, speed_up=options.speed_up)
    narrate(f"{folder.name} of run {plan.run_id[:8]}: {launched.how}", simulated=plan.simulated)
    return Exit.DONE if options.detach else _follow(folder, plan, launched, options)


def _asked(options: argparse.Namespace, plan: Plan, profile: str) -> DrillAsk:
    if options.with_data is not None and options.with_data != drills.WITH_DATA:
        raise BadInput("--with-data does not have the required words", hint=f"--with-data '{drills.WITH_DATA}'")
    if profile and not plan.filesystems:
        raise BadInput("the plan has no file system to measure", hint="remove --profile")
    return drills.ask_for(
        plan, options.array, restore=not options.stay_swapped, with_data=options.with_data is not None,
        profile=profile, seconds=options.seconds,
    )  # fmt: skip


def _follow(folder: Path, plan: Plan, launched: Launched, options: argparse.Namespace) -> int:
    """Prints records until the executor has ended, then the result. Ctrl-C does not stop the drill."""
    before = records(folder)
    after = before[-1].sequence if before and before[-1].kind in ("stopped", "failed") else 0
    try:
        for batch in follow(folder, after=after, running=launched.running):
            for record in batch:
                if lines := record_lines(record):
                    show(lines, sys.stderr if options.json else sys.stdout, simulated=plan.simulated)
    except KeyboardInterrupt:
        print(f"\n{label(plan.simulated)}no longer following; the drill continues", file=sys.stderr)
        return Exit.INTERRUPTED
    result = drills.load(folder)
    if options.json:
        print(to_json(result))
    else:
        show(("", *result_lines(result)), sys.stdout, simulated=plan.simulated)
    if result.outcome == "interrupted":
        raise MachineFailed(
            "the executor of the drill ended unexpectedly", hint=f"its output is in {folder / 'executor'}"
        )
    return drills.exit_of(result)
