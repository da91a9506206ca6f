"""What every test of the command line has: directories of its own for work and state, and no terminal."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tests.cli.commands import put
from tests.cli.left_runs import PLAN


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))


@pytest.fixture
def left_plan(tmp_path: Path) -> str:
    """File of the plan whose run `left_runs` leaves behind."""
    return str(put(PLAN, tmp_path / "plan"))
