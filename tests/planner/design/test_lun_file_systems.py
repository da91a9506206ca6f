"""File systems over LUNs of a stated geometry, as mkfs.xfs 6.1.0 and mkfs.ext4 1.47.0 made them on 40 random stacks.

Measured once on sparse files of the volumes' sizes, with su and sw (stride and stripe_width) said and all else left to
mkfs. The volume over several LUNs is what LVM's extents leave, counted there by trial, not by the code under test.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raidtui.predict.design import predict
from raidtui.values.design import Design
from raidtui.values.inventory import Lun
from raidtui.values.layout import Layout
from tests.planner.plans import disks

REAL = Path(__file__).parents[2] / "real_geometry" / "lun_file_systems.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in REAL.read_text().splitlines()]


def test_there_are_forty_stacks() -> None:
    assert len(CASES) == 40
    assert {case["fs"] for case in CASES} == {"xfs", "ext4"}
    assert {case["luns"] for case in CASES} >= {1, 2, 3, 4}


@pytest.mark.parametrize("number", range(40))
def test_volume_and_file_system_are_exact(number: int) -> None:
    case = CASES[number]
    data, parity, chunk = case["lun"]
    lun = Lun(data=data, parity=parity, chunk_bytes=chunk)
    found = predict(
        Design(layout=Layout.of(level="disk", members=1, arrays=case["luns"]), fs=case["fs"]),
        [replace(disk, lun=lun) for disk in disks(case["luns"], case["lun_bytes"])],
    )
    assert found.volume_bytes == case["volume_bytes"]
    assert {name: getattr(found.filesystem, name) for name in case["found"]} == case["found"]
