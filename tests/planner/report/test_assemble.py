"""What a report says: open points and verdict, each from one thing that is so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from raidtui import __version__
from raidtui.answers.report.assemble import build_of, report_of
from raidtui.engine.journal import replay
from raidtui.values.bench import BenchResult, Compared, Figure
from raidtui.values.codec import from_json, to_json
from raidtui.values.report import OpenPoint, Report, ReportBench, Section
from tests.planner.reports import HOST, plan, records, report, reported, result


def codes(made: Report, *weights: str) -> set[str]:
    return {point.code for point in made.points if point.weight in (weights or ("blocking", "open"))}


def even(done: BenchResult) -> BenchResult:
    """The same, but no disk is slow and every figure is as predicted: none that is low, high or named."""
    rows = {row.task: row for row in reported(done).compared}
    figures = []
    for figure in done.figures:
        wanted = rows[figure.task].predicted or figure.median
        factor = wanted / figure.median
        repeats = tuple(replace(each, value=each.value * factor) for each in figure.repeats)
        figures.append(replace(figure, median=wanted, repeats=repeats, seen=None))
    return replace(done, figures=tuple(figures))


def change(done: BenchResult, task: int, how: Callable[[Figure], Figure]) -> BenchResult:
    figures = tuple(how(figure) if figure.task == task else figure for figure in done.figures)
    return replace(done, figures=figures)


def with_label(done: BenchResult, task: int, label: Any) -> BenchResult:
    return change(done, task, lambda figure: replace(figure, labels=(label,)))


def test_nothing_open_is_an_accept() -> None:
    made = report(even(result()))
    assert codes(made) == set()
    assert made.verdict is not None
    assert (made.verdict.word, made.verdict.open) == ("accept", 0)
    sentences = sum(len(step.after) for step in plan().steps)
    said = f"{sentences} postconditions were verified and 19 of 19 predicted figures are within their band"
    assert made.verdict.reason == said


def test_a_slow_disk_is_open_and_named_by_slot_and_serial() -> None:
    made = report(result())
    (point,) = (point for point in made.points if point.code == "slow-disk")
    assert point == OpenPoint(
        weight="open",
        code="slow-disk",
        text="disk A07, enclosure enc1, serial ZC1007QX reads at 60 % of its group's median",
        way_out="check SMART and the cabling, or make it a spare",
    )
    assert made.verdict is not None
    assert made.verdict.word == "accept with open points"
    slow = [disk for disk in made.disks if disk.slow]
    assert [(disk.serial, disk.read_bytes_per_s, disk.share) for disk in slow] == [("ZC1007QX", 123_000_000, 0.6)]
    assert {disk.share for disk in made.disks if not disk.slow} == {1.0}


def test_disks_that_are_all_below_the_prediction_are_not_slow_beside_each_other() -> None:
    made = report(spread_out(even(result()), 0.6, *range(1, 14)))
    assert [disk.serial for disk in made.disks if disk.slow] == []
    assert [point for point in made.points if point.weight == "open"] == [
        OpenPoint(
            weight="open",
            code="low-disks",
            text="below the band of a disk alone, but no slower than its group: 13 figures, the lowest 123 MB/s, "
            "predicted 205 MB/s (195-215 MB/s), ratio 0.60",
            way_out="state their speed with --disk-speed or measure it with raidtui disks --measure; check the link "
            "that they share",
        )
    ]


def test_one_slow_disk_of_many_that_are_below_the_prediction_is_named_alone() -> None:
    made = report(spread_out(spread_out(even(result()), 0.6, *range(1, 14)), 0.5, 7))
    assert [(disk.serial, disk.share) for disk in made.disks if disk.slow] == [("ZC1007QX", 0.5)]
    points = [point.text for point in made.points if point.weight == "open"]
    assert points == [
        "below the band of a disk alone, but no slower than its group: 12 figures, the lowest 123 MB/s, "
        "predicted 205 MB/s (195-215 MB/s), ratio 0.60",
        "disk A07, enclosure enc1, serial ZC1007QX reads at 50 % of its group's median",
    ]


def test_nothing_measured_is_no_verdict() -> None:
    for made in (report(), report(replace(result(), figures=(), outcome="stopped", reason="Ctrl-C"))):
        assert made.verdict is None
        assert made.no_verdict == "nothing was measured: raidtui bench 01234567 measures it"


def test_what_is_simulated_has_no_verdict() -> None:
    done = even(result())
    made = report(replace(done, bench=replace(done.bench, simulated=True)))
    assert (made.simulated, made.verdict) == (True, None)
    assert made.no_verdict == "a verdict takes figures of real disks"
    assert report(even(result()), simulated=True).verdict is None


def test_a_build_that_did_not_finish_is_not_accepted() -> None:
    made = report(even(result()), steps=5)
    assert codes(made, "blocking") == {"build-not-finished", "not-proven"}
    assert made.verdict is not None
    assert made.verdict.word == "not accepted"
    assert made.verdict.reason == "the build is interrupted (and 1 more)"
    assert made.build is not None
    assert [proof.step for proof in made.build.proofs if proof.proven] == [1, 3, 4, 5]


def test_an_undone_build_is_not_accepted_whatever_was_measured() -> None:
    built = plan()
    kept = tuple(replace(each, purpose="undo") for each in records(built))
    run = replay(len(built.steps), kept, alive=False)
    made = report_of(
        made="", version="", host=HOST, build=build_of(built, run, kept), benches=(reported(even(result())),)
    )
    assert codes(made, "blocking") == {"taken-back"}


def test_commands_and_proofs_are_those_of_the_journal() -> None:
    built = plan()
    kept = records(built)
    build = build_of(built, replay(len(built.steps), kept, alive=False), kept)
    assert len(build.commands) == sum(len(step.actions) for step in built.steps) == 67
    create = [each for each in build.commands if each.argv[:2] == ("mdadm", "--create")]
    assert [(each.argv[2], each.exit, each.ended) for each in create] == [
        ("/dev/md/data-0", 0, True),
        ("/dev/md/data-1", 0, True),
    ]
    cut = next(number for number, each in enumerate(kept) if each.kind == "intent") + 1
    torn = build_of(built, replay(len(built.steps), kept[:cut], alive=False), kept[:cut])
    assert [(each.ended, each.exit) for each in torn.commands] == [(False, None)]
    assert [proof.step for proof in torn.proofs if proof.proven] == [1]


def test_a_step_that_runs_again_must_be_proven_again() -> None:
    built = plan()
    kept = records(built)[:-1]
    number = len(kept) + 1
    again = replace(kept[-1], kind="step", step=8, sequence=number)
    build = build_of(built, replay(len(built.steps), kept, alive=False), (*kept, again))
    assert [proof.step for proof in build.proofs if not proof.proven] == [8]


@pytest.mark.parametrize(
    ("label", "code", "weight"),
    [
        ("short", "label-short", "open"),
        ("syncing", "label-syncing", "open"),
        ("cached", "label-cached", "open"),
        ("disturbed", "label-disturbed", "open"),
        ("partial", "label-partial", "open"),
        ("degraded", "label-degraded", "blocking"),
    ],
)
def test_every_label_is_a_point(label: str, code: str, weight: str) -> None:
    made = report(with_label(even(result()), 19, label))
    assert {point.weight for point in made.points if point.code == code} == {weight}


def test_a_degraded_array_is_no_surprise_to_a_job_that_asks_for_one() -> None:
    done = with_label(even(result()), 19, "degraded")
    job = replace(done.bench.tasks[18].job, predicted="degraded_seq_read")
    tasks = (*done.bench.tasks[:18], replace(done.bench.tasks[18], job=job))
    made = report(replace(done, bench=replace(done.bench, tasks=tasks)))
    assert "label-degraded" not in codes(made)


def test_errors_low_figures_and_partial_stripes() -> None:
    done = even(result())
    broken = change(
        done, 18, lambda figure: replace(figure, repeats=(replace(figure.repeats[0], errors=2), *figure.repeats[1:]))
    )
    assert codes(report(broken), "blocking") == {"io-errors"}
    low = change(done, 19, lambda figure: replace(figure, median=figure.median / 20))
    (point,) = (point for point in report(low).points if point.code == "low")
    said = "files: sequential write, 8 streams, /srv/data: 60.0 MB/s, predicted 1.20 GB/s "
    assert point.text == f"{said}(0.22-1.56 GB/s), ratio 0.05"
    write = result().figures[18].seen
    assert write is not None
    seen = replace(write, write_reads_share=0.4)
    assert codes(report(change(done, 19, lambda figure: replace(figure, seen=seen)))) == {"partial-stripes"}


def test_what_was_not_run_is_named() -> None:
    done = even(result())
    made = report(replace(done, figures=done.figures[:-1], outcome="stopped", reason="somebody asked"))
    texts = {point.code: point.text for point in made.points if point.weight != "note"}
    assert texts == {
        "bench-not-finished": "benchmark ladder is stopped: somebody asked",
        "not-run": "not run in benchmark ladder: files: sequential write, 8 streams on /srv/data",
    }


def test_a_benchmark_of_another_plan_is_open() -> None:
    done = even(result())
    made = report(replace(done, bench=replace(done.bench, plan_digest="0" * 64)))
    assert codes(made) == {"other-plan"}


GROUP = (15, 16, 17, 18, 19)
"""tasks on arrays, volume and files; 1 to 13 are single disks, 14 all of them"""


def judged_as(done: BenchResult, verdict: Any, *tasks: int, predicted: int | None = None) -> ReportBench:
    """The benchmark with another verdict on some figures; `predicted`: bytes that df should show of 1,000."""
    bench = reported(done)
    rows = [replace(row, verdict=verdict) if row.task in tasks else row for row in bench.compared]
    if predicted is not None:
        rows.append(
            Compared(
                task=0, name="df size", unit="B", measured=1000, predicted=predicted, low=predicted,
                high=predicted, ratio=1000 / predicted, verdict="low" if predicted > 1000 else "high",
            )
        )  # fmt: skip
    return replace(bench, compared=tuple(rows))


def spread_out(done: BenchResult, factor: float, *tasks: int) -> BenchResult:
    """The same, these figures times `factor`."""
    for task in tasks:
        done = change(done, task, lambda figure: replace(figure, median=figure.median * factor))
    return done


EVEN = even(result())
EIGHT = {
    "good": (reported(EVEN), "accept", set()),
    "slow disk": (reported(spread_out(EVEN, 0.6, 7)), "accept with open points", {"slow-disk"}),
    "slow array": (reported(spread_out(EVEN, 0.1, 18)), "not accepted", {"low"}),
    "size too small": (judged_as(EVEN, "ok", predicted=1001), "not accepted", {"size"}),
    "size too large": (judged_as(EVEN, "ok", predicted=999), "not accepted", {"size"}),
    "too short": (reported(with_label(EVEN, 19, "short")), "accept with open points", {"label-short"}),
    "cache": (judged_as(EVEN, "not comparable", *GROUP[:3]), "not accepted", {"too-few-judged"}),
    "not judged, less than half": (judged_as(EVEN, "not judged", *GROUP[:2]), "accept", set()),
    "above the band": (reported(spread_out(EVEN, 2.0, 18)), "accept with open points", {"high"}),
    "degraded": (reported(with_label(EVEN, 19, "degraded")), "not accepted", {"label-degraded"}),
    "half finished": (
        reported(replace(EVEN, figures=EVEN.figures[:-2], outcome="stopped")),
        "not accepted",
        {"bench-not-finished", "not-run"},
    ),
    "disks alone": (
        reported(replace(EVEN, bench=replace(EVEN.bench, tasks=EVEN.bench.tasks[:14]), figures=EVEN.figures[:14])),
        "not accepted",
        {"disks-alone"},
    ),
    "nothing predicted": (
        reported(replace(EVEN, bench=replace(EVEN.bench, prediction=None))),
        "not accepted",
        {"nothing-compared"},
    ),
}


@pytest.mark.parametrize("name", EIGHT)
def test_what_a_team_may_sign(name: str) -> None:
    bench, word, expected = EIGHT[name]
    built = plan()
    kept = records(built)
    build = build_of(built, replay(len(built.steps), kept, alive=False), kept)
    made = report_of(made="", version="", host=HOST, build=build, benches=(bench,))
    assert made.verdict is not None
    assert (made.verdict.word, codes(made)) == (word, expected)
    assert all(point.way_out for point in made.points if point.code in expected)


def test_points_of_sections_count() -> None:
    point = OpenPoint(weight="blocking", code="mismatches", text="3 sectors mismatch", way_out="check")
    section = Section(kind="drill", title="Drill", points=(point,))
    made = report(even(result()), sections=(section,))
    assert made.verdict is not None
    assert (made.verdict.word, made.verdict.reason) == ("not accepted", "3 sectors mismatch")
    assert made.points[0] == point


def test_the_identity_is_that_of_the_content() -> None:
    one, other = report(result()), report(result())
    assert one.id == other.id
    assert len(one.id) == 12
    assert report(result(scale=1.01)).id != one.id
    later = report_of(
        made="2027-01-01T00:00:00Z", version=__version__, host=HOST, machine_id="f" * 32, build=one.build,
        planned=one.disks, benches=one.benches,
    )  # fmt: skip
    assert later.id == one.id


def test_a_report_reads_back_as_it_was() -> None:
    made = report(result(), result("survey", began=1_798_010_000.0))
    assert from_json(Report, to_json(made), source="report.json") == made
