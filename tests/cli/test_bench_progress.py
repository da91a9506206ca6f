"""The end of a benchmark on the command line: a reason is printed once."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from raidtui.bench.events import Ended, Event, TaskFailed
from raidtui.cli.bench import run
from raidtui.values.bench import BenchResult
from raidtui.values.errors import Exit, MachineFailed
from tests.machine.benching import bench, task

BENCH = bench(task(1), task(2))


class Played:
    """A benchmark whose events and result are given."""

    def __init__(self, events: tuple[TaskFailed, ...], result: BenchResult, *, named: bool) -> None:
        self.events, self.result, self.named = events, result, named

    def run(self, on_event: Callable[[Event], None]) -> BenchResult:
        for event in self.events:
            on_event(event)
        on_event(Ended(result=self.result, named=self.named))
        return self.result


def printed(
    capsys: pytest.CaptureFixture[str], events: tuple[TaskFailed, ...], reason: str, *, named: bool = False
) -> str:
    result = BenchResult(bench=BENCH, figures=(), outcome="failed", reason=reason)
    played: Any = Played(events, result, named=named)
    with pytest.raises(MachineFailed) as failed:
        run(lambda folder: played, BENCH, Path("/var/b"), argparse.Namespace(json=False))
    shown = capsys.readouterr()
    return f"{shown.out}{shown.err}raidtui: {failed.value}"


def test_a_test_that_ends_the_benchmark_is_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, (TaskFailed(task=1, reason="fio was killed", fatal=True),), "fio was killed")
    assert text.count("fio was killed") == 1
    assert text.endswith("raidtui: the benchmark failed: fio was killed")


def test_disks_that_fail_by_themselves_are_named_when_they_fail(capsys: pytest.CaptureFixture[str]) -> None:
    events = (TaskFailed(task=1, reason="sda: read error"), TaskFailed(task=2, reason="sdb: read error"))
    text = printed(capsys, events, "job-1 on x: sda: read error; job-2 on x: sdb: read error", named=True)
    assert [text.count(f"{name}: read error") for name in ("sda", "sdb")] == [1, 1]
    assert "raidtui: job-1 on /srv/data: sda: read error\n" in text
    assert text.endswith("raidtui: the benchmark failed: the lines above name each test that failed")


def test_another_reason_is_printed_beside_those(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, (TaskFailed(task=1, reason="sda: read error"),), "no room in /var")
    assert [text.count(words) for words in ("sda: read error", "no room in /var")] == [1, 1]


def test_one_that_finished_shows_its_result(capsys: pytest.CaptureFixture[str]) -> None:
    result = BenchResult(bench=BENCH, figures=(), outcome="finished", reason="")
    played: Any = Played((), result, named=False)
    assert run(lambda folder: played, BENCH, Path("/var/b"), argparse.Namespace(json=False)) == Exit.DONE
    assert "finished: 0 of" in capsys.readouterr().out
