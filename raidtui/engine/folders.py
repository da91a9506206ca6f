"""Folders of work: runs, benchmarks, tunings. How each kind is found, listed, created, locked and asked by viewers.

A folder that cannot be read never hides the others: it is skipped, and named with the reason and the way out.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

from raidtui.machine.system.files import REQUEST, read_own, write_durably
from raidtui.machine.system.places import AS_ROOT, failures, private_directory, require_trusted, whatever_is_wrong
from raidtui.machine.system.programs import closing
from raidtui.steps.array_steps import bare_until_sync
from raidtui.values.codec import parsed, plain
from raidtui.values.codec_rules import Value
from raidtui.values.errors import BadInput, Locked, MachineFailed, RaidtuiError
from raidtui.values.plan import Plan

_T = TypeVar("_T")
_DIGITS = frozenset("0123456789abcdef")
_ID_LENGTH = 32
_LEAST_PREFIX = 4
OnSkipped = Callable[[str], None]
"""gets a line for each place that cannot be read: the reason and the way out"""


def is_id(text: str) -> bool:
    """True for an id as runs, benchmarks and tunings have it: 32 hex digits."""
    return len(text) == _ID_LENGTH and set(text) <= _DIGITS


def is_prefix(text: str) -> bool:
    """True if `text` may be the beginning of an id, long enough to name one."""
    return len(text) >= _LEAST_PREFIX and set(text) <= _DIGITS


def _unsaid(_: str) -> None:
    """Skips without a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkFolder:
    """A kind of folder of work."""

    noun: str
    """what such a folder holds, in messages"""
    files: tuple[str, ...]
    """every such folder has them"""
    last_file: str
    """the file that grows or is rewritten as long as the work goes on"""
    listed_by: str
    """the command that lists such folders"""
    any_name: bool = False
    """the name of a folder need not be an id"""

    def folders(self, root: Path) -> tuple[Path, ...]:
        """The folders in `root`, the one written to last first; empty if `root` is missing. Raises MachineFailed."""
        try:
            found = [entry for entry in root.iterdir() if self._is_one(entry)]
        except FileNotFoundError:
            return ()
        except OSError as problem:
            raise MachineFailed(f"{root}: {problem.strerror}", hint=AS_ROOT) from problem
        return tuple(sorted(found, key=self.written, reverse=True))

    def all_folders(self, roots: Iterable[Path], on_skipped: OnSkipped = _unsaid) -> tuple[Path, ...]:
        """The folders in all `roots` that can be read, root by root."""
        return tuple(folder for _, found in readable(roots, self.folders, on_skipped) for folder in found)

    def find(self, roots: Iterable[Path], prefix: str) -> Path:
        """The folder whose id starts with `prefix`. Raises BadInput if none or several do."""
        skipped: list[str] = []
        if (found := self.find_any(roots, prefix, skipped.append)) is not None:
            return found
        hint = "; ".join((f"{self.listed_by} lists them", *skipped))
        raise BadInput(f"no {self.noun} starts with '{prefix}'", hint=hint)

    def find_any(self, roots: Iterable[Path], prefix: str, on_skipped: OnSkipped = _unsaid) -> Path | None:
        """The folder whose id starts with `prefix`; None if none does. Raises BadInput if several do, or for no id."""
        if not is_prefix(prefix):
            raise BadInput(
                f"'{prefix}' is not a {self.noun} id", hint=f"{self.listed_by} lists them; the first 8 digits will do"
            )
        found = [folder for folder in self.all_folders(roots, on_skipped) if folder.name.startswith(prefix)]
        if len(found) > 1:
            raise BadInput(f"{len(found)} {self.noun}s start with '{prefix}'", hint="write more digits")
        return found[0] if found else None

    def written(self, folder: Path) -> float:
        """Time of the last write to the folder, seconds since 1970; 0 if that cannot be determined."""
        with contextlib.suppress(OSError):
            return (folder / self.last_file).stat().st_mtime
        return 0.0

    def _is_one(self, entry: Path) -> bool:
        """True if `entry` has the files; also if that cannot be determined, so that it is listed as unreadable."""
        if not self.any_name and not is_id(entry.name):
            return False
        try:
            return all((entry / name).exists() for name in self.files)
        except OSError:
            return is_id(entry.name)


ACT = "act.json"
"""file with a confirmed act on arrays that run"""
CHANGES_FOLDER = "changes"
"""directory of such acts, in one of runs"""
RUNS = WorkFolder(noun="run", files=("plan.json",), last_file="journal", listed_by="raidtui status")
CHANGES = WorkFolder(noun="change", files=(ACT,), last_file="journal", listed_by="raidtui status", any_name=True)
BENCHES = WorkFolder(
    noun="benchmark", files=("bench.json", "result.json"), last_file="result.json", listed_by="raidtui status",
    any_name=True,
)  # fmt: skip
TUNINGS = WorkFolder(
    noun="tuning", files=("tuning.json", "result.json"), last_file="result.json", listed_by="raidtui status"
)
DRILLS = WorkFolder(
    noun="drill",
    files=("drill.json", "result.json"),
    last_file="result.json",
    listed_by="raidtui status",
    any_name=True,
)


def readable(
    paths: Iterable[Path], read: Callable[[Path], _T], on_skipped: OnSkipped = _unsaid
) -> Iterator[tuple[Path, _T]]:
    """Each path that can be read, in order, with what `read` returns."""
    for path in paths:
        try:
            with whatever_is_wrong(path):
                found = read(path)
        except RaidtuiError as problem:
            where = "" if str(path) in str(problem) else f"{path}: "
            on_skipped(f"not read: {where}{problem.with_hint}")
        else:
            yield path, found


def make_folder(folder: Path, *, simulated: bool) -> None:
    """Creates `folder` and the directories above it, with mode 0700.

    Raises FileExistsError if it exists, Refused if others may write into the directory above it (for real disks: into
    any above it), MachineFailed if it cannot be created.
    """
    private_directory(folder.parent)
    if not simulated:
        require_trusted(folder.parent)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        raise
    except OSError as problem:
        raise MachineFailed(f"{folder}: {problem.strerror}", hint="make room, or mount it writable") from problem


@contextlib.contextmanager
def at_work(folder: Path, *, patience: float = 5.0) -> Iterator[None]:
    """Holds the lock of the process that works on `folder` (flock, released with the process).

    Raises Locked if another has it, and BadInput if `folder` cannot be opened.
    """
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, ValueError) as problem:  # ValueError: a null byte, or a lone surrogate
        raise BadInput(
            f"{folder}: expected the directory of a run, {problem}", hint="raidtui status lists the runs"
        ) from problem
    with closing(handle):
        until = time.monotonic() + patience
        while not _locked(handle, fcntl.LOCK_EX):
            if time.monotonic() > until:
                raise Locked(f"another executor is running for {folder}", hint="raidtui status shows it")
            time.sleep(0.05)  # a viewer looks this very moment
        yield


def is_alive(folder: Path) -> bool:
    """True if a process works on `folder`."""
    with failures(folder, AS_ROOT):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    with closing(handle):
        return not _locked(handle, fcntl.LOCK_SH)


def _locked(handle: int, how: int) -> bool:
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


# Requests of viewers to a running executor: a small file in the run's directory, read between commands.


_FILE = "wish"


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlRequest(Value):
    """The present request; a later one replaces it."""

    schema: Literal["raidtui/control/1"] = "raidtui/control/1"
    """format of this document; the file in the run's directory leaves it out"""
    pause: bool = False
    """start no further command until this is False again"""
    stop: bool = False
    """end before the next command"""
    during_sync: bool = False
    """build although other arrays sync, and make the file systems of RAID4 and RAID5 during their first sync"""
    wait_for_sync: bool = False
    """make the file systems, without any end the build, only when the plan's arrays are in sync"""
    sync_kib_per_s: int | None = None
    """limit of the sync, KiB per second and member; None: the system's"""
    skip: int = 0
    """number of the test that a benchmark leaves: its repeats so far count; 0 for none"""


def waits(plan: Plan, request: ControlRequest) -> bool:
    """True if the file systems are made only after the first sync."""
    return request.wait_for_sync or (bare_until_sync(plan) and not request.during_sync)


def with_waiting(request: ControlRequest, *, wait: bool) -> ControlRequest:
    """`request` with file systems after the first sync, or during it: the later word counts."""
    return replace(request, wait_for_sync=wait, during_sync=not wait)


def read_request(folder: Path) -> ControlRequest:
    """The request in the run's directory; the default if there is none or it is invalid."""
    try:
        request = ControlRequest(**parsed(read_own(folder / _FILE, REQUEST)))
    except (RaidtuiError, ValueError, TypeError):
        return ControlRequest()
    limit = request.sync_kib_per_s
    if not isinstance(request.skip, int):
        request = replace(request, skip=0)
    sane = limit is None or (isinstance(limit, int) and 0 < limit < 2**31)
    return request if sane else replace(request, sync_kib_per_s=None)


def write_request(folder: Path, request: ControlRequest) -> None:
    """Writes a request for the executor. Raises MachineFailed."""
    path = folder / _FILE
    with failures(path, "make room there, or run it as root"):
        kept = {name: value for name, value in plain(request).items() if name != "schema"}
        write_durably(path, json.dumps(kept) + "\n", mode=0o600)
