"""`raidtui fleet bench` before any host is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.machine.bench import profiles
from raidtui.machine.inventory import shipped
from raidtui.model.bench import Profile
from raidtui.model.codec import to_json
from raidtui.model.errors import Exit
from tests.cli.fleet.test_plan import recipe


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
        (["--resume", "../x"], "'../x' is not a benchmark id"),
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


@pytest.mark.process
@pytest.mark.long
def test_from_the_sheet_to_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By processes as on real hosts; the machine that they build on and measure is simulated."""
    folder, sheet = tmp_path / "hosts", str(tmp_path / "sheet")
    folder.mkdir()
    (folder / "n1.json").write_text(to_json(shipped.load("trio")))
    worker = ["--worker", f"local:{folder}", "--interval", "0.2", "--json"]
    job = profiles.load("quick").jobs[0]
    profile = Profile(name="mine", title="", purpose="", jobs=(job,))
    (tmp_path / "mine.json").write_text(to_json(profile))
    what = recipe(tmp_path, 'layout = "raid5(2+1)"\nmail = "root"\n')
    assert main(["fleet", "plan", what, "-w", "n1", "--worker", f"local:{folder}", "--out", sheet]) == Exit.DONE
    digest = json.loads((tmp_path / "sheet" / "sheet.json").read_text())["digest"]
    begin = ["--yes", "--confirm", digest, "--speed-up", "1e7"]
    assert main(["fleet", "build", sheet, *begin, *worker]) == Exit.DONE
    capsys.readouterr()
    argv = ["--profile", str(tmp_path / "mine.json"), "--speed-up", "1e7", "--watch"]
    assert main(["fleet", "bench", sheet, *argv, *worker]) == Exit.DONE
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["hosts"][0]["stage"]) == ("raidtui/fleet-bench/1", "finished")
    (figure,) = found["figures"]
    assert "simulated" in figure["labels"] and figure["verdict"] == "ok"
    assert figure["sum"] == figure["hosts"][0]["measured"]
    assert main(["fleet", "bench", "--resume", found["order"]["id"][:8], *worker]) == Exit.DONE
    assert json.loads(capsys.readouterr().out)["figures"] == found["figures"]
    assert main(["fleet", "bench", "--stop", found["order"]["id"], *worker]) == Exit.DONE
    assert main(["fleet", "bench", "--list"]) == Exit.DONE
    assert f"SIMULATED  {found['order']['id'][:8]}" in capsys.readouterr().out
    assert main(["report", found["order"]["id"][:8], "--out", str(tmp_path / "report"), "--format", "md"]) == Exit.DONE
    text = next((tmp_path / "report").glob("*.md")).read_text()
    assert "## Benchmark of 1 host" in text and "SIMULATED" in text
