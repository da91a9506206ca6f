"""Tier 1, against the simulated machine: all 444 cases and every crash point of eleven layouts; a share in `tests`."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.faults import run_simulated
from tests.faults.case import Act, Case, End, Result, Step
from tests.faults.compared import difference
from tests.faults.crash_points import Went, go_on, points
from tests.faults.deeds import LINES
from tests.faults.deeds_lab import DO, TIDY
from tests.faults.matrix import CASES, COUNTS
from tests.faults.matrix_deeds import NOT_REAL
from tests.faults.run_simulated import run
from tests.faults.scene import IN_MEMORY, Scene, canonical, other, over_zeroes
from tests.faults.share import kinds, share
from tests.faults.summary import counted, crashed, line

SHARE = share(CASES)
_MET_BY_A_SYNC = ("W-08", "W-19", "D-07")
"""of the share: a page in the middle of a member that cannot be written when its array is there, and a slow one"""
LEAST = {
    "canonical": 370, "raid10": 210, "stack": 285, "separate": 300, "partitions": 300, "bands": 300, "zeroes": 300,
    "maps": 290, "journal": 290, "mirror": 390, "plain": 130,
}  # fmt: skip
"""crash points of each layout"""


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


def test_the_share_has_every_kind_of_fault() -> None:
    assert len(SHARE) == len({case.id for case in SHARE}) == 76
    assert {case.id[0] for case in SHARE} == COUNTS.keys()
    assert {case.end for case in SHARE} == {"completed", "rolled-back", "refused"}
    assert {(case.fault, case.end) for case in SHARE} == {(case.fault, case.end) for case in CASES}
    assert {case.step for case in SHARE} == set(get_args(Step))
    assert {act for case in SHARE for act in case.then} == set(get_args(Act))
    assert {kind for case in SHARE for kind in kinds(case)} == {kind for case in CASES for kind in kinds(case)}
    assert max(Counter(case.step for case in SHARE).values()) < 20  # not the first step of everything


def test_a_share_of_few_cases_is_all_of_them_and_alike_ones_are_one() -> None:
    first, second = CASES[0], next(case for case in CASES if case.end == "refused")
    assert share((first, second)) == (first, second)
    assert share((first, replace(first, id="K-99"))) == (first,)


@pytest.mark.process  # cases about the environment look at it through one harmless program; a viewer is killed
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=case.id, marks=() if case in SHARE else pytest.mark.thorough) for case in CASES],
)
def test_case(case: Case) -> None:
    result = run(case)
    counted(result, tier=1)
    assert result.end != "void", f"the fault never fired: {case}"
    assert result.problems == ()
    assert result.survived
    assert result.bystander_bytes == 0
    assert difference(case, result) == ""


@pytest.mark.thorough
@pytest.mark.process
@pytest.mark.parametrize("case", [pytest.param(each, id=each.id) for each in SHARE if each.id not in _MET_BY_A_SYNC])
def test_case_over_zeroes(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """The share, where no first sync follows: the faults that only a sync meets never strike there."""
    monkeypatch.setattr(run_simulated, "canonical", over_zeroes)
    result = run(case)
    assert (result.problems, result.survived, result.bystander_bytes) == ((), True, 0)


@pytest.mark.parametrize("name", ["canonical", "stack"])
def test_a_share_of_the_crash_points(name: str) -> None:
    assert _went(name, every=29).states >= 7


@pytest.mark.thorough
@pytest.mark.parametrize("name", LEAST)
def test_every_crash_point(name: str) -> None:
    assert _went(name, every=1).states >= (20 if name == "plain" else 35)


def _went(name: str, *, every: int) -> Went:
    """What came of every so manieth crash point of the layout."""
    scene: Scene = canonical() if name == "canonical" else other(name)
    with tempfile.TemporaryDirectory(dir=IN_MEMORY, prefix="raidtui-crash-") as folder:
        watched, gone_on = Path(folder, "watched"), Path(folder, "gone-on")
        watched.mkdir()
        gone_on.mkdir()
        found, total = points(scene, watched, every=every)
        assert total >= LEAST[name]
        went = go_on(scene, found, gone_on)
    crashed(name, went, of=total)
    assert went.problems == ()
    return went


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
    assert line(found, of=9) == (
        "3 of 9 faults injected, 2 survived (1 completed, 0 rolled back, 1 refused), 7 bytes changed on bystander "
        "disks; 1 void"
    )
