"""`raidtui status`: all runs of this machine and their results."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from raidtui.answers.run import run_lines, runs_table
from raidtui.cli.inputs import run_folder, run_folders
from raidtui.cli.output import show
from raidtui.engine import folders, journal
from raidtui.engine.folders import is_alive
from raidtui.engine.runs import Begun, copies, load
from raidtui.machine.system.places import whatever_is_wrong
from raidtui.session.report import status_of, syncs_of, unrestored
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput, Exit, RaidtuiError, Refused
from raidtui.values.run import Record, RunList, RunStatus, RunUnread
from raidtui.values.safe import safe


def status(options: argparse.Namespace) -> int:
    """`raidtui status [RUN]`: lists all runs, or shows one."""
    if options.run is not None:
        folder = run_folder(options.run)
        begun = load(folder)
        if options.json:
            print(to_json(status_of(begun)))
        else:
            lines = (*run_lines(begun.plan, begun.run, begun.records, syncs_of(begun)), *unrestored(begun))
            show(lines, sys.stdout, simulated=begun.plan.simulated, wrapped=True)
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
    for each in unread:
        print(f"raidtui: not read: run {Path(each.folder).name[:8]}: {safe(each.reason)}", file=sys.stderr)
        print(f"         {safe(each.way_out)}", file=sys.stderr)
        if each.last is not None:
            print(f"         its last record: {each.last.purpose} {each.last.kind}, {each.last.time}", file=sys.stderr)
    copied = copies([begun for begun, _ in found])
    found = [(begun, replace(run, copy_of=str(copied.get(begun.folder, "")))) for begun, run in found]
    if options.json:
        print(to_json(RunList(runs=tuple(run for _, run in found), unread=tuple(unread))))
        return Exit.DONE
    print("\n".join(runs_table([(begun.plan, begun.run, begun.records) for begun, run in found if not run.copy_of])))
    for _, run in found:
        if run.copy_of:
            print(safe(f"{run.folder} is a copy of run {run.run_id[:8]}, which is in {run.copy_of}"))
    return Exit.DONE


def _last_record(folder: Path) -> Record | None:
    """The last record of a journal; None without one, or when it cannot be read."""
    try:
        with whatever_is_wrong(folder):
            return next(reversed(journal.records(folder)), None)
    except RaidtuiError:
        return None


def _way_out(folder: Path, problem: RaidtuiError) -> str:
    return problem.hint or f"look at {folder}; raidtui resume PLAN, with the plan's file, reads the disks instead"


# `raidtui control`: asks the executor of a run to pause, stop or change its speed.


def control(options: argparse.Namespace) -> int:
    """`raidtui control RUN REQUEST`: asks something of the executor at work."""
    folder = run_folder(options.run)
    if not is_alive(folder):
        raise Refused(f"no executor is running for run {folder.name[:8]}", hint="raidtui status shows what it came to")
    now = folders.read(folder)
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
        case _:
            raise BadInput(
                f"unknown request '{options.request}'",
                hint="pause, go, stop, wait-for-sync, during-sync, or limit=KIB_PER_S (0: no limit)",
            )
    folders.write(folder, now)
    if options.json:
        print(to_json(now))
    return Exit.DONE
