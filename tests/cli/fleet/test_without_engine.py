"""`raidtui fleet` where ClusterShell is not installed: one answer to every verb, and a command that installs it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

VERBS = (
    ("disks", "-w", "n1"), ("plan", "recipe.toml", "-w", "n1"), ("plan", "recipe.toml", "--from", "hosts.json"),
    ("check", "sheet"), ("build", "sheet"), ("resume", "sheet"), ("status", "sheet"), ("undo", "sheet"),
    ("show", "-w", "n1"), ("show", "--last"),
)  # fmt: skip
WITHOUT = """
import contextlib, io, json, sys
sys.modules["ClusterShell"] = None
from raidtui.cli import main
found = []
for words in json.loads(sys.argv[1]):
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        found.append([main(["fleet", *words]), errors.getvalue()])
print(json.dumps(found))
"""
"""calls each in one fresh interpreter that has no ClusterShell"""


def without(folder: Path, *calls: tuple[str, ...]) -> list[Any]:
    """Exit code and standard error of each call."""
    argv = [sys.executable, "-c", WITHOUT, json.dumps(calls)]
    done = subprocess.run(argv, cwd=folder, check=True, capture_output=True, text=True)
    found: list[Any] = json.loads(done.stdout)
    return found


@pytest.mark.process
def test_every_verb_names_the_command_that_installs_it(tmp_path: Path) -> None:
    install = f"{shlex.quote(sys.executable)} -m pip install 'ClusterShell>=1.9' 'PyYAML>=6'"
    said = (
        "raidtui: ClusterShell is not installed\n"
        f"         {install}; or, with a package of the distribution, apt install python3-clustershell\n"
    )
    assert without(tmp_path, *VERBS) == [[3, said]] * len(VERBS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.process
def test_a_recipe_needs_no_engine(tmp_path: Path) -> None:
    assert without(tmp_path, ("recipe", "raid6(2+2)")) == [[0, ""]]


def test_what_is_installed_is_the_extra_of_the_package() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    assert project["project"]["optional-dependencies"]["fleet"] == ["ClusterShell>=1.9", "PyYAML>=6"]
