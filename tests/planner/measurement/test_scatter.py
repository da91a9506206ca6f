"""What a benchmark says about further arrays of its machine."""

from dataclasses import replace

import pytest

from raidtui.bench.compare import figures_of_benchmark
from raidtui.predict.design import assess, predict
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.bench import Figure, Seen
from raidtui.values.design import Design
from raidtui.values.inventory import MeasuredSpeed
from raidtui.values.notation import parse
from raidtui.values.prediction import Prediction
from raidtui.values.speed import MD_THREAD, NO_FIGURES, ArraySpread, Limit, MachineFigures, MeasuredFigure
from tests.planner.benches import MB, bench, figure, inventory, result, target, task

LAYOUT = "raid10(14)"
ARRAY = target("array", "/dev/md0")


def predicted(layout: str = LAYOUT, rate: int | None = 60 * MB) -> Prediction:
    pool = inventory()
    if rate is not None:
        found = MeasuredSpeed(
            outer_bytes_per_s=rate, inner_bytes_per_s=rate, error=1.02, day="2026-01-01", kernel="6.1.0"
        )
        pool = replace(pool, disks=tuple(replace(disk, measured=found) for disk in pool.disks))
    design = Design(layout=parse(layout))
    return assess(design, pool.disks, predict(design, pool.disks), pool, DEFAULTS, spread=False)


def learned(
    *figures: Figure,
    said: Prediction | None = None,
    before: MachineFigures | None = None,
    conditions: dict[str, str] | None = None,
) -> MachineFigures:
    tasks = [
        task(1, ARRAY, stream_bytes=MB),
        task(2, ARRAY, stream_bytes=MB, pattern="write", predicted="seq_write", block_bytes=64 * 1024 * 1024),
    ]
    asked = bench(tasks, said=said or predicted(), conditions={"kernel": "6.1.0", **(conditions or {})})
    return figures_of_benchmark(result(replace(asked, machine_id="a"), *figures), before)


def test_a_benchmark_is_one_array_whatever_the_number_of_its_rows() -> None:
    found = learned(figure(1, 14 * 60 * MB * 0.98), figure(2, 7 * 60 * MB * 0.96))
    assert found.machine_id == "a"
    (scatter,) = found.scatter
    assert (scatter.work, scatter.figures, scatter.day, scatter.kernel) == (
        "disk sequential", 1, "2026-01-31", "6.1.0",
    )  # fmt: skip
    assert scatter.ratio == pytest.approx((0.98 * 0.96) ** 0.5, rel=1e-4)


def test_benchmarks_add_up() -> None:
    known = ArraySpread(work="disk sequential", ratio=0.9, figures=3, day="2025-12-31", kernel="6.0.0")
    other = ArraySpread(work="random read disk", ratio=0.8, figures=1, day="2025-12-31", kernel="6.0.0")
    memory = MeasuredFigure(bytes_per_s=MB, error=1.1, how="copied", day="2025-12-31", kernel="6.0.0")
    before = MachineFigures(machine_id="a", memory=memory, scatter=(known, other))
    found = learned(figure(1, 14 * 60 * MB), before=before)
    assert (found.memory, found.scatter[1]) == (memory, other)
    assert (found.scatter[0].figures, found.scatter[0].kernel) == (4, "6.1.0")
    assert found.scatter[0].ratio == pytest.approx(0.9**0.75, rel=1e-4)
    elsewhere = learned(figure(1, 14 * 60 * MB), before=replace(before, machine_id="b"))
    assert (elsewhere.memory, elsewhere.machine_id) == (None, "a")
    assert elsewhere.scatter[0].figures == 1


@pytest.mark.parametrize(
    "said",
    [
        figure(1, 14 * 60 * MB * 0.98, "cached"),
        figure(1, 14 * 60 * MB * 0.98, "disturbed"),
        figure(1, 14 * 60 * MB * 0.02),
        figure(1, 14 * 60 * MB * 1.2),
        figure(1, 14 * 60 * MB, "degraded"),
    ],
    ids=["cached", "disturbed", "a fault", "not the disks", "degraded"],
)
def test_what_measures_something_else_says_nothing(said: Figure) -> None:
    assert learned(said) == NO_FIGURES


def test_an_unknown_disk_is_not_taken_for_scatter() -> None:
    assert learned(figure(1, 1000 * MB), said=predicted(rate=None)) == NO_FIGURES


def test_simulated_benchmarks_say_nothing() -> None:
    asked = bench([task(1, ARRAY)], said=predicted())
    pretended = result(replace(asked, simulated=True), figure(1, 14 * 60 * MB))
    assert figures_of_benchmark(pretended, None) == NO_FIGURES


def test_what_mds_thread_wrote_is_known_where_it_was_predicted_and_seen() -> None:
    said = predicted("(12+2)", rate=400 * MB)
    thread = Seen(limit=MD_THREAD, reason="a core is busy")
    found = learned(figure(2, 900 * MB, seen=thread), said=said)
    assert found.md_write is not None
    assert (found.md_write.bytes_per_s, found.md_write.kernel) == (900 * MB, "6.1.0")
    assert found.scatter == ()
    several = learned(figure(2, 900 * MB, seen=thread), said=said, conditions={"md0 group_thread_cnt": "4"})
    assert several == NO_FIGURES
    link = Seen(limit=Limit("expander", "expander-0:0"), reason="full")
    assert learned(figure(2, 900 * MB, seen=link), said=said) == NO_FIGURES
