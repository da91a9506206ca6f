from __future__ import annotations

from itertools import product
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from raidtui.machine.gauges import rates
from raidtui.machine.gauges.rates import FIGURES, IDLE, Gauges, disk_figures, gauges
from raidtui.programs.proc import Sample
from raidtui.values.gauges import Gauge

HEAD = "   8       0 sda "


def sample(*lines: str, before: Sample | None = None) -> Sample:
    return Sample("".join(f"{line}\n" for line in lines).encode(), before)


def between(old: str, new: str, seconds: float = 1.0) -> Gauge:
    """Gauge of sda between two rows of counters."""
    before = sample(HEAD + old)
    after = sample(HEAD + new, before=before)
    return Gauges(before, after, seconds, after.line_up.numbers)["sda"]


def test_every_figure() -> None:
    # reads merged sectors ms | writes merged sectors ms | in flight, busy ms, weighted ms | discards
    found = between(
        "100 5 8000 400 50 1 400 90 0 300 500 7 0 9 3", "300 9 24384 1400 60 1 1424 190 3 800 3500 17 0 99 13", 2.0
    )
    assert found == Gauge(
        read_bytes_per_s=16384 * 512 / 2,
        write_bytes_per_s=1024 * 512 / 2,
        read_iops=100.0,
        write_iops=5.0,
        util=0.25,
        await_ms=(1000 + 100 + 10) / (200 + 10 + 10),
        read_await_ms=5.0,
        write_await_ms=10.0,
        queue=1.5,
    )


def test_a_jiffy_more_than_the_interval_is_busy_all_the_time() -> None:
    assert between("0 0 0 0 0 0 0 0 0 0 0", "1 0 8 1 0 0 0 0 0 1004 1").util == 1.0


def test_nothing_done_is_no_work() -> None:
    assert between("1 2 3 4 5 6 7 8 0 9 9", "1 2 3 4 5 6 7 8 0 9 9") is IDLE


def test_milliseconds_of_32_bits_wrap() -> None:
    top = 2**32 - 100
    found = between(f"10 0 80 {top} 0 0 0 0 0 {top} {top}", "20 0 160 400 0 0 0 0 0 400 900")
    assert (found.read_await_ms, found.util, found.queue) == (50.0, 0.5, 1.0)


def test_counts_of_a_32_bit_kernel_wrap() -> None:
    top = 2**32 - 8
    found = between(f"{top} 0 {top} 0 0 0 0 0 0 0 0", "92 0 2040 0 0 0 0 0 0 0 0")
    assert (found.read_iops, found.read_bytes_per_s) == (100.0, 2048 * 512.0)


def test_counts_beyond_32_bits() -> None:
    top = 2**44
    found = between(f"{top} 0 {top} 0 0 0 0 0 0 0 0", f"{top + 1} 0 {top + 2048} 0 0 0 0 0 0 0 0")
    assert (found.read_iops, found.read_bytes_per_s) == (1.0, 2048 * 512.0)


def test_a_disk_that_was_changed_begins_at_zero() -> None:
    found = between("900000 0 7200000 5000 10 0 80 5 0 700 900", "6 0 48 12 0 0 0 0 0 8 12")
    assert (found.read_iops, found.read_bytes_per_s, found.write_iops) == (6.0, 48 * 512.0, 0.0)
    assert (found.read_await_ms, found.util) == (2.0, 0.008)


def test_beyond_32_bits_a_count_that_fell_began_anew() -> None:
    assert between(f"5 0 {2**40} 1 0 0 0 0 0 0 0", "6 0 16 1 0 0 0 0 0 0 0").read_bytes_per_s == 16 * 512.0


def test_milliseconds_that_fell_a_little_count_as_none() -> None:
    found = between("10 0 80 50 0 0 0 0 0 40 1000", "11 0 88 52 0 0 0 0 0 44 990")
    assert (found.queue, found.read_iops, found.read_await_ms) == (0.0, 1.0, 2.0)


def test_disks_that_come_and_go() -> None:
    before = sample(HEAD + "1 0 8 1 0 0 0 0 0 1 1", "   8      16 sdb 5 0 40 5 0 0 0 0 0 5 5")
    after = sample("   8      16 sdb 6 0 48 5 0 0 0 0 0 5 5", "   8      32 sdc 2 0 16 2 0 0 0 0 0 2 2", before=before)
    found = Gauges(before, after, 1.0, after.line_up.numbers)
    assert list(found) == ["sdb", "sdc"]
    assert found["sdc"] is IDLE  # whatever it did, nobody knows since when
    assert {name: gauge.read_iops for name, gauge in found.items()} == {"sdb": 1.0, "sdc": 0.0}


def test_only_what_was_chosen() -> None:
    before = sample(HEAD + "1 0 8 1 0 0 0 0 0 1 1", "   8      16 sdb 5 0 40 5 0 0 0 0 0 5 5")
    after = sample(HEAD + "1 0 8 1 0 0 0 0 0 1 1", "   8      16 sdb 6 0 48 5 0 0 0 0 0 5 5", before=before)
    found = Gauges(before, after, 1.0, {"sda": 0, "sdb": 1})
    assert (len(found), "sda" in found, "sdc" in found, found.get("sdc")) == (2, True, False, None)
    assert (found.moved("sda"), found.moved("sdb"), found.moved("sdc")) == (False, True, False)
    assert dict(Gauges(before, after, 1.0, {"sdb": 1})) == {"sdb": found["sdb"]}


COUNT = st.integers(0, 2**40)
ROWS = st.lists(st.tuples(*[COUNT] * 10), min_size=1, max_size=5)


@given(ROWS, st.lists(st.tuples(*[st.integers(0, 2**20)] * 10), min_size=5, max_size=5), st.floats(0.001, 100))
def test_together_they_are_as_alone(rows: list[tuple[int, ...]], more: list[tuple[int, ...]], seconds: float) -> None:
    """Against the arithmetic written out for one device."""
    then = [
        tuple(float(old + new) for old, new in zip(row, extra, strict=True))
        for row, extra in zip(rows, more, strict=False)
    ]
    before = [[float(n) for n in column] for column in zip(*rows, strict=True)]
    after = [list(column) for column in zip(*then, strict=True)]
    for found, (r, rs, rt, w, ws, wt, busy, weighted, d, dt) in zip(gauges(before, after, seconds), more, strict=False):
        assert abs(found.read_bytes_per_s - rs * 512 / seconds) <= 1e-9 * found.read_bytes_per_s
        assert abs(found.write_bytes_per_s - ws * 512 / seconds) <= 1e-9 * found.write_bytes_per_s
        assert abs(found.util - min(busy / 1000 / seconds, 1)) < 1e-9
        assert abs(found.queue - weighted / 1000 / seconds) <= 1e-9 * found.queue
        assert found.await_ms == ((rt + wt + dt) / (r + w + d) if r + w + d else 0)
        assert found.read_await_ms == (rt / r if r else 0)
        assert found.write_await_ms == (wt / w if w else 0)
        assert abs(found.read_iops - r / seconds) <= 1e-9 * found.read_iops


@given(ROWS, ROWS, st.floats(0.001, 100))
def test_counters_that_do_as_they_like_are_never_below_nothing(
    old: list[tuple[int, ...]], new: list[tuple[int, ...]], seconds: float
) -> None:
    count = min(len(old), len(new))
    before, after = ([[float(n) for n in c] for c in zip(*r[:count], strict=True)] for r in (old, new))
    for gauge in gauges(before, after, seconds):
        assert min(gauge.read_bytes_per_s, gauge.write_bytes_per_s, gauge.read_iops, gauge.queue, gauge.await_ms) >= 0
        assert 0 <= gauge.util <= 1


LINES = st.lists(st.lists(st.integers(0, 2**33), min_size=17, max_size=17), min_size=3, max_size=3)
STEPS = st.lists(st.lists(st.integers(-(2**33), 2**33) | st.integers(0, 2**20), min_size=17, max_size=17), min_size=3,
                 max_size=3)  # fmt: skip


@given(LINES, STEPS, st.sets(st.integers(0, 2)), st.floats(0.001, 100))
def test_one_figure_of_all_is_that_of_their_gauges(
    old: list[list[int]], steps: list[list[int]], idle: set[int], seconds: float
) -> None:
    """To the last digit, also where counters wrap or restart and where disks do nothing."""
    new = [
        row if number in idle else [max(count + step, 0) for count, step in zip(row, more, strict=True)]
        for number, (row, more) in enumerate(zip(old, steps, strict=True))
    ]
    before = sample(*(f"   8 {16 * n} sd{n} {' '.join(map(str, row))}" for n, row in enumerate(old)))
    after = sample(*(f"   8 {16 * n} sd{n} {' '.join(map(str, row))}" for n, row in enumerate(new)), before=before)
    for figure, few in product(FIGURES, (0, 200)):
        whole = Gauges(before, after, seconds, after.line_up.numbers)
        alone = Gauges(before, after, seconds, after.line_up.numbers)
        with patch.object(rates, "_FEW", few):
            found = disk_figures(alone, figure)
        assert found == [getattr(gauge, figure) for gauge in whole.values()]
        assert disk_figures(dict(whole), figure) == disk_figures(whole, figure)


def test_one_figure_of_disks_that_come_and_go() -> None:
    before = sample(HEAD + "1 0 8 1 0 0 0 0 0 1 1", "   8      16 sdb 5 0 40 5 0 0 0 0 0 5 5")
    after = sample("   8      16 sdb 6 0 48 5 0 0 0 0 0 5 5", "   8      32 sdc 2 0 16 2 0 0 0 0 0 2 2", before=before)
    assert Gauges(before, after, 1.0, after.line_up.numbers).column("read_iops") == [1.0, 0.0]
