"""What raidtui predicts of a layout against what mdadm, LVM and mkfs make of it.

RAIDTUI_LAB_CASES is the number of random layouts (4), RAIDTUI_LAB_UNEQUAL that of volumes over arrays of unequal
width (2), RAIDTUI_LAB_BANDS that of volumes over bands of mixed disks (1), RAIDTUI_LAB_SEED their seed (1);
RAIDTUI_LAB_RECORDS names a file that every record is appended to, one JSON document a line.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.band_geometry import BandCase, measure_bands, random_bands
from tests.lab.geometry_cases import POOL, Case, gold_cases, random_cases, unequal_cases
from tests.lab.geometry_measure import failed, measure, measuring_machine, prepare
from tests.lab.geometry_predicted import QUICK_OPTIMAL, measured, measured_bands, predicted, predicted_bands
from tests.lab.image import Image
from tests.lab.quick import QuickMachine

pytestmark = pytest.mark.lab

GOLD = Path(__file__).parents[1] / "real_geometry" / "geometry.jsonl"
CASES = random_cases(int(os.environ.get("RAIDTUI_LAB_SEED", "1")), int(os.environ.get("RAIDTUI_LAB_CASES", "4")))
UNEQUAL = unequal_cases(int(os.environ.get("RAIDTUI_LAB_SEED", "1")), int(os.environ.get("RAIDTUI_LAB_UNEQUAL", "2")))
BANDS = random_bands(int(os.environ.get("RAIDTUI_LAB_SEED", "1")), int(os.environ.get("RAIDTUI_LAB_BANDS", "1")))


@pytest.fixture(scope="module")
def bench(lab_image: Image) -> Iterator[QuickMachine]:
    """One machine for all cases."""
    with measuring_machine(lab_image) as vm:
        prepare(vm)
        yield vm


def _note(record: dict[str, Any]) -> None:
    if file := os.environ.get("RAIDTUI_LAB_RECORDS"):
        with Path(file).open("a") as records:
            records.write(json.dumps(record) + "\n")


def _served() -> list[tuple[dict[str, Any], Case]]:
    """The gold lines that the pool has the disks for."""
    lines = [json.loads(line) for line in GOLD.read_text().splitlines()]
    pairs = zip(lines, gold_cases(GOLD), strict=True)
    return [(gold, case) for gold, case in pairs if not Counter(case.disk_bytes) - Counter(POOL)]


@pytest.mark.parametrize("number", range(3))
def test_the_lab_repeats_the_gold(bench: QuickMachine, number: int) -> None:
    gold, case = _served()[number]
    record = measure(bench, case)
    assert failed(record) is None
    assert record["result"] == gold["result"]


@pytest.mark.parametrize(
    "case", [*CASES, *UNEQUAL], ids=[f"{c.level}-{c.stack.kind}-{i}" for i, c in enumerate([*CASES, *UNEQUAL])]
)
def test_random_layouts(bench: QuickMachine, case: Case) -> None:
    record = measure(bench, case)
    _note(record)
    assert failed(record) is None
    result = record["result"]
    volume = record["stack"].get("volume") or {"sectors": result["array_sectors"]}
    sectors = volume.get("sectors") or volume["array_sectors"]
    assert 0 < result["filesystem"]["statfs_available"] <= result["filesystem"]["blocks"] <= sectors // 8
    said = predicted(case, QUICK_OPTIMAL)
    assert measured(record, said) == said


@pytest.mark.long
@pytest.mark.parametrize("case", BANDS, ids=lambda case: f"{len(case.disk_bytes)}-{case.failures}")
def test_random_bands(bench: QuickMachine, case: BandCase) -> None:
    record = measure_bands(bench, case)
    _note(record)
    assert record["exit"] == 0, record["stderr"]
    assert measured_bands(record) == predicted_bands(record, QUICK_OPTIMAL)
