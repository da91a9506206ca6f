"""The collection as `raidtui export ansible` writes it, in a play of real Ansible against a simulated host."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from raidtui import __version__
from raidtui.cli.main import main
from raidtui.machine.inventory import shipped
from raidtui.values.codec import to_json
from tests.machine.simulation import planned

PLAY = Path(__file__).with_name("play.yml")
NAS = shipped.load("nas4")


@pytest.fixture
def collections(tmp_path: Path) -> Path:
    folder = tmp_path / "collections"
    assert main(["export", "ansible", str(folder)]) == 0
    return folder


def test_the_collection_has_the_version_of_raidtui(collections: Path) -> None:
    place = collections / "ansible_collections" / "raidtui" / "storage"
    assert yaml.safe_load((place / "galaxy.yml").read_text())["version"] == __version__
    assert sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()) == [
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "galaxy.yml",
        "meta/runtime.yml",
        "plugins/module_utils/host.py",
        "plugins/modules/facts.py",
        "plugins/modules/plan.py",
        "tests/sanity/ignore-2.18.txt",
        "tests/sanity/ignore-2.19.txt",
        "tests/sanity/ignore-2.20.txt",
        "tests/sanity/ignore-2.21.txt",
    ]


def test_a_directory_that_exists_is_left_alone(collections: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "ansible", str(collections)]) == 1
    assert "exists already" in capsys.readouterr().err


@pytest.mark.thorough
@pytest.mark.process
def test_a_play_checks_builds_once_and_undoes(collections: Path, tmp_path: Path) -> None:
    """Some 25 s: Ansible starts Python twice a task."""
    (tmp_path / "nas.json").write_text(to_json(NAS))
    (tmp_path / "plan.json").write_text(to_json(planned("raid5(3+1)", NAS)))
    command = [sys.executable, "-I", "-m", "raidtui", "fleet-host", "--simulated", str(tmp_path / "nas.json")]
    given = {
        "ansible_connection": "local",
        "ansible_python_interpreter": sys.executable,
        "plan_file": str(tmp_path / "plan.json"),
        "raidtui_command": command,
    }
    done = subprocess.run(
        [str(Path(sys.executable).with_name("ansible-playbook")), "-i", "nas,", "-e", json.dumps(given), str(PLAY)],
        env={**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(collections), "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
