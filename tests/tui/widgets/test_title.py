"""The title at 80 columns: whole words on a real machine, short ones where SIMULATED stands beside them."""

from __future__ import annotations

import pytest

from raidtui.tui.widgets.bars import title_line

PAGES = tuple(
    zip("12345678", ("Disks", "Design", "Compare", "Commands", "Build", "Bench", "Report", "Watch"), strict=True)
)


@pytest.mark.parametrize(
    ("beside", "shown"),
    [
        (" DRY RUN ", " 1 Disks 2 Design 3 Compare 4 Commands 5 Build 6 Bench 7 Report 8 Watch"),
        (" SIMULATED  DRY RUN ", " 1 Disks 2 Design 3 Cmp 4 Cmds 5 Build 6 Bench 7 Rep 8 Watch"),
    ],
)
def test_the_words_of_the_title(beside: str, shown: str) -> None:
    assert "".join(span.text for span in title_line(PAGES, "Disks", 80 - len(beside))) == shown
