"""Cells of the grid: a value in three cells, by hand, and a mark where there is one."""

from __future__ import annotations

import pytest

from raidtui.machine.gauges.slow_disks import Laggard
from raidtui.tui.gauges.groups import GaugeGroups
from raidtui.tui.gauges.rows import Cells, GaugeLayout, GaugeRow, cells_line
from raidtui.tui.terminal.glyphs import UNICODE
from raidtui.tui.terminal.text import Line, Span
from raidtui.values.gauges import Scene, WatchedDisk

DISKS = tuple(WatchedDisk(name=name) for name in ("sda", "sdb"))
SCENE = Scene(host="stor01", disks=DISKS)
SLOW = {
    "sda": Laggard(
        name="sda", share=0.3, seconds=40.0, direction="read", group="x", busy=1.0, group_busy=1.0, same_rate=False
    )
}


def drawn(amount: float, *, slow: bool = False, picked: str = "") -> Line:
    """The cells of sda at `amount` MB/s; sdb does nothing."""
    values = {"sda": amount, "sdb": 0.0}
    cells = Cells(GaugeLayout("figures", (), cell=4), values, 200.0, SLOW if slow else {}, picked, "cursor", UNICODE)
    return cells_line(GaugeRow(GaugeGroups(SCENE).by("array")[0], DISKS), cells)


def apart(spans: Line) -> list[tuple[str, str]]:
    """Each character with its tone."""
    return [(char, span.tone) for span in spans for char in span.text]


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0.04, "  0▁"), (4.24, "4.2▂"), (9.94, "9.9▂"), (9.96, " 10▂"), (42.5, " 42▃"), (43.5, " 44▃"), (198.2, "198▇"),
     (999.4, "999▇"), (999.6, " 1k▇"), (99_400.0, "99k▇"), (250_000.0, "+++▇"), (950_000.0, " 1M▇")],
)  # fmt: skip
def test_a_value_takes_three_cells_and_its_height_one(amount: float, text: str) -> None:
    assert drawn(amount) == (Span(text), Span("  0▁", "muted"))


def test_a_slow_disk_has_its_mark_and_the_picked_one_the_cursor() -> None:
    assert drawn(42.0, slow=True)[0] == Span(f" 42{UNICODE.alert}", "warn")
    assert drawn(42.0, picked="sda")[0] == Span(" 42▃", "cursor")


@pytest.mark.parametrize("second", [0.0, 4.24, 42.5, 999.4, 999.6, 250_000.0])
@pytest.mark.parametrize("first", [9.94, 9.95, 42.5, 999.49, 999.5])
def test_usual_values_are_drawn_together_as_they_are_alone(first: float, second: float) -> None:
    together = Cells(
        GaugeLayout("figures", (), cell=4), {"sda": first, "sdb": second}, 200.0, {}, "", "cursor", UNICODE
    )
    row = GaugeRow(GaugeGroups(SCENE).by("array")[0], DISKS)
    alone = cells_line(row, together._replace(picked="sda", cursor="text"))
    assert apart(cells_line(row, together)) == apart(alone)
