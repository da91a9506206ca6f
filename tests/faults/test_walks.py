"""Random walks: a few on every push, drawn and shrunk as the command does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.faults import walks
from tests.faults.walks import LAYOUTS, Strike, Walk, drawn, problems, shrunk


def test_a_seed_is_a_walk() -> None:
    assert drawn(7) == drawn(7)
    found = [drawn(seed) for seed in range(300)]
    assert {walk.layout for walk in found} == set(LAYOUTS)
    assert {len(walk.strikes) for walk in found} == {1, 2, 3, 4}
    assert {strike.side for walk in found for strike in walk.strikes} == {"record", "before", "during", "after"}


def test_a_walk_loses_the_strikes_that_it_does_not_need(monkeypatch: pytest.MonkeyPatch) -> None:
    strikes = tuple(Strike("kill", "before", at, "resume") for at in (3, 5, 8))
    walk = Walk(1, "stack", strikes, "undo")
    wrong = lambda walk: (["wrong"] if any(each.at == 5 for each in walk.strikes) else [], 1)  # noqa: E731
    monkeypatch.setattr(walks, "problems", wrong)
    assert shrunk(walk) == replace(walk, strikes=strikes[1:2])
    assert str(shrunk(walk)) == "seed 1: build stack\nkill before command 5, then resume\nin the end undo"


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(100_000, 100_040))
def test_a_walk_ends_as_it_must(seed: int) -> None:
    walk = drawn(seed)
    wrong, struck = problems(walk)
    assert not wrong, str(walk)
    assert 0 <= struck <= len(walk.strikes)
