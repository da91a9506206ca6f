"""Faults on purpose on real md, and each of them held against what the simulated machine makes of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults import run_lab, run_simulated
from tests.faults.case import Case
from tests.faults.lab_machine import Lab, lab
from tests.faults.matrix import CASES
from tests.faults.summary import counted
from tests.lab.image import Image

pytestmark = pytest.mark.lab

CHOSEN = [pytest.param(case, id=case.id) for case in CASES if case.tier2]


@pytest.fixture(scope="module")
def machine(lab_image: Image) -> Iterator[Lab]:
    """Twelve targets and four bystanders."""
    with lab(lab_image) as made:
        yield made


@pytest.mark.parametrize("case", CHOSEN)
def test_real_md_survives_it_and_ends_as_the_simulated_machine_does(machine: Lab, case: Case) -> None:
    real, simulated = run_lab.run(machine, case), run_simulated.run(case)
    counted(real, tier=2)
    assert real.survived, real
    assert (real.end, real.codes, real.bystander_bytes) == (simulated.end, simulated.codes, 0)
