"""A count and its noun as text; numbers in text that is broken into lines."""

from __future__ import annotations

import re

HARD_BLANK = "\N{NO-BREAK SPACE}"
_JOINED = re.compile(r"(?<=\d) (?=\d{3}\b|%|h\b|days\b|[KMGTPE]i?B\b)")


def counted(count: int, noun: str) -> str:
    """`1 disk`, `4 disks`, `0 disks`."""
    return f"{count} {plural(noun, count)}"


def plural(noun: str, count: int) -> str:
    """`disk` for 1, `disks` for any other count."""
    return noun if count == 1 else f"{noun}s"


def joined(text: str) -> str:
    """`text` with no-break spaces between groups of digits and before units, to be broken into lines elsewhere."""
    return _JOINED.sub(HARD_BLANK, text)
