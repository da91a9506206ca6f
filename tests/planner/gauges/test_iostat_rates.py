from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from raidtui.machine.gauges.rates import IDLE, Gauges, gauges
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


def test_disks_that_come_and_go() -> None:
    before = sample(HEAD + "1 0 8 1 0 0 0 0 0 1 1", "   8      16 sdb 5 0 40 5 0 0 0 0 0 5 5")
    after = sample("   8      16 sdb 6 0 48 5 0 0 0 0 0 5 5", "   8      32 sdc 2 0 16 2 0 0 0 0 0 2 2", before=before)
    found = Gauges(before, after, 1.0, after.line_up.numbers)
    assert list(found) == ["sdb", "sdc"]
    assert found["sdc"] is IDLE  # whatever it did, nobody knows since when
    assert {name: gauge.read_iops for name, gauge in found.items()} == {"sdb": 1.0, "sdc": 0.0}


COUNT = st.integers(0, 2**40)
ROWS = st.lists(st.tuples(*[COUNT] * 10), min_size=1, max_size=5)


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
