"""The load of a real benchmark: fio or the small-files loop, on our own files or reading devices.

Devices are only read: fio gets --readonly and a read job, so it opens them O_RDONLY. Its own check against writing to
mounted devices is not sufficient: it compares names.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from raidtui.machine.bench import small_files
from raidtui.machine.bench.child_process import Child, reason_of
from raidtui.machine.bench.raw_writes import RawWrites
from raidtui.machine.bench.scratch_dir import Scratch
from raidtui.machine.ports.load import Running
from raidtui.machine.system import programs
from raidtui.model.bench import Bench, Job, Label, Repeat, Task
from raidtui.model.errors import MachineFailed
from raidtui.model.json_text import parsed
from raidtui.model.safe import safe
from raidtui.planner.measurement.bench_plan import RAW, file_layout, may_be_cached, needs_fill
from raidtui.tools import fio, fio_json

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


def value_of(task: Task, found: fio_json.FioResult) -> float:
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


def _checked(printed: str, stderr: str, code: int) -> fio_json.FioResult:
    """fio's result. Raises MachineFailed if it failed, was killed or counted an I/O error."""
    if code < 0:
        raise reason_of(fio.PROGRAM, code, stderr)
    try:
        found = fio_json.parse(printed)
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
