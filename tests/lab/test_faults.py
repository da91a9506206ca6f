"""Faults on purpose on real md, and each of them held against what the simulated machine makes of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults import run_lab, run_simulated
from tests.faults.case import Case
from tests.faults.lab_machine import Lab, lab, quick_lab
from tests.faults.matrix import CASES
from tests.faults.summary import counted
from tests.lab.image import Image

pytestmark = pytest.mark.lab

PARTS = ("write-error", "read-error")
"""one part of a disk fails on the simulated machine, all of it here: another command meets it first"""
ON_PUSH = ("K-13", "Z-06")
"""killed while mdadm creates, a disk in use; the other cases of tier 2 are `long`"""
CHOSEN = [
    pytest.param(case, id=case.id, marks=() if case.id in ON_PUSH else pytest.mark.long) for case in CASES if case.tier2
]


@pytest.fixture(scope="module")
def whole(lab_image: Image) -> Iterator[Lab]:
    """Twelve targets and four bystanders."""
    with lab(lab_image) as made:
        yield made


@pytest.fixture(scope="module")
def quick(lab_image: Image) -> Iterator[Lab]:
    """The same at less cost."""
    with quick_lab(lab_image) as made:
        yield made


@pytest.fixture
def machine(request: pytest.FixtureRequest) -> Lab:
    """The machine for a case of every push, or for the others: some of these change its hardware, or boot it anew."""
    made: Lab = request.getfixturevalue("whole" if request.node.get_closest_marker("long") else "quick")
    return made


@pytest.mark.parametrize("case", CHOSEN)
def test_real_md_survives_it_and_ends_as_the_simulated_machine_does(machine: Lab, case: Case) -> None:
    real, simulated = run_lab.run(machine, case), run_simulated.run(case)
    counted(real, tier=2)
    assert real.survived, "\n".join((real.fired, str(real.codes), *real.problems, *real.said))
    assert (real.end, real.bystander_bytes) == (simulated.end, 0)
    if case.fault not in PARTS:
        assert real.codes == simulated.codes
