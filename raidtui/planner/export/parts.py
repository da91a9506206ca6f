"""A script as a list to read: a head, tables, functions, and numbered parts; its lines are made here once for all.

The exported file, the text of a plan and screen 4 show the same lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from raidtui.model.plan import Risk
from raidtui.planner.text.shell_quote import comment, quote, wrapped

WIDTH = 120
LineKind = Literal["comment", "code"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What is done for one purpose, and why."""

    title: str
    reason: str = ""
    """sentences: why it is done, and why in this way"""
    lines: tuple[str, ...]
    """bash; a command may go over several lines"""
    erases: int = 0
    """disks whose content is gone after it"""
    writes: bool = True
    """False where it only reads"""

    @property
    def risk(self) -> Risk:
        """How much it can hurt."""
        return "erase" if self.erases else "write" if self.writes else "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptLine:
    """A line of a script."""

    text: str
    kind: LineKind
    part: int
    """number of its part, from 1; 0: what stands before the first"""
    goes_on: bool = False
    """True of a line of a comment that goes on with the sentence of the line before"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A whole script."""

    file: str
    """name of its file"""
    refusal: str = ""
    """why it ends at its first line; empty where it runs"""
    head: tuple[str, ...]
    """paragraphs: what it does; below its calls, how and what it does not guard against"""
    usage: tuple[tuple[str, str], ...]
    """arguments of each call, and what it does"""
    tables: tuple[str, ...]
    """disks and arrays, as bash variables with comments"""
    functions: tuple[str, ...]
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The file."""
        return "".join(f"{line.text}\n" for line in self.lines)

    @property
    def lines(self) -> tuple[ScriptLine, ...]:
        """Its lines, in order."""
        return tuple(self._lines())

    def _lines(self) -> Iterator[ScriptLine]:
        yield from _of(("#!/bin/bash",), 0)
        if self.refusal:
            stop = f"echo {quote(f'STOPPED: {self.refusal}')} >&2; exit 1"
            yield from _of(("# shellcheck disable=SC2317,SC2329 # nothing below the next line runs", stop), 0)
        calls = [f"bash {self.file} {words}".rstrip() for words, _ in self.usage]
        longest = max(map(len, calls))
        usage = [f"#   {call:<{longest}}   {what}" for call, (_, what) in zip(calls, self.usage, strict=True)]
        first, *others = self.head
        yield from _of((comment(first), *usage, *map(comment, others), *_SETTINGS), 0)
        yield from _of((*self.tables, *self.functions), 0)
        for number, part in enumerate(self.parts, start=1):
            yield from _of((comment(f"---- {number}. {part.title}. {part.reason}".rstrip()), *part.lines), number)


_SETTINGS = (
    "set -euo pipefail; shopt -s inherit_errexit; umask 022",
    "export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LVM_SUPPRESS_FD_WARNINGS=1",
)


def _of(texts: Iterable[str], part: int) -> Iterator[ScriptLine]:
    for text in texts:
        for number, line in enumerate(text.split("\n")):
            comment_line = line.lstrip().startswith("#")
            yield ScriptLine(
                text=line,
                kind="comment" if comment_line else "code",
                part=part,
                goes_on=number > 0 and text.startswith("#") and comment_line,
            )


def shell(argv: Sequence[str], *, before: str = "") -> str:
    """A call as bash, with bash `before` it; a word with a `$` is a variable, or has one in it."""
    words = [word(each) for each in argv]
    return wrapped([f"{before}{words[0]}", *words[1:]], width=WIDTH - 4, indent="  ")


def word(text: str) -> str:
    """A word of bash; one with a `$` is a variable, or has one in it."""
    return f'"{text}"' if "$" in text else quote(text)


def indented(lines: Iterable[str]) -> Iterator[str]:
    """Lines two blanks further in."""
    for text in lines:
        yield "\n".join(f"  {line}" for line in text.split("\n"))


def heredoc(call: str, text: str) -> str:
    """A call that gets `text` on its standard input, as it is."""
    return f"{call} <<'END'\n{text}\nEND"
