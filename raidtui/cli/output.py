"""Lines on stdout and stderr. Each line about a simulated machine begins with the same label."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from raidtui.model.safe import safe

_WIDTH = 80
"""columns of the narrowest terminal"""


def width(simulated: bool) -> int:
    """Columns that a line may have behind its label."""
    return _WIDTH - len(label(simulated))


def label(simulated: bool) -> str:
    """Prefix of every line about a simulated machine; empty for a real one."""
    return "SIMULATED  " if simulated else ""


def show(lines: Sequence[str], out: TextIO, *, simulated: bool, last_open: bool = False) -> None:
    """Prints lines with their label; with `last_open` the cursor stays behind the last."""
    if not lines:
        return
    text = "\n".join(f"{label(simulated)}{line}".rstrip(" ") for line in lines)
    print(text + " " if last_open else text, end="" if last_open else "\n", file=out, flush=True)


def narrate(text: str, *, simulated: bool = False) -> None:
    """Prints one line of progress on stderr."""
    print(f"{label(simulated)}raidtui: {safe(text)}", file=sys.stderr, flush=True)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Says `what` is done while the block runs, and for how many seconds, from the first second on.

    On a terminal only, on stderr, in one line that is removed at the end; a pipe gets nothing.
    """
    if not sys.stderr.isatty():
        yield
        return
    from threading import Event, Thread  # only for a terminal

    ended = Event()

    def tell() -> None:
        seconds = 0
        while not ended.wait(1):
            seconds += 1
            print(f"\r\x1b[Kraidtui: {what}, {seconds} s", end="", file=sys.stderr, flush=True)
        if seconds:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    thread = Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
