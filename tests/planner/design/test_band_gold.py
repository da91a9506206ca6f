"""Volumes over bands of disks of mixed size: what real sfdisk, mdadm, LVM and mkfs made of them, to the byte.

Kernel 6.1, util-linux 2.38, mdadm 4.2, lvm2 2.03.16 (`lvcreate --type linear -l 100%FREE`), xfsprogs 6.1 and
e2fsprogs 1.47 on sparse disks; `tests/lab/test_geometry.py` makes more of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.lab.geometry_predicted import measured_bands, predicted_bands

GOLD = Path(__file__).parents[2] / "real_geometry" / "bands.jsonl"
RECORDS: list[dict[str, Any]] = [json.loads(line) for line in GOLD.read_text().splitlines()]


def test_two_to_four_bands_that_survive_one_or_two_failures_are_among_them() -> None:
    assert len(RECORDS) == 30
    assert {record["failures"] for record in RECORDS} == {1, 2}
    assert {record["fs"] for record in RECORDS} == {"xfs", "ext4"}
    assert {len(record["bands"]) for record in RECORDS} == {2, 3, 4}


@pytest.mark.parametrize("number", range(len(RECORDS)))
def test_sizes_are_those_of_the_real_tools(number: int) -> None:
    assert measured_bands(RECORDS[number]) == predicted_bands(RECORDS[number])


def test_every_extent_is_taken_the_largest_array_first() -> None:
    for record in RECORDS:
        volume = record["volume"]
        lengths = [int(length) for _, length, _ in volume["order"]]
        assert lengths == sorted(volume["extents"], reverse=True)
        assert volume["lv_bytes"] == sum(volume["extents"]) * volume["extent_bytes"]
        assert volume["segments"] == len(record["bands"])
