"""Each word of the table in CONTRIBUTING.md has a test that plants something just outside of what was read."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_tests_of_the_table_are_there() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text().partition("## What stands behind a word")[2]
    rows = [line for line in table.splitlines() if line.startswith("| ") and not line.startswith(("| ---", "| word"))]
    named = [re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row) for row in rows]
    assert len(rows) == 20
    for row, tests in zip(rows, named, strict=True):
        assert tests, row
        for path, name in tests:
            tree = ast.parse((ROOT / path).read_text())
            assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, (path, name)
