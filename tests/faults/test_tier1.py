"""Tier 1: all 444 cases and every crash point of five layouts, against the simulated machine."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.faults.case import Case, End, Result
from tests.faults.crash_points import go_on, points
from tests.faults.deeds import LINES
from tests.faults.deeds_lab import DO, TIDY
from tests.faults.matrix import CASES, COUNTS
from tests.faults.matrix_deeds import NOT_REAL
from tests.faults.run_simulated import IN_MEMORY, run
from tests.faults.scene import Scene, canonical, other
from tests.faults.summary import counted, crashed, line


def test_the_matrix_has_444_cases_and_forty_of_them_run_in_the_virtual_machine() -> None:
    assert Counter(case.id[0] for case in CASES) == COUNTS
    assert len({case.id for case in CASES}) == 444
    assert sum(case.tier2 for case in CASES) == 40


def test_every_deed_can_be_done_and_taken_back_on_real_md_or_has_a_reason_why_not() -> None:
    deeds = [case for case in CASES if case.fault == "deed"]
    on_real_md = {case.detail for case in deeds if case.real}
    assert {case.detail for case in deeds} - on_real_md == set(NOT_REAL)
    assert on_real_md == {*DO, *(on_real_md & LINES.keys())}
    by_hand = {"mount-unit", "mount-unit-masked", *LINES}
    assert {case.detail for case in deeds if case.real and "tidy" in case.then} - by_hand <= TIDY.keys()


@pytest.mark.process  # cases about the environment look at it through one harmless program; a viewer is killed
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case) -> None:
    result = run(case)
    counted(result, tier=1)
    assert result.end != "void", f"the fault never fired: {case}"
    assert result.problems == ()
    assert result.survived
    assert result.bystander_bytes == 0


@pytest.mark.parametrize(
    ("name", "least"),
    [("canonical", 370), ("raid10", 210), ("stack", 285), ("separate", 300), ("partitions", 300), ("bands", 300)],
)
def test_every_crash_point(name: str, least: int) -> None:
    scene: Scene = canonical() if name == "canonical" else other(name)
    with tempfile.TemporaryDirectory(dir=IN_MEMORY, prefix="raidtui-crash-") as folder:
        watched, gone_on = Path(folder, "watched"), Path(folder, "gone-on")
        watched.mkdir()
        gone_on.mkdir()
        found = points(scene, watched)
        assert len(found) >= least
        went = go_on(scene, found, gone_on)
    crashed(name, went)
    assert went.problems == ()
    assert went.states >= 35


def test_a_fault_that_never_strikes_is_void_and_counts_as_failure() -> None:
    # no command names a disk in the step that only reads, and no array syncs any more
    result = run(Case(id="-", fault="slow", step="S12", disk="spare", then=(), end="completed"))
    assert (result.end, result.survived) == ("void", False)


def test_the_expected_end_is_the_only_one_that_survives() -> None:
    case = next(case for case in CASES if case.id == "K-17")
    assert run(case).survived
    for end in get_args(End)[1:]:
        result = run(replace(case, end=end))
        assert (result.end, result.survived) == ("other", False)
        assert result.problems


def test_the_line_counts_what_did_not_survive() -> None:
    ends: tuple[tuple[str, bool, Any, int], ...] = (
        ("A", True, "completed", 0),
        ("B", True, "refused", 0),
        ("C", False, "other", 7),
        ("D", False, "void", 0),
    )
    found = [
        Result(id=name, survived=survived, end=end, fired="", codes=(), bystander_bytes=changed, problems=())
        for name, survived, end, changed in ends
    ]
    assert line(found) == (
        "3 faults injected, 2 survived (1 completed, 0 rolled back, 1 refused), 7 bytes changed on bystander disks; "
        "1 void"
    )
