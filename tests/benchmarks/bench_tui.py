"""What the app costs beside an empty Textual app: CPU to first paint, peak memory, CPU per key. Prints; judges nothing.

Run it with `python -m tests.benchmarks.bench_tui`. Every figure is the best of several fresh processes, CPU time,
since wall time on a busy machine says little.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import pty
import resource
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path
from statistics import median
from typing import Any

ROUNDS = 12
KEYS = 40
NEW_VALUES = 9
given = {"ms": 0.0}
"""time spent making up the disks, which is not the app's"""


def disks_like(count: int) -> tuple[Any, ...]:
    """`count` disks in shelves of 60, without reading any file."""
    from raidtui.model.inventory import Disk, Place

    return tuple(
        Disk(
            id=f"wwn-0x{0x3000013300000000 + number:x}",
            size_bytes=2000398934016,
            kernel_name=f"sd{number}",
            serial=f"BENCH{number:07d}",
            model="NL2000SAS72",
            by_id=(f"wwn-0x{0x3000013300000000 + number:x}",),
            rotational=True,
            rpm=7200,
            place=Place(
                controller="0000:03:00.0", enclosure=f"shelf {number // 60}", slot=f"slot {number % 60 + 1:02d}"
            ),
            state="blank",
        )
        for number in range(count)
    )


def _until_painted(app: Any) -> dict[str, float]:
    """Runs `app` on this process's terminal until its first picture is out."""
    found: dict[str, float] = {}

    def painted() -> None:
        found["paint_ms"] = time.process_time() * 1000 - given["ms"]
        found["pydantic"] = float("pydantic" in sys.modules)
        app.exit()

    app.call_later(lambda: app.call_after_refresh(painted))
    app.run()
    return found


def _empty() -> dict[str, float]:
    from textual.app import App

    return _until_painted(App())


def _app(count: int) -> Any:
    from raidtui.model.inventory import Inventory
    from raidtui.tui.terminal.profile import TerminalProfile

    profile = TerminalProfile(kind="local", tier="unicode", theme="raidtui")
    profile.apply(os.environ)
    from raidtui.tui.start import make

    before = time.process_time()
    inventory = Inventory(origin="chassis", name="bench", disks=disks_like(count))
    given["ms"] = (time.process_time() - before) * 1000
    return make(inventory, profile)


async def _keys(count: int) -> dict[str, float]:
    app = _app(count)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2", "down", "down", "down")
        await pilot.pause()
        found = {}
        for name, keys in (("key_ms", ("left", "right")), ("unbound_ms", ("f12", "f12"))):
            before = time.process_time()
            for _ in range(KEYS // 2):
                await pilot.press(*keys)
            await pilot.pause()
            found[name] = (time.process_time() - before) * 1000 / KEYS
        return {**found, **await _new_values(app, pilot)}


async def _new_values(app: Any, pilot: Any) -> dict[str, float]:
    """A key that gives a field a value it never had: until the first picture after it, and until all is drawn."""
    shown: list[float] = []
    display = app._display

    def noted(screen: Any, picture: Any) -> None:
        display(screen, picture)
        shown.append(time.process_time())

    app._display = noted
    answers, wholes = [], []
    await pilot.press("right")
    for _ in range(NEW_VALUES):
        await pilot.pause()
        shown.clear()
        before = time.process_time()
        await pilot.press("left")
        await pilot.pause()
        answers.append(shown[0] - before)
        wholes.append(time.process_time() - before)
    return {"answer_ms": median(answers) * 1000, "new_ms": median(wholes) * 1000}


def _measure(what: str) -> dict[str, float]:
    name, _, count = what.partition(":")
    if name == "keys":
        found = asyncio.run(_keys(int(count)))
    else:
        found = _empty() if name == "empty" else _until_painted(_app(int(count)))
    found["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def _in_terminal(what: str) -> dict[str, float]:
    """Measures `what` in a fresh process on a pseudo-terminal of 80x24, as a person would start it."""
    main_end, app_end = pty.openpty()
    fcntl.ioctl(app_end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with tempfile.NamedTemporaryFile("r") as answer:
        command = [sys.executable, "-m", "tests.benchmarks.bench_tui", what, answer.name]
        environ = {**os.environ, "TERM": "xterm-256color"}
        with subprocess.Popen(command, stdin=app_end, stdout=app_end, stderr=app_end, env=environ) as process:
            os.close(app_end)
            with contextlib.suppress(OSError):
                while os.read(main_end, 65536):
                    pass
            process.wait()
        os.close(main_end)
        found: dict[str, float] = json.loads(answer.read())
        return found


def _best(cases: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """The lowest figures of each case; the cases take turns, so that a busy minute falls on all of them."""
    runs: dict[str, list[dict[str, float]]] = {what: [] for what in cases}
    for _ in range(ROUNDS):
        for what in cases:
            runs[what].append(_in_terminal(what))
    return {what: {key: min(run[key] for run in found) for key in found[0]} for what, found in runs.items()}


def main() -> None:
    """Prints one line a case, the ratio to the empty app beside each figure."""
    found = _best(("empty", "app:60", "app:1000", "keys:60", "keys:1000"))
    base = found["empty"]
    print(f"{'case':<12}{'first paint':>12}{'ratio':>7}{'peak':>12}{'ratio':>7}{'pydantic':>10}")
    for what in ("empty", "app:60", "app:1000"):
        case = found[what]
        print(
            f"{what:<12}{case['paint_ms']:>9.0f} ms{case['paint_ms'] / base['paint_ms']:>7.2f}"
            f"{case['peak_mib']:>8.1f} MiB{case['peak_mib'] / base['peak_mib']:>7.2f}{bool(case['pydantic'])!s:>10}"
        )
    print(
        f"\n{'design':<12}{'one key':>12}{'a new value':>13}{'its answer':>12}{'a key without effect':>24}{'peak':>12}"
    )
    for what in ("keys:60", "keys:1000"):
        case = found[what]
        print(
            f"{what:<12}{case['key_ms']:>9.1f} ms{case['new_ms']:>10.1f} ms{case['answer_ms']:>9.1f} ms"
            f"{case['unbound_ms']:>21.1f} ms{case['peak_mib']:>8.1f} MiB"
        )


if __name__ == "__main__":
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(json.dumps(_measure(sys.argv[1])))
    else:
        main()
