"""Bytes that the Watch app really writes to a pseudo-terminal, and what they leave on it."""

from __future__ import annotations

import pytest

from tests.tui.small_terminal import SmallTerminal
from tests.tui.written import LONG_QUIET, watching

pytestmark = pytest.mark.process
MOST = 4000
"""bytes a tick for an 80x24 serial terminal: four seconds at 9600 baud"""
WARM_UP, TICKS = 9, 6


@pytest.mark.parametrize(
    ("count", "change", "most"),
    [
        (60, "all", MOST), (1000, "all", MOST),
        *(pytest.param(*row, marks=pytest.mark.thorough)
          for row in ((60, "tenth", MOST), (60, "none", 0), (240, "tenth", MOST), (1000, "tenth", MOST))),
    ],
)  # fmt: skip
def test_a_tick_to_a_serial_line(count: int, change: str, most: int) -> None:
    with watching(count, change, term="vt220") as terminal:
        for form in ("first", "other"):
            for _ in range(WARM_UP):
                terminal.tick()
            sent = terminal.mean(TICKS)
            assert sent <= most, form
            assert change == "none" or sent > 50, f"{form}: nothing was drawn"
            terminal.press("V")


@pytest.mark.parametrize(("term", "keys"), [("vt220", "g"), ("vt220", ""), ("xterm-256color", "g")])
def test_the_screen_after_many_ticks_is_the_screen_drawn_anew(term: str, keys: str) -> None:
    with watching(60, "tenth", term=term) as terminal:
        screen = SmallTerminal(80, 24)
        terminal.tick(LONG_QUIET)
        terminal.press(f"{keys}\x0c")
        screen.feed(terminal.last.decode())
        for _ in range(4):
            terminal.tick(LONG_QUIET / 2)
            screen.feed(terminal.last.decode())
        before = screen.lines()
        terminal.press("\x0c")
        screen.feed(terminal.last.decode())
        assert before == screen.lines()
        assert "60 disks" in before[2]
