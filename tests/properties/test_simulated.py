"""Whatever is planned, the simulated machine builds it; killed anywhere it is resumed or taken back, never more."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.engine import journal
from raidtui.values.choices import FILE_SYSTEMS, STACKS
from raidtui.values.layout import LEVELS, ArrayShape, Layout, Spread, least_members
from raidtui.values.notation import show
from raidtui.values.plan import Plan
from tests.machine.simulation import Run, end_state, planned
from tests.simulated.fault_model import Fault, Killed
from tests.simulated.machine import FaultyMachine
from tests.suite import examples


@pytest.fixture(autouse=True, scope="module")
def no_waiting_for_the_disk() -> Iterator[None]:
    """These tests are about the machine; the journal's own care for this one's disk takes most of their time."""
    with mock.patch.object(os, "fsync", lambda handle: None), mock.patch.object(journal, "ROOM", 64 * 1024):
        yield


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    level = draw(st.sampled_from(LEVELS))
    spread: Spread = draw(st.sampled_from(("n", "f", "o"))) if level == "raid10" else "n"
    widths = draw(st.lists(st.integers(least_members(level), 6), min_size=1, max_size=3))
    shapes = [ArrayShape(level=level, members=width, spread=spread) for width in widths]
    layout = Layout.joined(shapes, spares=draw(st.integers(0, 3)) if level != "raid0" else 0)
    asked: dict[str, Any] = {
        "stack": draw(st.sampled_from(STACKS)),
        "fs": draw(st.sampled_from(FILE_SYSTEMS)),
        "chunk_bytes": draw(st.sampled_from((64, 256, 512, 1024))) * 1024,
    }
    return planned(show(layout), **asked)


@given(plans(), st.data())
@examples(25)
def test_built_killed_resumed_and_taken_back(plan: Plan, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        whole = Run(Path(folder) / "whole", plan)
        whole.build()
        wanted = end_state(whole.machine)
        run = Run(Path(folder) / "killed", plan)
        run.machine.arm(
            Fault(
                kind="kill",
                at=data.draw(st.integers(1, whole.machine.commands)),
                side=data.draw(st.sampled_from(("before", "during", "after"))),
                share=data.draw(st.sampled_from((0.0, 0.3, 0.7))),
            )
        )
        with pytest.raises(Killed):
            run.build()
        run.machine = FaultyMachine.from_json(run.machine.to_json(), speed_up=3600)
        run.resume()
        assert end_state(run.machine) == wanted
        for each in (whole, run):
            each.undo()
            assert all(disk.state == "blank" and disk.selectable for disk in each.machine.inventory().disks)
            taken = {disk.id for disk in plan.disks}
            assert all(count == 0 for name, count in each.machine.writes().items() if name not in taken)
