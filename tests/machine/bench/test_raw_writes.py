"""Writes to blank disks and empty arrays of a plan: what was blank stays blank, and nothing else is written to."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raidtui.bench import job, prepare, raw, store
from raidtui.bench.fio_load import FioLoad, RawWrites, measuring, written_regions
from raidtui.bench.plan import BenchOptions
from raidtui.bench.raw import RawAsk, on_flash, prepare_raw, raw_targets, require_empty
from raidtui.bench.run import Benchmark
from raidtui.engine import journal
from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import Journal
from raidtui.engine.site import SimulatedSite, locked
from raidtui.machine.gauges.scene import scene_of
from raidtui.machine.system.places import lock_is_free
from raidtui.machine.system.ports import AS_NAMED, Ran, Runner
from raidtui.programs import fio, mdadm, wipefs
from raidtui.simulated.state import DiskMark
from raidtui.simulated.storage import put
from raidtui.steps.trials import require_no_volume
from raidtui.values.bench import BenchResult, Job, Profile, Repeat, TargetKind, Task
from raidtui.values.design import Partitions
from raidtui.values.errors import Locked, MachineFailed, RaidtuiError, Refused, Stale
from raidtui.values.plan import Plan
from raidtui.values.units import GIB, MIB
from tests.machine.simulation import E2660, Run, planned, say
from tests.simulated.fault_model import Fault
from tests.simulated.machine import FaultyMachine

PLAN = planned("2x(2+1)+1", fs="none", stack="separate")
WRITE = Job(
    name="w",
    title="write",
    target="disks",
    pattern="write",
    block_bytes=1 << 20,
    depth=4,
    seconds=10,
    warm_up_seconds=2,
    stream_bytes=8 * GIB,
)


class Bench:
    """A machine whose disks or arrays are written to."""

    def __init__(self, folder: Path, machine: FaultyMachine, plan: Plan = PLAN, *, built: bool = False) -> None:
        self.machine, self.plan, self.folder = machine, plan, folder
        folder.mkdir(mode=0o700)
        journal.add(folder)
        self.book = Journal(folder, "build", machine.clock)
        ask = RawAsk(plan=plan, built=built, writes=True)
        self.targets = {each.kind: each for each in raw_targets(ask, machine, scene_of(machine.inventory()))}
        tasks = [self.task(kind) for kind in self.targets if built == kind.startswith("array")]
        self.writes = RawWrites(plan, machine, self.book, written_regions(plan, tasks))

    def task(self, kind: TargetKind) -> Task:
        """A write of 8 GiB on each device of the target of that kind."""
        return Task(number=1, job=WRITE, target=self.targets[kind], seconds=12, bytes_used=0)

    def write(self, kind: TargetKind) -> Repeat:
        """Writes to the target of that kind."""
        task = self.task(kind)
        running = self.writes.start(task, measuring(task, 1), self.folder / "raw.json", _read)
        return running.outcome()

    def commands(self) -> list[tuple[str, ...]]:
        """Every fio that was started."""
        return [record.argv for record in self.book.records if record.kind == "intent" and record.argv[0] == "fio"]


def _read(printed: str) -> Repeat:
    found = fio.parse(printed)
    return Repeat(value=found.bytes_per_s, began=0.0, ended=found.seconds)


@pytest.fixture
def machine() -> FaultyMachine:
    return FaultyMachine(E2660, speed_up=3600)


@pytest.fixture
def blank(tmp_path: Path, machine: FaultyMachine) -> Iterator[Bench]:
    made = Bench(tmp_path / "bench", machine)
    yield made
    made.book.close()


def test_blank_disks_are_written_to_and_are_blank_again(blank: Bench) -> None:
    before = blank.machine.hashes()
    found = blank.write("disks")
    blank.writes.prove_blank()
    assert (found.value, found.ended - found.began) == (6 * 100e6, 10.0)
    (command,) = blank.commands()
    members = [disk.path for disk in PLAN.disks if disk.id not in {spare for a in PLAN.arrays for spare in a.spares}]
    assert [word for word in command if word.startswith("--filename")] == [f"--filename={path}" for path in members]
    assert "--zero_buffers=1" in command
    assert blank.machine.hashes() == before
    assert [record.kind for record in blank.book.records].count("proven") == 3  # before, after, and at the end
    blank.write("disk")
    assert len(blank.commands()) == 2


@pytest.mark.parametrize("what", ["ext4", "gpt", "gpt-backup", "md-1.0", "zfs-end", "lvm", "data"])
def test_a_disk_that_holds_something_is_not_written_to(blank: Bench, what: str) -> None:
    disk = PLAN.disks[1].id
    blank.machine.leave(disk, what)  # type: ignore[arg-type]
    before = blank.machine.hashes()
    with pytest.raises(Stale):
        blank.write("disks")
    assert (blank.machine.hashes(), blank.commands()) == (before, [])
    blank.writes.prove_blank()  # nothing was written, so nothing is proven


def test_data_in_the_middle_of_an_array_ends_the_benchmark_before_its_first_write(
    tmp_path: Path, machine: FaultyMachine
) -> None:
    """20 MiB at 100 MiB of the second array, which the first command does not write to."""
    Run(tmp_path, PLAN, machine).build()
    machine.advance(1e6)
    other = PLAN.arrays[1].device
    key = next(array.name for array in machine._state.arrays if array.link == other.rpartition("/")[2])
    put(machine._state, key, DiskMark(kind="data", offset=100 * MIB, length=20 * MIB))
    bench = Bench(tmp_path / "bench", machine, built=True)
    before = machine.hashes()
    for kind in ("array", "arrays"):  # the whole benchmark, also what does not name that array
        with pytest.raises(Stale) as refused:
            bench.write(kind)
        assert str(refused.value) == (
            "/dev/md/data-1 holds data at byte 104857600; the benchmark would write 8589934592 bytes from byte 0 on"
        )
        assert refused.value.hint == ("look at it: hexdump --canonical --skip=104857600 --length=512 /dev/md/data-1")
    bench.writes.prove_blank()
    assert (machine.hashes(), bench.commands()) == (before, [])
    assert not any(record.kind == "intent" for record in bench.book.records)
    bench.book.close()


@pytest.mark.parametrize("at", [100 * MIB, 8 * GIB - 512])
def test_data_in_the_middle_of_a_disk_is_not_written_over(blank: Bench, at: int) -> None:
    put(blank.machine._state, "d1", DiskMark(kind="data", offset=at, length=512))
    before = blank.machine.hashes()
    with pytest.raises(Stale, match=f"(was written to|holds data) at byte {at}"):
        blank.write("disks")
    assert (blank.machine.hashes(), blank.commands()) == (before, [])


def test_data_behind_what_is_written_stays(blank: Bench) -> None:
    """It is not read, and not written over: only 8 GiB are."""
    put(blank.machine._state, "d1", DiskMark(kind="data", offset=8 * GIB, length=512))
    before = blank.machine.hashes()
    blank.write("disks")
    blank.writes.prove_blank()
    assert blank.machine.hashes() == before


def test_data_that_appears_after_the_first_reading_ends_the_benchmark(blank: Bench) -> None:
    blank.write("disks")
    put(blank.machine._state, "d1", DiskMark(kind="data", offset=100 * MIB, length=512))
    before = blank.machine.hashes()
    with pytest.raises(Stale, match=r"holds data at byte 104857600"):
        blank.write("disks")
    assert (blank.machine.hashes(), len(blank.commands())) == (before, 1)


def test_a_disk_with_data_where_an_array_will_begin_is_not_written_to(tmp_path: Path, machine: FaultyMachine) -> None:
    """Its partition will begin at 1 MiB, so that the area is 1 MiB further on the disk than in the partition."""
    plan = planned("2x(2+1)+1", fs="none", stack="separate", partitions=Partitions())
    bench = Bench(tmp_path / "bench", machine, plan)
    area = mdadm.sectors_as_bytes(plan.prediction.arrays[0].data_offset_sectors) + MIB
    put(machine._state, "d1", DiskMark(kind="data", offset=area + 4 * MIB - 512, length=512))
    with pytest.raises(Stale, match=f"holds data at byte {area + 4 * MIB - 512}"):
        bench.write("disks")
    assert bench.commands() == []
    bench.book.close()


@pytest.mark.parametrize("how", ["mounted", "swap", "md-member", "lvm-pv", "dm-crypt", "multipath", "exclusive"])
def test_a_disk_in_use_is_not_written_to(blank: Bench, how: str) -> None:
    blank.machine.occupy(PLAN.disks[0].id, how)  # type: ignore[arg-type]
    before = blank.machine.hashes()
    with pytest.raises(RaidtuiError):
        blank.write("disks")
    assert (blank.machine.hashes(), blank.commands()) == (before, [])


def test_a_disk_open_for_writing_or_behind_another_link_is_not_written_to(blank: Bench) -> None:
    blank.machine.open(PLAN.disks[0].path, "dd", 77)
    with pytest.raises(Stale, match="open for writing by"):
        blank.write("disks")
    blank.machine.close(77)
    blank.machine.lead(PLAN.disks[0].path, E2660.disks[40].id)
    with pytest.raises(Stale):
        blank.write("disks")
    assert blank.commands() == []


def test_content_that_appears_after_a_write_is_found_at_the_end(blank: Bench) -> None:
    blank.write("disks")
    blank.machine.leave(PLAN.disks[2].id, "ext4")
    with pytest.raises(MachineFailed, match="after the benchmark"):
        blank.writes.prove_blank()


def test_empty_arrays_are_written_to_and_those_with_content_are_not(tmp_path: Path, machine: FaultyMachine) -> None:
    run = Run(tmp_path, PLAN, machine)
    run.build()
    machine.advance(1e6)
    bench = Bench(tmp_path / "bench", machine, built=True)
    before = machine.hashes()
    assert bench.write("arrays").value == 2 * 100e6
    assert bench.write("array").value == 100e6
    bench.writes.prove_blank()
    assert machine.hashes() == before
    for number, what in enumerate(("ext4", "pv", "gpt", "luks", "data"), start=1):
        other = FaultyMachine.from_json(machine.to_json(), speed_up=3600)
        other.stand(PLAN.arrays[0].device, what)  # type: ignore[arg-type]
        mine = Bench(tmp_path / f"bench-{number}", other, built=True)
        with pytest.raises(Stale):
            mine.write("arrays")
        assert mine.commands() == []
        mine.book.close()
    bench.book.close()
    run.undo()


def test_arrays_that_are_not_the_plans_or_hold_something_are_refused_first(
    tmp_path: Path, machine: FaultyMachine
) -> None:
    Run(tmp_path, PLAN, machine).build()
    machine.advance(1e6)
    require_empty(PLAN, machine)
    grown = replace(PLAN.prediction.arrays[0], array_bytes=PLAN.prediction.arrays[0].array_bytes - 4096)
    other = replace(PLAN, prediction=replace(PLAN.prediction, arrays=(grown, *PLAN.prediction.arrays[1:])))
    with pytest.raises(Stale, match="bytes"):
        require_empty(other, machine)
    foreign = replace(PLAN, arrays=(replace(PLAN.arrays[0], uuid="0:0:0:0"), *PLAN.arrays[1:]))
    ask = RawAsk(plan=foreign, built=True, writes=False)
    with pytest.raises(Stale, match="UUID"):
        raw_targets(ask, machine, scene_of(machine.inventory()))
    machine.stand(PLAN.arrays[1].device, "ext4")
    with pytest.raises(Stale, match=r"no signature: '.*ext4"):
        require_empty(PLAN, machine)


def test_content_that_appears_on_an_array_between_two_commands_is_kept(tmp_path: Path, machine: FaultyMachine) -> None:
    Run(tmp_path, PLAN, machine).build()
    machine.advance(1e6)
    bench = Bench(tmp_path / "bench", machine, built=True)
    last = len(PLAN.arrays)  # each is claimed by one command before fio starts
    machine.arm(
        Fault(kind="stand", what="ext4", device=PLAN.arrays[0].device, at=last, words=("blkdiscard",), side="after")
    )
    with pytest.raises(Stale, match="no signature"):
        bench.write("arrays")
    assert bench.commands() == []
    assert "ext4" in say(machine, *wipefs.question((PLAN.arrays[0].device,)))
    bench.book.close()


class Watched(FaultyMachine):
    """A machine that notes, for every fio, which devices nobody else can open exclusively."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.held: list[str] = []
        self.while_fio: list[list[str]] = []

    @contextlib.contextmanager
    def hold(self, paths: Sequence[str], *, exclusive: bool = True) -> Iterator[None]:
        """See Runner."""
        with super().hold(paths, exclusive=exclusive):
            self.held += paths if exclusive else ()
            yield
            if exclusive:
                self.held.clear()

    def run(self, argv: tuple[str, ...], output: int, devices: Mapping[str, str] = AS_NAMED, *, stdin: str = "") -> int:
        """See Runner."""
        if argv[0] == "fio":
            self.while_fio.append([*self.held])
        else:  # blkdiscard opens its device exclusively itself
            assert self.held == []
        return super().run(argv, output, devices, stdin=stdin)


def test_nothing_else_is_made_on_a_device_while_zeros_are_written_to_it(tmp_path: Path) -> None:
    machine = Watched(E2660, speed_up=3600)
    Run(tmp_path, PLAN, machine).build()
    machine.advance(1e6)
    bench = Bench(tmp_path / "bench", machine, built=True)
    bench.write("arrays")
    arrays = [machine.pin(path) for path in bench.targets["arrays"].paths]
    assert machine.while_fio == [[f"/dev/{pin.name}" for pin in arrays if pin is not None]]
    assert len(machine.while_fio[0]) == len(PLAN.arrays) and machine.held == []
    bench.book.close()


def test_a_disk_that_somebody_takes_right_before_zeros_are_written_is_not_written_to(blank: Bench) -> None:
    members = blank.targets["disks"].paths  # each is claimed by one command before fio starts
    taken = PLAN.disks[0].id
    blank.machine.arm(
        Fault(kind="use", what="exclusive", disk=taken, at=len(members), words=("blkdiscard",), side="after")
    )
    with pytest.raises((MachineFailed, Stale)):
        blank.write("disks")
    assert (len(blank.machine.fired), blank.commands()) == (1, [])


class Blind(FaultyMachine):
    """A machine on which one program gives no answer."""

    program = ""

    def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
        """See Runner."""
        if argv[0] == self.program:
            return Ran(exit=1, stdout="", stderr="failed")
        return super().ask(argv, devices)


@pytest.mark.parametrize(
    ("kind", "program"),
    [*(("disks", each) for each in ("wipefs", "lsblk", "cmp")),
     *(("array", each) for each in ("wipefs", "lsblk", "cmp", "mdadm"))],
)  # fmt: skip
def test_without_an_answer_nothing_is_written(tmp_path: Path, kind: TargetKind, program: str) -> None:
    machine = Blind(E2660, speed_up=3600)
    if kind == "array":
        Run(tmp_path, PLAN, machine).build()
        machine.advance(1e6)
    bench = Bench(tmp_path / "bench", machine, built=kind == "array")
    machine.program = program
    before = machine.hashes()
    with pytest.raises((Stale, MachineFailed)):
        bench.write(kind)
    assert (machine.hashes(), bench.commands()) == (before, [])
    bench.book.close()


def test_a_profile_that_only_reads_starts_no_writes(
    tmp_path: Path, machine: FaultyMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[object] = []
    monkeypatch.setattr(raw, "conditions", lambda *_: {})  # asks fio for its version
    monkeypatch.setattr(prepare, "FioLoad", lambda *_, raw_writes, **__: given.append(raw_writes))
    monkeypatch.setattr(job, "locked", lambda _: pytest.fail("nothing is written to"))
    monkeypatch.setattr(Benchmark, "run", lambda each: BenchResult(bench=each.bench, figures=(), outcome="finished"))
    reads = Profile(name="reads", title="reads", purpose="reads", jobs=(replace(WRITE, pattern="read"),))
    ask = RawAsk(plan=PLAN, built=False, writes=True)
    made = prepare_raw(ask, machine.inventory(), machine, reads, BenchOptions(), root_user=True)
    assert made.bench.conditions.settings["raw writes"] == "none"
    order = store.ordered(made.order, made.bench)
    folder = store.create_at(tmp_path / "out", made.bench, order, PLAN)
    assert job.carry_on(folder, order.digest, ControlRequest, speed_up=0) == 0
    assert given == [None]


def begun(tmp_path: Path, machine: FaultyMachine, monkeypatch: pytest.MonkeyPatch, *, built: bool) -> tuple[Path, str]:
    """The folder of a benchmark that writes to the disks or the arrays of this machine, and the digest of its order."""
    monkeypatch.setattr(raw, "conditions", lambda *_: {})  # asks fio for its version
    monkeypatch.setattr(raw, "RealSite", lambda: SimulatedSite(tmp_path / "runs", machine))
    monkeypatch.setattr(job, "REAL_LOCK", tmp_path / "lock")
    one = replace(WRITE, target="array" if built else "disk", repeats=1)
    writes = Profile(name="writes", title="writes", purpose="writes", jobs=(one,))
    ask = RawAsk(plan=PLAN, built=built, writes=True)
    made = prepare_raw(ask, machine.inventory(), machine, writes, BenchOptions(), root_user=True)
    order = store.ordered(made.order, made.bench)
    return store.create_at(tmp_path / "out", made.bench, order, PLAN), order.digest


@pytest.mark.parametrize("built", [False, True])
def test_its_executor_looks_again_under_the_run_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, built: bool
) -> None:
    """A file system that appears after the confirmation is found, and the lock is held from before that look on."""
    machine = FaultyMachine(E2660, speed_up=3600)
    if built:
        Run(tmp_path, PLAN, machine).build()
        machine.advance(1e6)
    folder, digest = begun(tmp_path, machine, monkeypatch, built=built)
    free: list[bool] = []
    real = SimulatedSite.runner

    def runner(site: SimulatedSite, lock: int) -> Runner:
        free.append(lock_is_free(tmp_path / "lock"))
        return real(site, lock)

    monkeypatch.setattr(SimulatedSite, "runner", runner)
    if built:
        machine.stand(PLAN.arrays[0].device, "ext4")
    else:
        machine.leave(PLAN.disks[2].id, "ext4")
    before = machine.hashes()
    with pytest.raises((Stale, Refused)):
        job.carry_on(folder, digest, ControlRequest, speed_up=0)
    assert (free, machine.hashes()) == ([False], before)
    assert lock_is_free(tmp_path / "lock")
    result = store.load(folder)
    assert (result.outcome, result.figures) == ("failed", ())
    assert result.reason != ""


class UnderLock(FaultyMachine):
    """A machine that notes at each command whether the run lock was free."""

    run_lock: Path
    free: set[bool]

    def run(self, argv: tuple[str, ...], output: int, devices: Mapping[str, str] = AS_NAMED, *, stdin: str = "") -> int:
        """See Runner."""
        self.free.add(lock_is_free(self.run_lock))
        return super().run(argv, output, devices, stdin=stdin)


@pytest.mark.parametrize("built", [False, True])
def test_its_executor_holds_the_run_lock_at_every_write_and_leaves_everything_blank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, built: bool
) -> None:
    machine = UnderLock(E2660, speed_up=3600)
    machine.run_lock, machine.free = tmp_path / "lock", set()
    if built:
        Run(tmp_path, PLAN, machine).build()
        machine.advance(1e6)
        machine.free.clear()
    monkeypatch.setattr(FioLoad, "check", lambda *_: None)  # device numbers of this machine
    monkeypatch.setattr("raidtui.bench.run._QUIET_SECONDS", 0.0)
    monkeypatch.setattr("raidtui.bench.run.TICK_SECONDS", 0.05)
    folder, digest = begun(tmp_path, machine, monkeypatch, built=built)
    before = machine.hashes()
    assert job.carry_on(folder, digest, ControlRequest, speed_up=0) == 0
    result = store.load(folder)
    assert (result.outcome, result.reason) == ("finished", "")
    assert [figure.task for figure in result.figures] == [task.number for task in result.bench.tasks]
    assert machine.hashes() == before
    assert machine.free == {False}
    fio_runs = [each for each in journal.records(folder) if each.kind == "intent" and each.argv[:1] == ("fio",)]
    assert len(fio_runs) == len(result.bench.tasks)
    assert lock_is_free(tmp_path / "lock")


def test_its_executor_does_not_begin_while_another_job_holds_the_run_lock(
    tmp_path: Path, machine: FaultyMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, digest = begun(tmp_path, machine, monkeypatch, built=False)
    monkeypatch.setattr(job, "locked", lambda path: locked(path, patience=0))
    with locked(tmp_path / "lock"), pytest.raises(Locked):
        job.carry_on(folder, digest, ControlRequest, speed_up=0)
    assert store.load(folder).outcome == "failed"


def test_flash_that_holds_zeros_is_noted() -> None:
    disk = E2660.disks[0]
    assert on_flash([disk, replace(disk, rotational=None)]) == ()
    (note,) = on_flash([disk, replace(disk, rotational=False)])
    assert (note.severity, note.code) == ("note", "zeros-on-flash")


def test_arrays_that_carry_a_volume_are_refused_by_their_plan() -> None:
    require_no_volume(PLAN)
    for fs, stack in (("xfs", "separate"), ("none", "lvm"), ("none", "md")):
        with pytest.raises(Refused, match="which raw writes would destroy"):
            require_no_volume(planned("2x(2+1)", fs=fs, stack=stack))


def test_without_a_confirmation_nothing_is_written(blank: Bench, tmp_path: Path) -> None:
    from tests.planner.benches import bench as bench_of  # beside the class of this name

    task = Task(number=1, job=WRITE, target=blank.targets["disks"], seconds=12, bytes_used=0)
    load = FioLoad(bench_of([task]), memory_bytes=1 << 30)
    with pytest.raises(MachineFailed, match="is only read"):
        load.measure(task, 1, tmp_path / "raw.json")


def test_a_write_stops_between_commands(blank: Bench) -> None:
    target = blank.targets["disk"]
    task = Task(number=1, job=WRITE, target=target, seconds=12, bytes_used=0)
    running = blank.writes.start(task, measuring(task, 1), blank.folder / "raw.json", _read)
    running.kill()
    assert running.ended()
    blank.writes.prove_blank()
