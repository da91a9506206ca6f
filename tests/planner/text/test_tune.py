"""The table of a tuning marks the best of each workload, and what the noise does not tell from it."""

from __future__ import annotations

from raidtui.answers.trials import tune_table
from raidtui.values.bench import Figure, Repeat
from raidtui.values.trials import Workload


def _work(job: str, *values: float) -> Workload:
    repeats = tuple(Repeat(value=value, began=0.0, ended=30.0) for value in values)
    middle = sorted(values)[len(values) // 2]
    spread = (max(values) - min(values)) / middle
    figure = Figure(task=1, unit="B/s", repeats=repeats, median=middle, spread=spread)
    return Workload(job=job, title=job, figure=figure)


def test_a_row_for_each_of_many_trials_with_best_and_equal_marked() -> None:
    rates = {"a": (100e6, 110e6, 105e6), "b": (90e6, 101e6, 95e6), "c": (50e6, 51e6, 52e6)}
    tried = {name: (_work("write", *values),) for name, values in rates.items()}
    tried |= {name: (_work("write", 40e6, 41e6, 42e6),) for name in ("d", "e")}
    assert tune_table({**tried, "f": ()}) == [
        "TRIAL               write",
        "a      * 105 MB/s (9.5 %)",
        "b      = 95.0 MB/s (12 %)",
        "c       51.0 MB/s (3.9 %)",
        "d       41.0 MB/s (4.9 %)",
        "e       41.0 MB/s (4.9 %)",
        "f                       -",
        "",
        "* best of a column; = equal to it: the difference is below the noise of the repeats",
    ]
