"""A report as files: all of it, only what was asked, never over anything else."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib.font_manager  # noqa: F401  its first import asks fc-list, which tests may not
import pytest

from raidtui.session import report_plots
from raidtui.session.report import FORMATS, texts, write_report
from raidtui.values.codec import from_json
from raidtui.values.errors import MachineFailed, Refused
from raidtui.values.report import Report
from tests.planner.reports import report, result

MADE = report(result())
JSON = ("json",)
DRAWN = cache(report_plots.drawn)


@pytest.fixture(autouse=True)
def _drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plots are the same bytes for the same values (test_plots.py); these tests are about files."""
    monkeypatch.setattr(report_plots, "drawn", DRAWN)


def test_everything_is_written_and_reads_back(tmp_path: Path) -> None:
    written = write_report(MADE, tmp_path / "new" / "dir", FORMATS)
    names = [str(path.relative_to(tmp_path / "new" / "dir")) for path in written]
    assert names == ["report.json", "report.html", "report.md", "plots/ratios.svg"]
    assert from_json(Report, written[0].read_bytes(), source="report.json") == MADE
    for path in written[1:]:
        assert f"<!-- raidtui-report {MADE.id} -->" in path.read_text()[:600]
    assert "](plots/ratios.svg)" in (tmp_path / "new" / "dir" / "report.md").read_text()
    assert {path.stat().st_mode & 0o777 for path in written} == {0o600}


def test_nothing_else_is_ever_overwritten(tmp_path: Path) -> None:
    write_report(MADE, tmp_path, FORMATS)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    other = report(result(scale=1.1))
    with pytest.raises(Refused, match=r"already holds report\.json, report\.html, report\.md, plots/ratios\.svg"):
        write_report(other, tmp_path, FORMATS)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("kind", ["file", "folder", "link", "dangling", "empty"])
def test_whatever_has_the_name_is_left_alone(tmp_path: Path, kind: str) -> None:
    path, victim = tmp_path / "out" / "report.json", tmp_path / "victim"
    path.parent.mkdir()
    victim.write_text(f'"raidtui/report/1" {MADE.id}')
    match kind:
        case "file":
            path.write_text("mine")
        case "folder":
            path.mkdir()
        case "link":
            path.symlink_to(victim)
        case "dangling":
            path.symlink_to(tmp_path / "nowhere")
        case "empty":
            path.touch()
        case _:
            raise AssertionError(kind)
    with pytest.raises(Refused, match=r"already holds report\.json"):
        write_report(MADE, path.parent, JSON)
    assert victim.read_text() == f'"raidtui/report/1" {MADE.id}'
    assert not (tmp_path / "nowhere").exists()


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MachineFailed, match=r"Not a directory|File exists"):
        write_report(MADE, tmp_path / "file" / "deep", JSON)


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("fails", ["write", "rename"])
def test_half_a_report_is_never_left(tmp_path: Path, number: int, fails: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done = 0

    def full(handle: int) -> None:
        nonlocal done
        done += 1
        if done == number:
            raise OSError(28, "No space left on device")

    real = os.rename

    def renamed(*names: Any, **folders: Any) -> None:
        full(0)
        real(*names, **folders)

    if fails == "write":
        monkeypatch.setattr("raidtui.machine.system.files.os.fsync", full)
    else:
        monkeypatch.setattr("raidtui.machine.system.files.os.rename", renamed)
    for directory in (tmp_path / "new" / "dir", tmp_path / "there"):
        done = 0
        (tmp_path / "there").mkdir(exist_ok=True)
        with pytest.raises(MachineFailed, match="No space left on device"):
            write_report(MADE, directory, FORMATS)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert not (tmp_path / "new" / "dir").exists()
    assert list((tmp_path / "there").iterdir()) == []


def test_a_report_is_not_written_where_others_may_write(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)
    with pytest.raises(Refused, match="is writable by others"):
        write_report(MADE, tmp_path / "shared", JSON)
    assert list((tmp_path / "shared").iterdir()) == []


def test_without_matplotlib_it_is_whole_but_for_the_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    with_plots = texts(MADE, FORMATS)
    monkeypatch.setattr(report_plots, "available", lambda: False)
    monkeypatch.setattr(report_plots, "drawn", None)
    without = texts(MADE, FORMATS)
    assert set(without) == {"report.json", "report.html", "report.md"}
    assert without["report.json"] == with_plots["report.json"]
    for name in ("report.html", "report.md"):
        assert "matplotlib was not installed where this report was made" in without[name]
        assert "pip install" not in without[name]
        assert "pip install" not in with_plots[name]
    assert "<svg" not in without["report.html"]
    assert without["report.html"].count("<tr>") == with_plots["report.html"].count("<tr>")
