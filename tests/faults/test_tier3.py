"""What the matrix came to on real md: the raw lines of `python -m tests.faults --tier 3`, kept beside this."""

from __future__ import annotations

from tests.faults.compared import EXPLAINED, recorded
from tests.faults.matrix import CASES


def test_every_fault_and_forty_deeds_were_survived_on_real_md_with_proof_that_they_were_done() -> None:
    results = list(recorded().values())
    ids = recorded().keys()
    there = [case for case in CASES if case.id in ids]
    assert [(result.id, result.end) for result in results] == [(case.id, case.end) for case in there]
    assert {case.id for case in CASES if case.fault != "deed"} <= ids
    assert sum(case.fault == "deed" for case in there) >= 40
    for result in results:
        assert result.survived and result.fired and not result.problems and result.bystander_bytes == 0, result


def test_what_is_explained_was_run_on_real_md() -> None:
    assert EXPLAINED.keys() <= recorded().keys()
