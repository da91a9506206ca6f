"""The title of small terminals: the names of all screens are whole at 80 columns, also beside SIMULATED."""

from __future__ import annotations

import pytest

from raidtui.tui.terminal.text import Span
from raidtui.tui.widgets.bars import title_line

PAGES = tuple(
    zip(
        "123456789",
        ("Disks", "Design", "Compare", "Commands", "Build", "Bench", "Report", "Watch", "Arrays"),
        strict=True,
    )
)


@pytest.mark.parametrize(
    ("beside", "shown"),
    [
        (" DRY RUN", "1Disks 2Design 3Compare 4Commands 5Build 6Bench 7Report 8Watch 9Arrays"),
        (" SIMULATED", "1Disks 2Design 3Compare 4Commands 5Build 6Bench 7Report 8Watch 9Arrays"),
        (" SIMULATED  DRY RUN ", " 1 Disks  2 3 4 5 6 7 8 9"),
    ],
)
def test_the_words_of_the_title(beside: str, shown: str) -> None:
    assert "".join(span.text for span in title_line(PAGES, "Disks", 80 - len(beside))) == shown


def test_the_screen_whose_work_goes_on_has_a_star() -> None:
    line = title_line(PAGES, "Disks", 70, {"Build": Span("*", "bar-on")})
    assert (
        "".join(span.text for span in line) == "1Disks 2Design 3Compare 4Commands*5Build 6Bench 7Report 8Watch 9Arrays"
    )
