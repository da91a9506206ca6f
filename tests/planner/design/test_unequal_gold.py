"""Volumes over arrays of unequal width: what real mdadm, LVM and mkfs made of them, to the byte.

Kernel 6.1, mdadm 4.2, lvm2 2.03.16 (`lvcreate -i N -l 100%FREE`), xfsprogs 6.1, e2fsprogs 1.47 on sparse disks;
`tests/lab/test_geometry.py` makes more of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from raidtui.predict.design import predict
from raidtui.sizes.lvm import free_extents
from raidtui.values.prediction import LvmGeometry
from tests.lab.geometry_cases import case_of
from tests.lab.geometry_predicted import design_of, disks_of, measured, predicted

GOLD = Path(__file__).parents[2] / "real_geometry" / "unequal.jsonl"
RECORDS: list[dict[str, Any]] = [json.loads(line) for line in GOLD.read_text().splitlines()]


def test_every_level_and_both_stacks_are_among_them() -> None:
    assert len(RECORDS) == 44
    assert {record["level"] for record in RECORDS} == {"raid0", "raid1", "raid4", "raid5", "raid6", "raid10"}
    assert {record["stack"]["kind"] for record in RECORDS} == {"lvm", "md"}
    assert all(len(set(record["unequal"])) > 1 for record in RECORDS)


@pytest.mark.parametrize("number", range(len(RECORDS)))
def test_sizes_are_those_of_the_real_tools(number: int) -> None:
    record = RECORDS[number]
    said = predicted(case_of(record))
    assert {"arrays", "volume", "filesystem"} <= said.keys()
    assert measured(record, said) == said


def test_a_plain_stripe_takes_of_each_array_what_the_smallest_has() -> None:
    for record in RECORDS:
        volume = record["stack"]["volume"]
        if record["stack"]["kind"] == "lvm":
            extent = record["stack"]["extent_kib"] * 1024
            assert volume["lv_bytes"] == min(volume["extents"]) * len(record["unequal"]) * extent
            assert volume["segments"] == 1
            prediction = predict(design_of(case_of(record)), disks_of(case_of(record)))
            assert isinstance(prediction.volume, LvmGeometry)
            free = free_extents(prediction.volume, [array.array_bytes for array in prediction.arrays])
            assert free == sum(volume["extents"]) - volume["lv_bytes"] // extent
