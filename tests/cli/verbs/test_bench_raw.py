"""`raidtui bench PLAN --raw`: what is asked, refused and shown; on simulated disks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from raidtui.bench import store
from raidtui.cli import main
from raidtui.values.codec import to_json
from tests.executors import at_once
from tests.machine.simulation import planned
from tests.planner.benches import bench, target, task

Printed = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.cli.bench.launch", at_once)


@pytest.fixture
def plan(tmp_path: Path) -> tuple[str, str]:
    """The file of a plan of arrays without a volume, and its digest."""
    made = planned("2x(2+1)+1", fs="none", stack="separate")
    path = tmp_path / "plan.json"
    path.write_text(to_json(made))
    return str(path), made.digest


def test_blank_disks_one_by_one_and_in_sum(plan: tuple[str, str], capsys: Printed) -> None:
    path, digest = plan
    assert main(["bench", path, "--raw", "write", "--yes", "--confirm", digest, "--speed-up", "0"]) == 0
    said = capsys.readouterr().out
    assert "Benchmark of 7 blank disks on e2660: zeros are written to each." in said
    assert f"SIMULATED  Digest of the plan: {digest}\n" in said
    assert "rate of each disk, from the gauges (MB/s)" in said
    assert said.count(" sum ") == 2
    assert "9-15 7 disks: each disk alone: sequential write" in said
    assert "8-14 7 disks: each disk alone" not in said
    assert "each array" not in said


def test_writes_are_confirmed_like_a_build(plan: tuple[str, str], capsys: Printed) -> None:
    path, digest = plan
    assert main(["bench", path, "--raw", "write", "--yes"]) == 2
    assert "--yes and --confirm DIGEST must be given together" in capsys.readouterr().err
    assert main(["bench", path, "--raw", "write", "--yes", "--confirm", "0" * 64]) == 1
    assert f"its digest is {digest}" in capsys.readouterr().err
    assert main(["bench", path, "--raw", "write"]) == 1
    assert "confirmation needs a terminal; nothing was written" in capsys.readouterr().err


def test_reads_need_no_confirmation_on_simulated_disks(plan: tuple[str, str], capsys: Printed) -> None:
    assert main(["bench", plan[0], "--raw", "read", "--speed-up", "0", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    tasks: list[dict[str, Any]] = next(line["event"]["bench"]["tasks"] for line in lines if "bench" in line["event"])
    assert {task["job"]["pattern"] for task in tasks} == {"read"}


def test_what_cannot_be_measured_raw_is_refused(plan: tuple[str, str], tmp_path: Path, capsys: Printed) -> None:
    path, _ = plan
    assert main(["bench", path, "--raw", "write", "--profile", "survey-raw"]) == 1
    assert "no job of the profile 'survey-raw' measures the disks of this plan" in capsys.readouterr().err
    for other in (["--resume", "12345678"], ["--precondition"]):
        assert main(["bench", path, "--raw", "read", *other]) == 2
        assert f"--raw cannot be combined with {other[0]}" in capsys.readouterr().err
    assert main(["bench", path, "--raw", "read", "--confirm", "0" * 64]) == 2
    assert "--confirm belongs to --raw write" in capsys.readouterr().err
    assert main(["bench", str(tmp_path), "--raw", "read"]) == 2


def test_a_benchmark_that_writes_to_devices_is_not_resumed(tmp_path: Path, capsys: Printed) -> None:
    folder = store.create_at(tmp_path / "b", bench([task(on=target("disk"), pattern="write")]))
    assert main(["bench", "--resume", str(folder), "--yes"]) == 1
    assert "writes to block devices cannot be resumed" in capsys.readouterr().err
