"""A rate, a number of operations and a percentage have one form: only `values/amounts` puts a unit behind digits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import raidtui

ROOT = Path(raidtui.__file__).parent
FORMATS = re.compile(r"[fg]\} ?[kMGT]?(B/s|IOPS)|grouped\([^}]*\)\} ?([kMGT]?B/s|IOPS)")
"""digits in an f-string and their unit"""
COLUMNS = {
    "bench/compare.py": "the table of sgpdd-survey, as its readers know it",
}


def test_rates_are_formatted_in_one_place() -> None:
    found = {
        path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if FORMATS.search(path.read_text("utf-8"))
    }
    assert found == COLUMNS.keys()


@pytest.mark.parametrize("code", ['f"{rate / 1e9:.1f} GB/s"', 'f"{grouped(round(found))} IOPS"', 'f"{value:.3g} MB/s"'])
def test_another_form_is_found(code: str) -> None:
    assert FORMATS.search(code)


PERCENT = re.compile(r"[:.]\d*%\}|\} ?%(?!\()")
"""digits in an f-string and their percent sign"""
OTHER_PERCENT = {
    "values/speed.py": "whole percent, as they are asked for",
    "values/amounts.py": "the place; a ratio has two digits however small it is",
    "answers/html.py": "lengths of CSS",
    "simulated/md_output.py": "what mdadm prints",
    "programs/mkfs_options.py": "what is typed",
}


def test_percentages_are_formatted_in_one_place() -> None:
    found = {
        path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if PERCENT.search(path.read_text("utf-8"))
    }
    assert found == OTHER_PERCENT.keys()


@pytest.mark.parametrize("code", ['f"{share:.0%} of it"', 'f"{share:5.1%}"', 'f"{100 * share:g} %"', 'f"{permille}%"'])
def test_another_percentage_is_found(code: str) -> None:
    assert PERCENT.search(code)
