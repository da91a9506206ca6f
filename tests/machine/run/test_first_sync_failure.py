"""A member fails during the first sync: what the array is then, and stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.engine.folders import ControlRequest
from raidtui.machine.arrays.read import observe
from raidtui.values.arrays import ArrayState
from tests.machine.simulation import YEAR, Run, planned


@pytest.mark.parametrize(
    ("layout", "victim", "state"),
    [("(2+1)", 0, "failed"), ("(2+1)", 2, "degraded"), ("(2+2)", 1, "degraded"), ("raid10(4)", 3, "degraded")],
)
def test_no_time_makes_it_whole(tmp_path: Path, layout: str, victim: int, state: ArrayState) -> None:
    run = Run(tmp_path, planned(layout, name="data"))
    run.request = ControlRequest(during_sync=True)
    run.build()
    assert [sync.device for sync in run.machine.syncing()] == ["md127"]
    assert run.machine.fail(run.plan.disks[victim].id) == ("md127",)
    for _ in range(2):
        (array,) = observe(run.machine, run.machine.inventory()).arrays
        assert array.states[0] == state
        run.machine.advance(YEAR)
