"""Faults of a replacement on the simulated machine: a share on every push, all of them in `rest`."""

from __future__ import annotations

import pytest

from tests.faults.replace_cases import COMMANDS, KINDS, LAYOUTS, ReplaceCase, cases, run

CASES = tuple(cases())
_SHARE = CASES[::11]
"""of every layout, way, command and kind"""


def test_there_is_every_fault_at_every_command() -> None:
    assert len(CASES) == 458
    for each in ("layout", "way", "command", "kind"):
        assert {getattr(case, each) for case in _SHARE} == {getattr(case, each) for case in CASES}
    assert {case.kind for case in CASES} == set(KINDS)
    assert {case.layout for case in CASES} == LAYOUTS.keys()
    assert max(case.command for case in CASES) == max(COMMANDS.values()) + 1


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.id, marks=() if case in _SHARE else pytest.mark.thorough) for case in CASES]
)
def test_the_same_words_lead_to_a_whole_array(case: ReplaceCase) -> None:
    went = run(case)
    assert went.fired
    assert went.problems == ()
    assert went.calls <= 4


def test_a_replacement_goes_on_after_a_power_cut_by_itself() -> None:
    """mdadm waits for the replacement as for a member (Incremental.c, count_active), so the copy goes on."""
    went = run(ReplaceCase("raid6(4+2)", "copy", 2, "power after"))
    assert (went.calls, went.problems) == (2, ())
