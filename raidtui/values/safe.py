"""Escapes text from disks, files and tools, so that control characters never reach a terminal.

A label on a plugged-in disk may hold ESC sequences, C1 controls, bidi overrides or
invisible characters. All of them are shown, none is obeyed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_SEEN = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\e"}
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Mn", "Me"}


def safe(text: str, *, longest: int | None = None) -> str:
    """`text` on one line with every control, format and combining character made visible.

    ESC becomes `\\e`, U+202E becomes `\\u202e`, a byte that is no UTF-8 becomes `\\xfc`. With `longest`, the result is
    cut to that many characters, ending in `~` where something was cut.
    """
    if text.isascii() and text.isprintable():
        shown = text
    else:
        shown = "".join(_SEEN.get(char) or _visible(char) for char in text)
    if longest is not None and len(shown) > longest:
        return shown[: max(longest - 1, 0)] + "~"
    return shown


def _visible(char: str) -> str:
    if unicodedata.category(char) not in _INVISIBLE and (char == " " or not char.isspace()):
        return char
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte, as `surrogateescape` decodes it
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# Escapes outside text for Markdown: inline, in tables, in fences, so that it cannot create markup.


_INLINE = re.compile(r"([\\`*_\[\]<>&|~$])")
_START = re.compile(r"#|[=:]|[+-](?=[\s-]|$)|\d+(?=[.)](\s|$))")
_LINK = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)


def inline(text: str) -> str:
    """`text` as one plain line of a paragraph or list item: no markup, no HTML, no link."""
    shown = _words(text)
    start = _START.match(shown)
    if start is None:
        return shown
    return f"{start.group()}\\{shown[start.end() :]}" if start.group()[0].isdigit() else f"\\{shown}"


def _words(text: str) -> str:
    """`inline` for text that is not at the start of a line."""
    return _LINK.sub(r"\\", _INLINE.sub(r"\\\1", safe(text).strip()))


def fence(text: str, kind: str = "") -> str:
    """A fenced code block whose fence is longer than any inside `text`."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{kind}\n{text}\n{marks}"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> str:
    """A Markdown table whose columns are aligned in its source too; every cell is escaped."""
    lines = [[_words(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(3, *(len(line[number]) for line in lines)) for number in range(len(columns))]
    ruler = [f"{'-' * (width - 1)}:" if number in right else "-" * width for number, width in enumerate(widths)]
    aligned = [
        [cell.rjust(widths[at]) if at in right else cell.ljust(widths[at]) for at, cell in enumerate(line)]
        for line in lines
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in (aligned[0], ruler, *aligned[1:]))
