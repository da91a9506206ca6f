"""Disks of three sizes: their arrays stand one behind the other on the largest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.machine.simulation import E2660, Run, planned
from tests.simulated.machine import FaultyMachine

TB = 10**12
SIZES = (12 * TB, 12 * TB, 8 * TB, 8 * TB, 4 * TB, 4 * TB)
"""the largest first: the first member of each array reaches behind its partition"""


def test_each_array_shows_its_own_physical_volume_alone(tmp_path: Path) -> None:
    disks = tuple(replace(disk, size_bytes=size) for disk, size in zip(E2660.disks, SIZES, strict=False))
    mixed = replace(E2660, disks=disks)
    run = Run(tmp_path, planned("hybrid(6)", mixed, name="data"), FaultyMachine(mixed, speed_up=100_000))
    run.build()
    assert run.last() == "finished"
    run.undo()
    assert run.last() == "finished"
