"""Follows a run: prints new records of its journal as text or JSON lines. The run does not depend on it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from raidtui.answers.run import TerminalLines, record_lines, sync_line, way_on
from raidtui.cli.output import label, narrate, room, show, tell, width
from raidtui.engine.journal import records
from raidtui.engine.living import LivingAct, prepare
from raidtui.engine.process import EXECUTOR_OUTPUT, Launched, launch
from raidtui.engine.runs import Begun, JournalReader, confirmed_plan
from raidtui.engine.runs import follow as runs_follow
from raidtui.engine.site import Site, holder_of, site_of_run
from raidtui.machine.system.files import RUN_FILE, read_own
from raidtui.session.jobs import begin_act
from raidtui.values.codec import to_json
from raidtui.values.errors import Exit, Locked, MachineFailed, RaidtuiError, Refused, Stale
from raidtui.values.run import Record, RunEvent
from raidtui.values.safe import safe

T = TypeVar("T")
_MINUTE = 60.0
"""seconds between two lines of progress where no line is redrawn"""


def watch(begun: Begun, launched: Launched | None, *, as_json: bool, plain: bool = False) -> int:
    """Follows a run until its executor ends. Returns the exit code of that executor.

    After a start only what the new executor writes is shown. `plain`: no line is redrawn. Ctrl-C leaves the build
    alone.
    """
    after = begun.records[-1].sequence if launched is not None and begun.records else 0
    wide = room(begun.plan.simulated, sys.stdout)
    terminal = None if wide is None else TerminalLines(begun.plan, wide)
    line = _SyncLine(begun, whole_lines=plain or os.environ.get("TERM", "dumb") in ("", "dumb"))

    def show_record(record: Record) -> None:
        line.clear()
        _print(record, begun, terminal, as_json=as_json)

    short, simulated = begun.plan.run_id[:8], begun.plan.simulated
    again = f"raidtui build --attach {short} follows it again, raidtui control {short} stop stops it"
    try:
        last = follow(
            begun.folder,
            launched,
            JournalReader(begun.folder, after).new,
            show_record,
            what="run",
            again=again,
            simulated=simulated,
            idle=line.draw,
        )
    finally:
        line.clear()
    if last is not None and last.kind == "finished" and not as_json:
        tell(way_on(begun.plan, last.purpose, "finished"), simulated=simulated)
    if last is None and launched is not None:
        raise _never_began(begun)
    way_out = f"raidtui resume {short} continues from the state of the disks"
    return _code(begun.folder, last, f"the executor of run {short}", way_out)


def follow(
    folder: Path, launched: Launched | None, new: Callable[[], Sequence[T]], show_one: Callable[[T], None], *,
    what: str, again: str, simulated: bool, idle: Callable[[], None] = lambda: None,
) -> T | None:  # fmt: skip
    """Passes what `new` reads to `show_one`, one by one, until the executor of `folder` has ended. Returns the last.

    `idle`: called after each look.

    Ctrl-C leaves the executor alone: it says that `what` continues, and what follows it `again`, then raises
    KeyboardInterrupt. Raises Locked if another executor was first."""
    last: T | None = None
    try:
        for batch in runs_follow(folder, new, running=launched.running if launched else None):
            for last in batch:
                show_one(last)
            idle()
            if launched is not None and launched.lost_the_lock():
                raise Locked("another run took the lock first; nothing was written", hint="raidtui status shows it")
    except KeyboardInterrupt:
        print(file=sys.stderr)
        for text in (f"no longer following; the {what} continues", again):
            tell(text, simulated=simulated)
        raise
    return last


def _print(record: Record, begun: Begun, terminal: TerminalLines | None, *, as_json: bool) -> None:
    if as_json:
        event = RunEvent(run_id=begun.plan.run_id, simulated=begun.plan.simulated, record=record)
        print(to_json(event, indent=None), flush=True)
    else:
        lines = record_lines(record, begun.plan) if terminal is None else terminal.of(record)
        show(lines, sys.stdout, simulated=begun.plan.simulated)


def _code(folder: Path, last: Record | None, what: str, way_out: str) -> int:
    """Exit code of an executor by its last record. Raises MachineFailed where `what` ended without saying how."""
    match last.kind if last is not None else None:
        case "finished":
            return Exit.DONE
        case "stopped":
            return Exit.INTERRUPTED
        case "failed" if last is not None:
            return last.exit or Exit.MACHINE
    raise MachineFailed(f"{what} ended unexpectedly: {said(folder)}", hint=way_out)


def _never_began(begun: Begun) -> RaidtuiError:
    """Why an executor ended before its first record: another plan, another run, else what it wrote."""
    confirmed_plan(begun.folder, begun.plan.digest)
    if holder := holder_of(site_of_run(begun.folder, begun.plan)):
        return Locked(f"{holder} took the lock first; nothing was written", hint="raidtui status shows it")
    return MachineFailed(
        f"the executor ended before its first step: {said(begun.folder)}", hint="raidtui status shows the run"
    )


def said(folder: Path) -> str:
    """The end of what executors wrote to their output."""
    return "; ".join(written_by_executor(folder)[-2:]) or "it wrote no output"


def written_by_executor(folder: Path) -> tuple[str, ...]:
    """The lines that executors wrote to their output, harmless; empty where it cannot be read."""
    try:
        text = read_own(folder / EXECUTOR_OUTPUT, RUN_FILE).decode("utf-8", "replace").strip()
    except RaidtuiError:
        return ()
    return tuple(safe(line) for line in text.splitlines())


class _SyncLine:
    """On a terminal, one line below the last record: progress of the syncs. As `whole_lines`, one a minute."""

    def __init__(self, begun: Begun, *, whole_lines: bool) -> None:
        self._begun = begun
        self._shown = ""
        self._on = sys.stderr.isatty()
        self._whole_lines = whole_lines
        self._next = 0.0

    def draw(self) -> None:
        if not self._on:
            return
        site = site_of_run(self._begun.folder, self._begun.plan)
        syncs = site.reader().syncing()
        wide = width(self._begun.plan.simulated, sys.stderr) - 1  # a full row would not be cleared
        text = sync_line([(s.device, s.action, s.done_sectors, s.all_sectors, s.bytes_per_s) for s in syncs], wide)
        if self._whole_lines:
            if text and time.monotonic() >= self._next:
                self._next = time.monotonic() + _MINUTE
                self._write(f"{label(self._begun.plan.simulated)}{text}\n")
        elif text != self._shown:
            self._write(f"\r\x1b[K{label(self._begun.plan.simulated)}{text}" if text else "\r\x1b[K")
            self._shown = text

    def clear(self) -> None:
        if self._shown:
            self._write("\r\x1b[K")
            self._shown = ""

    def _write(self, text: str) -> None:
        write: Callable[[str], int] = sys.stderr.write
        write(text)
        sys.stderr.flush()


# An act on arrays that run: its steps in lines, then how it ended.


_ERRORS: dict[int, type[RaidtuiError]] = {Exit.REFUSED: Refused, Exit.STALE: Stale, Exit.LOCKED: Locked}


def carry_out(act: LivingAct, site: Site, *, speed_up: float) -> None:
    """Starts the executor of what was confirmed, and prints what it does until it has ended.

    Raises its error where it failed; KeyboardInterrupt where it was stopped, or where Ctrl-C left it to go on."""
    before = records(prepare(act, site.root))
    folder, launched = begin_act(act, site, launch, speed_up=speed_up)
    tell = partial(narrate, simulated=act.simulated)
    tell(f"{folder.name}: {launched.how}")

    def show_record(record: Record) -> None:
        if record.kind in ("step", "waiting", "progress", "stopped"):
            tell(safe(record.text))

    again = f"raidtui status {folder.name} shows it, raidtui control {folder.name} stop stops it"
    last = follow(
        folder, launched, JournalReader(folder, len(before)).new, show_record, what=act.noun, again=again,
        simulated=act.simulated,
    )  # fmt: skip
    code = _code(folder, last, "the executor", "raidtui status shows it")
    if last is None or last.kind == "stopped":
        raise KeyboardInterrupt
    if last.kind == "failed":
        raise _ERRORS.get(code, MachineFailed)(last.text)
    tell(safe(last.text))
