"""No pane of a large terminal is mostly empty where another one beside it has more to show than fits.

The screens are read as a person sees them, from `tests/golden_screens`.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

GOLDEN = Path(__file__).resolve().parent.parent / "golden_screens"
LARGE = sorted(path for size in ("132x43", "200x60") for path in GOLDEN.glob(f"*-{size}-unicode.txt"))
ALONE = {
    ("disks-200x60-unicode", "Topology"), ("design-132x43-unicode", "Placement"),
    ("design-jbod84-200x60-unicode", "Findings"), ("design-nvme24-200x60-unicode", "Findings"),
    ("design-pod45-200x60-unicode", "Findings"),
}  # fmt: skip
"""panes that stand in their column with nothing that lacks lines: what is beside them sets their height"""
DIALOGS = ("confirm", "extend", "guide")
"""pictures of a sheet over a screen, whose panes it covers"""


class Box(NamedTuple):
    """A pane with its frame."""

    title: str
    rows: list[str]
    """what is inside"""
    scrolls: bool
    """it has more than it shows"""

    @property
    def empty(self) -> int:
        """Rows without anything."""
        return sum(not row.strip() for row in self.rows)


def boxes(lines: list[str]) -> list[Box]:
    """The panes of a picture, by their corners."""
    found: list[Box] = []
    for top, line in enumerate(lines):
        for left in (at for at, sign in enumerate(line) if sign == "╭"):
            right = line.index("╮", left)
            bottom = next(at for at in range(top + 1, len(lines)) if lines[at][left : left + 1] == "╰")
            title = line[left:right].strip("╭─ ").split(" ─")[0].strip()
            rows = [each[left + 1 : right] for each in lines[top + 1 : bottom]]
            scrolls = any(each[right : right + 1] == "┃" for each in lines[top + 1 : bottom])
            found.append(Box(title, rows, scrolls))
    return found


@pytest.mark.parametrize("path", LARGE, ids=lambda path: path.stem)
def test_room_that_is_left_goes_to_what_does_not_fit(path: Path) -> None:
    if path.stem.startswith(DIALOGS):
        return
    seen = boxes(path.read_text(encoding="utf-8").splitlines())
    assert seen
    if any(box.scrolls for box in seen):
        empty = [(box.title, box.empty, len(box.rows)) for box in seen if box.empty * 3 > len(box.rows) > 3]
        assert [each for each in empty if (path.stem, each[0]) not in ALONE] == []
