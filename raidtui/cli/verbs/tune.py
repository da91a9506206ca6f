"""`raidtui tune`: measures chunk sizes and file systems on small trial arrays."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TextIO

from raidtui.answers.run import command_text
from raidtui.answers.trials import drill_blocks, drill_page, record_lines, tune_blocks, tuning_blocks
from raidtui.bench import drill as drills
from raidtui.bench import prepare, trials, tuning
from raidtui.cli.confirm import confirm, confirm_word, refuse_locked, refuse_unready
from raidtui.cli.follow import follow
from raidtui.cli.inputs import chosen, decided, load_inventory, run_folder
from raidtui.cli.output import narrate, show, show_blocks
from raidtui.engine.folders import TUNINGS
from raidtui.engine.journal import records
from raidtui.engine.process import Launched, launch
from raidtui.engine.runs import JournalReader, load
from raidtui.engine.site import site_of_run
from raidtui.machine.system.places import run_roots
from raidtui.session.jobs import begin_job
from raidtui.steps.trials import NAME, TrialRequest, chunk_range, seconds_of
from raidtui.values.blocks import Block
from raidtui.values.choices import MADE_FILE_SYSTEMS, MadeFileSystem
from raidtui.values.codec import to_json
from raidtui.values.decision import Decision
from raidtui.values.design import Design
from raidtui.values.errors import BadInput, Exit, MachineFailed, Refused
from raidtui.values.inventory import Inventory
from raidtui.values.notation import parse
from raidtui.values.options import MEMBERS, SPREAD, STACK
from raidtui.values.plan import Command, Plan
from raidtui.values.printed import TuningPreview
from raidtui.values.run import Record
from raidtui.values.trials import DrillAsk, DrillResult, TuneResult, Tuning
from raidtui.values.units import parse_binary_size


def tune(options: argparse.Namespace) -> int:
    """Starts trials, or follows some."""
    if options.attach is not None:
        return _follow(TUNINGS.find(tuning.roots(run_roots()), options.attach), None, options)
    if options.layout is None:
        raise BadInput("no layout", hint="raidtui tune '4x(12+2)+4' --chunks 64K..1M")
    return _trials(options, load_inventory(options))


def _trials(options: argparse.Namespace, inventory: Inventory) -> int:
    """Plans the trials, asks for confirmation, starts the executor and follows it."""
    ask = _asked(options)
    profile = trials.files_only(prepare.load(ask.profile))
    ask = replace(ask, profile=profile.name)
    made, plans, site = tuning.unused(ask, inventory, chosen(inventory, options, _tried(options)))
    seconds = seconds_of(profile, ask)
    if options.dry_run:
        _show_dry(made, plans, seconds, options)
        return Exit.DONE
    refuse_unready(plans[0], site, options)
    out = sys.stderr if options.json else sys.stdout
    show_blocks(tuning_blocks(made, seconds), simulated=made.simulated, out=out)
    show([""], out, simulated=made.simulated)
    confirm(replace(plans[0], digest=made.digest), options)
    create = partial(tuning.create, made, plans, site, profile)
    folder, launched = begin_job(
        create, "tune", made.digest, launch, free=site, simulated=site.simulated, speed_up=options.speed_up
    )
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
    lines = ["", "All commands of the first trial; those of the others that differ:"]
    seen: set[Command] = set()
    for variant, own in zip(made.variants, commands, strict=True):
        lines.append(f"-- {variant.number} {variant.name}")
        lines += [f"   $ {command_text(command.argv)}" for command in own if command not in seen]
        seen.update(own)
    show_blocks(tuning_blocks(made, seconds), simulated=made.simulated)
    show([*lines, "", f"Digest of the tuning: {made.digest}"], sys.stdout, simulated=made.simulated)


def _follow(folder: Path, launched: Launched | None, options: argparse.Namespace) -> int:
    """Prints records until the executor has ended, then the result. Ctrl-C does not stop the trials."""
    short, simulated = folder.name[:8], tuning.load(folder).tuning.simulated
    again = f"raidtui tune --attach {short} follows it again, raidtui control {short} stop stops it"
    follow(folder, launched, JournalReader(folder).new, lambda record: _print(record, simulated, sys.stderr),
           what="tuning", again=again, simulated=simulated)  # fmt: skip
    result = tuning.load(folder)
    _show_result(result, tune_blocks(result), options, simulated=simulated)
    return trials.exit_of(result.outcome)


def _print(record: Record, simulated: bool, out: TextIO) -> None:
    if lines := record_lines(record):
        show(lines, out, simulated=simulated)


def _show_result(
    result: TuneResult | DrillResult, blocks: Sequence[Block], options: argparse.Namespace, *, simulated: bool
) -> None:
    if options.json:
        print(to_json(result))
    else:
        show_blocks(blocks, simulated=simulated)


# `raidtui drill`: a member of a new array is failed on purpose, the rebuild is measured, the member restored.


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
    profile = trials.files_only(prepare.load(options.profile)) if options.profile else None
    ask = _drill_asked(options, plan, profile.name if profile else "") if folder is None else drills.load(folder).ask
    if folder is None:
        drills.check_ready(plan, ask, site, site.reader())
    refuse_locked(site)
    out = sys.stderr if options.json else sys.stdout
    show_blocks(drill_page(ask, plan, going_on=folder is not None), simulated=plan.simulated, out=out)
    confirm_word(plan, options, word="drill")
    create = partial(drills.create, begun.folder, ask, site.reader(), profile)
    made = create if folder is None else partial(Path, folder)
    folder, launched = begin_job(
        made, "drill", plan.digest, launch, free=site, simulated=site.simulated, speed_up=options.speed_up
    )
    narrate(f"{folder.name} of run {plan.run_id[:8]}: {launched.how}", simulated=plan.simulated)
    return Exit.DONE if options.detach else _drill_follow(folder, plan, launched, options)


def _drill_asked(options: argparse.Namespace, plan: Plan, profile: str) -> DrillAsk:
    if options.with_data is not None and options.with_data != drills.WITH_DATA:
        raise BadInput("--with-data does not have the required words", hint=f"--with-data '{drills.WITH_DATA}'")
    if profile and not plan.filesystems:
        raise BadInput("the plan has no file system to measure", hint="remove --profile")
    return drills.ask_for(
        plan, options.array, restore=not options.stay_swapped, with_data=options.with_data is not None,
        profile=profile, seconds=options.seconds,
    )  # fmt: skip


def _drill_follow(folder: Path, plan: Plan, launched: Launched, options: argparse.Namespace) -> int:
    """Prints records until the executor has ended, then the result. Ctrl-C does not stop the drill."""
    before = records(folder)
    after = before[-1].sequence if before and before[-1].kind in ("stopped", "failed") else 0
    out = sys.stderr if options.json else sys.stdout
    again = f"raidtui status shows it, raidtui control {folder.name} stop stops it"
    follow(folder, launched, JournalReader(folder, after).new, lambda record: _print(record, plan.simulated, out),
           what="drill", again=again, simulated=plan.simulated)  # fmt: skip
    result = drills.load(folder)
    _show_result(result, drill_blocks(result), options, simulated=plan.simulated)
    if result.outcome == "interrupted":
        raise MachineFailed(
            "the executor of the drill ended unexpectedly", hint=f"its output is in {folder / 'executor'}"
        )
    return trials.exit_of(result.outcome)
