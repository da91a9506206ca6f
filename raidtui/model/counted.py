"""A count and its noun as text."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """`1 disk`, `4 disks`, `0 disks`."""
    return f"{count} {plural(noun, count)}"


def plural(noun: str, count: int) -> str:
    """`disk` for 1, `disks` for any other count."""
    return noun if count == 1 else f"{noun}s"
