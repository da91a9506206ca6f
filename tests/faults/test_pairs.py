"""Random faults of seeds: the simulated half on every push, held against what real md came to where that was run."""

from __future__ import annotations

import pytest

from tests.faults.case import Case
from tests.faults.pairs import Pair, drawn, outcome, recorded
from tests.faults.run_simulated import run

SEEDS = range(1000, 1020)
"""of a push, beside those of the record"""


def test_a_seed_is_a_case() -> None:
    assert drawn(1) == drawn(1)
    assert drawn(1) == Case(
        id="seed-1", fault="kill", step="S5", when="before intent", then=("resume",), end="completed"
    )
    cases = [drawn(seed) for seed in range(200)]
    assert {case.fault for case in cases} == {"kill", "power", "SIGTERM"}
    assert {case.end for case in cases} == {"completed", "rolled-back"}
    assert len({case.step for case in cases}) == 12


@pytest.mark.thorough
@pytest.mark.process
@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_fault_ends_as_it_must(seed: int) -> None:
    result = run(drawn(seed))
    assert result.survived, (drawn(seed), result)


@pytest.mark.thorough
@pytest.mark.process
@pytest.mark.parametrize("pair", [pytest.param(pair, id=str(pair.seed)) for pair in recorded()])
def test_what_real_md_came_to_is_what_the_simulated_machine_comes_to(pair: Pair) -> None:
    assert pair.equal
    assert outcome(run(drawn(pair.seed))) == pair.real
