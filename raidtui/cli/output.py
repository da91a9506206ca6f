"""Lines on stdout and stderr. Each line about a simulated machine begins with the same label."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from raidtui.answers.findings import finding_items
from raidtui.answers.plain_text import FindingTone, Paint, fitted, paragraph, plain_lines, unpainted
from raidtui.values.choices import ColourChoice
from raidtui.values.findings import Finding
from raidtui.values.safe import safe

if TYPE_CHECKING:
    from raidtui.values.blocks import Block

_WIDTH = 80
"""columns of the narrowest terminal"""
_COLOURS: Mapping[FindingTone, str] = {
    "error": "\x1b[1;31m", "warning": "\x1b[33m", "note": "\x1b[36m", "best": "\x1b[1;32m",
}  # fmt: skip
"""ECMA-48 colours that every terminal of sixteen has; the word stays, so none of it is lost without them"""


def columns(out: TextIO) -> int | None:
    """Columns of the terminal `out`; None for a file or a pipe, whose lines are not wrapped."""
    if not out.isatty():
        return None
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and len(given) < 5 and int(given):
        return int(given)
    try:
        return os.get_terminal_size(out.fileno()).columns or _WIDTH
    except OSError:
        return _WIDTH


def width(simulated: bool, out: TextIO) -> int:
    """Columns that a line of a page may have behind its label: those of the terminal, 80 in a file or a pipe."""
    return (columns(out) or _WIDTH) - len(label(simulated))


def room(simulated: bool, out: TextIO) -> int | None:
    """Columns that a line has behind its label on the terminal `out`; None for a file or a pipe."""
    return width(simulated, out) if out.isatty() else None


def wrapped_findings(findings: Sequence[Finding], out: TextIO, *, simulated: bool) -> list[str]:
    """Findings below an empty line for `out`, behind the label: in its colours, on a terminal wrapped at its width."""
    return ["", *plain_lines(finding_items(findings), paint(out), room(simulated, out))] if findings else []


def paint(out: TextIO) -> Paint:
    """Gives a text the colour of its tone on `out`, where NO_COLOR, FORCE_COLOR or the terminal want one."""
    dumb = os.environ.get("TERM", "dumb") == "dumb"
    colours = "NO_COLOR" not in os.environ and ("FORCE_COLOR" in os.environ or (out.isatty() and not dumb))
    return (lambda text, tone: f"{_COLOURS[tone]}{text}\x1b[m") if colours else unpainted


def set_colours(choice: ColourChoice) -> None:
    """Makes --color's answer that of the environment, which the app and every line of output look at."""
    if choice == "never":
        os.environ["NO_COLOR"] = "1"
    elif choice == "always":
        os.environ.pop("NO_COLOR", None)
        os.environ["FORCE_COLOR"] = "1"


def label(simulated: bool) -> str:
    """Prefix of every line about a simulated machine; empty for a real one."""
    return "SIMULATED  " if simulated else ""


def show(lines: Sequence[str], out: TextIO, *, simulated: bool, last_open: bool = False, wrapped: bool = False) -> None:
    """Prints lines with their label, `wrapped` at the width of a terminal; with `last_open` the cursor stays behind the
    last."""
    if not lines:
        return
    if wrapped and (wide := room(simulated, out)) is not None:
        lines = fitted(lines, wide)
    if _drawn:
        print(_CLEAR, end="", file=sys.stderr, flush=True)
    text = "\n".join(f"{label(simulated)}{line}".rstrip(" ") for line in lines)
    print(text + " " if last_open else text, end="" if last_open else "\n", file=out, flush=True)


def show_blocks(blocks: Sequence[Block], *, simulated: bool, out: TextIO | None = None) -> None:
    """Writes an answer to `out`, standard output without one, as wide as the terminal is."""
    out = out or sys.stdout
    show(plain_lines(blocks, paint(out), room(simulated, out)), out, simulated=simulated)


def narrate(text: str, *, simulated: bool = False) -> None:
    """Prints one line of progress on stderr."""
    tell(f"raidtui: {safe(text)}", simulated=simulated)


def tell(text: str, *, simulated: bool) -> None:
    """Prints a sentence on stderr, on a terminal wrapped at its width."""
    show(paragraph(text, room(simulated, sys.stderr), first=""), sys.stderr, simulated=simulated)


_CLEAR = "\r\x1b[K"
_drawn: list[str] = []
"""what the line of `working` says, while there is one: other lines take its place"""


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
            _drawn[:] = [what]
            print(f"{_CLEAR}raidtui: {what}, {seconds} s", end="", file=sys.stderr, flush=True)
        if seconds:
            _drawn.clear()
            print(_CLEAR, end="", file=sys.stderr, flush=True)

    thread = Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
