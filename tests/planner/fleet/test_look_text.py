"""Text of a look at many hosts."""

from typing import get_args

from raidtui.fleet.texts import STATE_WORDS, problem_lines
from raidtui.fleet.values import HostLook, HostProblem, HostState


def test_every_state_of_a_host_has_its_words() -> None:
    """A host may answer a look with any refusal, also with one that belongs to a build."""
    assert set(STATE_WORDS) == set(get_args(HostState))


def test_a_problem_is_shown_with_its_way_out() -> None:
    problem = HostProblem(state="claimed", sentence="no\x1b[2J", hint="wait", effect="none")
    look = HostLook(host="n1", asked_at="2026-01-31T12:00:00Z", answered_in_s=1, problem=problem)
    assert problem_lines([look]) == ["n1: followed by another control host: no\\e[2J", "  wait"]
