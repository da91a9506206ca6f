"""The folder of a benchmark: its definition, result and raw data. Written durably.

ROOT/benches/ID/                  0700
    bench.json                    the benchmark, written before the first job
    result.json                   rewritten after every repeat and every figure
    fio/003-2.json                fio's output of repeat 2 of task 3
    gauges.jsonl                  every tick
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from raidtui.machine.run.work_folder import BENCHES, is_alive
from raidtui.machine.system.documents import save_document
from raidtui.machine.system.durable_files import sync_folder
from raidtui.machine.system.file_errors import failures
from raidtui.machine.system.input_files import RESULT_FILE, is_named, read_named
from raidtui.machine.system.private_places import private_directory
from raidtui.model.bench import Bench, BenchResult
from raidtui.model.codec import from_json, plain
from raidtui.model.errors import BadInput, Refused

BENCH, RESULT, GAUGES, RAW = "bench.json", "result.json", "gauges.jsonl", "fio"
_MOST = 1 << 63
"""above every number of a job"""
_WAY_OUT = "name a place that can be written: --out DIR"


def create(where: Path, bench: Bench) -> Path:
    """Creates the folder of a benchmark in `where`, with bench.json. Raises Refused, MachineFailed."""
    return create_at(where / bench.id, bench)


def create_at(folder: Path, bench: Bench) -> Path:
    """Like `create`, with a folder of any name; an existing one must be empty."""
    with failures(folder, _WAY_OUT):
        private_directory(folder)
        if any(folder.iterdir()):
            raise Refused(f"{folder} is not empty", hint="name a folder that does not exist yet")
        (folder / RAW).mkdir(mode=0o700)
        save_document(folder / BENCH, bench, way_out=_WAY_OUT)
        sync_folder(folder.parent)
    save(folder, BenchResult(bench=bench, figures=(), outcome="running"))
    return folder


def save(folder: Path, result: BenchResult) -> None:
    """Writes the present result to the disk, atomically. Raises MachineFailed."""
    save_document(folder / RESULT, result, way_out=_WAY_OUT)


def load(folder: Path) -> BenchResult:
    """Result of a benchmark, complete or not; `interrupted` if its process is gone.

    Raises BadInput if its files are invalid, MachineFailed if they cannot be read.
    """
    alive = is_alive(folder)  # first: a process that has exited has written its final result
    path = folder / RESULT
    result = checked(from_json(BenchResult, read_named(path, RESULT_FILE), source=str(path)), path)
    if result.outcome == "running" and not alive:
        return replace(result, outcome="interrupted", reason="its process is gone")
    return result


def checked(result: BenchResult, path: Path) -> BenchResult:
    """The result, if its numbers are in range and every figure has a task. Raises BadInput with the place."""
    for place, task in enumerate(result.bench.tasks):
        for name, value in plain(task.job).items():
            if isinstance(value, int | float) and not 0 <= value < _MOST:
                raise BadInput(
                    f"{path}: bench.tasks.{place}.job.{name}: out of range",
                    hint="results are written by raidtui, not edited",
                )
    numbers = {task.number for task in result.bench.tasks}
    for place, figure in enumerate(result.figures):
        where = f"{path}: figures.{place}"
        if figure.task not in numbers:
            raise BadInput(
                f"{where}: there is no task {figure.task}", hint="results are written by raidtui, not edited"
            )
        values = [figure.median, figure.spread, *(repeat.value for repeat in figure.repeats)]
        if not figure.repeats or not all(math.isfinite(value) and value >= 0 for value in values):
            raise BadInput(
                f"{where}: no repeats, or a number is negative or not finite",
                hint="results are written by raidtui, not edited",
            )
    return result


def find(where: Path, name: str) -> Path:
    """Folder of the benchmark `name`: a path, or the first digits of its id. Raises BadInput."""
    given = Path(name)
    return given if is_named(str(given / RESULT)) else BENCHES.find((where,), name)


def raw_name(task: int, repeat: int) -> str:
    """Name, in the folder, of fio's output of a repeat."""
    return f"{RAW}/{task:03d}-{repeat}.json"
