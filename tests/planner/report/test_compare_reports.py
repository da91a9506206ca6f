"""Two reports held against each other: significance, and what else differs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import strategies as st

from raidtui.answers.report.assemble import report_of
from raidtui.answers.report.compare import compare_reports
from raidtui.values.bench import BenchResult, Conditions
from raidtui.values.report import Changed, Comparison, Difference, Report
from tests.planner.reports import reported, result

LADDER = result()


def of(*results: BenchResult, host: str = "stor01") -> Report:
    return report_of(made="", version="", host=host, benches=tuple(reported(each) for each in results))


def with_values(done: BenchResult, task: int, *values: float) -> BenchResult:
    """`done` with these repeats of one task."""
    figures = []
    for figure in done.figures:
        if figure.task == task:
            repeats = tuple(replace(figure.repeats[0], value=value) for value in values)
            middle = sorted(values)[len(values) // 2]
            spread = (max(values) - min(values)) / middle
            figure = replace(figure, repeats=repeats, median=middle, spread=spread)
        figures.append(figure)
    return replace(done, figures=tuple(figures))


def only(comparison: Comparison, job: str) -> Difference:
    (found,) = (each for each in comparison.figures if each.job == job)
    return found


@pytest.mark.parametrize(
    ("before", "after", "ratio", "judged"),
    [
        ((100.0, 110.0, 105.0), (210.0, 220.0, 230.0), 220 / 105, "more"),
        ((210.0, 220.0, 230.0), (100.0, 110.0, 105.0), 105 / 220, "less"),
        ((100.0, 110.0, 120.0), (115.0, 125.0, 135.0), 125 / 110, "no difference that the repeats show"),
        ((100.0, 110.0, 120.0), (120.0, 130.0, 140.0), 130 / 110, "no difference that the repeats show"),
        ((100.0,), (500.0, 510.0, 520.0), 5.1, "one repeat, no spread"),
    ],
)
def test_more_or_less_only_where_repeats_do_not_overlap(
    before: tuple[float, ...], after: tuple[float, ...], ratio: float, judged: str
) -> None:
    found = only(
        compare_reports(of(with_values(LADDER, 18, *before)), of(with_values(LADDER, 18, *after))), "file-read"
    )
    assert found.ratio == pytest.approx(ratio)
    assert found.judged == judged
    assert found.before_spread == pytest.approx((max(before) - min(before)) / sorted(before)[len(before) // 2])


def test_the_same_against_itself_shows_nothing() -> None:
    made = compare_reports(of(LADDER), of(LADDER))
    assert {each.ratio for each in made.figures} == {1.0}
    assert {each.judged for each in made.figures} == {"no difference that the repeats show", "one repeat, no spread"}
    assert (made.only_before, made.only_after, made.changed) == ((), (), ())
    assert len(made.figures) == 19
    assert [each.kind for each in made.figures[-13:]] == ["disk"] * 13


def test_one_chunk_and_another() -> None:
    asked = LADDER.bench
    smaller = Conditions.read({**asked.conditions.form, "chunk": "64 KiB"})
    other = replace(LADDER, bench=replace(asked, conditions=smaller))
    made = compare_reports(of(LADDER), of(with_values(other, 19, 400e6, 405e6, 410e6)))
    assert made.changed == (Changed(name="chunk", before="256 KiB", after="64 KiB"),)
    found = only(made, "file-write")
    assert found.before == pytest.approx(694.3e6, rel=1e-3)
    assert (found.after, found.judged) == (405e6, "less")


def test_another_server_has_other_disks_that_are_compared_as_a_group() -> None:
    disks = tuple(replace(disk, id=f"x{disk.id}", serial=f"Y{disk.serial}") for disk in LADDER.bench.disks)
    tasks = tuple(
        replace(task, target=replace(task.target, disks=tuple(f"x{id}" for id in task.target.disks)))
        for task in LADDER.bench.tasks
    )
    there = replace(LADDER, bench=replace(LADDER.bench, id="9" * 32, host="stor02", disks=disks, tasks=tasks))
    made = compare_reports(of(LADDER), of(there, host="stor02"))
    group = only(made, "disk")
    assert (group.target, group.before, group.after) == ("13 disks", 205e6, 205e6)
    assert group.before_spread == pytest.approx((205 - 123) / 205)
    assert group.note == "different disks: medians of the group, spread between disks"
    names = {each.name: (each.before, each.after) for each in made.changed}
    assert names["host"] == ("stor01", "stor02")
    assert names["disks"][0].startswith("ZC1001QX ST4000NM0035, ZC1002QX ST4000NM0035, ")
    assert names["disks"][1].endswith(" and 5 more")


def test_what_one_side_does_not_have_is_listed() -> None:
    less = replace(LADDER, figures=LADDER.figures[:-2])
    assert compare_reports(of(less), of(LADDER)).only_after == ("file-read on /srv/data", "file-write on /srv/data")
    assert compare_reports(of(LADDER), of(less)).only_before == ("file-read on /srv/data", "file-write on /srv/data")
    nothing = compare_reports(of(LADDER), of(result("survey")))
    assert nothing.figures == ()
    assert (len(nothing.only_before), len(nothing.only_after)) == (19, 16)


def test_another_job_of_the_same_name_is_no_comparison() -> None:
    tasks = tuple(
        replace(task, job=replace(task.job, block_bytes=131072)) if task.number == 18 else task
        for task in LADDER.bench.tasks
    )
    found = only(
        compare_reports(of(LADDER), of(replace(LADDER, bench=replace(LADDER.bench, tasks=tasks)))), "file-read"
    )
    assert found.judged == "not the same job"
    assert "1 MiB records" in found.note
    assert "128 KiB records" in found.note


def test_labels_weaken_a_comparison() -> None:
    figures = tuple(replace(each, labels=("syncing",)) if each.task == 18 else each for each in LADDER.figures)
    assert only(compare_reports(of(LADDER), of(replace(LADDER, figures=figures))), "file-read").note == "syncing now"


VALUES = st.lists(st.floats(1, 1e9), min_size=1, max_size=4)
