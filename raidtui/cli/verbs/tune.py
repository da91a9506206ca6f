"""`raidtui tune`: measures chunk sizes and file systems on small trial arrays."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from raidtui.cli.confirm import confirm
from raidtui.cli.inputs import chosen, decided
from raidtui.cli.inventory import load_inventory
from raidtui.cli.output import narrate, show
from raidtui.cli.preflight import refuse_unready
from raidtui.cli.tune_progress import exit_code, follow, show_result
from raidtui.machine.bench import profiles
from raidtui.machine.run.launch import Launched, launch
from raidtui.machine.run.work_folder import TUNINGS, readable
from raidtui.machine.system.state_paths import run_roots
from raidtui.machine.trials import measure
from raidtui.machine.trials import tuning as tunings
from raidtui.model.choices import MADE_FILE_SYSTEMS, MadeFileSystem
from raidtui.model.codec import to_json
from raidtui.model.decision import Decision
from raidtui.model.design import Design
from raidtui.model.errors import BadInput, Exit
from raidtui.model.inventory import Inventory
from raidtui.model.notation import parse
from raidtui.model.options.design import MEMBERS, SPREAD, STACK
from raidtui.model.plan import Command, Plan
from raidtui.model.previews import TuningList, TuningPreview
from raidtui.model.tune import Tuning
from raidtui.model.units import parse_binary_size
from raidtui.planner.compile.trial_plans import NAME, TrialRequest, chunk_range, seconds_of
from raidtui.planner.text.run import command_text
from raidtui.planner.text.summary import columns
from raidtui.planner.text.tune import result_lines, tuning_lines


def tune(options: argparse.Namespace) -> int:
    """Starts trials, lists tunings, or follows one."""
    if options.list:
        return _list(options)
    if options.attach is not None:
        return _follow(TUNINGS.find(tunings.roots(run_roots()), options.attach), None, options)
    if options.layout is None:
        raise BadInput("no layout", hint="raidtui tune '4x(12+2)+4' --chunks 64K..1M")
    return _trials(options, load_inventory(options))


def _trials(options: argparse.Namespace, inventory: Inventory) -> int:
    """Plans the trials, asks for confirmation, starts the executor and follows it."""
    ask = _asked(options)
    profile = measure.files_only(profiles.load(ask.profile))
    ask = replace(ask, profile=profile.name)
    made, plans, site = tunings.unused(ask, inventory, chosen(inventory, options, _tried(options)))
    seconds = seconds_of(profile, ask)
    if options.dry_run:
        _show_dry(made, plans, seconds, options)
        return Exit.DONE
    refuse_unready(plans[0], site, options)
    out = sys.stderr if options.json else sys.stdout
    show((*tuning_lines(made, seconds), ""), out, simulated=made.simulated)
    confirm(replace(plans[0], digest=made.digest), options)
    folder = tunings.create(made, plans, site)
    measure.kept_profile(folder, profile)
    launched = launch(folder, "tune", made.digest, simulated=made.simulated, speed_up=options.speed_up)
    narrate(f"tuning {made.id[:8]} of '{NAME}' arrays: {launched.how}", simulated=made.simulated)
    return Exit.DONE if options.detach else _follow(folder, launched, options)


def _asked(options: argparse.Namespace) -> TrialRequest:
    ask = TrialRequest(
        design=_tried(options).design, first_sync=options.first_sync, seconds=options.seconds,
        mkfs=_sets(options.mkfs), mount_options=_sets(options.mount_options),
    )  # fmt: skip
    return replace(
        ask,
        chunks=ask.chunks if options.chunks is None else _chunks(options.chunks),
        file_systems=ask.file_systems if options.fs is None else _file_systems(options.fs),
        slice_bytes=ask.slice_bytes if options.slice is None else _size("--slice", options.slice),
        profile=options.profile or ask.profile,
        repeats=ask.repeats if options.repeats is None else options.repeats,
    )


def _file_systems(text: str) -> tuple[MadeFileSystem, ...]:
    found: list[MadeFileSystem] = []
    for word in (part.strip() for part in text.split(",")):
        if word not in MADE_FILE_SYSTEMS:
            some, both = ", ".join(MADE_FILE_SYSTEMS), ",".join(MADE_FILE_SYSTEMS)
            raise BadInput(f"--fs: '{word}' cannot be tried", hint=f"write {some}, or {both}")
        found.append(word)
    return tuple(found)


def _tried(options: argparse.Namespace) -> Decision:
    """The layout, with what `tune` does not vary."""
    return decided(options, (*MEMBERS, STACK, SPREAD), Decision(design=Design(layout=parse(options.layout))))


def _sets(text: str | None) -> tuple[str, ...]:
    return tuple(words.strip() for words in (text or "").split(";"))


def _chunks(text: str) -> tuple[int, ...]:
    least, dots, most = text.partition("..")
    if dots:
        return chunk_range(_size("--chunks", least), _size("--chunks", most))
    return tuple(_size("--chunks", word) for word in text.split(","))


def _size(option: str, text: str) -> int:
    try:
        return parse_binary_size(text.strip())
    except ValueError as problem:
        raise BadInput(f"{option}: {problem}", hint="write for example --chunks 64K..1M --slice 2G") from problem


def _show_dry(made: Tuning, plans: Sequence[Plan], seconds: float, options: argparse.Namespace) -> None:
    """Prints what would be done: every command of the first trial, and those of the others that differ."""
    commands = [[command for step in plan.steps for command in step.commands] for plan in plans]
    if options.json:
        argvs = tuple(tuple(command.argv for command in each) for each in commands)
        print(to_json(TuningPreview(tuning=made, seconds=seconds, commands=argvs)))
        return
    lines = [*tuning_lines(made, seconds)[:-1], "All commands of the first trial; those of the others that differ:"]
    seen: set[Command] = set()
    for variant, own in zip(made.variants, commands, strict=True):
        lines.append(f"-- {variant.number} {variant.name}")
        lines += [f"   $ {command_text(command.argv)}" for command in own if command not in seen]
        seen.update(own)
    show([*lines, "", f"Digest of the tuning: {made.digest}"], sys.stdout, simulated=made.simulated)


def _follow(folder: Path, launched: Launched | None, options: argparse.Namespace) -> int:
    """Prints progress until the executor has ended, then the result."""
    follow(folder, launched)
    result = tunings.load(folder)
    show_result(result, result_lines(result), simulated=result.tuning.simulated, as_json=options.json)
    return exit_code(result.outcome)


def _list(options: argparse.Namespace) -> int:
    folders = TUNINGS.all_folders(tunings.roots(run_roots()), narrate)
    found = [result for _, result in readable(folders, tunings.load, narrate)]
    if options.json:
        print(to_json(TuningList(tunings=tuple(found))))
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
    print("\n".join(columns(rows)) if found else "no tunings found")
    return Exit.DONE
