"""What the Watch screen costs: processor time beside btop and `iostat -x 1` in one run, and bytes a tick.

    python -m tests.benchmarks.bench_watch >> tests/benchmarks/WATCH.md        as root, for `unshare --mount`

The disks are those of `bench_gauges`: a written /proc/diskstats in a mount namespace, but here every disk goes faster
and slower, so that every figure on the screen is another one at each tick. All programs run side by side, each on a
pseudo-terminal of its own that is read as fast as it is written. The terminal's own work is not in it. Time on a
processor is what the kernel counted for all threads (schedstat), without the start.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from math import sin
from pathlib import Path
from unittest.mock import patch

from raidtui import __version__
from tests.benchmarks import bench_gauges
from tests.tui.written import watching

DISKS = (60, 1000)
SIZES = ((80, 24), (200, 60))
SECONDS = 20
ROUNDS = 3
TICKS = 20
_SETTLE = 6.0
_BTOP = "update_ms={}\n"


def main() -> None:
    """Prints the document."""
    if os.environ.get("RAIDTUI_BENCH_APART") != "1":
        here = [sys.executable, *sys.orig_argv[1:]]
        environment = {**os.environ, "RAIDTUI_BENCH_APART": "1"}
        raise SystemExit(subprocess.run(["unshare", "--mount", *here], env=environment, check=False).returncode)
    print(f"\n## raidtui {__version__}, {time.strftime('%Y-%m-%d')}\n")
    with tempfile.TemporaryDirectory() as scratch, patch.object(bench_gauges, "_write", _write):
        print("\n".join(_processor(Path(scratch))))
    print("\n".join(_bytes()))


def _processor(scratch: Path) -> list[str]:
    lines = [
        f"Processor time in milliseconds a second, median of {ROUNDS} rounds of {SECONDS} s; every disk changes at",
        "every tick. First both at their defaults (a tick in two seconds; raidtui from 500 disks on: in four), then",
        "both at a tick in two seconds, then at one a second.\n",
        "| terminal, disks | raidtui | btop | ratio | raidtui 2 s | ratio | raidtui 1 s | btop 1 s | ratio "
        "| iostat -x 1 | ratio |",
        f"| --- |{' ---: |' * 10}",
    ]
    ours: dict[tuple[tuple[int, int], int], dict[str, float]] = {}
    for count in DISKS:
        with bench_gauges._machine(scratch, count):
            for size in SIZES:
                spent = _rounds(scratch, size)
                cells = [f"{size[0]}x{size[1]}, {count}"]
                for mine, theirs, new in (
                    ("raidtui", "btop 2000", True), ("raidtui 2", "btop 2000", False),
                    ("raidtui 1", "btop 1000", True), ("raidtui 1", "iostat", True),
                ):  # fmt: skip
                    cells += [f"{spent[mine]:.1f}"] if theirs != "iostat" else []
                    cells += [f"{spent[theirs]:.1f}"] if new else []
                    cells.append(f"{spent[mine] / spent[theirs]:.2f}")
                ours[size, count] = spent
                lines.append(f"| {' | '.join(cells)} |")
    lines.append("")
    for size in SIZES:
        usual, each = (ours[size, DISKS[1]][how] / ours[size, DISKS[0]][how] for how in ("raidtui", "raidtui 1"))
        lines.append(
            f"{DISKS[1]} disks over {DISKS[0]}, {size[0]}x{size[1]}: {usual:.2f} times, at one a second {each:.2f}.\n"
        )
    return lines


def _rounds(scratch: Path, size: tuple[int, int]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        with ExitStack() as stack:
            running = {}
            for each in ("", "2", "1"):
                argv = [sys.executable, "-m", "raidtui", "watch", *(["--interval", each] if each else [])]
                running[f"raidtui {each}".strip()] = stack.enter_context(_shown(argv, size, {}))
            running["iostat"] = stack.enter_context(bench_gauges._started(["iostat", "-x", "1"])).pid
            for pace in (2000, 1000):
                config = scratch / f"config{pace}" / "btop"
                config.mkdir(parents=True, exist_ok=True)
                (config / "btop.conf").write_text(_BTOP.format(pace))
                argv = ["btop", "--utf-force"]
                home = {"XDG_CONFIG_HOME": str(config.parent)}
                running[f"btop {pace}"] = stack.enter_context(_shown(argv, size, home))
            time.sleep(_SETTLE)
            before = {name: _on_processor(pid) for name, pid in running.items()}
            time.sleep(SECONDS)
            for name, pid in running.items():
                found.setdefault(name, []).append((_on_processor(pid) - before[name]) / SECONDS / 1e6)
    return {name: statistics.median(each) for name, each in found.items()}


def _on_processor(pid: int) -> int:
    """Nanoseconds that a process and its children ran."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return bench_gauges._on_processor(pid) + sum(bench_gauges._on_processor(int(child)) for child in children)


@contextlib.contextmanager
def _shown(argv: list[str], size: tuple[int, int], more: dict[str, str]) -> Iterator[int]:
    end, app_end = pty.openpty()
    fcntl.ioctl(app_end, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8", **more}
    with subprocess.Popen(
        argv, stdin=app_end, stdout=app_end, stderr=app_end, env=environment, start_new_session=True
    ) as process:
        os.close(app_end)
        threading.Thread(target=_drain, args=(end,), daemon=True).start()
        try:
            yield process.pid
        finally:
            process.terminate()
            process.wait()
    os.close(end)


def _drain(end: int) -> None:
    with contextlib.suppress(OSError):
        while os.read(end, 65536):
            pass


def _bytes() -> list[str]:
    lines = [
        f"Bytes a tick, mean of {TICKS} ticks; arrays of 14 and spares. `V` is the other form, list or grid.\n",
        "| terminal | disks | form | every disk changes | a tenth does | none does |",
        "| --- | ---: | --- | ---: | ---: | ---: |",
    ]
    for term, size in (("vt220", SIZES[0]), ("xterm-256color", SIZES[0]), ("xterm-256color", SIZES[1])):
        for count in (60, 240, 1000):
            for form in ("", "V"):
                cells = []
                for change in ("all", "tenth", "none"):
                    with watching(count, change, term=term, columns=size[0], rows=size[1]) as terminal:
                        terminal.tick()
                        terminal.tick()
                        if form:
                            terminal.press(form)
                        for _ in range(10):
                            terminal.tick()
                        cells.append(f"{terminal.mean(TICKS):.0f}")
                lines.append(f"| {term} {size[0]}x{size[1]} | {count} | {form or 'first'} | {' | '.join(cells)} |")
    return lines


def _write(stats: Path, blocks: Path, names: list[str], step: int) -> None:
    """As `bench_gauges._write`, but every disk goes faster and slower."""
    lines = []
    for number, name in enumerate(names):
        n = round((70 + number % 17) * step + 80 * sin(step / 3 + number)) + 100
        counters = (
            1396529 + n, 1084920, 70987122 + 512 * n, 1648325 + 5 * n, 3605987 + n, 4821650, 135066112 + 1024 * n,
            1497655 + 5 * n, 7, 3744080 + 4 * n, 3268837 + 10 * n, 0, 0, 0, 0, 71999, 50856,
        )  # fmt: skip
        lines.append(f"{8:4d} {number * 16:7d} {name} {' '.join(map(str, counters))}\n")
        bench_gauges._put(blocks / name / "stat", " ".join(f"{counter:8d}" for counter in counters) + "\n")
    bench_gauges._put(stats, "".join(lines))


if __name__ == "__main__":
    main()
