"""Escapes outside text for Markdown: inline, in tables, in fences, so that it cannot create markup."""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidtui.model.safe import safe

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
