"""Heights of panes: which of them a small terminal shows, and how two share a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

ROOMY = (80, 23)
"""columns and lines from which every pane of a screen is shown; 23 leaves a line to the status line of tmux"""


class SmallPane(NamedTuple):
    """A pane of a small terminal."""

    pane: str
    """its id"""
    lines: int
    """lines that it needs, with its heading"""


def is_small(size: tuple[int, int]) -> bool:
    """True for terminals (columns, lines) that do not show every pane."""
    return size[0] < ROOMY[0] or size[1] < ROOMY[1]


def kept(panes: Sequence[SmallPane], lines: int, front: str) -> dict[str, int]:
    """Lines of each pane that fits into `lines`; the last of `panes` is left out first.

    The pane `front`, which has the focus, always stays and gets the lines that are left; without it the first one does.
    """
    staying = list(panes)
    if not staying:
        return {}
    main = next((each for each in staying if each.pane == front), staying[0])
    while sum(each.lines for each in staying) > lines and len(staying) > 1:
        staying.remove(next(each for each in reversed(staying) if each is not main))
    spare = lines - sum(each.lines for each in staying)
    return {each.pane: each.lines + (spare if each is main else 0) for each in staying}


def upper_lines(lines: int, upper: int, lower: int) -> int:
    """Lines of the upper of two panes in a column of `lines`, which want `upper` and `lower` lines.

    Where both fit the lower one also gets the rest; else it gets what it wants up to two fifths of the lines.
    """
    if upper + lower <= lines:
        return upper
    return lines - min(lower, max(lines * 2 // 5, lines - upper))
