"""`raidtui fleet bench` before any host is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.model.errors import Exit


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.machine.fleet.store.measured_state", lambda: tmp_path / "measured")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.mark.parametrize(
    ("argv", "error"),
    [
        ([], "no target"),
        (["srv", "-w", "n1"], "srv: expected the directory of a sheet, or an absolute path"),
        (["/srv"], "no hosts"),
        (["/srv", "-w", "n1", "--profile", "none"], "there is no profile 'none'"),
        (["/srv", "-w", "n1", "--seconds", "0.5"], "--seconds"),
        (["/srv", "--resume", "abcd"], "--resume goes on with its own target"),
        (["--resume", "abcd", "--stop", "abcd"], "--resume goes on with its own target"),
        (["--resume", "../x"], "'../x' is not the id of a benchmark"),
        (["--resume", "abcd"], "no benchmark 'abcd' was ordered from here"),
    ],
)
def test_what_is_refused(argv: list[str], error: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fleet", "bench", *argv]) == Exit.USAGE
    assert error in capsys.readouterr().err


@pytest.mark.parametrize("old", [["--hosts", "a,b"], ["--ssh"], ["--room", "8GiB"]])
def test_the_options_that_it_replaces_name_it(old: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "/srv", *old, "--dry-run"]) == Exit.USAGE
    assert "raidtui fleet bench DIR -w HOST,HOST" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["bench", "--help"])
    assert "--hosts" not in capsys.readouterr().out


def test_nothing_was_ordered(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fleet", "bench", "--list"]) == Exit.DONE
    assert capsys.readouterr().out == "none was ordered\n"
