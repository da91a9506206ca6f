"""The frame of a pane."""

from __future__ import annotations

import pytest

from raidtui.tui.widgets.pane import Pane
from tests.tui.robot import robot


@pytest.mark.parametrize("width", [30, 31, 40, 80])
async def test_a_heading_longer_than_its_pane_is_cut_and_the_corner_stays(width: int) -> None:
    async with robot(width=132, height=43) as user:
        pane = user.app.page.query_one("#table", Pane)
        pane.heading = "more words than there are cells in a narrow pane, far more"
        spans = pane.heading_line(width, boxed=True)
        assert sum(len(span.text) for span in spans) == width
        assert spans[0].text.startswith("╭")
        assert spans[-1].text.endswith("╮")
