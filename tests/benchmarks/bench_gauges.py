"""Processor time of the gauges beside `iostat -x 1`, in one run, on 60 and 1,000 disks that all work.

    python -m tests.benchmarks.bench_gauges > tests/benchmarks/GAUGES.md        as root, for `unshare --mount`

No machine here has 1,000 disks. In a mount namespace of its own a written /proc/diskstats and /sys/block/NAME/stat lie
over the kernel's, and a process counts every counter of every disk on, twice a second; iostat and raidtui, started side
by side, read the same counters: iostat a file of /sys for each disk, with `-p ALL` the one of /proc as raidtui does.
What the kernel takes to print them is therefore left out for all of them; the column of this host's own disks has it
in. Time on a processor is what the kernel counted (schedstat), from one moment after the start of all to another:
start-up is not in it. Before that, iostat and raidtui must list as many disks as there are.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.lab.host import scratch_root

DISKS = (60, 1000)
SECONDS = 20
ROUNDS = 3
PAIRS = 6
FIO_SECONDS = 5
_SETTLE = 3.0
_BARE = """
import sys, time
from raidtui.machine.gauges.sampler import SystemTicks
from raidtui.machine.gauges.scene import scene_of
ticks = SystemTicks(scene_of(), temperatures=False)
ask = sys.argv[1] == "all"
while True:
    time.sleep(1)
    tick = ticks.take()
    if ask:
        for gauge in tick.disks.values():
            pass
"""
PROGRAMS = {
    "iostat -x 1": ["iostat", "-x", "1"],
    "iostat -x -p ALL 1": ["iostat", "-x", "-p", "ALL", "1"],
    "raidtui watch --json": [sys.executable, "-m", "raidtui", "watch", "--json", "--interval", "1"],
    "sampler, every disk asked for": [sys.executable, "-c", _BARE, "all"],
    "sampler, no disk asked for": [sys.executable, "-c", _BARE, "none"],
}
_HEAD = """\
# Gauges beside iostat

Written by `python -m tests.benchmarks.bench_gauges`. Processor time for each tick of one second, the median of {rounds}
rounds of {seconds} ticks, start-up left out; all programs of a column run side by side. The 60 and 1,000 disks are
written files that lie over /proc/diskstats and /sys/block in a mount namespace, every disk at work in every tick: what
a kernel takes to print its counters is in the first column only. Ratios are to `iostat -x 1`;
milliseconds are of this machine only. iostat is of {version}.
"""
_NOTE = """\

`watch --json` prints every disk. *Every disk asked for*: the figures of all of them are worked out, none is printed;
*no disk asked for* is what a screen pays before it looks at the disks it shows.
"""


@dataclass(frozen=True, slots=True)
class Column:
    """One machine."""

    title: str
    milliseconds: dict[str, float]
    """of processor time for each tick, by program"""


def main() -> None:
    """Prints the document."""
    if os.environ.get("RAIDTUI_BENCH_APART") != "1":
        here = [sys.executable, *sys.orig_argv[1:]]
        environment = {**os.environ, "RAIDTUI_BENCH_APART": "1"}
        raise SystemExit(subprocess.run(["unshare", "--mount", *here], env=environment, check=False).returncode)
    columns = [_column("this host's own disks")]
    with tempfile.TemporaryDirectory() as scratch:
        for count in DISKS:
            with _machine(Path(scratch), count):
                _check(count)
                columns.append(_column(f"{count} disks"))
    with tempfile.TemporaryDirectory(dir=scratch_root()) as scratch:
        alone, beside = _fio_in_turns(Path(scratch))
    version = subprocess.run(["iostat", "-V"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    print(_document(columns, version) + _fio_text(alone, beside))


def _check(count: int) -> None:
    """Nobody is measured who does not see all the disks."""
    report = subprocess.run(["iostat", "-x", "-o", "JSON", "1", "1"], capture_output=True, check=True).stdout
    theirs = json.loads(report)["sysstat"]["hosts"][0]["statistics"][0]["disk"]
    argv = [*PROGRAMS["raidtui watch --json"], "--count", "1"]
    ours = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)["tick"]["disks"]
    at_work = [gauge for gauge in ours.values() if gauge["util"]]
    if not len(theirs) == len(ours) == len(at_work) == count:
        raise SystemExit(f"iostat sees {len(theirs)} disks, raidtui {len(ours)}, {len(at_work)} at work, of {count}")


def _fio_in_turns(folder: Path) -> tuple[list[float], list[float]]:
    """Requests per second that fio reads from a file past the page cache, alone and beside the gauges, in turns."""
    alone, beside = [], []
    _fio(folder, seconds=1)  # writes the file
    for _ in range(PAIRS):
        alone.append(_fio(folder, seconds=FIO_SECONDS))
        with _started([*PROGRAMS["raidtui watch --json"]]):
            beside.append(_fio(folder, seconds=FIO_SECONDS))
    return alone, beside


def _fio(folder: Path, *, seconds: int) -> float:
    argv = ["fio", "--name=reads", f"--directory={folder}", "--size=256M", "--rw=randread", "--bs=4k", "--direct=1",
            "--ioengine=psync", "--time_based", f"--runtime={seconds}", "--output-format=json"]  # fmt: skip
    report = subprocess.run(argv, cwd=folder, capture_output=True, check=True).stdout
    iops: float = json.loads(report)["jobs"][0]["read"]["iops"]
    return iops


def _fio_text(alone: list[float], beside: list[float]) -> str:
    ratios = sorted(with_us / without for without, with_us in zip(alone, beside, strict=True))
    steps = sorted(later / sooner for sooner, later in itertools.pairwise(alone))
    return (
        f"\n\nA fio that reads 4 KiB at random, {PAIRS} times {FIO_SECONDS} s alone and as often beside `raidtui watch"
        f" --json`, in turns: beside it,\nfio does {statistics.median(ratios):.3f} of what it did alone just before"
        f" ({ratios[0]:.2f} to {ratios[-1]:.2f}). Two runs alone, one after the other, differ by\n{steps[0]:.2f} to"
        f" {steps[-1]:.2f} on this machine, which others use."
    )


def _document(columns: list[Column], version: str) -> str:
    lines = [_HEAD.format(rounds=ROUNDS, seconds=SECONDS, version=version)]
    lines.append("| ms a tick | " + " | ".join(f"{column.title} | ratio" for column in columns) + " |")
    lines.append("| --- |" + " ---: | ---: |" * len(columns))
    for program in PROGRAMS:
        cells = []
        for column in columns:
            spent, theirs = column.milliseconds[program], column.milliseconds["iostat -x 1"]
            cells.append(f"{spent:.2f} | {spent / theirs:.2f}")
        lines.append(f"| {program} | " + " | ".join(cells) + " |")
    few, many = columns[1], columns[-1]
    lines.append(f"\n{DISKS[-1]} disks over {DISKS[0]}:\n")
    lines += [
        f"- {program}: {many.milliseconds[program] / few.milliseconds[program]:.1f} times" for program in PROGRAMS
    ]
    return "\n".join(lines) + "\n" + _NOTE.rstrip("\n")


def _column(title: str) -> Column:
    spent: dict[str, list[float]] = {program: [] for program in PROGRAMS}
    for _ in range(ROUNDS):
        for program, milliseconds in _round().items():
            spent[program].append(milliseconds)
    return Column(title, {program: statistics.median(each) for program, each in spent.items()})


def _round() -> dict[str, float]:
    with ExitStack() as stack:
        running = {program: stack.enter_context(_started(argv)) for program, argv in PROGRAMS.items()}
        time.sleep(_SETTLE)
        before = {program: _on_processor(process.pid) for program, process in running.items()}
        time.sleep(SECONDS)
        after = {program: _on_processor(process.pid) for program, process in running.items()}
    return {program: (after[program] - before[program]) / SECONDS / 1e6 for program in running}


@contextmanager
def _started(argv: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
            if process.poll() is not None:
                raise SystemExit(f"{' '.join(argv)} ended by itself: nothing was measured")
        finally:
            process.kill()


def _on_processor(pid: int) -> int:
    """Nanoseconds that all threads of a process ran."""
    return sum(int(path.read_text().split()[0]) for path in Path(f"/proc/{pid}/task").glob("*/schedstat"))


@contextmanager
def _machine(scratch: Path, count: int) -> Iterator[None]:
    """`count` disks in /proc/diskstats and /sys/block of this mount namespace, all at work until left."""
    names = [_name(number) for number in range(count)]
    blocks = scratch / f"block-{count}"
    for name in names:
        (blocks / name / "device").mkdir(parents=True)
        (blocks / name / "size").write_text("3907029168\n")
    stats = scratch / f"diskstats-{count}"
    _write(stats, blocks, names, 0)
    mounts = {stats: "/proc/diskstats", blocks: "/sys/block"}
    for source, target in mounts.items():
        subprocess.run(["mount", "--bind", source, target], check=True)
    counting = os.fork()
    if not counting:
        for step in itertools.count(1):
            time.sleep(0.5)
            _write(stats, blocks, names, step)
    try:
        yield
    finally:
        os.kill(counting, 9)
        os.waitpid(counting, 0)
        for target in mounts.values():
            subprocess.run(["umount", target], check=True)


def _write(stats: Path, blocks: Path, names: list[str], step: int) -> None:
    """/proc/diskstats and each disk's stat, as a 6.x kernel prints them, in place: numbers keep their length."""
    lines = []
    for number, name in enumerate(names):
        n = 70 + number % 17
        counters = (
            1396529 + n * step, 1084920, 70987122 + 512 * n * step, 1648325 + 9 * n * step,
            3605987 + n * step, 4821650, 135066112 + 1024 * n * step, 1497655 + 5 * n * step,
            7, 3744080 + 400 * step, 3268837 + 14 * n * step, 0, 0, 0, 0, 71999, 50856,
        )  # fmt: skip
        lines.append(f"{8:4d} {number * 16:7d} {name} {' '.join(map(str, counters))}\n")
        _put(blocks / name / "stat", " ".join(f"{counter:8d}" for counter in counters) + "\n")
    _put(stats, "".join(lines))


def _put(path: Path, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT)
    os.pwrite(handle, text.encode(), 0)
    os.close(handle)


def _name(number: int) -> str:
    """sda, sdb, ..., sdz, sdaa, ... (drivers/scsi/sd.c, sd_format_disk_name)."""
    letters = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return f"sd{letters}"


if __name__ == "__main__":
    main()
