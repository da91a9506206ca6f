"""The process of a benchmark on its host: begins when its clock says so, and ends by itself, whoever looks."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from raidtui.machine.bench import prepare, store
from raidtui.machine.bench.benchmark import Benchmark
from raidtui.machine.bench.events import Event, PhaseStarted, TaskStarted, Ticked
from raidtui.machine.bench.save_speeds import keep_measured
from raidtui.machine.fleet.bench.target import HostPlaces, checked_order, own_inventory, prepared
from raidtui.machine.run.executor_process import install_signal_handlers
from raidtui.machine.system.documents import read_document
from raidtui.machine.system.input_files import REQUEST as SMALL_FILE
from raidtui.machine.system.input_files import RUN_FILE, read_own
from raidtui.machine.system.state_paths import speeds_path
from raidtui.machine.trials.process import stopped_on_request
from raidtui.model.bench import Task
from raidtui.model.codec import from_json
from raidtui.model.errors import Exit, RaidtuiError, Stale
from raidtui.model.fleet.bench_order import BenchRequest
from raidtui.model.json_text import parsed

REQUEST = "fleet-bench.json"
"""file in the folder of a benchmark: the request that began it"""
_PROGRESS = "progress.json"
_BETWEEN = 0.5
"""least seconds between two writings of the progress"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskProgress:
    """What a benchmark does now."""

    task: int = 0
    phase: str = ""
    read_bytes_per_s: float = 0.0
    write_bytes_per_s: float = 0.0


def bench_request(folder: Path) -> BenchRequest:
    """The request that began the benchmark in `folder`. Raises MachineFailed, Refused, BadInput."""
    return read_document(BenchRequest, folder / REQUEST, RUN_FILE)


def read_progress(folder: Path) -> TaskProgress:
    """What it does now; nothing where that is not known."""
    try:
        return TaskProgress(**parsed(read_own(folder / _PROGRESS, SMALL_FILE)))
    except (RaidtuiError, ValueError, TypeError):
        return TaskProgress()


def run_bench(folder: Path, digest: str) -> int:
    """Runs the benchmark in `folder`, whose request has this SHA-256. Returns its exit code.

    SIGTERM, SIGINT and the request to stop end it after its files are removed. Raises Stale for another request.
    """
    os.umask(0o077)
    signals = install_signal_handlers()
    content = read_own(folder / REQUEST, RUN_FILE)
    if hashlib.sha256(content).hexdigest() != digest:
        raise Stale(f"{folder / REQUEST} is not the request that was confirmed", hint="order the benchmark again")
    request = from_json(BenchRequest, content, source=str(folder / REQUEST))
    benchmark = _benchmark(folder, request)
    if request.slots and request.begin_s is not None:
        benchmark.start_repeats_at(_starts(benchmark.bench.tasks, request))
    with stopped_on_request(folder, signals, benchmark.stop):
        result = benchmark.run(_Progress(folder))
    if not benchmark.bench.simulated:
        for line in keep_measured(result, own_inventory, speeds_path()):
            print(line, flush=True)
    return Exit.DONE if result.outcome == "finished" else Exit.MACHINE


def _benchmark(folder: Path, request: BenchRequest) -> Benchmark:
    order, _ = checked_order(request)
    if order.simulated:
        return prepared(request, HostPlaces.around(folder)).begin(folder)
    bench = store.load(folder).bench
    return prepare.begin(bench, folder, during_sync=order.during_sync, precondition=order.precondition)


def _starts(tasks: tuple[Task, ...], request: BenchRequest) -> Callable[[Task, int], float]:
    """Start of each repeat by the clock of the benchmark; 0 for a task without a slot."""
    slots = {(slot.job, slot.ordinal): slot for slot in request.slots}
    seen: dict[str, int] = {}
    of_task = {}
    for task in tasks:
        seen[task.job.name] = seen.get(task.job.name, 0) + 1
        of_task[task.number] = slots.get((task.job.name, seen[task.job.name]))
    begin = request.begin_s or 0.0

    def start_of(task: Task, repeat: int) -> float:
        slot = of_task.get(task.number)
        return 0.0 if slot is None else begin + slot.first_s + (repeat - 1) * slot.step_s

    return start_of


class _Progress:
    """Writes what the benchmark does now into its folder, for requests. It is no record: nothing is synced."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / _PROGRESS
        self._task, self._phase = 0, ""
        self._next = 0.0

    def __call__(self, event: Event) -> None:
        read = write = 0.0
        match event:
            case TaskStarted(task=task):
                self._task = task.number
            case PhaseStarted(phase=phase):
                self._phase = phase
            case Ticked(tick=tick):
                read = sum(gauge.read_bytes_per_s for gauge in tick.disks.values())
                write = sum(gauge.write_bytes_per_s for gauge in tick.disks.values())
            case _:
                return
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _BETWEEN
        found = TaskProgress(task=self._task, phase=self._phase, read_bytes_per_s=read, write_bytes_per_s=write)
        beside = self._path.with_suffix(".new")
        with contextlib.suppress(OSError):  # a view only
            beside.write_text(json.dumps(asdict(found)))
            beside.replace(self._path)
