"""The cap on complexity follows the code down."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DISPATCHES = 3
"""functions above the cap: nothing but a `match` with a case for each kind"""


@pytest.mark.process
def test_some_function_needs_the_cap() -> None:
    cap = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]["mccabe"]["max-complexity"]
    argv = [sys.executable, "-m", "ruff", "check", "--select", "C901", "--output-format", "concise"]
    lower = [*argv, "--config", f"lint.mccabe.max-complexity={cap - 1}", "raidtui"]
    done = subprocess.run(lower, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "C901" in done.stdout, "lower max-complexity in pyproject.toml"


def test_no_further_function_is_above_the_cap() -> None:
    sources = (path.read_text("utf-8") for path in (ROOT / "raidtui").rglob("*.py"))
    assert sum(source.count("noqa: C901") for source in sources) == DISPATCHES
