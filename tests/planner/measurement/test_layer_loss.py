"""Where speed is lost, step by step, at figures made by hand."""

import pytest

from raidtui.answers.bench import loss_blocks
from raidtui.answers.plain_text import plain_lines
from raidtui.bench.layer_loss import layer_loss_sentence, layer_steps
from raidtui.values.bench import Bench, BenchResult, Figure, Seen, TargetKind
from raidtui.values.speed import Limit
from tests.planner.benches import MB, bench, figure, result, target, task

STEPS: tuple[tuple[TargetKind, str], ...] = (
    ("disks", "all disks"), ("array", "md0"), ("array", "md1"), ("volume", "/dev/vg/lv"), ("files", "/srv"),
)  # fmt: skip


def steps(*values: float, seen: str = "", alone: int = 56) -> BenchResult:
    """Every disk alone at 285 MB/s but one, then `values` in MB/s for STEPS."""
    tasks = [task(n + 1, target("disk", f"bay {n}", [f"disk-{n:03d}"]), predicted="disk") for n in range(alone)]
    tasks += [task(100 + n, target(kind, name)) for n, (kind, name) in enumerate(STEPS)]
    figures = [figure(n + 1, (171 if n == 7 else 285) * MB) for n in range(alone)]
    limit = Seen(limit=Limit.read(seen), reason="") if seen else None
    figures += [figure(100 + n, value * MB, seen=limit) for n, value in enumerate(values)]
    return result(bench(tasks), *figures)


def test_each_step_keeps_a_share_of_one_that_was_measured_like_it() -> None:
    rungs = layer_steps(steps(4400, 1890, 1890, 3700, 3600, seen="expander-0:0"))
    assert [(rung.name, round(rung.bytes_per_s / MB)) for rung in rungs] == [
        ("disks alone, summed", 55 * 285 + 171),
        ("all disks at once", 4400),
        ("arrays, summed", 3780),
        ("volume", 3700),
        ("file system", 3600),
    ]
    assert [round(rung.kept, 2) for rung in rungs if rung.kept is not None] == [0.28, 0.24, 0.84, 0.97]
    assert [rung.below for rung in rungs] == ["", "disks alone", "disks alone", "all disks", "volume"]
    assert [rung.explained for rung in rungs[2:4]] == [pytest.approx(48 / 56)] * 2
    assert [rung.reason for rung in rungs] == [
        "",
        "seen: expander-0:0, as predicted",
        "14 % is parity, copies or spares; seen: expander-0:0",
        "14 % is parity, copies or spares",
        "nothing is lost",
    ]
    assert layer_loss_sentence(rungs) == ("Most is lost at: all disks at once, 28 % of disks alone (4.40 GB/s).")


def test_the_text_of_a_ladder() -> None:
    assert plain_lines(tuple(loss_blocks(steps(4400, 1890, 1890, 2600, 2500, seen="md thread"))), width=80) == [
        "Where speed is lost, read",
        "layer                     rate  kept  of           reason",
        "disks alone, summed  15.8 GB/s     -  -            -",
        "all disks at once    4.40 GB/s  28 %  disks alone  seen: md thread",
        "arrays, summed       3.78 GB/s  24 %  disks alone  14 % is parity, copies or",
        "                                                   spares; seen: md thread",
        "volume               2.60 GB/s  59 %  all disks    14 % is parity, copies or",
        "                                                   spares; seen: md thread",
        "file system          2.50 GB/s  96 %  volume       seen: md thread",
        "  Most is lost at: all disks at once, 28 % of disks alone (4.40 GB/s).",
    ]


def test_where_the_gauges_saw_what_was_predicted_that_is_said() -> None:
    rungs = layer_steps(steps(4400, 1890, 1890, 2600, 2500, seen="expander-0:0"))
    assert rungs[4].reason == "seen: expander-0:0, as predicted"
    unseen = layer_steps(steps(4400, 1890, 1890, 2600, 2500))
    assert unseen[4].reason == "predicted: expander-0:0"


def test_files_under_other_streams_than_the_volume_are_not_held_against_it() -> None:
    both = bench([task(1, target("volume", "/dev/vg/lv")), task(2, target("files", "/srv"), streams=8)])
    rungs = layer_steps(result(both, figure(1, 4000 * MB), figure(2, 2500 * MB)))
    assert (rungs[1].kept, rungs[1].reason) == (None, "8 streams: not comparable with volume")
    assert layer_loss_sentence(rungs) == ""


def test_disks_that_were_not_read_alone_are_taken_to_be_like_the_others() -> None:
    first = layer_steps(steps(4400, alone=6))[0]
    assert first.name == "6 of 56 disks, scaled"
    assert first.bytes_per_s == pytest.approx(56 * 285 * MB)


def test_writes_have_a_ladder_of_their_own_and_nothing_measured_has_none() -> None:
    assert layer_steps(steps(4400), "write") == ()
    assert layer_loss_sentence(()) == ""
    empty: Bench = bench([])
    done: tuple[Figure, ...] = ()
    assert layer_steps(result(empty, *done)) == ()


def test_of_several_jobs_on_a_step_the_fastest_counts() -> None:
    volume = target("volume", "/dev/vg/lv")
    two = bench([task(1, volume, depth=1), task(2, volume)])
    assert layer_steps(result(two, figure(1, 300 * MB), figure(2, 4000 * MB)))[0].bytes_per_s == 4000 * MB
