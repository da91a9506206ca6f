"""View of a run, or of an act on arrays that run: journal, command output, arrays. It changes nothing."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from raidtui.engine import folders, simulation
from raidtui.engine.folders import ACT, ControlRequest, is_alive
from raidtui.engine.journal import replay
from raidtui.engine.living import LivingAct, act_in, run_of
from raidtui.engine.process import EXECUTOR_OUTPUT
from raidtui.engine.runs import JournalReader, plan_in
from raidtui.engine.site import MACHINE, RealSite, go_on, home_of
from raidtui.machine.system.files import MACHINE_FILE, read_own
from raidtui.machine.system.ports import MachineReader, Syncing
from raidtui.session.jobs import Started
from raidtui.values.errors import RaidtuiError
from raidtui.values.plan import Plan
from raidtui.values.run import Record, Run, RunPurpose

TAIL = 8192
"""bytes of output that are shown; the file has all of it"""
_OUTPUT = re.compile(r"output/\d{4,}")
_EVERY = 1.0
"""seconds after which the kernel is polled again, even if no file has changed"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """Snapshot of a run."""

    folder: Path
    act: Plan | LivingAct
    run: Run
    records: Sequence[Record] = ()
    alive: bool = False
    """an executor is working"""
    purpose: RunPurpose = "build"
    """what the executor does, or did last; of one that is starting, what it was started for"""
    starting: bool = False
    """this app started one that has not written to the journal yet"""
    wish: ControlRequest = field(default_factory=ControlRequest)
    arrays: Mapping[str, Syncing | None] = field(default_factory=dict)
    """device of every running array and its sync; None: not syncing"""
    gone: frozenset[str] = frozenset()
    """identities of the plan's missing disks"""
    elapsed: float = 0.0
    """seconds since the build started, in the time of its machine"""
    said: bytes = b""
    """end of the newest command's output; of the executor's output if it died"""
    problem: str = ""
    """error text of what could not be read"""

    @property
    def plan(self) -> Plan:
        """The plan of a run; an act on arrays that run has none."""
        assert isinstance(self.act, Plan)
        return self.act

    @property
    def busy(self) -> bool:
        """True while an executor is starting or working; False once it has journalled its end."""
        return self.starting or (self.alive and self.run.outcome == "running")

    @property
    def undone(self) -> bool:
        """True once an undo of it has ended: nothing of it is left."""
        return self.run.outcome == "finished" and self.run.purpose == "undo"

    @property
    def held(self) -> frozenset[str]:
        """Identities of the disks in its running arrays."""
        arrays = [array for array in self.act.arrays if array.device in self.arrays]
        return frozenset(disk for array in arrays for disk in array.disks)

    @property
    def waits(self) -> bool:
        """True if the file systems are made only after the first sync."""
        return isinstance(self.act, Plan) and folders.waits(self.act, self.wish)


class RunWatch:
    """Polls one run; `look` may block on disks, so call it in a thread."""

    def __init__(self, folder: Path, started: Started | None = None, purpose: RunPurpose = "build") -> None:
        """`started`: an executor that this app started for `purpose`."""
        self.folder = folder
        self._purpose = purpose
        self._awaited = started
        self.act: Plan | LivingAct = act_in(folder) if (folder / ACT).exists() else plan_in(folder)
        self.of = folder
        """directory of the run; of an act on a simulated machine that of the run that built its arrays"""
        if not isinstance(self.act, Plan) and self.act.simulated:
            self.of = run_of(self.act, folder.parent.parent)[0]
        self.home = home_of(self.of) if self.act.simulated else folder
        """directory that keeps the simulated machine it is on; of a real machine its own"""
        self.seen = RunView(folder=folder, act=self.act, run=replay(len(self.act.steps), (), alive=False))
        self._records: tuple[Record, ...] = ()
        self._journal = JournalReader(folder)
        with suppress(RaidtuiError):  # the first `look` reports the error
            self._records = self._journal.new()
        self._known = len(self._records)
        """number of records from before `started`"""
        self._stamps: object = None
        self._looked = 0.0

    @property
    def plan(self) -> Plan:
        """See RunView."""
        return self.seen.plan

    def due(self) -> bool:
        """True if something may have changed; cheap enough for every tick."""
        waits = self.seen.busy or self._awaited is not None or any(self.seen.arrays.values())
        aged = waits and time.monotonic() - self._looked >= _EVERY
        return aged or self._stamps_now() != self._stamps

    def look(self) -> RunView:
        """A new snapshot of the run."""
        stamps = self._stamps_now()
        syncing = any(self.seen.arrays.values())
        if stamps != self._stamps or self._awaited is not None or not self.act.simulated or syncing:
            self.seen = self._look()
        self._stamps, self._looked = stamps, time.monotonic()
        return self.seen

    def _stamps_now(self) -> object:
        newest = self._records[-1].output if self._records else ""
        files = [self.folder / name for name in ("journal", "wish", EXECUTOR_OUTPUT, newest)] + [self.home / MACHINE]
        return [_stamp(path) for path in files], _alive(self.folder)

    def _look(self) -> RunView:
        starting = self._awaited is not None and self._awaited.running()
        alive = _alive(self.folder)  # before the journal: an executor that ends in between has journalled its end
        problem = ""
        try:
            self._records = (*self._records, *self._journal.new())
            run = replay(len(self.act.steps), self._records, alive=alive)
        except (RaidtuiError, OSError) as error:
            run, problem = self.seen.run, str(error)
        if not starting or len(self._records) > self._known:
            self._awaited, starting = None, False
        arrays, gone, elapsed = self.seen.arrays, self.seen.gone, self.seen.elapsed
        try:
            arrays, gone, elapsed = self._machine(alive=alive, finished=run.outcome == "finished")
        except (RaidtuiError, OSError) as error:
            problem = problem or str(error)
        return RunView(
            folder=self.folder, act=self.act, run=run, records=self._records, alive=alive,
            purpose=self._purpose if starting else run.purpose, starting=starting,
            wish=folders.read_request(self.folder), arrays=arrays, gone=gone, elapsed=elapsed,
            said=self._said(alive=alive), problem=problem,
        )  # fmt: skip

    def _machine(self, *, alive: bool, finished: bool) -> tuple[Mapping[str, Syncing | None], frozenset[str], float]:
        built = not isinstance(self.act, Plan)  # what an act is on was built before
        reader, now = self._reader(finished=finished or built)
        if now is None or built or finished:  # a simulated machine goes on after its build: `:fail` moves its clock
            now = _since_begun(self._records, reader.clock().timestamp() if alive else None)
        syncs = {sync.device: sync for sync in reader.syncing()}
        pins = {array.device: reader.pin(array.device) for array in self.act.arrays}
        arrays = {device: syncs.get(pin.name) for device, pin in pins.items() if pin is not None}
        gone = frozenset(disk.id for disk in self.act.disks if reader.pin(disk.path) is None)
        return arrays, gone, now

    def _reader(self, *, finished: bool) -> tuple[MachineReader, float | None]:
        """A runner for the run's machine, and its clock if it is simulated."""
        if not self.act.simulated:
            return RealSite(self.folder.parent).reader(), None
        machine = simulation.restored(read_own(self.home / MACHINE, MACHINE_FILE).decode("utf-8"))
        now = machine.now
        if finished:
            go_on(machine, self.home)
        return machine, now

    def _said(self, *, alive: bool) -> bytes:
        newest = next((record.output for record in reversed(self._records) if record.output), "")
        if not alive and not self._records:
            newest = EXECUTOR_OUTPUT
        return tail(self.folder, newest)


def tail(folder: Path, name: str) -> bytes:
    """The end of a command's output; empty if there is none."""
    if name != EXECUTOR_OUTPUT and _OUTPUT.fullmatch(name) is None:
        return b""
    try:
        handle = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return b""
    with os.fdopen(handle, "rb") as file:
        file.seek(max(os.fstat(handle).st_size - TAIL, 0))
        return file.read(TAIL)


def _alive(folder: Path) -> bool:
    """True if an executor is working; False if the directory is gone, which reading the journal reports."""
    try:
        return is_alive(folder)
    except RaidtuiError:
        return False


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def _since_begun(records: Sequence[Record], now: float | None) -> float:
    """Seconds from the first record to `now`, or to the last record."""
    if not records:
        return 0.0
    end = now if now is not None else datetime.fromisoformat(records[-1].time).timestamp()
    return max(0.0, end - datetime.fromisoformat(records[0].time).timestamp())
