"""What the whole matrix came to on real md: the raw lines of `python -m tests.faults --tier 3`, kept beside this."""

from __future__ import annotations

import gzip
from pathlib import Path

from raidtui.model.codec import from_json
from tests.faults.case import Result
from tests.faults.matrix import CASES

KEPT = Path(__file__).with_name("tier3.jsonl.gz")


def test_every_case_was_survived_on_real_md_with_proof_that_its_fault_fired() -> None:
    lines = gzip.decompress(KEPT.read_bytes()).decode().splitlines()
    results = [from_json(Result, line, source=KEPT.name) for line in lines]
    assert [(result.id, result.end) for result in results] == [(case.id, case.end) for case in CASES if case.real]
    for result in results:
        assert result.survived and result.fired and not result.problems and result.bystander_bytes == 0, result
