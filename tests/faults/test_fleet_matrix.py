"""Some cases of the fleet matrix; all of them: `python -m tests.faults.fleet_matrix`."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import raidtui
from tests.faults.fleet_cases import CASES
from tests.faults.fleet_matrix import DEEDS

COUNTS = {"L": 44, "P": 8, "C": 42, "Q": 38, "B": 48, "F": 44, "R": 11, "U": 13, "N": 20}
"""how many there are of each letter"""
SOME = ("look: later", "order: cut", "look: lies-claimed", "look: clock ahead", "no room: write fleet-claim.json")


def test_the_cases_are_counted() -> None:
    assert Counter(case.id[0] for case in CASES) == COUNTS
    assert len({*(case.id for case in CASES), *DEEDS}) == sum(COUNTS.values()) + len(DEEDS)


@pytest.mark.thorough
@pytest.mark.process
def test_some_of_them() -> None:
    """In a process of its own, because it forks: four seconds of processor time and half a second a case."""
    names = [case.id for case in CASES if case.what in SOME]
    assert len(names) == len(SOME)
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.fleet_matrix", "--only=H-01", *(f"--only={name}" for name in names)],
        cwd=Path(raidtui.__file__).parents[1], capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
