"""`raidtui audit`: text, JSON, baseline and metrics, of a run's machine."""

import json
import os
from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.cli.verbs import arrays
from raidtui.values.arrays import Audit
from raidtui.values.codec import from_json
from raidtui.values.inventory import Inventory
from tests.machine.owners import SOMEBODY, as_root, owned_by
from tests.machine.simulation import Run, built_run
from tests.recorded_machines.captures import audited, replay
from tests.recorded_machines.replay import read_capture
from tests.recorded_machines.take import take


@pytest.fixture
def degraded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """What `raidtui audit` reads is a simulated machine whose array lacks a member."""
    run = built_run(tmp_path, "raid5(2+1)", name="data")
    run.machine.unplug(run.plan.disks[1].id)
    run.machine.advance(10)
    monkeypatch.setattr(arrays, "machine_of", lambda *_: (run.machine, run.machine.inventory()))
    return run


@pytest.mark.usefixtures("degraded")
def test_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("SIMULATED  e2660: 1 array, 1 error, 1 warning, 1 note; 64 rules, ")
    assert lines[1:3] == [
        "SIMULATED    error: md127 (raid5): 1 of 3 members missing (slot 1). One more failure loses data. "
        "[array-degraded]",
        "SIMULATED      raidtui replace md127 names the disk to pull and the commands",
    ]


def test_an_array_with_a_write_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = built_run(tmp_path, "raid5(3+1)", journal=1)
    monkeypatch.setattr(arrays, "machine_of", lambda *_: (run.machine, run.machine.inventory()))
    assert main(["audit", "--json"]) in (0, 1)
    codes = {each["code"] for each in json.loads(capsys.readouterr().out)["findings"]}
    assert not codes & {"journal-lost", "journal-missing", "no-bitmap", "plan-drift"}


@pytest.mark.usefixtures("degraded")
def test_a_baseline_and_metrics(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--json"]) == 1
    text = capsys.readouterr().out
    found = from_json(Audit, text, source="x")
    (tmp_path / "known.json").write_text(text)
    metrics = tmp_path / "raid.prom"
    assert main(["audit", "--json", "--baseline", str(tmp_path / "known.json"), "--metrics", str(metrics)]) == 0
    again = json.loads(capsys.readouterr().out)
    assert (again["findings"], again["known"]) == ([], len(found.findings))
    assert 'raidtui_array_state{array="md127",state="degraded"} 1' in metrics.read_text()


@pytest.mark.usefixtures("degraded")
def test_what_lies_beside_the_metrics_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "raid.prom.raidtui")
    (tmp_path / "kept").write_text("kept")
    (tmp_path / "more.prom.raidtui").hardlink_to(tmp_path / "kept")
    for name in ("raid.prom", "more.prom"):
        assert main(["audit", "--metrics", str(tmp_path / name)]) == 1
        assert "raidtui_array_state" in (tmp_path / name).read_text()
    assert ((tmp_path / "kept").read_text(), (tmp_path / "raid.prom.raidtui").is_fifo()) == ("kept", True)


@pytest.mark.usefixtures("degraded")
def test_root_writes_metrics_nowhere_below_a_directory_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "prometheus" / "node-exporter"
    folder.mkdir(parents=True)
    as_root(monkeypatch)
    owned_by(monkeypatch, {folder.parent: SOMEBODY})
    assert main(["audit", "--metrics", str(folder / "raid.prom")]) == 1
    assert capsys.readouterr().err == (
        f"raidtui: {folder.parent} belongs to user {SOMEBODY}, who could change what is in it\n"
        f"         check its content, then chown root {folder.parent}; or use another directory\n"
    )
    assert list(folder.iterdir()) == []


def test_a_baseline_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.json").write_text("{}")
    assert main(["audit", "--inventory", "nas4", "--baseline", str(tmp_path / "x.json")]) == 2
    assert "write it with raidtui audit --json" in capsys.readouterr().err


@pytest.mark.process
def test_what_was_read_is_saved_and_judged_again_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "audit.json"
    main(["audit", "--json", "--record", str(file), "--mask"])
    found = from_json(Audit, capsys.readouterr().out, source="x")
    take(file, "other", tmp_path)
    document = read_capture((tmp_path / "other" / "capture.json.gz").read_bytes(), source="x")
    assert [each.code for each in audited(document).findings] == [each.code for each in found.findings]
    assert (tmp_path / "other" / "findings.txt").read_text(encoding="utf-8").splitlines()
    again = (tmp_path / "other" / "expected.json").read_text("ascii")
    assert from_json(Inventory, again, source="x") == replay(document)


def test_only_this_machine_is_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--inventory", "nas4", "--record", str(tmp_path / "x.json")]) == 2
    assert "--record saves what is read from this machine" in capsys.readouterr().err
