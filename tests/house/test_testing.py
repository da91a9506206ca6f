"""The commands of TESTING.md can be typed, and promises counts as the tests do."""

from __future__ import annotations

import importlib.util
import re
import shlex
from pathlib import Path

import pytest

from tests.faults.compared import recorded
from tests.lab.test_faults import ON_PUSH
from tests.regenerate_testing import PAGE

ROOT = Path(__file__).parents[2]
COMMANDS = sorted(set(re.findall(r"`((?:RAIDTUI_SUITE=\w+ )?(?:pytest|python3?) [^`]+)`", PAGE.read_text())))
COMPARED = re.findall(r"`pytest ([\w/. ]+)` against `(real_geometry/\w+\.jsonl)`", PAGE.read_text())


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_names_what_is_there(command: str) -> None:
    match [word for word in shlex.split(command) if not word.startswith("RAIDTUI_SUITE=")]:
        case ["python", "-m", module, *_]:
            assert importlib.util.find_spec(module) is not None
        case ["pytest", *words]:
            assert all((ROOT / word).exists() for word in words if word.startswith("tests/"))
        case words:
            assert words == ["python3", "tests/run.py", "all"]  # only `tests` takes words for pytest


@pytest.mark.parametrize(("paths", "gold"), COMPARED)
def test_what_is_compared_with_real_sizes_is_read_by_a_test_of_its_command(paths: str, gold: str) -> None:
    tests = [file for path in paths.split() for file in (ROOT / path, *(ROOT / path).rglob("test_*.py"))]
    assert any(Path(gold).name in file.read_text() for file in tests if file.is_file())


def test_promises_says_how_many_faults_run_on_real_md() -> None:
    number = ("None", "One", "Two", "Three", "Four")[len(ON_PUSH)]
    text = " ".join((ROOT / "raidtui" / "topics" / "promises.md").read_text().split())
    assert f"{number} of them run on real md each time and forty on demand; {len(recorded())} of them did once" in text
