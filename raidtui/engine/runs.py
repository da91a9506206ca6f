"""Runs: loads their state, follows new records."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from raidtui.engine import journal as journal_lines
from raidtui.engine.folders import is_alive
from raidtui.engine.journal import records, replay
from raidtui.machine.system.files import JOURNAL, PLAN, RUN_PLAN, open_own, read_named, read_own
from raidtui.machine.system.places import AS_ROOT, failures, require_private, require_trusted, whatever_is_wrong
from raidtui.values.codec import document_digest, from_json
from raidtui.values.codec_rules import Value
from raidtui.values.errors import BadInput, Stale
from raidtui.values.plan import Plan
from raidtui.values.run import Record, Run

T = TypeVar("T")


# Plans read from files.


def read_plan(path: Path) -> Plan:
    """The plan in `path`. Raises BadInput if it is not a plan or does not match its digest."""
    text = read_named(path, PLAN)
    if text.startswith(b"#!"):
        raise BadInput(f"{path} is a script, not a plan", hint="name the plan.json beside it; bash runs the script")
    beside = path.parent / "plan.json"
    if not text.lstrip().startswith(b"{") and beside.is_file():
        raise BadInput(f"{path} is not a plan: it is no JSON document", hint=f"name the plan beside it: {beside}")
    return plan_from(text, path, PLAN.way_out)


def plan_from(text: bytes, path: Path, hint: str = "") -> Plan:
    """The plan in `text`, the content of the file `path`; `hint` is the way out where it is no plan.

    Raises BadInput as `read_plan`.
    """
    plan = from_json(Plan, text, source=str(path), hint=hint)
    if document_digest(plan) != plan.digest:
        raise BadInput(
            f"{path} was changed after it was written: its digest does not match", hint="make the plan again"
        )
    return plan


_POLL_SECONDS = 0.2
_CHUNK = 1 << 20
"""bytes that are read at a time: the rest of a new journal is 4 MiB of zeros"""


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


def copies(runs: Sequence[Begun]) -> dict[Path, Path]:
    """Directory of each run in `runs` that is a copy of another, and that one's: they have the same plan.

    The run itself is in the directory that its plan names; if no one or several are, it is the first of them.
    """
    own: dict[str, Path] = {}
    for begun in sorted(runs, key=lambda each: each.folder.name != each.plan.run_id):
        own.setdefault(begun.plan.digest, begun.folder)
    return {each.folder: own[each.plan.digest] for each in runs if each.folder != own[each.plan.digest]}


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


def follow(
    folder: Path,
    new: Callable[[], Sequence[T]],
    *,
    running: Callable[[], bool] | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> Iterator[Sequence[T]]:
    """What is written of the job in `folder`, as `new` reads it: yields one batch per poll, often an empty one.

    Ends after the last of it once the executor has exited; `running` returns True while it may still start.
    """
    while True:
        # checked before reading: an executor that has exited has written everything
        busy = is_alive(folder) or (running is not None and running())
        found = new()
        yield found
        if not busy and not found:
            return
        if not found:
            pause(_POLL_SECONDS)


class JournalReader:
    """Reads the records of a run as they are written, those after number `after`."""

    def __init__(self, folder: Path, after: int = 0) -> None:
        self._path = folder / "journal"
        self._after = after
        self._seal, self._count, self._offset = "", 0, 0

    def new(self) -> tuple[Record, ...]:
        """The records since the last call. Raises MachineFailed or Refused if they cannot be read, BadInput."""
        found: list[Record] = []
        seal, offset = self._seal, self._offset
        while True:
            with failures(self._path, AS_ROOT), os.fdopen(open_own(self._path, JOURNAL), "rb") as file:
                file.seek(offset)
                data = file.read(_CHUNK)
            new, seal, used = journal_lines.read(
                data, source=str(self._path), seal=seal, before=self._count + len(found)
            )
            if not new:
                break
            found, offset = [*found, *new], offset + used
        self._seal, self._count, self._offset = seal, self._count + len(found), offset
        return tuple(record for record in found if record.sequence > self._after)
