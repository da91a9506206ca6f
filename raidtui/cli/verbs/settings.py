"""`raidtui tune RUN --settings`: measures md's settings on a built array; every value is restored unless --keep."""

from __future__ import annotations

import argparse

from raidtui.cli.confirm import ask_to_start
from raidtui.cli.inputs import check_times
from raidtui.cli.output import narrate
from raidtui.cli.tune_progress import exit_code, follow, show_result
from raidtui.machine.bench import profiles
from raidtui.machine.run.launch import launch
from raidtui.machine.run.run_folders import Begun, find, load
from raidtui.machine.run.site import site_of_run
from raidtui.machine.system.state_paths import run_roots
from raidtui.machine.trials import measure, settings_sweep
from raidtui.model.errors import BadInput, Exit, Refused
from raidtui.model.plan import Plan
from raidtui.model.tune import SETTINGS
from raidtui.planner.measurement.settings_values import available_settings
from raidtui.planner.text.tune import settings_lines


def sweep(options: argparse.Namespace) -> int:
    """Asks, starts the executor of the sweep and follows it."""
    check_times(options)
    begun = load(find(run_roots(), options.layout))
    plan = begun.plan
    _require_finished_build(begun)
    asked = _asked(options.settings)
    profile = measure.files_only(profiles.load(options.profile))
    swept = available_settings(plan, asked)
    if not swept:
        raise Refused(
            "these arrays have none of the settings", hint="stripe cache and threads exist for RAID4, 5 and 6 only"
        )
    site = site_of_run(begun.folder, simulated=plan.simulated)
    settings_sweep.check_ready(plan, site.reader())
    _announce(plan, swept)
    if options.dry_run:
        return Exit.DONE
    if not options.yes and not plan.simulated:
        ask_to_start("nothing was changed")
    ask = settings_sweep.SettingsAsk(
        run_id=plan.run_id, settings=swept, keep=options.keep, seconds=options.seconds, repeats=options.repeats
    )
    folder = settings_sweep.create(begun.folder, ask, plan, profile.name)
    measure.kept_profile(folder, profile)
    launched = launch(folder, "settings", plan.digest, simulated=plan.simulated, speed_up=options.speed_up)
    narrate(f"{folder.name}: {launched.how}", simulated=plan.simulated)
    if options.detach:
        return Exit.DONE
    follow(folder, launched)
    result = settings_sweep.load(folder)
    show_result(result, settings_lines(result), simulated=plan.simulated, as_json=options.json)
    return exit_code(result.outcome)


def _require_finished_build(begun: Begun) -> None:
    plan = begun.plan
    if plan.design.trial is not None or begun.run.outcome != "finished" or begun.run.purpose == "undo":
        raise Refused(
            f"run {plan.run_id[:8]} is not a finished build", hint="raidtui status lists all runs and their results"
        )


def _asked(text: str) -> tuple[str, ...]:
    """The settings that --settings names; all of them when it names none."""
    asked = tuple(word.strip() for word in text.split(",") if word.strip()) or SETTINGS
    if wrong := [word for word in asked if word not in SETTINGS]:
        raise BadInput(f"--settings: unknown setting '{wrong[0]}'", hint=f"write some of {','.join(SETTINGS)}")
    return asked


def _announce(plan: Plan, swept: tuple[str, ...]) -> None:
    names = ", ".join(swept)
    narrate(
        f"measuring {names} on run {plan.run_id[:8]}; the previous values are restored afterwards",
        simulated=plan.simulated,
    )
    narrate(f"test files on {plan.filesystems[0].mount_point} are removed afterwards", simulated=plan.simulated)
