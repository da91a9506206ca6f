"""A benchmark in words."""

from dataclasses import replace

from raidtui.answers.bench import command_line, duration, estimate_lines, figure_line, result_lines
from raidtui.values.bench import BenchResult, Figure, Repeat, Seen
from raidtui.values.speed import MEMBERS
from tests.machine.benching import bench, task

BENCH = bench(task(1, repeats=3), task(2, repeats=1))
FIGURE = Figure(
    task=1, unit="B/s", median=1.064e9, spread=0.034, labels=("short", "partial"),
    repeats=tuple(Repeat(value=value, began=0, ended=30) for value in (1.04e9, 1.064e9)),
    seen=Seen(limit=MEMBERS, reason=""),
)  # fmt: skip


def test_times() -> None:
    assert [duration(seconds) for seconds in (0, 89, 91, 5399, 5401, 11100)] == [
        "0 s", "89 s", "2 min", "1 h 30 min", "1 h 30 min", "3 h 05 min",
    ]  # fmt: skip


def test_the_estimate() -> None:
    assert estimate_lines(BENCH, 152.0, 1 << 30) == [
        "profile mine: 2 figures",
        "    1  job-1 on /srv/data 3 x 30 s",
        "    2  job-2 on /srv/data 1 x 30 s",
        "takes about 3 min, up to 1.000 GiB on the target while it runs; all files are removed afterwards",
    ]


def test_a_figure() -> None:
    assert figure_line(BENCH, FIGURE) == (
        "  1  job-1 on /srv/data    1.06 GB/s  spread 3.4 %  [short, partial]  limit observed: members"
    )


def test_how_it_ended() -> None:
    result = BenchResult(bench=BENCH, figures=(FIGURE,), outcome="failed", reason="fio: \x1b[2J")
    assert result_lines(result, "/var/my b") == [
        "failed: 0 of 2 figures; saved in /var/my b",
        "  raidtui bench --resume '/var/my b' continues it",
    ]
    assert result_lines(result, f"/var/{'1' * 32}")[1] == "  raidtui bench --resume 11111111 continues it"
    files = BENCH.tasks[0]
    raw = replace(files, job=replace(files.job, pattern="write"), target=replace(files.target, kind="array"))
    zeros = replace(result, bench=replace(BENCH, tasks=(raw,)))  # a resume is refused
    assert result_lines(zeros, "/var/b") == ["failed: 0 of 1 figures; saved in /var/b"]
    done = replace(result, outcome="finished", reason="")
    assert result_lines(done, "/var/b") == ["finished: 0 of 2 figures; saved in /var/b"]


def test_commands_as_a_shell_takes_them() -> None:
    assert command_line(("fio", "--x=$jobnum", "a b"), "/srv/my data") == (
        "cd '/srv/my data' && fio '--x=$jobnum' 'a b'"
    )
    assert command_line(("fio", "\x1b]0;x")) == "fio '\\e]0;x'"
