"""Runs in a root directory: finds them, loads their state, follows new records."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from raidtui.machine.run.journal import records
from raidtui.machine.run.plan_files import plan_from
from raidtui.machine.system.file_errors import whatever_is_wrong
from raidtui.machine.system.input_files import JOURNAL, RUN_PLAN, open_own, read_own
from raidtui.machine.system.private_places import require_private, require_trusted
from raidtui.model.codec_rules import Value
from raidtui.model.errors import BadInput, Locked, MachineFailed, RaidtuiError, Stale
from raidtui.model.plan import Plan
from raidtui.model.run import Record, Run
from raidtui.planner.journal import format as journal_lines
from raidtui.planner.journal.replay import replay

_LEAST_PREFIX = 4
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun(Value):
    """A run and its plan."""

    folder: Path
    """its directory"""
    plan: Plan
    """the confirmed plan"""
    records: tuple[Record, ...]
    """its journal"""
    alive: bool
    """an executor is running for it"""

    @property
    def run(self) -> Run:
        """State of the run according to its journal."""
        return replay(len(self.plan.steps), self.records, alive=self.alive)


def load(folder: Path) -> Begun:
    """The run in `folder`.

    Raises BadInput or MachineFailed if its files cannot be read or its records are inconsistent, Refused if others
    may have changed them.
    """
    alive = is_alive(folder)  # first: an executor that ends meanwhile has written its last record by then
    with whatever_is_wrong(folder):
        plan, found = plan_in(folder), records(folder)
        replay(len(plan.steps), found, alive=alive)
    return Begun(folder=folder, plan=plan, records=found, alive=alive)


def plan_in(folder: Path) -> Plan:
    """The confirmed plan in the directory of a run.

    Raises Refused if others than the owner may write there (for real disks also in a directory above), BadInput or
    MachineFailed if it cannot be read.
    """
    require_private(folder)
    path = folder / "plan.json"
    plan = plan_from(read_own(path, RUN_PLAN), path)
    if not plan.simulated:
        require_trusted(folder)
    return plan


def confirmed_plan(folder: Path, digest: str) -> Plan:
    """The plan in the directory of a run. Raises Stale if its digest is not the confirmed `digest`."""
    plan = plan_in(folder)
    if plan.digest != digest:
        raise Stale(
            f"{folder / 'plan.json'} is not the plan that was confirmed, whose digest is {digest}; nothing was written",
            hint="restore the confirmed plan.json: it must be byte-identical",
        )
    return plan


def folders(root: Path) -> tuple[Path, ...]:
    """Directories of runs in `root`, the one written to last first; empty if `root` is missing."""
    try:
        found = [entry for entry in root.iterdir() if len(entry.name) == 32 and _may_hold_run(entry)]
    except FileNotFoundError:
        return ()
    except OSError as problem:
        raise MachineFailed(f"{root}: {problem.strerror}", hint="run it as root") from problem
    return tuple(sorted(found, key=written, reverse=True))


def _may_hold_run(folder: Path) -> bool:
    """False without a plan; True if that cannot be determined, so that it is listed as one that is not read."""
    try:
        return (folder / "plan.json").exists()
    except OSError:
        return True


def find(roots: tuple[Path, ...], prefix: str) -> Path:
    """The run whose id starts with `prefix`. Raises BadInput if none or several do."""
    if len(prefix) < _LEAST_PREFIX or not set(prefix) <= set("0123456789abcdef"):
        raise BadInput(f"'{prefix}' is not a run id", hint="raidtui status lists them; the first 8 digits will do")
    found: list[Path] = []
    for root in roots:
        with contextlib.suppress(MachineFailed):  # that of root, for others
            found += [folder for folder in folders(root) if folder.name.startswith(prefix)]
    if not found:
        raise BadInput(f"no run starts with '{prefix}'", hint="raidtui status lists them; a real one needs root")
    if len(found) > 1:
        raise BadInput(f"{len(found)} runs start with '{prefix}'", hint="write more digits")
    return found[0]


@contextlib.contextmanager
def at_work(folder: Path, *, patience: float = 5.0) -> Iterator[None]:
    """Holds the executor's lock of the run (flock, released with the process).

    Raises Locked if another has it, and BadInput if `folder` cannot be opened.
    """
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, ValueError) as problem:  # ValueError: a null byte, or a lone surrogate
        raise BadInput(
            f"{folder}: expected the directory of a run, {problem}", hint="raidtui status lists the runs"
        ) from problem
    try:
        until = time.monotonic() + patience
        while not _locked(handle, fcntl.LOCK_EX):
            if time.monotonic() > until:
                raise Locked(f"another executor is running for {folder}", hint="raidtui status shows it")
            time.sleep(0.05)  # a viewer looks this very moment
        yield
    finally:
        os.close(handle)


def is_alive(folder: Path) -> bool:
    """True if an executor is running for the run."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as problem:
        raise MachineFailed(f"{folder}: {problem.strerror}", hint="run it as root") from problem
    try:
        return not _locked(handle, fcntl.LOCK_SH)
    finally:
        os.close(handle)


def at_work_in(root: Path) -> tuple[Path, ...]:
    """Runs in `root` with a running executor."""
    found = []
    for folder in folders(root):
        with contextlib.suppress(RaidtuiError):  # one that cannot be looked at hides no other
            if is_alive(folder):
                found.append(folder)
    return tuple(found)


def follow(
    folder: Path,
    *,
    after: int = 0,
    running: Callable[[], bool] | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> Iterator[tuple[Record, ...]]:
    """Records of a run after number `after`: yields one batch per poll, often an empty one.

    Ends after the last record once the executor has exited; `running` returns True while it may still start.
    """
    path = folder / "journal"
    seal, count, offset = "", 0, 0
    while True:
        # checked before reading: an executor that has exited has written all its records
        busy = is_alive(folder) or (running is not None and running())
        data = _from(path, offset)
        new, seal, used = journal_lines.read(data, source=str(path), seal=seal, before=count)
        count, offset = count + len(new), offset + used
        fresh = tuple(record for record in new if record.sequence > after)
        yield fresh
        if not busy and not new:
            return
        if not new:
            pause(_POLL_SECONDS)


def _from(path: Path, offset: int) -> bytes:
    try:
        with os.fdopen(open_own(path, JOURNAL), "rb") as file:
            file.seek(offset)
            return file.read()
    except OSError as problem:
        raise MachineFailed(f"{path}: {problem.strerror}", hint="run it as root") from problem


def written(folder: Path) -> float:
    """Time of the last write to the journal of a run, seconds since 1970; 0 if it is missing."""
    with contextlib.suppress(OSError):
        return (folder / "journal").stat().st_mtime
    return 0.0


def _locked(handle: int, how: int) -> bool:
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
