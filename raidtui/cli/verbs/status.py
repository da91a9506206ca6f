"""`raidtui status`: all runs of this machine and their results."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from raidtui.cli.output import show
from raidtui.cli.runs import run_folder, run_folders
from raidtui.machine.report.run_status import status_of, syncs_of, unrestored
from raidtui.machine.run import journal
from raidtui.machine.run.run_folders import Begun, copies, load
from raidtui.machine.system.file_errors import whatever_is_wrong
from raidtui.model.codec import to_json
from raidtui.model.errors import Exit, RaidtuiError
from raidtui.model.run import Record, RunList, RunStatus, RunUnread
from raidtui.model.safe import safe
from raidtui.planner.text.run import run_lines, runs_table


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
