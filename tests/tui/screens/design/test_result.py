"""Differences of figures from those of a saved design."""

from __future__ import annotations

import math

from raidtui.answers.risk import loss_in_a_year, risk_rows
from raidtui.tui.screens.design.result import difference_from
from raidtui.tui.terminal.glyphs import ASCII, UNICODE
from raidtui.values.assumptions import DEFAULTS
from tests.planner.figures.test_rows import DESIGN, RISK, line


def test_a_difference_has_its_sign_unit_and_a_mark_for_better_or_worse() -> None:
    rows, loss = risk_rows(DESIGN.layout, RISK, DEFAULTS), loss_in_a_year(RISK, DEFAULTS)
    rebuild = line(rows, "Rebuild disk")
    assert difference_from(rebuild, 8.6, UNICODE) == ("! +3.0 h", "warn")
    assert difference_from(rebuild, 12.1, ASCII) == ("+ -30 min", "good")
    assert difference_from(loss, math.log(3.8e-6), UNICODE) == ("! 10x as likely", "warn")
    assert difference_from(loss, math.log(3.8e-4), UNICODE) == ("✓ 10x less likely", "good")
    assert difference_from(line(rows, "Spares"), 3, UNICODE) == (
        "+1 spare",
        "title",
    )
    assert difference_from(rebuild, 11.6, UNICODE) == ("=", "muted")
    assert difference_from(rebuild, None, UNICODE) is None
