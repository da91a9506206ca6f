"""The load of a real benchmark: fio or the small-files loop, on our own files or reading devices.

Devices are only read: fio gets --readonly and a read job, so it opens them O_RDONLY. Its own check against writing to
mounted devices is not sufficient: it compares names.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from raidtui.bench import small_files
from raidtui.bench.child_process import Child, reason_of
from raidtui.bench.plan import RAW, file_layout, may_be_cached, needs_fill
from raidtui.bench.store import Scratch
from raidtui.engine.builder import Builder
from raidtui.engine.executor import Stopped
from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import Journal
from raidtui.machine.system import programs
from raidtui.machine.system.ports import Runner, Running
from raidtui.programs import fio
from raidtui.programs.fio import FioWorkload, written_bytes
from raidtui.steps.trials import check_step, write_steps
from raidtui.values.bench import Bench, Job, Label, Repeat, Task
from raidtui.values.codec import parsed
from raidtui.values.errors import MachineFailed, RaidtuiError, Stale
from raidtui.values.plan import Command, Plan
from raidtui.values.safe import safe
from raidtui.values.units import MIB

# Writes of a benchmark to blank disks or empty arrays of a plan, by the executor of builds.
# Before the first command everything that the benchmark will write is read, and right before each command all that it
# writes: a byte that is not zero ends the benchmark. The executor pins and identifies every disk, reads signatures,
# users and both ends before and after each command, and journals it. fio writes zeros only.


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


_DROP_CACHES = Path("/proc/sys/vm/drop_caches")
_WHOLE = 0.9
"""least share of the requested time that fio must have measured"""
_ENDED_BY_SIGNAL = 128
"""fio's exit code after SIGTERM: the result is complete, the measured time is shorter"""
_Read = Callable[[str, str, int], Repeat]


class FioLoad:
    """See Load. Creates its directories on the targets of `bench` when needed."""

    simulated = False

    def __init__(
        self,
        bench: Bench,
        *,
        memory_bytes: int,
        precondition: bool = False,
        drop: bool = True,
        raw_writes: RawWrites | None = None,
    ) -> None:
        """`raw_writes`: writes to block devices; without it they are only read."""
        self._memory = memory_bytes
        self._raw_writes = raw_writes
        self._precondition = precondition
        self._drop = drop and os.access(_DROP_CACHES, os.W_OK)
        files = {task.target.paths[0] for task in bench.tasks if task.target.kind == "files"}
        self._scratch = {path: Scratch(Path(path), bench.id) for path in sorted(files)}
        raw = {path for task in bench.tasks if task.target.kind in RAW for path in task.target.paths}
        self._numbers = {path: _number(path) for path in sorted(raw)}
        self._laid: dict[str, tuple[object, ...]] = {}

    def prepare(self, task: Task) -> Running | None:
        """See Load: fills the job's files, unless the previous job left them."""
        if task.target.kind != "files":
            return None
        path, shape = task.target.paths[0], file_layout(task.job)
        if needs_fill(task.job) and self._laid.get(path) == shape:
            return None
        self._wipe(path)
        if not needs_fill(task.job):
            return None
        passes = 2 if self._precondition else 1
        workload = filling(task, passes)
        seconds = task.bytes_used * passes / 300e6

        def read(printed: str, stderr: str, code: int) -> Repeat:
            _checked(printed, stderr, code)
            self._laid[path] = shape
            return Repeat(value=0.0, began=0.0, ended=0.0)

        phase = "precondition" if self._precondition else "fill"
        return self._start(workload.argv(), path, None, phase, seconds, read)

    def settle(self, task: Task) -> None:
        """See Load."""
        if task.target.kind != "files":
            return
        self._scratch[task.target.paths[0]].sync()
        if self._drop and not task.job.direct:
            with contextlib.suppress(OSError):  # a container: what is read is labelled cached then
                _DROP_CACHES.write_text("3")

    def measure(self, task: Task, repeat: int, raw: Path) -> Running:
        """See Load."""
        job, path = task.job, task.target.paths[0]
        if job.pattern == "small-files":
            return self._small_files(task, repeat, raw)
        seconds = job.warm_up_seconds + job.seconds
        workload = measuring(task, repeat)

        def read(printed: str, stderr: str, code: int) -> Repeat:
            found = _checked(printed, stderr, code)
            labels: tuple[Label, ...] = ("partial",) if found.seconds < job.seconds * _WHOLE else ()
            if may_be_cached(task, self._memory):
                labels = (*labels, "cached")
            return Repeat(
                value=value_of(task, found), began=0.0, ended=found.seconds, labels=labels, latency=found.latency
            )

        if task.target.kind in RAW and not job.only_reads:
            if self._raw_writes is None:
                raise MachineFailed(f"{task.target.name} is only read", hint="raidtui bench PLAN --raw write")
            return self._raw_writes.start(task, workload, raw, lambda printed: read(printed, "", 0))
        if task.target.kind in RAW:
            return self._start(workload.argv(), "/", raw, "repeat", seconds, read, warm_up=job.warm_up_seconds)
        if not needs_fill(job):
            self._wipe(path)
        return self._start(workload.argv(), path, raw, "repeat", seconds, read, warm_up=job.warm_up_seconds)

    def check(self, task: Task) -> None:
        """See Load."""
        if task.target.kind == "files":
            self._scratch[task.target.paths[0]].check()
        for path in task.target.paths if task.target.kind in RAW else ():
            if self._numbers[path] is None or _number(path) != self._numbers[path]:
                raise MachineFailed(f"{path} is gone or is another device now", hint="check the disk, then resume")

    def done(self, task: Task, following: Task | None) -> None:
        """See Load."""
        if task.target.kind != "files":
            return
        path = task.target.paths[0]
        keep = following is not None and following.target.paths[:1] == (path,) and needs_fill(following.job)
        if not (keep and following and file_layout(following.job) == self._laid.get(path)):
            self._wipe(path)

    def clean(self) -> None:
        """See Load."""
        self._laid.clear()
        problems = []
        if self._raw_writes is not None:
            self._raw_writes.prove_blank()
        for scratch in self._scratch.values():
            try:
                scratch.remove()
            except MachineFailed as problem:
                problems.append(problem)
        if problems:
            raise problems[0]

    def _wipe(self, path: str) -> None:
        self._laid.pop(path, None)
        self._scratch[path].empty()

    def _small_files(self, task: Task, repeat: int, raw: Path) -> Running:
        argv = small_files_argv(task.job, f"tree-{repeat}", drop=self._drop)
        path = task.target.paths[0]
        self._wipe(path)

        def read(printed: str, stderr: str, code: int) -> Repeat:
            if code:
                raise reason_of("small files", code, stderr)
            return small_files_measured(printed)

        return self._start(argv, path, raw, "repeat", task.seconds / task.job.repeats, read)

    def _start(
        self, argv: Sequence[str], place: str, raw: Path | None, phase: str, seconds: float, read: _Read,
        *, warm_up: float = 0.0,
    ) -> Running:  # fmt: skip
        words = list(argv)
        if words[0] == fio.PROGRAM:
            words[0] = absolute(fio.PROGRAM)
        cwd = self._scratch[place].make() if place in self._scratch else place
        began = time.time() + warm_up

        def dated(printed: str, stderr: str, code: int) -> Repeat:
            found = read(printed, stderr, code)
            return found if found.began else replace(found, began=began, ended=began + found.ended)

        return Child(words, cwd=cwd, output=raw, phase=phase, seconds=seconds, read=dated)


def measuring(task: Task, repeat: int) -> fio.FioWorkload:
    """fio's options for a repeat of `task`."""
    if task.target.kind in RAW:
        return fio.on_devices(task.job, task.target.paths)
    return fio.in_files(task.job, task.job.stream_bytes, seed=task.number * 1000 + repeat)


def filling(task: Task, passes: int) -> fio.FioWorkload:
    """fio's options that fill the files, `passes` times."""
    workload = fio.filling(task.job, task.job.stream_bytes)
    return workload if passes == 1 else replace(workload, common=(*workload.common, ("loops", str(passes))))


def value_of(task: Task, found: fio.FioResult) -> float:
    """Figure of a repeat: bytes per second for sequential jobs, requests per second for random jobs."""
    return found.bytes_per_s if task.job.pattern in ("read", "write") else found.iops


def small_files_argv(job: Job, folder: str, *, drop: bool) -> tuple[str, ...]:
    """The command that measures small files in `folder`."""
    numbers = (str(job.files), str(job.block_bytes), str(job.streams), folder, str(int(drop)))
    return (*programs.PYTHON, small_files.__file__, *numbers, *((job.tree,) if job.tree else ()))


def small_files_measured(printed: str) -> Repeat:
    """Figure from the small-files loop's output: files per second over all phases; `parts`: each phase."""
    found = parsed(printed)
    count = found["files"]
    made = found["create"] + found["sync"]
    gone = found["delete"] + found["delete_sync"]
    listed = found.get("list")
    spent = {"create": found["create"], "create and sync": made, **({} if listed is None else {"list": listed})}
    spent |= {"read": found["read"], "delete": gone}
    return Repeat(
        value=count / (made + (listed or 0.0) + found["read"] + gone),
        began=found["began"],
        ended=found["ended"],
        labels=() if found["dropped"] else ("cached",),
        parts={name: count / max(seconds, 1e-6) for name, seconds in spent.items()},
    )


def require_fio(bench: Bench) -> None:
    """Raises MachineFailed where a task of a real benchmark needs fio and it is not installed."""
    if not bench.simulated and any(task.job.pattern != "small-files" for task in bench.tasks):
        absolute(fio.PROGRAM)


def absolute(name: str) -> str:
    """Path of a program. Raises MachineFailed when it is not installed."""
    return programs.require(name, f"install it: apt install {name}, dnf install {name}")


def _checked(printed: str, stderr: str, code: int) -> fio.FioResult:
    """fio's result. Raises MachineFailed if it failed, was killed or counted an I/O error."""
    if code < 0:
        raise reason_of(fio.PROGRAM, code, stderr)
    try:
        found = fio.parse(printed)
    except MachineFailed:
        if code:
            raise reason_of(fio.PROGRAM, code, stderr) from None
        raise
    if found.errors:
        raise MachineFailed(f"fio: {found.error or 'I/O error'}", hint=_detail(stderr))
    if code and code != _ENDED_BY_SIGNAL:
        raise reason_of(fio.PROGRAM, code, stderr)
    return found


def _detail(stderr: str) -> str:
    line = next((line for line in stderr.splitlines() if line.startswith("fio: ")), "")
    return safe(line, longest=300)


def _number(path: str) -> tuple[int, int] | None:
    """Device number of a block device; None when there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return (os.major(found.st_rdev), os.minor(found.st_rdev)) if stat.S_ISBLK(found.st_mode) else None
