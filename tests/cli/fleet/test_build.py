"""`raidtui fleet build` before anything is started: the files of the sheet and its confirmation. No host is asked."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.fleet import sheet_files
from raidtui.fleet.cli.rollout import confirm_fleet
from raidtui.machine.inventory import shipped
from raidtui.values.errors import Exit, Refused
from tests.cli.fleet.test_plan import recipe, stored


class Terminal:
    """Somebody who typed one line."""

    typed = ""

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        return f"{self.typed}\n"


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


def test_on_a_terminal_nothing_but_the_phrase_of_the_sheet_confirms_it(
    sheet: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = sheet_files.sheet_in(sheet)
    end = read.digest[-8:]
    options = argparse.Namespace(json=False, yes=False, confirm=None)
    monkeypatch.setattr(sys, "stdin", terminal := Terminal())
    for typed in ("yes", "", f"erase 8 on 1 {end}", f"erase 8 on 2 {read.digest[:8]}", f"undo 8 on 2 {end}"):
        terminal.typed = typed
        with pytest.raises(Refused, match="not confirmed; no host has begun"):
            confirm_fleet((), "erase", read, ("node1", "node2"), options, nothing="no host has begun")
        assert f"Type 'erase 8 on 2 {end}' to begin" in capsys.readouterr().out
    terminal.typed = f"erase 8 on 2 {end}"
    confirm_fleet((), "erase", read, ("node1", "node2"), options, nothing="no host has begun")
