"""One command runs every benchmark."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.benchmarks.__main__ import PARTS, Part, main

FOLDER = Path(__file__).parents[1] / "benchmarks"


def test_every_file_is_a_part() -> None:
    assert {part.argv[0] for part in PARTS.values()} == {file.stem for file in FOLDER.glob("bench_*.py")}


def test_times_come_first_and_what_failed_comes_last(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "tests.benchmarks.__main__.PARTS",
        {
            "good": Part(("bench_good", "word"), "1 minute", "one", {}),
            "bad": Part(("bench_bad",), "2 minutes", "two", {}),
            "bare": Part(("bench_bare",), "3 minutes", "three", {"raidtui-none": "none-tools"}),
        },
    )
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    ran: list[list[str]] = []

    def run(argv: list[str], *, check: bool) -> subprocess.CompletedProcess[str]:
        ran.append(argv[1:])
        return subprocess.CompletedProcess(argv, 1 if "bench_bad" in argv[2] else 0)

    monkeypatch.setattr(subprocess, "run", run)
    assert main([]) == 1
    assert ran == [["-m", "tests.benchmarks.bench_good", "word"], ["-m", "tests.benchmarks.bench_bad"]]
    assert capsys.readouterr().out == (
        "    1 minute  good    one\n   2 minutes  bad     two\n   3 minutes  bare    three\n"
        "\n== good: one\n\n== bad: two\n\n== bare: three\n"
        "raidtui-none (Debian package none-tools) is needed on this host\n"
        "\nnot measured: bad, bare; the reason stands above\n"
    )
    assert main(["good"]) == 0
    assert main(["none"]) == 2
    assert capsys.readouterr().err == "no benchmark is named none: good, bad, bare\n"
