"""A rate and a number of operations have one form: only `planner/amounts` puts a unit behind digits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import raidtui

ROOT = Path(raidtui.__file__).parent
FORMATS = re.compile(r"[fg]\} ?[kMGT]?(B/s|IOPS)|grouped\([^}]*\)\} ?([kMGT]?B/s|IOPS)")
"""digits in an f-string and their unit"""
COLUMNS = {
    "tui/gauges/host_list.py": "columns of all hosts, in MB/s as the heading says",
    "planner/measurement/survey.py": "the table of sgpdd-survey, as its readers know it",
}


def test_rates_are_formatted_in_one_place() -> None:
    found = {
        path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if FORMATS.search(path.read_text("utf-8"))
    }
    assert found == COLUMNS.keys()


@pytest.mark.parametrize("code", ['f"{rate / 1e9:.1f} GB/s"', 'f"{grouped(round(found))} IOPS"', 'f"{value:.3g} MB/s"'])
def test_another_form_is_found(code: str) -> None:
    assert FORMATS.search(code)
