"""What the app costs beside an empty Textual app: CPU to first paint, peak memory, CPU per key. Prints; judges nothing.

Run it with `python -m tests.benchmarks.bench_tui`. Every figure is the best of several fresh processes, CPU time,
since wall time on a busy machine says little; the first of them compiles what changed, as after an installation.

A key is a byte sequence typed into the app's pseudo-terminal. Its cost is the median of the process from before it is
typed until the last update that follows it is with the thread that writes to the terminal: input, decision, figures,
drawing and escape sequences. The cost of a key without effect ends when nothing follows it.
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
KEYS = 20
NEW_VALUES = 9
QUIET = 0.06
"""seconds without a picture after which no other follows a key"""
LEFT, RIGHT, DOWN, F9 = b"\x1b[D", b"\x1b[C", b"\x1b[B", b"\x1b[20~"
given = {"ms": 0.0}
"""time spent making up the disks, which is not the app's"""


def disks_like(count: int) -> tuple[Any, ...]:
    """`count` disks in shelves of 60, without reading any file."""
    from raidtui.values.inventory import Disk, Place

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
    """Runs `app` on this process's terminal until its first picture, with a disk if it has any, is out."""
    found: dict[str, float] = {}
    display = app._display

    def painted(screen: Any, picture: Any) -> None:
        display(screen, picture)
        if picture is not None and not found:
            found["paint_ms"] = time.process_time() * 1000 - given["ms"]
            found["pydantic"] = float("pydantic" in sys.modules)
            shown = "".join(strip.text for strip in screen._compositor.render_strips())
            if given["ms"] and "BENCH0000000" not in shown:
                raise AssertionError(f"the first picture has no disk: {shown}")
            app.call_later(app.exit)

    app._display = painted
    app.run()
    return found


def _empty() -> dict[str, float]:
    from textual.app import App

    return _until_painted(App())


def _app(count: int) -> Any:
    from raidtui.tui.terminal.profile import TerminalProfile
    from raidtui.values.inventory import Inventory

    profile = TerminalProfile(kind="local", tier="unicode", theme="raidtui")
    profile.apply(os.environ)
    from raidtui.tui.start import make

    before = time.process_time()
    inventory = Inventory(origin="chassis", name="bench", disks=disks_like(count))
    given["ms"] = (time.process_time() - before) * 1000
    return make(inventory, profile)


def _until_typed(app: Any, keyboard: int) -> dict[str, float]:
    """Runs `app` on this process's terminal and types into it through `keyboard`, the terminal's other end."""
    found: dict[str, float] = {}
    drawn: list[float] = []

    async def cost(key: bytes) -> float:
        drawn.clear()
        before = time.process_time()
        os.write(keyboard, key)
        seen = -1
        while seen < len(drawn):
            seen = len(drawn)
            await asyncio.sleep(QUIET)
        return ((drawn or [time.process_time()])[-1] - before) * 1000

    async def typed(_pilot: Any) -> None:
        write = app._driver.write

        def noted(text: str) -> None:
            write(text)
            drawn.append(time.process_time())

        app._driver.write = noted
        for key in (b"2", DOWN, DOWN, DOWN):
            await cost(key)
        for name, keys in (("key_ms", (LEFT, RIGHT)), ("unbound_ms", (F9, F9))):
            found[name] = median([await cost(key) for key in keys * (KEYS // 2)])
        await cost(RIGHT)
        found["new_ms"] = median([await cost(LEFT) for _ in range(NEW_VALUES)])
        app.exit()

    app.run(auto_pilot=typed)
    return found


def _measure(what: str) -> dict[str, float]:
    name, _, count = what.partition(":")
    if name == "keys":
        found = _until_typed(_app(int(count)), int(sys.argv[3]))
    else:
        found = _empty() if name == "empty" else _until_painted(_app(int(count)))
    found["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def _in_terminal(what: str) -> dict[str, float]:
    """Measures `what` in a fresh process on a pseudo-terminal of 80x24, as a person would start it."""
    main_end, app_end = pty.openpty()
    fcntl.ioctl(app_end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with tempfile.NamedTemporaryFile("r") as answer:
        command = [sys.executable, "-m", "tests.benchmarks.bench_tui", what, answer.name, str(main_end)]
        environ = {**os.environ, "TERM": "xterm-256color", "PYTHONDONTWRITEBYTECODE": ""}
        with subprocess.Popen(
            command, stdin=app_end, stdout=app_end, stderr=app_end, env=environ, pass_fds=(main_end,)
        ) as process:
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
    print(f"\n{'design':<12}{'one key':>12}{'a new value':>13}{'a key without effect':>24}{'peak':>12}")
    for what in ("keys:60", "keys:1000"):
        case = found[what]
        print(
            f"{what:<12}{case['key_ms']:>9.1f} ms{case['new_ms']:>10.1f} ms"
            f"{case['unbound_ms']:>21.1f} ms{case['peak_mib']:>8.1f} MiB"
        )


if __name__ == "__main__":
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(json.dumps(_measure(sys.argv[1])))
    else:
        main()
