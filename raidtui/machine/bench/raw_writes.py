"""Writes of a benchmark to blank disks or empty arrays of a plan, by the executor of builds.

Before the first command everything that the benchmark will write is read, and right before each command all that it
writes: a byte that is not zero ends the benchmark. The executor pins and identifies every disk, reads signatures, users
and both ends before and after each command, and journals it. fio writes zeros only.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from raidtui.machine.ports.runner import Runner
from raidtui.machine.run.builder import Builder
from raidtui.machine.run.executor import Stopped
from raidtui.machine.run.journal import Journal
from raidtui.machine.run.requests import ControlRequest
from raidtui.model.bench import Repeat, Task
from raidtui.model.errors import MachineFailed, RaidtuiError, Stale
from raidtui.model.plan import Command, Plan
from raidtui.model.units import MIB
from raidtui.planner.compile.raw_steps import check_step, write_steps
from raidtui.planner.measurement.bench_plan import RAW
from raidtui.tools.fio import FioWorkload, written_bytes

Areas = Sequence[tuple[int, int]]
"""(offset, length) in bytes"""
_PIECE = 64 * MIB
"""bytes read at once: a stop is noticed after them"""
_AT_ONCE = 64
Read = Callable[[str], Repeat]
"""measurement in what fio printed; `began` is ignored"""


class RawWrites:
    """Writes zeros to devices of `plan`; the caller holds the run lock."""

    def __init__(self, plan: Plan, runner: Runner, journal: Journal, planned: Mapping[str, Areas]) -> None:
        """`planned`: all that will be written, by the path of each device."""
        self._plan = plan
        self._runner = runner
        self._journal = journal
        self._stop = False
        self._executor = Builder(plan, runner, journal, self._request, self._require_zero)
        self._proven = 0
        self._unread = planned
        self._now: Mapping[str, Areas] = {}
        self._held = contextlib.ExitStack()

    def _request(self) -> ControlRequest:
        return ControlRequest(stop=self._stop)

    def start(self, task: Task, workload: FioWorkload, raw: Path, read: Read) -> Writing:
        """Starts fio on the target of `task`; its output goes to the file `raw`."""
        self._stop = False
        self._now = written_regions(self._plan, (task,))
        verb = "Read" if task.job.only_reads else "Write zeros"
        title = f"{verb}: {task.job.title}, {task.target.name}"
        steps = write_steps(self._plan, workload.argv(), task.target.paths, title)
        seconds = task.job.warm_up_seconds + task.job.seconds

        def work() -> Repeat:
            with contextlib.ExitStack() as self._held:
                self._executor.build(steps)
            result = next(each for each in reversed(self._journal.records) if each.kind == "result")
            intent = next(each for each in reversed(self._journal.records) if each.kind == "intent")
            printed = (self._journal.folder / result.output).read_text(errors="replace")
            raw.write_text(printed)
            found = read(printed)
            began = datetime.fromisoformat(intent.time).timestamp() + task.job.warm_up_seconds
            return replace(found, began=began, ended=began + found.ended)

        return Writing(work, self.stop, seconds)

    def stop(self) -> None:
        """Lets the running command end and starts no other."""
        self._stop = True

    def _require_zero(self, command: Command, devices: Mapping[str, str]) -> None:
        """Reads what the command writes, before the first one all that is planned. Raises Stale for data.

        Holds the devices before, so that nobody makes or mounts a file system while fio writes, which opens them like
        anybody. blkdiscard holds its device by itself.
        """
        if command.zeroed is None:
            self._held.enter_context(self._runner.hold([devices.get(path, path) for path in command.devices]))
        if self._unread:
            self._read(self._unread, devices)
            self._unread = {}
        claimed = None if command.zeroed is None else (command.zeroed,)
        self._read({path: claimed or self._now.get(path, ()) for path in command.devices}, devices)

    def _read(self, regions: Mapping[str, Areas], devices: Mapping[str, str]) -> None:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            found = pool.map(lambda path: self._first(devices.get(path, path), regions[path]), regions)
            places = dict(zip(regions, found, strict=True))
        if self._stop:
            raise Stopped
        for path, place in places.items():
            if place is not None:
                at, start, length = place
                raise Stale(
                    f"{path} holds data at byte {at}; the benchmark would write {length} bytes from byte {start} on",
                    hint=f"look at it: hexdump --canonical --skip={at} --length=512 {path}",
                )

    def _first(self, device: str, areas: Areas) -> tuple[int, int, int] | None:
        """Offset of the first byte that is not zero, and the area (offset, length) in which it is."""
        for start, length in areas:
            for at in range(start, start + length, _PIECE):
                if self._stop:
                    return None
                piece = (at, min(_PIECE, start + length - at))
                if (found := self._runner.first_nonzero(device, (piece,))) is not None:
                    return found, start, length
        return None

    def prove_blank(self) -> None:
        """Reads that everything is blank that a command was started on since the last proof. Raises MachineFailed."""
        intents = [record for record in self._journal.records[self._proven :] if record.kind == "intent"]
        written = dict.fromkeys(path for record in intents for path in record.devices or ())
        if not written:
            return
        self._stop = False
        try:
            self._executor.build((check_step(self._plan, tuple(written)),))
        except RaidtuiError as problem:
            raise MachineFailed(f"after the benchmark: {problem}", hint=problem.hint) from problem
        self._proven = len(self._journal.records)


def written_regions(plan: Plan, tasks: Iterable[Task]) -> dict[str, Areas]:
    """What the tasks write to disks or arrays of the plan, by path: each from its start on."""
    sizes = {disk.path: disk.size_bytes for disk in plan.disks}
    sizes |= {
        array.device: geometry.array_bytes for array, geometry in zip(plan.arrays, plan.prediction.arrays, strict=False)
    }
    most: dict[str, int] = {}
    for task in tasks:
        for path in task.target.paths if task.target.kind in RAW else ():
            most[path] = max(most.get(path, 0), written_bytes(task.job, sizes.get(path, 0)))
    return {path: ((0, length),) for path, length in most.items() if length}


class Writing:
    """See Running. A command that was started runs to its end."""

    phase = "repeat"

    def __init__(self, work: Callable[[], Repeat], stop: Callable[[], None], seconds: float) -> None:
        self.seconds = seconds
        self._stop = stop
        self._work = work
        self._found: Repeat | None = None
        self._problem: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="writes", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._found = self._work()
        except BaseException as problem:
            self._problem = problem

    def ended(self) -> bool:
        """See Running."""
        return not self._thread.is_alive()

    def kill(self) -> None:
        """See Running: waits until the running command has ended."""
        self._stop()
        self._thread.join()

    def outcome(self) -> Repeat:
        """See Running."""
        self._thread.join()
        if self._found is None:
            raise self._problem or MachineFailed("fio gave no result")
        return self._found
