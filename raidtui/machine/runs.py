"""The runs that were ever begun in a root directory: which there are, how far each came, what is new in one."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from raidtui.machine.export import read_plan
from raidtui.machine.journal import records
from raidtui.model.codec_rules import STRICT
from raidtui.model.errors import BadInput, MachineFailed
from raidtui.model.plan import Plan
from raidtui.model.run import Record, Run
from raidtui.planner import journal_lines
from raidtui.planner.replay import replay

_LEAST_PREFIX = 4
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A run and its plan."""

    __pydantic_config__ = STRICT

    folder: Path
    """its directory"""
    plan: Plan
    """as it was confirmed"""
    records: tuple[Record, ...]
    """its journal"""
    alive: bool
    """an executor is at work on it"""

    @property
    def run(self) -> Run:
        """How far it is."""
        return replay(len(self.plan.steps), self.records, alive=self.alive)


def load(folder: Path) -> Begun:
    """The run in `folder`. Raises BadInput or MachineFailed when its files cannot be read."""
    alive = is_alive(folder)  # first: an executor that ends meanwhile has written its last record by then
    return Begun(folder=folder, plan=read_plan(folder / "plan.json"), records=records(folder), alive=alive)


def folders(root: Path) -> tuple[Path, ...]:
    """Directories of runs in `root`, the one written to last first; none when there is no such root."""
    try:
        found = [entry for entry in root.iterdir() if len(entry.name) == 32 and (entry / "plan.json").exists()]
    except FileNotFoundError:
        return ()
    except OSError as problem:
        raise MachineFailed(f"{root}: {problem.strerror}", hint="run it as root") from problem
    return tuple(sorted(found, key=lambda folder: _written(folder), reverse=True))


def find(roots: tuple[Path, ...], prefix: str) -> Path:
    """The one run whose id starts with `prefix`. Raises BadInput when none or several do."""
    if len(prefix) < _LEAST_PREFIX or not set(prefix) <= set("0123456789abcdef"):
        raise BadInput(f"'{prefix}' is no run", hint="raidtui status lists them; the first 8 digits will do")
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
    """Marks the run as having an executor for as long as it lasts: a kernel lock, gone with the process."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        until = time.monotonic() + patience
        while not _locked(handle, fcntl.LOCK_EX):
            if time.monotonic() > until:
                raise MachineFailed(f"{folder}: another executor is at work on this run", hint="raidtui status")
            time.sleep(0.05)  # a viewer looks this very moment
        yield
    finally:
        os.close(handle)


def is_alive(folder: Path) -> bool:
    """True when an executor is at work on the run."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as problem:
        raise MachineFailed(f"{folder}: {problem.strerror}", hint="run it as root") from problem
    try:
        return not _locked(handle, fcntl.LOCK_SH)
    finally:
        os.close(handle)


def at_work_in(root: Path) -> tuple[Path, ...]:
    """Runs in `root` that an executor is at work on."""
    return tuple(folder for folder in folders(root) if is_alive(folder))


def follow(
    folder: Path,
    *,
    after: int = 0,
    running: Callable[[], bool] | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> Iterator[tuple[Record, ...]]:
    """The records of a run behind number `after`, as they come: a batch each poll, often an empty one.

    Ends when the executor has ended and everything it wrote was given; `running` says that it still may start.
    """
    path = folder / "journal"
    seal, count, offset = "", 0, 0
    while True:
        # asked before reading: whoever is no longer busy has written everything by then
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
        with path.open("rb") as file:
            file.seek(offset)
            return file.read()
    except OSError as problem:
        raise MachineFailed(f"{path}: {problem.strerror}", hint="run it as root") from problem


def _written(folder: Path) -> float:
    with contextlib.suppress(OSError):
        return (folder / "journal").stat().st_mtime
    return 0.0


def _locked(handle: int, how: int) -> bool:
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
