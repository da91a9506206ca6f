"""`raidtui status`: all jobs of this machine and what they came to: runs, replacements, benchmarks, trials, drills."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from raidtui.answers.run import jobs_table, run_blocks, short_name
from raidtui.cli.inputs import run_folder, run_folders
from raidtui.cli.output import narrate, show_blocks
from raidtui.engine import folders, journal
from raidtui.engine.folders import is_alive
from raidtui.engine.runs import Begun, copies, load
from raidtui.machine.system.places import whatever_is_wrong
from raidtui.session import job_list
from raidtui.session.report import status_of, syncs_of, unrestored
from raidtui.values.blocks import Paragraph
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput, Exit, RaidtuiError, Refused
from raidtui.values.run import Record, RunList, RunStatus, RunUnread
from raidtui.values.safe import safe


def status(options: argparse.Namespace) -> int:
    """`raidtui status [JOB]`: lists all jobs, or shows one."""
    if options.run is not None:
        _show(options.run, options)
        return Exit.DONE
    found: list[tuple[Begun, RunStatus]] = []
    unread: list[RunUnread] = []
    for folder in run_folders():
        try:
            with whatever_is_wrong(folder):
                begun = load(folder)
                found.append((begun, status_of(begun)))
        except RaidtuiError as problem:
            way_out, last = _way_out(folder, problem), _last_record(folder)
            unread.append(RunUnread(folder=str(folder), reason=str(problem), way_out=way_out, last=last))
    others, odd = job_list.jobs(narrate)
    unread += odd
    for each in unread:
        print(f"raidtui: not read: {each.kind} {safe(short_name(each))}: {safe(each.reason)}", file=sys.stderr)
        print(f"         {safe(each.way_out)}", file=sys.stderr)
        if each.last is not None:
            print(f"         its last record: {each.last.purpose} {each.last.kind}, {each.last.time}", file=sys.stderr)
    copied = copies([begun for begun, _ in found])
    found = [(begun, replace(run, copy_of=str(copied.get(begun.folder, "")))) for begun, run in found]
    if options.json:
        print(to_json(RunList(runs=tuple(run for _, run in found), unread=tuple(unread), jobs=others)))
        return Exit.DONE
    rows = [*others, *(job_list.of_run(begun) for begun, run in found if not run.copy_of)]
    show_blocks([jobs_table(sorted(rows, key=lambda job: job.last, reverse=True), unread)], simulated=False)
    for _, run in found:
        if run.copy_of:
            print(safe(f"{run.folder} is a copy of run {run.run_id[:8]}, which is in {run.copy_of}"))
    return Exit.DONE


def _show(name: str, options: argparse.Namespace) -> None:
    """Shows the job whose id begins with `name`."""
    if (other := job_list.find(name)) is not None:
        found, blocks, simulated = job_list.shown(*other)
    else:
        begun = load(run_folder(name))
        found, simulated = status_of(begun), begun.plan.simulated
        left = (Paragraph(text=each) for each in unrestored(begun))
        blocks = (*run_blocks(begun.plan, begun.run, begun.records, syncs_of(begun)), *left)
    if options.json:
        print(to_json(found))
    else:
        show_blocks(blocks, simulated=simulated)


def _last_record(folder: Path) -> Record | None:
    """The last record of a journal; None without one, or when it cannot be read."""
    try:
        with whatever_is_wrong(folder):
            return next(reversed(journal.records(folder)), None)
    except RaidtuiError:
        return None


def _way_out(folder: Path, problem: RaidtuiError) -> str:
    return problem.hint or f"look at {folder}; raidtui resume PLAN, with the plan's file, reads the disks instead"


# `raidtui control`: asks the executor of a job to pause, stop or change its speed.


def control(options: argparse.Namespace) -> int:
    """`raidtui control JOB REQUEST`: asks something of the executor at work."""
    other = job_list.find(options.run)
    folder = run_folder(options.run) if other is None else other[1]
    if not is_alive(folder):
        name = f"run {folder.name[:8]}" if other is None else folder.name
        raise Refused(f"no executor is running for {name}", hint="raidtui status shows what it came to")
    now = folders.read_request(folder)
    match options.request.partition("="):
        case ("pause", "", ""):
            now = replace(now, pause=True)
        case ("go", "", ""):
            now = replace(now, pause=False)
        case ("stop", "", ""):
            now = replace(now, stop=True)
        case ("during-sync", "", ""):
            now = folders.with_waiting(now, wait=False)
        case ("wait-for-sync", "", ""):
            now = folders.with_waiting(now, wait=True)
        case ("limit", "=", number) if number.isdecimal() and len(number) <= 10 and int(number) < 2**31:
            now = replace(now, sync_kib_per_s=int(number) or None)
        case ("skip", "=", number) if number.isdecimal() and len(number) <= 10:
            now = replace(now, skip=int(number), pause=False)
        case _:
            raise BadInput(
                f"unknown request '{options.request}'",
                hint="pause, go, stop, wait-for-sync, during-sync, limit=KIB_PER_S (0: no limit), or skip=TEST",
            )
    folders.write_request(folder, now)
    if options.json:
        print(to_json(now))
    return Exit.DONE
