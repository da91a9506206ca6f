"""The end of a benchmark on the command line: a reason is printed once."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from raidtui.bench import store
from raidtui.bench.events import Ended, TaskFailed
from raidtui.cli.bench import followed
from raidtui.values.bench import BenchResult
from raidtui.values.errors import Exit, MachineFailed
from tests.machine.benching import SCENE, bench, task

BENCH = bench(task(1), task(2))


def followed_in(folder: Path, events: tuple[TaskFailed, ...], result: BenchResult, *, named: bool) -> int:
    """A benchmark that told this and came to that."""
    store.create_at(folder, BENCH)
    log = store.EventLog(folder, SCENE, simulated=False)
    for event in events:
        log.write(event)
    log.write(Ended(result=result, named=named))
    log.close()
    store.save(folder, result)
    return followed(folder, None, argparse.Namespace(json=False))


def printed(
    folder: Path, capsys: pytest.CaptureFixture[str], events: tuple[TaskFailed, ...], reason: str, *,
    named: bool = False,
) -> str:  # fmt: skip
    result = BenchResult(bench=BENCH, figures=(), outcome="failed", reason=reason)
    with pytest.raises(MachineFailed) as failed:
        followed_in(folder, events, result, named=named)
    shown = capsys.readouterr()
    return f"{shown.out}{shown.err}raidtui: {failed.value}"


def test_a_test_that_ends_the_benchmark_is_named_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(tmp_path / "b", capsys, (TaskFailed(task=1, reason="fio was killed", fatal=True),), "fio was killed")
    assert text.count("fio was killed") == 1
    assert text.endswith("raidtui: the benchmark failed: fio was killed")


def test_disks_that_fail_by_themselves_are_named_when_they_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events = (TaskFailed(task=1, reason="sda: read error"), TaskFailed(task=2, reason="sdb: read error"))
    text = printed(
        tmp_path / "b", capsys, events, "job-1 on x: sda: read error; job-2 on x: sdb: read error", named=True
    )
    assert [text.count(f"{name}: read error") for name in ("sda", "sdb")] == [1, 1]
    assert "raidtui: job-1 on /srv/data: sda: read error\n" in text
    assert text.endswith("raidtui: the benchmark failed: the lines above name each test that failed")


def test_another_reason_is_printed_beside_those(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(tmp_path / "b", capsys, (TaskFailed(task=1, reason="sda: read error"),), "no room in /var")
    assert [text.count(words) for words in ("sda: read error", "no room in /var")] == [1, 1]


def test_one_that_finished_shows_its_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = BenchResult(bench=BENCH, figures=(), outcome="finished", reason="")
    assert followed_in(tmp_path / "b", (), result, named=False) == Exit.DONE
    assert "finished: 0 of" in capsys.readouterr().out
