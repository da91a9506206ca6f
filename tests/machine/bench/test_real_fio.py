"""Real fio on files in a temporary directory, and what can go wrong there. Every case ends with three counts: processes
that outlived it, files left on the target, and results that cannot be read. All are 0.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.bench import prepare, store
from raidtui.bench.events import Event, PhaseStarted, TaskFailed
from raidtui.bench.plan import BenchOptions
from raidtui.bench.run import Benchmark
from raidtui.bench.targets import BenchPlace, place_of
from raidtui.engine.folders import ControlRequest
from raidtui.machine.system.files import save_document
from raidtui.programs.fio import on_devices, written_bytes
from raidtui.values.bench import BenchResult, Job, Profile
from raidtui.values.codec import to_json
from raidtui.values.inventory import Inventory

pytestmark = pytest.mark.needs("fio")
MIB = 1024 * 1024
NOBODY = Inventory(origin="machine", name="testhost")
READ = Job(
    name="read", title="", target="files", pattern="read", block_bytes=65536, streams=2, depth=4, seconds=1.0,
    warm_up_seconds=0.0, repeats=1, stream_bytes=4 * MIB,
)  # fmt: skip
FRESH = replace(READ, name="fresh", pattern="write", streams=1, depth=1, direct=False)
LONG = replace(READ, name="long", seconds=30.0)
ASKED = [ControlRequest()]
"""what is asked of the benchmark"""
SMALL = Job(
    name="small", title="", target="files", pattern="small-files", block_bytes=500, files=120, streams=2, repeats=1,
    direct=False,
)  # fmt: skip


@pytest.fixture(autouse=True)
def _do_not_wait_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.bench.run._QUIET_SECONDS", 0.0)


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Path]:
    """A directory to measure in; nothing may be left in it, and no fio may be at work there."""
    made = tmp_path / "target"
    made.mkdir()
    yield made
    assert [path.name for path in made.iterdir()] == []
    assert at_work_below(made) == []


def at_work_below(place: Path) -> list[int]:
    """Processes whose directory, or an open file, is below `place`."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        for link in (entry / "cwd", *_open_files(entry)):
            try:
                if os.readlink(link).startswith(f"{place}/"):  # noqa: PTH115
                    found.append(int(entry.name))
                    break
            except OSError:
                continue
    return [number for number in found if number != os.getpid()]


def _open_files(entry: Path) -> list[Path]:
    try:
        return list((entry / "fd").iterdir())
    except OSError:
        return []


def profile(*jobs: Job) -> Profile:
    return Profile(name="mine", title="", purpose="", jobs=jobs)


def started(target: Path, *jobs: Job, place: BenchPlace | None = None) -> Benchmark:
    """A benchmark of `target` that drops nobody's caches."""
    prepared = prepare.prepare((place or place_of(target),), NOBODY, profile(*jobs), BenchOptions())
    folder = store.create_at(target.parent / "out", prepared.bench)
    benchmark = prepare.begun(prepared.bench, prepared.order, folder, lambda: ASKED[0])
    benchmark._load._drop = False  # type: ignore[attr-defined]
    return benchmark


def run(benchmark: Benchmark, at: Callable[[Event], None] = lambda _: None) -> BenchResult:
    ASKED[0] = ControlRequest()
    result = benchmark.run(at)
    assert store.load(benchmark.folder) == result
    return result


def in_repeat(do: Callable[[], None]) -> Callable[[Event], None]:
    """Does something 0.3 s after a repeat began."""

    def also(event: Event) -> None:
        if isinstance(event, PhaseStarted) and event.phase == "repeat":
            time.sleep(0.3)
            do()

    return also


@pytest.mark.thorough
def test_figures_are_those_that_fio_printed(target: Path) -> None:
    write = replace(READ, name="write", pattern="write", repeats=2)
    random = replace(READ, name="random", pattern="randread", block_bytes=4096)
    mixed = replace(READ, name="mixed", pattern="randrw", read_share=0.7)
    benchmark = started(target, READ, write, random, mixed, FRESH, SMALL)
    result = run(benchmark)
    assert (result.outcome, result.reason) == ("finished", "")
    assert [(figure.task, figure.unit, len(figure.repeats)) for figure in result.figures] == [
        (1, "B/s", 1), (2, "B/s", 2), (3, "IOPS", 1), (4, "IOPS", 1), (5, "B/s", 1), (6, "files/s", 1),
    ]  # fmt: skip
    for figure in result.figures[:5]:
        for repeat in figure.repeats:
            (job,) = json.loads((benchmark.folder / repeat.fio).read_text())["jobs"]
            whole = [job[way] for way in ("read", "write") if job[way]["runtime"]]
            key = "io_bytes" if figure.unit == "B/s" else "total_ios"
            longest = max(way["runtime"] for way in whole)
            assert repeat.value == pytest.approx(sum(way[key] for way in whole) / longest * 1000, rel=0.01)
            assert "short" in repeat.labels
    assert "cached" in result.figures[4].labels
    assert set(result.figures[5].repeats[0].parts) == {"create", "create and sync", "read", "delete"}
    lines = (benchmark.folder / store.GAUGES).read_text().splitlines()
    assert len(lines) >= 6


@pytest.mark.thorough
def test_fio_is_killed(target: Path) -> None:
    benchmark = started(target, READ, LONG)
    told: list[Event] = []

    def at(event: Event) -> None:
        told.append(event)
        if isinstance(event, PhaseStarted) and event.phase == "repeat" and event.task == 2:
            (child,) = at_work_below(target)
            os.kill(child, signal.SIGKILL)

    result = run(benchmark, at)
    assert (result.outcome, result.reason) == ("failed", "fio was ended by SIGKILL; run it again, or resume")
    assert [figure.task for figure in result.figures] == [1]
    assert any(isinstance(event, TaskFailed) for event in told)


@pytest.mark.thorough
def test_fio_is_asked_to_end(target: Path) -> None:
    """Its result is whole but for the time: it counts, labelled."""
    benchmark = started(target, LONG)

    def ask() -> None:
        while not ((found := measuring(target)) and _has_read(found[0])):
            time.sleep(0.05)
        time.sleep(0.3)
        os.kill(found[0], signal.SIGTERM)

    result = run(benchmark, in_repeat(ask))
    assert (result.outcome, result.reason) == ("finished", "")
    assert set(result.figures[0].labels) == {"partial", "short"}


@pytest.mark.thorough
def test_pause_and_stop_remove_everything_at_once(target: Path) -> None:
    benchmark = started(target, LONG)
    seen: list[list[str]] = []

    def at(event: Event) -> None:
        kind = type(event).__name__
        if kind == "Paused":
            seen.append([path.name for path in target.iterdir()])
            seen.append([str(each) for each in at_work_below(target)])
            ASKED[0] = ControlRequest(stop=True)
        elif isinstance(event, PhaseStarted) and event.phase == "repeat":
            assert [path.name for path in target.iterdir()] != []
            ASKED[0] = ControlRequest(pause=True)

    result = run(benchmark, at)
    assert seen == [[], []]
    assert (result.outcome, result.figures) == ("stopped", ())


@pytest.mark.thorough
def test_its_directory_is_replaced_meanwhile(target: Path) -> None:
    """As when something is mounted over it, or it is unmounted: nothing is written to what is there now."""
    place = target / "mnt"
    place.mkdir()
    benchmark = started(place, READ)

    def swap() -> None:
        place.rename(target / "away")
        place.mkdir()

    result = run(benchmark, in_repeat(swap))
    assert result.outcome == "failed"
    assert result.reason == f"{place} is no longer the file system it was; mount it, then resume"
    assert list(place.iterdir()) == []
    assert list((target / "away").iterdir()) == []
    place.rmdir()
    (target / "away").rmdir()
    shutil.rmtree(target / "out")


MOUNTED = """
import sys, subprocess
from pathlib import Path
from tests.machine.bench import test_real_fio as real
case, where = sys.argv[1], Path(sys.argv[2])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "none", str(where)], check=True)
if case == "full":
    benchmark = real.started(where, real.READ, real.replace(real.FRESH, stream_bytes=16 * real.MIB, seconds=5.0))
    def do(event):
        if type(event).__name__ == "TaskStarted" and event.task.number == 2:
            (where / "theirs").write_bytes(bytes(20 * real.MIB))
    result = real.run(benchmark, do)
    (where / "theirs").unlink()
else:
    benchmark = real.started(where, real.LONG)
    result = real.run(benchmark, real.in_repeat(lambda: subprocess.run(["umount", "-l", str(where)], check=True)))
print(result.outcome, "|", result.reason)
print(len(result.figures), [path.name for path in where.iterdir()])
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("full", "failed | fio: No space left on device; fio: io_u error on file regions: No space left on device"),
        ("unmounted", "failed | {where} is no longer the file system it was; mount it, then resume"),
    ],
)
def test_a_file_system_that_runs_full_or_is_unmounted(target: Path, case: str, said: str) -> None:
    """In a mount namespace of its own, on a small tmpfs."""
    own = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    argv = ["unshare", *own, "--mount", sys.executable, "-c", MOUNTED, case, str(target)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3])
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first.startswith(said.format(where=target))
    assert second == f"{int(case == 'full')} []"


# The command.


def command(target: Path, *more: str, jobs: tuple[Job, ...] = (LONG,)) -> list[str]:
    path = target.parent / "profile.json"
    path.write_text(to_json(profile(*jobs)))
    out = ["--out", str(target.parent / "out")]
    return [sys.executable, "-m", "raidtui", "bench", str(target), "--profile", str(path), "--yes", *out, *more]


def measuring(target: Path) -> list[int]:
    """Its fio, once it measures: the files are filled and read."""
    return [
        number
        for number in at_work_below(target)
        if b"--name=long" in _words(number)[1:] and b"fio" in _words(number)[0]
    ]


def _has_read(number: int) -> bool:
    """True once it has read 16 MiB more than a program does to start: it is past its set-up, and knows the signal."""
    counts = dict(line.split(": ") for line in Path(f"/proc/{number}/io").read_text().splitlines())
    return int(counts["rchar"]) + int(counts["read_bytes"]) > 2**24


def _words(number: int) -> list[bytes]:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return [b""]


def until_at_work(target: Path, process: subprocess.Popen[bytes]) -> None:
    """Until its fio measures."""
    deadline = time.monotonic() + 60
    while not measuring(target):
        assert time.monotonic() < deadline and process.poll() is None, "fio never measured"
        time.sleep(0.05)


def executor_of(target: Path) -> int:
    """The process that started its fio."""
    (fio,) = measuring(target)
    return int(next(row for row in Path(f"/proc/{fio}/status").read_text().splitlines() if "PPid" in row).split()[1])


def asked_to_stop(target: Path) -> None:
    """Stops it as a person does, and waits until nothing is at work."""
    argv = [sys.executable, "-m", "raidtui"]
    assert subprocess.run([*argv, "control", str(target.parent / "out"), "stop"], check=False).returncode == 0
    done = subprocess.run([*argv, "bench", "--attach", str(target.parent / "out")], capture_output=True, check=False)
    assert done.returncode == 130
    assert b"stopped: 0 of 1 figures" in done.stdout
    found = store.load(target.parent / "out")
    assert (found.outcome, found.reason) == ("stopped", "asked to stop")


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.thorough)])
def test_a_signal_to_its_executor_stops_and_cleans(target: Path, number: signal.Signals) -> None:
    with subprocess.Popen(command(target), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until_at_work(target, process)
        os.kill(executor_of(target), number)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"stopped: 0 of 1 figures" in out
    found = store.load(target.parent / "out")
    assert (found.outcome, found.reason) == ("stopped", "asked to stop")


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, *(pytest.param(one, marks=pytest.mark.thorough) for one in (signal.SIGTERM, signal.SIGHUP))],
)
def test_who_leaves_it_does_not_end_it(target: Path, number: signal.Signals) -> None:
    with subprocess.Popen(
        command(target), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    ) as process:  # fmt: skip
        until_at_work(target, process)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == (130 if number == signal.SIGINT else -number)
    assert (b"no longer following; the benchmark continues" in said) == (number == signal.SIGINT)
    assert measuring(target) != []
    asked_to_stop(target)


@pytest.mark.thorough
def test_the_terminal_is_gone(target: Path) -> None:
    master, slave = pty.openpty()
    with subprocess.Popen(
        command(target), stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    ) as process:  # fmt: skip
        os.close(slave)
        until_at_work(target, process)
        os.close(master)
        process.wait(timeout=60)
    assert measuring(target) != []
    asked_to_stop(target)


@pytest.mark.thorough
def test_the_reader_of_its_lines_is_gone(target: Path) -> None:
    with subprocess.Popen(command(target, "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until_at_work(target, process)
        assert process.stdout is not None
        process.stdout.close()
        process.wait(timeout=60)
    assert measuring(target) != []
    asked_to_stop(target)


@pytest.mark.thorough
def test_killed_found_again_and_resumed(target: Path) -> None:
    """SIGKILL: fio dies with it; its directory is left, is found by the next start and removed; then it goes on."""
    with subprocess.Popen(
        command(target, jobs=(READ, LONG)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        until_at_work(target, process)
        os.kill(executor_of(target), signal.SIGKILL)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 3
    assert b"the executor of the benchmark ended unexpectedly" in said
    until = time.monotonic() + 10
    while at_work_below(target) and time.monotonic() < until:
        time.sleep(0.02)
    assert at_work_below(target) == []
    (left,) = target.iterdir()
    found = store.load(target.parent / "out")
    assert (found.outcome, [figure.task for figure in found.figures]) == ("interrupted", [1])
    short = found.bench.tasks[1]
    bench = replace(found.bench, tasks=(found.bench.tasks[0], replace(short, job=replace(short.job, seconds=1.0))))
    store.save(target.parent / "out", replace(found, bench=bench))
    save_document(target.parent / "out" / store.BENCH, bench)
    argv = [sys.executable, "-m", "raidtui", "bench", "--resume", str(target.parent / "out"), "--yes"]
    done = subprocess.run(argv, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"removed its old files: {left}".encode() in done.stderr
    result = store.load(target.parent / "out")
    assert (result.outcome, [figure.task for figure in result.figures]) == ("finished", [1, 2])
    assert result.figures[0] == found.figures[0]
    assert sorted(path.name for path in (target.parent / "out").glob("gauges*")) == ["gauges-2.jsonl", "gauges.jsonl"]


def test_what_is_read_as_a_device_is_opened_for_reading_alone(target: Path) -> None:
    """By the kernel's word (fdinfo): O_RDONLY. A file stands for the device; its name has a colon."""
    path = target / "pci-0000:03"
    path.write_bytes(bytes(MIB))
    job = Job(
        name="long", title="", target="disk", pattern="read", block_bytes=4096, depth=4, seconds=30.0, warm_up_seconds=0
    )
    with subprocess.Popen(on_devices(job, (str(path),)).argv(), cwd=target, stdout=subprocess.DEVNULL) as fio:
        modes: set[int] = set()
        until = time.monotonic() + 30
        while not modes and time.monotonic() < until:
            modes = {
                _flags(fio.pid, link) & os.O_ACCMODE
                for link in _open_files(Path(f"/proc/{fio.pid}"))
                if _leads(link, path)
            }
        fio.terminate()
    assert modes == {os.O_RDONLY}
    path.unlink()


@pytest.mark.parametrize("streams", [1, 2])
def test_what_is_written_to_a_device_is_what_was_read_before(target: Path, streams: int) -> None:
    """A file full of ones stands for the device; in the time more is written than the regions hold."""
    path = target / "disk"
    path.write_bytes(b"\xff" * (8 * MIB))
    job = replace(
        READ, target="disk", pattern="write", streams=streams, regions=streams, stream_bytes=2 * MIB, seconds=0.5
    )
    subprocess.run(on_devices(job, (str(path),)).argv(), cwd=target, stdout=subprocess.DEVNULL, check=True)
    length = written_bytes(job, 8 * MIB)
    assert length == streams * 2 * MIB
    assert path.read_bytes() == bytes(length) + b"\xff" * (8 * MIB - length)
    path.unlink()


def _leads(link: Path, path: Path) -> bool:
    try:
        return os.readlink(link) == str(path)  # noqa: PTH115
    except OSError:
        return False


def _flags(number: int, link: Path) -> int:
    lines = Path(f"/proc/{number}/fdinfo/{link.name}").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("flags:")), 8)
