"""The speeds of Design's strip are what the default benchmark asks: one number there, in its prediction and report."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from raidtui.answers.speed import read_and_write
from raidtui.cli import main
from raidtui.machine.inventory.shipped import load
from raidtui.session import report_plots
from raidtui.session.decision import DesignOutcome
from raidtui.values.assumptions import defaults_for
from raidtui.values.decision import Decision
from raidtui.values.design import Design
from raidtui.values.notation import parse
from raidtui.values.units import parse_binary_size
from tests.cli.commands import answer
from tests.executors import at_once


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_plots, "drawn", lambda _: {})
    monkeypatch.setattr("raidtui.cli.bench.launch", at_once)


@pytest.mark.parametrize(
    ("chassis", "layout", "chunk", "read", "write"),
    [
        ("e2660", "4x(12+2)+4", "512K", "5.70 GB/s", "4.56 GB/s"),
        ("e2660", "4x(12+2)+4", "64K", "5.70 GB/s", "4.56 GB/s"),
        ("e2660", "raid10(60)", "256K", "5.70 GB/s", "2.85 GB/s"),
        ("e2660", "6x(8+2)", "1M", "5.70 GB/s", "4.56 GB/s"),
        ("nas4", "(2+2)", "512K", "247 MB/s", "247 MB/s"),
        ("pod45", "3x(12+2)+3", "512K", "399 MB/s", "342 MB/s"),
        ("jbod84", "6x(11+2)+6", "512K", "8.39 GB/s", "6.84 GB/s"),
        ("nvme24", "2x(9+2)+2", "128K", "60.8 GB/s", "2.09 GB/s"),
        ("trio", "raid1(2)", "512K", "211 MB/s", "104 MB/s"),
    ],
)
def test_strip_prediction_and_report_have_the_same_digits(
    chassis: str,
    layout: str,
    chunk: str,
    read: str,
    write: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    inventory = load(chassis)
    design = Design(layout=parse(layout), chunk_bytes=parse_binary_size(chunk))
    speed = DesignOutcome(Decision(design=design, assumptions=defaults_for(inventory.free)), inventory).throughput
    assert speed is not None
    assert read_and_write(speed).value == f"{read.split()[0]} / {write}"
    bench, report = tmp_path / "bench", tmp_path / "report"
    asked = ["bench", layout, "--inventory", chassis, "--chunk", chunk, "--speed-up", "0", "--out", str(bench)]
    table = answer(capsys, *asked)
    assert re.findall(r"sequential \w+, deep .*?([\d.]+ .B/s)", table) == [read, write]
    assert main(["report", str(bench), "--out", str(report)]) in (0, 1)
    rows = [line.split("|") for line in (report / "report.md").read_text().splitlines() if "| sequential " in line]
    assert [cells[3].strip() for cells in rows[:2]] == [read, write]
