"""`raidtui report` from end to end: what it prints, what it writes, how it ends."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from unittest.mock import patch

import matplotlib.font_manager  # noqa: F401  its first import asks fc-list, which tests may not
import pytest

from raidtui.cli import main
from raidtui.cli.verbs import report
from raidtui.engine import journal
from raidtui.engine.site import site_for
from raidtui.machine.inventory.shipped import load
from raidtui.machine.system import places as private_places
from raidtui.machine.system.places import simulated_root
from raidtui.session import report_plots
from raidtui.session.report import Places
from raidtui.values.codec import from_json
from raidtui.values.report import Report
from tests.machine.report.test_sources import kept_bench, kept_run
from tests.machine.simulation import planned
from tests.planner.reports import result

SAMPLES = Path(__file__).parents[2] / "machine" / "benches"


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run and a benchmark; copied, not changed."""
    folder = tmp_path_factory.mktemp("state")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(private_places, "SPARED", tuple(tmp_path_factory.getbasetemp().parents))
        kept_run(folder / "runs")
        kept_bench(folder / "benches", result())
    return folder


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports without plots, each of which takes as long as all the rest."""
    monkeypatch.setattr(report_plots, "drawn", lambda _: {})


@pytest.fixture
def here(state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to work in, and a machine whose runs and benchmarks lie in it."""
    shutil.copytree(state, tmp_path / "state")
    places = Places(runs=(tmp_path / "state" / "runs",), benches=(tmp_path / "state" / "benches",))
    monkeypatch.setattr(report, "_places", lambda: places)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_a_word_it_is_about_the_newest_run(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report"]) == 0
    said = capsys.readouterr()
    (folder,) = here.glob("raidtui-*")
    assert said.out.startswith("2x(4+2)+1 on stor01: NOT ACCEPTED\n")
    assert said.err.splitlines()[0] == f"raidtui: wrote {folder}/report.json"
    assert {path.name for path in folder.iterdir()} == {"report.json", "report.html", "report.md", "plots"}
    assert folder.name == f"raidtui-{json.loads((folder / 'report.json').read_text())['id']}"


def test_json_is_for_scripts_and_writes_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "0123", "--json"]) == 0
    made = from_json(Report, capsys.readouterr().out, source="stdout")
    assert (made.host, [bench.result.bench.profile for bench in made.benches]) == ("stor01", ["ladder"])
    assert list(here.glob("raidtui-*")) == []
    assert main(["report", "0123", "--json", "--out", "kept", "--format", "json"]) == 0
    assert [path.name for path in (here / "kept").iterdir()] == ["report.json"]


def test_a_report_is_made_again_from_its_own_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--out", "first"]) == 0
    assert main(["report", "first/report.json", "--out", "second"]) == 0
    for name in ("report.json", "report.html", "report.md", "plots/bench1-disks.svg"):
        assert (here / "first" / name).read_bytes() == (here / "second" / name).read_bytes()
    assert capsys.readouterr().err.count("raidtui: wrote") == 12


def test_one_against_another(here: Path, undrawn: None, capsys: pytest.CaptureFixture[str]) -> None:
    other = kept_bench(here / "elsewhere", result(scale=0.5), gauges=False)
    assert main(["report", "6c61", "--against", str(other), "--json"]) == 0
    made = from_json(Report, capsys.readouterr().out, source="stdout")
    assert made.comparison is not None
    found = {each.job: (round(each.ratio, 3), each.judged) for each in made.comparison.figures}
    assert found["volume"] == (2.0, "more")
    assert main(["report", "6c61", "--against", str(other), "--out", "held", "--format", "md"]) == 0
    assert "## Comparison with an earlier report" in (here / "held" / "report.md").read_text()
    assert "file-write on /srv/data: 2.00, more" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["report", "--format", "pdf"], 2, "--format: unknown format 'pdf'"),
        (["report", "ffff"], 2, "there is no run, benchmark or file called 'ffff'"),
        (["report", "state"], 2, "state holds no run, benchmark, drill, tuning or report"),
        (["report", "0123", "--against", "nothing.json"], 2, "called 'nothing.json'"),
        (["report", "0123", "--out", "state/runs/lock/deep"], 3, "Not a directory"),
    ],
)
def test_what_goes_wrong_is_said(here: Path, undrawn: None, words: list[str], code: int, said: str,
                                 capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    (here / "state" / "runs" / "lock").touch()
    assert main(words) == code
    assert said in capsys.readouterr().err


def test_a_directory_that_is_taken_is_left_alone(here: Path, undrawn: None, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "mine").mkdir()
    (here / "mine" / "report.md").write_text("my own words")
    assert main(["report", "--out", "mine"]) == 1
    assert "mine already holds report.md of another origin" in capsys.readouterr().err
    assert {path.name for path in (here / "mine").iterdir()} == {"report.md"}
    assert (here / "mine" / "report.md").read_text() == "my own words"


def test_it_says_which_extra_draws_plots(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with patch("importlib.util.find_spec", return_value=None):
        assert main(["report", "--out", "plain"]) == 0
    assert "-m pip install matplotlib" in capsys.readouterr().err
    assert not (here / "plain" / "plots").exists()
    assert (here / "plain" / "report.html").is_file()


def test_nothing_to_report_is_a_refusal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "_places", lambda: Places(runs=(tmp_path,), benches=(tmp_path,)))
    assert main(["report"]) == 1
    assert "there is nothing to report" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_what_the_simulated_machine_measured_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(SAMPLES / "simulated"), "--out", "sim", "--format", "html,md"]) == 0
    assert capsys.readouterr().out.startswith("SIMULATED: no disk was accessed")
    assert "SIMULATED" in (tmp_path / "sim" / "report.html").read_text()
    for picture in (tmp_path / "sim" / "plots").iterdir():
        assert "SIMULATED" in picture.read_text()


def test_of_a_chassis_only_what_was_built_on_it(
    tmp_path: Path, undrawn: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(report, "_places", lambda: Places(runs=(simulated_root(),), benches=(tmp_path / "none",)))
    for number, (layout, chassis) in enumerate((("(2+1)", "nas4"), ("raid1(2)", "e2660"))):
        inventory = load(chassis)
        plan = planned(layout, inventory, run_id=f"{number:032x}")
        site_for(plan, inventory).prepare(journal.create(simulated_root(), plan))
    monkeypatch.chdir(tmp_path)
    assert main(["--inventory", "nas4", "report", "--out", "mine.html"]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[1].startswith("(2+1) on nas4: ")
    assert said.err.splitlines()[0] == f"raidtui: wrote {tmp_path}/mine.html"
    assert (tmp_path / "mine.html").read_text().startswith("<!DOCTYPE html>")
    assert main(["--inventory", "nas4", "report", "--out", "mine.html", "--format", "md"]) == 2
    assert "name a directory with --out" in capsys.readouterr().err
    assert main(["--inventory", "trio", "report"]) == 1
    assert "there is nothing to report on trio" in capsys.readouterr().err
