"""Shell quoting: the only module that renders commands as shell text; everywhere else a command is a tuple."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import takewhile

from raidtui.values.safe import safe

WIDTH = 110
_COMMENT_WIDTH = 118


def render(argv: Sequence[str], *, width: int = WIDTH) -> str:
    """`argv` as shell text that parses to exactly these words, wrapped at blanks to about `width` characters."""
    return wrapped([quote(word) for word in argv], width=width)


def wrapped(words: Sequence[str], *, width: int, indent: str = "    ") -> str:
    """Quoted `words` wrapped at blanks to about `width` characters, `indent` before continuation lines."""
    lines, line = [], ""
    for number, word in enumerate(words):
        if number and len(line) + 1 + len(word) > width:
            lines.append(f"{line} \\")
            line = f"{indent}{word}"
        else:
            line = f"{line}{' ' if number else ''}{word}"
    return "\n".join([*lines, line])


def quote(word: str) -> str:
    """One quoted word; ANSI-C quoting if it contains control or non-ASCII characters."""
    if word.isascii() and word.replace("\n", "").isprintable():
        return shlex.quote(word)
    return "$'" + "".join(_ansi_c(byte) for byte in word.encode("utf-8", "surrogateescape")) + "'"


def comment(text: str) -> str:
    """`text` as comment lines; nothing in it can end the comment."""
    words, lines, line = ascii_text(text).split(), [], "#"
    for word in words:
        if len(line) + 1 + len(word) > _COMMENT_WIDTH and line.strip() != "#":
            lines.append(line)
            line = "#"
        line += f" {word}"
    return "\n".join([*lines, line])


def ascii_text(text: str) -> str:
    """`text` on one line of printable ASCII."""
    return safe(text).encode("ascii", "backslashreplace").decode("ascii")


def _ansi_c(byte: int) -> str:
    char = chr(byte)
    return char if 0x20 <= byte < 0x7F and char not in "'\\" else f"\\x{byte:02x}"


def program_text(argv: Sequence[str]) -> str:
    """A command in two words, `mdadm --create`, for sentences about it; without the environment that `env` gives it."""
    given = takewhile(lambda word: word == "env" or "=" in word, argv)
    return " ".join(argv[len(list(given)) :][:2])
