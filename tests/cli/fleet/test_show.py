"""`raidtui fleet show` before its screen: which hosts, from where, and options that do not go together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from raidtui.cli import main
from raidtui.fleet.look import fleet_root, keep_looks
from raidtui.fleet.survey import FleetSurvey
from raidtui.fleet.tui import app
from raidtui.fleet.values import FleetInventory, HostLook
from raidtui.machine.inventory import shipped
from raidtui.values.errors import Exit
from tests.cli.fleet.test_build import sheet  # noqa: F401 - a fixture
from tests.cli.fleet.test_plan import stored
from tests.planner.fleet.hosts import rack


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[FleetSurvey]:
    """Surveys that a screen was opened with."""
    found: list[FleetSurvey] = []

    def run_fleet(survey: FleetSurvey, **_: Any) -> int:
        found.append(survey)
        return 0

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(app, "run_fleet", run_fleet)
    return found


def test_hosts_are_those_that_are_named(shown: list[FleetSurvey]) -> None:
    assert main(["fleet", "show", "-w", "node[1-3]"]) == Exit.DONE
    (survey,) = shown
    assert survey.overview.hosts == ("node1", "node2", "node3")
    assert survey.asks and survey.overview.look is None and not survey.overview.simulated


def test_simulated_hosts_are_said_to_be(shown: list[FleetSurvey], tmp_path: Path) -> None:
    assert main(["fleet", "show", "-w", "node1", "--worker", f"local:{tmp_path}"]) == Exit.DONE
    assert shown[0].overview.simulated


def test_stored_inventories_are_shown_without_asking(shown: list[FleetSurvey], tmp_path: Path) -> None:
    source = stored(tmp_path, rack(3), {"node9": "no route"})
    assert main(["fleet", "show", "--from", source]) == Exit.DONE
    assert main(["fleet", "show", "--from", source, "-w", "node[2,7]"]) == Exit.DONE
    assert [survey.overview.hosts for survey in shown] == [("node1", "node2", "node3", "node9"), ("node2", "node7")]
    assert not any(survey.asks for survey in shown)
    assert shown[1].overview.look is not None
    assert set(shown[1].overview.look.inventory.inventories) == {"node2"}


def test_the_last_looks_are_shown(shown: list[FleetSurvey], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    last = ["fleet", "show", "--last", "--worker", f"local:{tmp_path}"]
    assert main(last) == Exit.USAGE
    assert "no look at hosts is stored" in capsys.readouterr().err
    looks = tuple(HostLook(host=name, asked_at="x", answered_in_s=1, inventory=each) for name, each in rack(2).items())
    keep_looks(fleet_root(simulated=True), FleetInventory(taken_at="x", hosts=looks))
    assert main(last) == Exit.DONE
    assert shown[0].overview.hosts == ("node1", "node2")
    assert not shown[0].asks


def test_a_sheet_brings_its_hosts_and_their_plans(
    sheet: Path,  # noqa: F811 - the fixture
    shown: list[FleetSurvey],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["fleet", "show", str(sheet)]) == Exit.DONE
    (survey,) = shown
    assert survey.overview.hosts == ("node1", "node2")
    plan = survey.plan("node2")
    assert plan is not None and survey.overview.sheet is not None
    assert plan.digest == survey.overview.sheet.hosts[1].digest
    (sheet / "node1" / "plan.json").unlink()
    assert survey.plan("node1") is None
    assert main(["fleet", "show", str(sheet), "-w", "node[2-3]"]) == Exit.USAGE
    assert "node3 are not in the sheet" in capsys.readouterr().err
    source = stored(tmp_path, {"node1": shipped.load("nas4")})
    assert main(["fleet", "show", str(sheet), "--from", source]) == Exit.DONE
    assert shown[-1].overview.simulated


def test_two_sources_of_stored_inventories_are_refused(
    shown: list[FleetSurvey], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fleet", "show", "--last", "--from", stored(tmp_path, rack(1))]) == Exit.USAGE
    assert capsys.readouterr().err.startswith("raidtui: --from and --last")
    assert main(["fleet", "show"]) == Exit.USAGE
    assert "no hosts" in capsys.readouterr().err
    assert shown == []


def test_without_a_terminal_it_says_which_verbs_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fleet", "show", "--from", stored(tmp_path, rack(1))]) == Exit.USAGE
    assert "expected a terminal" in capsys.readouterr().err
