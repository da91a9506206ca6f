"""`raidtui fleet build` before anything is started: the files of the sheet and its confirmation. No host is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.machine.inventory import shipped
from raidtui.values.errors import Exit
from tests.cli.fleet.test_plan import recipe, stored


@pytest.fixture
def sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sheet of two hosts; where one is asked, the test starts a process and fails."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    source = stored(tmp_path, dict.fromkeys(("node1", "node2"), shipped.load("nas4")))
    what = recipe(tmp_path, 'layout = "raid6(2+2)"\nmail = "root"\n')
    assert main(["fleet", "plan", what, "--from", source, "--out", str(tmp_path / "sheet")]) == Exit.DONE
    capsys.readouterr()
    return tmp_path / "sheet"


def test_a_damaged_plan_of_a_later_host_is_refused_before_the_first_host(
    sheet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = sheet / "node2" / "plan.json"
    path.write_text(path.read_text().replace("/srv/", "/mnt/"))
    digest = json.loads((sheet / "sheet.json").read_text())["digest"]
    assert main(["fleet", "build", str(sheet), "--yes", "--confirm", digest]) == Exit.USAGE
    assert capsys.readouterr().err.startswith(f"raidtui: {path} was changed after it was written")


def test_a_plan_of_another_host_is_refused(sheet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (sheet / "node2" / "plan.json").write_text((sheet / "node1" / "plan.json").read_text())
    assert main(["fleet", "build", str(sheet)]) == Exit.USAGE
    assert "node2/plan.json is not the plan of the sheet" in capsys.readouterr().err
