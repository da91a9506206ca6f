"""Benchmarks for tests of the Bench and Report screens: simulated, on an afternoon, in no time, held where asked."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from raidtui import __version__
from raidtui.answers.report.assemble import build_of, planned_disk, report_of
from raidtui.bench import store
from raidtui.bench.compare import compare_result
from raidtui.bench.events import Event, PhaseStarted, TaskStarted, Ticked
from raidtui.bench.plan import BenchOptions
from raidtui.bench.prepare import begun, prepare_simulated
from raidtui.engine import folders
from raidtui.engine.folders import ControlRequest, at_work
from raidtui.engine.journal import replay
from raidtui.session.session import Session
from raidtui.values.bench import BenchResult, Job, Profile
from raidtui.values.gauges import Scene
from raidtui.values.inventory import Inventory
from raidtui.values.report import Report, ReportBench
from raidtui.values.units import MIB
from tests.planner.reports import records

AFTERNOON = 1_767_621_731.0
"""2026-01-05 14:02:11 UTC"""
BENCH_ID = "b0" * 16


class _Ended(NamedTuple):
    """A benchmark that was run to its end: what it told, and the folder that it left."""

    scene: Scene
    events: tuple[Event, ...]
    result: BenchResult
    folder: Path
    place: tempfile.TemporaryDirectory[str]
    """around the folder; it goes with the process"""


@cache
def _ended(inventory: Inventory, profile: Profile, run_id: str, bench_id: str, digest: str) -> _Ended:
    """Run once in a worker: no test changes it."""
    outcome = Session(inventory, run_id=run_id).outcome
    design = outcome.decision.design
    found = prepare_simulated(
        inventory, design, outcome.disks[: design.layout.disks], outcome.assessed, profile,
        BenchOptions(), start=AFTERNOON, bench_id=bench_id, plan_digest=digest,
    )  # fmt: skip
    place = tempfile.TemporaryDirectory()
    folder = store.create_at(Path(place.name) / "b", found.bench)
    benchmark = begun(found.bench, found.order, folder)
    events: list[Event] = []
    result = benchmark.run(events.append)
    return _Ended(benchmark.scene, tuple(events), result, folder, place)


class Staged:
    """A benchmark that was run to its end in `root`, as a viewer finds it: where `until` holds one at work there, until
    it is stopped."""

    def __init__(
        self, root: Path, inventory: Inventory, *, profile: Profile | None = None, run_id: str = "ab" * 16,
        until: Callable[[Event], bool] = lambda _: False, bench_id: str = BENCH_ID,
        digest: str = "",
    ) -> None:  # fmt: skip
        self.inventory = inventory
        ended = _ended(inventory, profile or ACCEPTANCE, run_id, bench_id, digest)
        self.bench, self.scene, self.events, self.result = ended.result.bench, ended.scene, ended.events, ended.result
        self.folder = store.create_at(root / ended.result.bench.id, ended.result.bench)
        shutil.copytree(ended.folder, self.folder, dirs_exist_ok=True)
        self._path = self.folder / store.EVENTS
        lines = self._path.read_bytes().splitlines(keepends=True)
        told = next((number for number, event in enumerate(self.events, 1) if until(event)), len(lines))
        self._end = lines[-1] if told < len(lines) else b""
        self._path.write_bytes(b"".join(lines[:told]))
        self._held = ExitStack()
        if self._end:
            self._held.enter_context(at_work(self.folder))

    @property
    def asked(self) -> ControlRequest:
        """What is asked of it."""
        return folders.read_request(self.folder)

    def stop(self) -> None:
        """It ends."""
        with self._path.open("ab") as file:
            file.write(self._end)
        self._end = b""
        self._held.close()


def job(name: str, title: str, **more: Any) -> Job:
    """A job of a short profile made by hand: two repeats of half a minute."""
    return Job(name=name, title=title, repeats=2, **more)


ACCEPTANCE = Profile(
    name="acceptance",
    title="Streams, arrays and random work",
    purpose="The figures that an acceptance stands on.",
    jobs=(
        job("array-read", "sequential read", target="array", pattern="read", block_bytes=MIB, depth=32,
            predicted="seq_read"),
        job("read", "seq read 1M, 16 streams", target="files", pattern="read", block_bytes=MIB, streams=16, depth=8,
            predicted="seq_read"),
        job("write", "seq write 1M, 16 streams", target="files", pattern="write", block_bytes=MIB, streams=16, depth=8,
            predicted="seq_write"),
        job("rand-read", "random read 4k", target="files", pattern="randread", block_bytes=4096, streams=16, depth=16,
            predicted="rand_read"),
        job("rand-write", "random write 4k", target="files", pattern="randwrite", block_bytes=4096, streams=16,
            depth=16, predicted="rand_write"),
    ),
)  # fmt: skip


def writing() -> Callable[[Event], bool]:
    """True for the twelfth second of the second repeat of the job that is called write."""
    ticks = {"task": 0, "count": -1}

    def there(event: Event) -> bool:
        if isinstance(event, TaskStarted) and event.task.job.name == "write":
            ticks["task"] = event.task.number
        if isinstance(event, PhaseStarted) and event.task == ticks["task"] and event.repeat == 2:
            ticks["count"] = 0
        if isinstance(event, Ticked) and ticks["count"] >= 0:
            ticks["count"] += 1
        return ticks["count"] == 12

    return there


def report_on(bench: Staged) -> Report:
    """A report of the benchmark and of the build of its plan, whose journal is made by hand; always the same."""
    plan = Session(bench.inventory, run_id="ab" * 16).plan()
    kept = records(plan)
    measured = ReportBench(result=bench.result, compared=compare_result(bench.result))
    return report_of(
        made="2026-01-05T15:00:00+00:00", version=__version__, host=bench.inventory.name,
        build=build_of(plan, replay(len(plan.steps), kept, alive=False), kept),
        planned=tuple(planned_disk(disk) for disk in plan.disks), benches=(measured,), simulated=True,
    )  # fmt: skip
