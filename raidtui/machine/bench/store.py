"""The folder of a benchmark: its definition, result and raw data. Written durably.

ROOT/benches/ID/                  0700
    bench.json                    the benchmark, written before the first job
    result.json                   rewritten after every repeat and every figure
    fio/003-2.json                fio's output of repeat 2 of task 3
    gauges.jsonl                  every tick
"""

from __future__ import annotations

import contextlib
import math
import os
from dataclasses import replace
from pathlib import Path

from raidtui.machine.run.run_folders import is_alive
from raidtui.machine.system.durable_files import sync_folder, write_durably
from raidtui.machine.system.file_errors import failures
from raidtui.machine.system.input_files import RESULT_FILE, is_named, read_named
from raidtui.machine.system.private_places import private_directory
from raidtui.model.bench import Bench, BenchResult
from raidtui.model.codec import from_json, plain, to_json
from raidtui.model.errors import BadInput, MachineFailed, Refused

BENCH, RESULT, GAUGES, RAW = "bench.json", "result.json", "gauges.jsonl", "fio"
_LEAST_PREFIX = 4
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
        write_durably(folder / BENCH, to_json(bench) + "\n", mode=0o600)
        sync_folder(folder.parent)
    save(folder, BenchResult(bench=bench, figures=(), outcome="running"))
    return folder


def save(folder: Path, result: BenchResult) -> None:
    """Writes the present result to the disk, atomically. Raises MachineFailed."""
    with failures(folder, _WAY_OUT):
        write_durably(folder / RESULT, to_json(result) + "\n", mode=0o600)


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


def folders(where: Path) -> tuple[Path, ...]:
    """Folders of benchmarks in `where`, the one written to last first; empty if `where` is missing."""
    try:
        found = [entry for entry in where.iterdir() if (entry / BENCH).exists() and (entry / RESULT).exists()]
    except FileNotFoundError:
        return ()
    except OSError as problem:
        raise MachineFailed(f"{where}: {problem.strerror}", hint="run it as root") from problem
    return tuple(sorted(found, key=_written, reverse=True))


def find(where: Path, name: str) -> Path:
    """Folder of the benchmark `name`: a path, or the first digits of its id. Raises BadInput."""
    given = Path(name)
    if is_named(str(given / RESULT)):
        return given
    hint = "raidtui bench --list shows them; the first 8 digits will do"
    if len(name) < _LEAST_PREFIX or not set(name) <= set("0123456789abcdef"):
        raise BadInput(f"'{name}' is no benchmark", hint=hint)
    found = [folder for folder in folders(where) if folder.name.startswith(name)]
    if len(found) != 1:
        many = f"{len(found)} benchmarks start with" if found else "no benchmark starts with"
        raise BadInput(f"{many} '{name}'", hint=hint)
    return found[0]


def raw_name(task: int, repeat: int) -> str:
    """Name, in the folder, of fio's output of a repeat."""
    return f"{RAW}/{task:03d}-{repeat}.json"


def _written(folder: Path) -> float:
    with contextlib.suppress(OSError):
        return os.stat(folder / RESULT).st_mtime  # noqa: PTH116
    return 0.0
