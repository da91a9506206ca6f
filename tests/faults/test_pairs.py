"""Random faults of seeds: the simulated half on every push, held against what real md came to where that was run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.faults.case import Case
from tests.faults.lab_case import Run
from tests.faults.pairs import Pair, drawn, outcome, recorded
from tests.faults.run_simulated import run
from tests.lab.host import LabError
from tests.lab.quick import QuickMachine

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


class _Cut(QuickMachine):
    """A quick machine that notes what its host does."""

    running = True

    def __init__(self) -> None:
        self.done: list[str] = []

    def power_cut(self) -> None:
        self.running = False
        self.done.append("cut")

    def start(self, **more: Any) -> None:
        self.done.append("start")


def test_the_host_takes_the_power_of_a_quick_machine_once() -> None:
    """A user-mode kernel that goes down by itself takes its disks away one by one, and md writes that they failed."""
    lab = SimpleNamespace(vm=_Cut(), start_driver=lambda: None, called=lambda: None)

    def ask(op: str, **fields: Any) -> None:
        lab.called()
        raise LabError("the machine is off")

    lab.ask = ask
    made = Run(lab, drawn(7))  # type: ignore[arg-type]
    made._power_cut({})
    assert (lab.vm.done, made.problems) == (["cut", "start"], [])
