"""The history of a disk grows from the left, then moves."""

from __future__ import annotations

from raidtui.tui.gauges.groups import TickHistory
from tests.tui.gauge_scenes import scene, tick


def test_a_history_begins_beside_the_values_and_moves_once_it_is_full() -> None:
    watched, history = scene(1), TickHistory()
    history.use("speed", "_.:=#")
    (disk,) = (disk.name for disk in watched.disks)
    lines = []
    for number in range(1, 7):
        history.add(tick(watched, number, lambda disk, number: [0.0, 10.0, 30.0, 60.0, 99.0, 0.0][number - 1]))
        lines.append(history.line(disk, 4))
    assert lines == ["_   ", "_#  ", "_.= ", "_.:=", ".:=#", ":=#_"]
    assert history.line(disk, 8) == "_.:=#_  "
