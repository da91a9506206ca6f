"""What is recommended, and when nothing is."""

from __future__ import annotations

from raidtui.answers.trials import figure_text
from raidtui.bench.tuning import advise, beats, best_of, interval
from raidtui.values.bench import Figure, Repeat
from raidtui.values.trials import Workload


def figure(*values: float, unit: str = "B/s") -> Figure:
    ordered = sorted(values)
    middle = ordered[len(ordered) // 2]
    repeats = tuple(Repeat(value=value, began=0.0, ended=30.0) for value in values)
    spread = (ordered[-1] - ordered[0]) / middle
    return Figure(task=1, unit=unit, repeats=repeats, median=middle, spread=spread)  # type: ignore[arg-type]


def work(**jobs: Figure) -> tuple[Workload, ...]:
    return tuple(Workload(job=name, title=name, figure=each) for name, each in jobs.items())


def test_a_figure_beats_another_only_when_all_its_repeats_do() -> None:
    assert beats(figure(110, 120, 130), figure(90, 100, 109))
    assert not beats(figure(110, 120, 130), figure(90, 100, 111))
    assert interval(figure(100.0)) == (95.0, 105.0)
    assert not beats(figure(105.0), figure(100.0))
    assert beats(figure(112.0), figure(100.0))


def test_the_highest_median_and_those_that_cannot_be_told_from_it() -> None:
    found = {"a": figure(100, 101, 102), "b": figure(120, 121, 122), "c": figure(119, 120, 121)}
    assert best_of(found) == ("b", ("c",))


def test_clear_winners_are_named_with_their_gain() -> None:
    tried = {"64 KiB xfs": work(w=figure(198, 200, 202)), "512 KiB xfs": work(w=figure(99, 100, 101))}
    (job, overall) = advise(tried, usual="512 KiB xfs")
    assert (job.best, job.ties) == ("64 KiB xfs", ())
    assert job.reason == "64 KiB xfs is best, 2.0 times the figure of 512 KiB xfs"
    assert (overall.job, overall.best) == ("", "64 KiB xfs")


def test_where_spreads_overlap_everywhere_it_says_there_is_no_difference() -> None:
    tried = {"64 KiB xfs": work(w=figure(95, 100, 105)), "128 KiB xfs": work(w=figure(99, 102, 110))}
    job, overall = advise(tried)
    assert job.reason == "no significant difference between the trials: all overlap"
    assert overall.reason == "no significant difference between the trials"


def test_what_is_usual_stays_unless_something_beats_it() -> None:
    tried = {
        "64 KiB xfs": work(w=figure(95, 104, 105), r=figure(10, 11, 12)),
        "512 KiB xfs": work(w=figure(99, 102, 110), r=figure(10, 11, 12)),
        "4 KiB xfs": work(w=figure(10, 11, 12), r=figure(10, 11, 12)),
    }
    overall = advise(tried, usual="512 KiB xfs")[-1]
    assert (overall.best, overall.ties) == ("512 KiB xfs", ("64 KiB xfs",))
    assert overall.reason == ("keep 512 KiB xfs: 64 KiB xfs is not significantly better in any workload")


def test_one_trial_alone_or_one_without_all_workloads_advises_nothing() -> None:
    assert advise({"a": work(w=figure(1, 2, 3))}) == ()
    assert advise({"a": work(w=figure(1, 2, 3)), "b": ()}) == ()
    assert advise({}) == ()


def test_figures_as_text() -> None:
    assert figure_text(figure(99e6, 100e6, 101e6)) == "100 MB/s (2.0 %)"
    assert figure_text(figure(412.4, unit="IOPS")) == "412 IOPS"
    assert figure_text(figure(7.0, unit="files/s")) == "7 files/s"
