"""A benchmark of nothing: a load that obeys, gauges that are said, time that passes at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from raidtui.bench import store
from raidtui.bench.events import Event
from raidtui.bench.run import Benchmark
from raidtui.engine.folders import ControlRequest
from raidtui.machine.gauges.rates import IDLE
from raidtui.machine.system.ports import Running
from raidtui.simulated.loads import SimulatedClock
from raidtui.values.bench import Bench, BenchDisk, Job, Repeat, Target, Task
from raidtui.values.errors import MachineFailed
from raidtui.values.gauges import ArrayGauge, Scene, Tick, WatchedArray, WatchedDisk

START = 1_800_000_000.0
SCENE = Scene(
    host="testhost",
    disks=(
        WatchedDisk(name="sda", id="a", array="md0", role="member"),
        WatchedDisk(name="sdb", id="b", array="md0", role="member"),
    ),
    arrays=(WatchedArray(name="md0", level="raid1", members=("sda", "sdb")),),
)
FILES = Target(kind="files", name="/srv/data", paths=("/srv/data",), disks=("a", "b"), size_bytes=1 << 40)


def task(number: int, *, repeats: int = 2, seconds: float = 30.0, target: Target = FILES) -> Task:
    """A sequential write."""
    job = Job(
        name=f"job-{number}", title="", target=target.kind, pattern="read", block_bytes=4096, repeats=repeats,
        seconds=seconds, warm_up_seconds=5.0,
    )  # fmt: skip
    return Task(number=number, job=job, target=target, seconds=repeats * 38.0, bytes_used=1 << 20)


def bench(*tasks: Task) -> Bench:
    """Of two disks under one array."""
    return Bench(
        id="1" * 32, started="2027-01-15T08:00:00+00:00", host="testhost", simulated=False, profile="mine", tasks=tasks,
        disks=(BenchDisk(id="a", name="sda", array="md0"), BenchDisk(id="b", name="sdb", array="md0")),
    )  # fmt: skip


class Gauges:
    """Ticks that say what they are told to."""

    def __init__(self, clock: SimulatedClock) -> None:
        self.scene = SCENE
        self.sync: Callable[[float], str] = lambda _: "idle"
        self.degraded = 0
        self.busy = 0.0
        self._clock = clock
        self._then = clock.now()

    def take(self) -> Tick:
        """See Ticks."""
        now = self._clock.now()
        seconds, self._then = max(now - self._then, 0.001), now
        array = ArrayGauge(gauge=IDLE, state="clean", degraded=self.degraded, sync_action=self.sync(now - START))
        disk = replace(IDLE, read_bytes_per_s=self.busy)
        return Tick(time=now, seconds=seconds, disks={"sda": disk, "sdb": IDLE}, arrays={"md0": array})


@dataclass
class Obeying:
    """A load that notes what is asked of it. `values` are the figures in turn; an exception among them is raised."""

    clock: SimulatedClock
    values: list[float | Exception] = field(default_factory=list)
    fill: bool = False
    simulated: bool = False
    log: list[str] = field(default_factory=list)
    on_start: Callable[[str], None] = lambda _: None
    laid: bool = False

    def prepare(self, task: Task) -> Running | None:
        """Fills once until everything is removed."""
        if not self.fill or self.laid:
            return None
        self.laid = True
        return self._start(task, "fill", 10.0, 0.0)

    def settle(self, task: Task) -> None:
        """See Load."""
        self.log.append("settle")

    def measure(self, task: Task, repeat: int, raw: Path) -> Running:
        """Takes the time of the job."""
        value = self.values.pop(0) if self.values else 100.0
        raw.write_text("{}")
        return self._start(task, "repeat", task.job.warm_up_seconds + task.job.seconds, value)

    def check(self, task: Task) -> None:
        """See Load."""

    def done(self, task: Task, following: Task | None) -> None:
        """See Load."""
        self.log.append(f"done {task.number} before {following.number if following else 'the end'}")

    def clean(self) -> None:
        """See Load."""
        self.laid = False
        self.log.append("clean")

    def _start(self, task: Task, phase: str, seconds: float, value: float | Exception) -> Running:
        self.log.append(f"{phase} {task.number}")
        started = _Started(self, phase, seconds, value, warm_up=task.job.warm_up_seconds)
        self.on_start(self.log[-1])
        return started


class _Started:
    def __init__(self, load: Obeying, phase: str, seconds: float, value: float | Exception, *, warm_up: float) -> None:
        self.phase, self.seconds = phase, seconds
        self._load, self._value = load, value
        self._began = load.clock.now() + warm_up
        self._until = load.clock.now() + seconds

    def ended(self) -> bool:
        return self._load.clock.now() >= self._until

    def kill(self) -> None:
        self._load.log.append("kill")

    def outcome(self) -> Repeat:
        if isinstance(self._value, Exception):
            raise self._value
        return Repeat(value=self._value, began=self._began, ended=self._until)


class Stand:
    """A benchmark in a folder with all that it needs; `told` is what it said."""

    def __init__(
        self, folder: Path, *tasks: Task, during_sync: bool = False, values: tuple[float | Exception, ...] = ()
    ) -> None:
        self.clock = SimulatedClock(start=START)
        self.load = Obeying(self.clock, list(values))
        self.gauges = Gauges(self.clock)
        self.folder = folder
        made = bench(*tasks)
        if not folder.exists():
            store.create_at(folder, made)
        self.told: list[Event] = []
        self.asked = ControlRequest()
        self.benchmark = Benchmark(
            made, folder, self.gauges, self.load, request=lambda: self.asked, during_sync=during_sync, clock=self.clock
        )
        self.also: Callable[[Event], None] = lambda _: None

    def tell(self, event: Event) -> None:
        self.told.append(event)
        self.also(event)

    def run(self) -> None:
        self.result = self.benchmark.run(self.tell)

    def kinds(self) -> list[str]:
        """What it said, without the ticks."""
        return [type(event).__name__ for event in self.told if type(event).__name__ != "Ticked"]


GONE = MachineFailed("fio was ended by SIGKILL", hint="run it again, or resume")
