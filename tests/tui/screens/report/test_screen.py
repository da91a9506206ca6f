"""A person reads the report: verdict, sections, difference, files, and what there is when there is nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.answers.report.assemble import with_comparison
from raidtui.answers.report.compare import compare_reports
from raidtui.answers.report.document import document, report_parts
from raidtui.session import report_plots
from raidtui.tui.screens import report as screen
from raidtui.tui.terminal.glyphs import ASCII, UNICODE
from raidtui.tui.terminal.profile import TIERS, Tier
from raidtui.tui.widgets.lines import block_lines
from raidtui.values.location import Location
from raidtui.values.report import Report
from tests.planner import reports
from tests.tui.robot import Robot, robot
from tests.tui.screens.bench.test_screen import staged
from tests.tui.test_tiers import HOSTILE, sent, shown


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Simulated runs and benchmarks of a test lie in a directory of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Report:
    """The report made by hand is what the app finds: a build of 13 disks, a ladder, one disk at 60 %."""
    report = reports.report(reports.result())
    monkeypatch.setattr(screen, "gathered", lambda _: report)
    return report


def section(user: Robot, title: str) -> str:
    """The line of a section."""
    return next(row for row in user.lines() if row.strip("│ ").startswith(title))


async def test_without_anything_it_says_what_to_do(state: Path) -> None:
    async with robot("nas4") as user:
        await user.press("7")
        await user.settle()
        assert user.sees("there is nothing to report: no run and no benchmark")
        await user.press("y", "d", "enter", "e")
        assert user.note() == "there is no report to write yet"


async def test_sections_say_what_they_come_to(made: Report) -> None:
    async with robot("nas4") as user:
        await user.press("7")
        await user.settle()
        assert user.sees("Report on stor01")
        assert made.verdict is not None
        assert "NOT ACCEPTED" in section(user, "Summary") or "ACCEPT" in section(user, "Summary")
        assert "open" in section(user, "Open points") or "blocking" in section(user, "Open points")
        assert "ok" in section(user, "Predicted and measured")
        assert "12 of 12 steps verified, build finished" in section(user, "Verification")
        assert "67 commands, none exited non-zero" in section(user, "Commands run")
        assert "13 disks, 1 slow" in section(user, "Disks")
        assert user.sees("2x(4+2)+1")
        assert not user.sees("SIMULATED ")


async def test_the_section_under_the_cursor_is_read_below(made: Report) -> None:
    async with robot("nas4") as user:
        await user.press("7")
        await user.settle()
        await user.press("down")
        assert user.sees(made.points[0].text[:30])
        await user.press("down", "down")
        assert user.sees("The plots are in report.html; e writes it.")
        assert user.sees("measured  ratio  verdict")
        await user.press("down", "down", "down")
        assert user.sees("A07")
        await user.press("enter")
        await user.press("end")
        assert user.sees("A13")
        await user.press("enter", "down")
        assert user.sees("postconditions were verified")
        await user.press("down")
        assert user.sees("Time (UTC), step, exit code, command")


async def test_a_wide_screen_shows_the_whole_of_it(made: Report) -> None:
    async with robot("nas4", width=200, height=60) as user:
        await user.press("7")
        await user.settle()
        for heading in ("SUMMARY", "OPEN POINTS", "PREDICTED AND MEASURED", "The whole report"):
            assert user.sees(heading)


async def test_it_is_written_and_copied(made: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_plots, "available", lambda: False)  # they take seconds, and have tests of their own
    monkeypatch.chdir(tmp_path)
    async with robot("nas4") as user:
        await user.press("7")
        await user.settle()
        await user.press("y")
        assert "sent to the terminal's clipboard" in user.note()
        assert "stor01" in user.app.clipboard
        await user.press("e")
        await user.answers("")
        assert user.note() == "type a directory, or press Esc"
        await user.answers("out")
        await user.settle()
        assert user.note().startswith("wrote report.md, report.json, report.html")
        assert (tmp_path / "out" / "report.html").read_text().startswith("<!DOCTYPE html>")
        await user.press("e")
        await user.answers("out/report.md")
        await user.settle()
        assert user.note().startswith("not written: ")


async def test_it_is_held_against_an_older_one(state: Path) -> None:
    before = staged(state, bench_id="a1" * 16)
    async with robot("nas4", bench_root=state / "made") as user:
        now = staged(state)
        await user.app.bench_follower.follow(now.folder)
        await user.press("7")
        await user.settle()
        await user.press("d")
        await user.answers("nowhere")
        await user.settle()
        assert "nowhere" in user.note()
        await user.press("d")
        await user.answers(before.bench.id[:8])
        await user.settle()
        assert "settings differ" in section(user, "Comparison")
        assert user.sees("nas4 SIMULATED  (2+2)")
        assert user.sees("1.00  no difference")
        assert user.sees("NO VERDICT")


async def test_the_report_of_a_simulated_benchmark_says_so(state: Path) -> None:
    async with robot("nas4") as user:
        bench = staged(state)
        await user.app.bench_follower.follow(bench.folder)
        await user.press("6", "7")
        await user.settle()
        assert user.sees("SIMULATED")
        assert "NO VERDICT" in section(user, "Summary")
        assert "2 ok" in section(user, "Predicted and measured")


def test_every_difference_is_in_words() -> None:
    before, after = reports.report(reports.result()), reports.report(reports.result(scale=0.8))
    parts = report_parts(document(with_comparison(after, compare_reports(before, after))))
    difference = next(part for part in parts if part.anchor == "comparison")
    assert difference.result == "0 higher, 6 lower of 19; 0 settings differ"
    rows = ["".join(span.text for span in line).split() for line in block_lines(difference.blocks, 78, UNICODE)]
    assert ["file-write", "/srv/data", "694", "MB/s", "555", "MB/s", "0.80", "less"] in rows


def test_every_section_keeps_to_its_width() -> None:
    made = document(reports.report(reports.result(), reports.result("survey", began=1_798_010_000.0)))
    for width in (40, 58, 76, 120):
        for part in report_parts(made):
            lines = ["".join(span.text for span in line) for line in block_lines(part.blocks, width, ASCII)]
            assert [row for row in lines if len(row) > width] == []


@pytest.mark.parametrize("tier", TIERS)
async def test_only_characters_of_the_tier_are_sent(made: Report, monkeypatch: pytest.MonkeyPatch, tier: Tier) -> None:
    disks = tuple(replace(disk, serial=HOSTILE, place=Location.read(HOSTILE), role=HOSTILE) for disk in made.disks)
    points = tuple(replace(point, text=HOSTILE, way_out=HOSTILE) for point in made.points)
    hostile = replace(made, host=HOSTILE, layout=HOSTILE, disks=disks, points=points, conditions={HOSTILE: HOSTILE})
    monkeypatch.setattr(screen, "gathered", lambda _: hostile)
    async with robot("nas4", tier=tier) as user:
        await user.press("7")
        await user.settle()
        for _ in range(8):
            assert {char for char in sent(user) if not shown(tier, char)} == set()
            await user.press("down")
