"""pytest collects every file of tests: by default it leaves out folders with names such as `build` and `dist`."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


def test_no_folder_with_tests_is_passed_over(pytestconfig: pytest.Config) -> None:
    patterns = pytestconfig.getini("norecursedirs")
    folders = {folder for file in TESTS.rglob("test_*.py") for folder in file.relative_to(TESTS).parts[:-1]}
    assert [folder for folder in sorted(folders) if any(fnmatch(folder, pattern) for pattern in patterns)] == []
