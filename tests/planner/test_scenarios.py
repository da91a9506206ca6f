"""Scenarios that an admin can read: what is asked, what must come of it, and the answer in full."""

import pytest

from tests.regenerate_scenarios import FOLDER, Scenario, answered, scenarios, text

SCENARIOS = scenarios()


@pytest.mark.parametrize(("name", "scenario"), SCENARIOS.items(), ids=SCENARIOS.keys())
def test_scenario(name: str, scenario: Scenario) -> None:
    proposal, expected = answered(scenario), scenario.expected
    front = {each.layout for each in proposal.candidates if each.on_front}
    picks = {str(pick.name): pick.layout for pick in proposal.picks}
    assert {key: picks.get(key) for key in expected.picks} == expected.picks
    assert set(expected.on_front) <= front
    assert not set(expected.off_front) & front
    assert set(expected.questions) <= {each.question for each in proposal.why_not}
    assert tuple(finding.code for finding in proposal.findings) == expected.findings
    fresh = "run: python -m tests.regenerate_scenarios"
    assert (FOLDER / f"{name}.txt").read_text("ascii") == text(scenario, proposal), fresh


def test_no_answer_is_left_over() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(SCENARIOS)
