"""Gauges over time: means by hand, and no byte lost however long the recording is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.answers.report.assemble import CELLS, INTERVALS, history
from raidtui.values.gauges import Gauge, Scene, Tick, WatchedDisk

SCENE = Scene(host="h", disks=(WatchedDisk(name="sda"), WatchedDisk(name="sdb")))


def gauge(read: float = 0.0, write: float = 0.0) -> Gauge:
    return Gauge(read_bytes_per_s=read, write_bytes_per_s=write, read_iops=0, write_iops=0, util=0, await_ms=0, queue=0)


def tick(end: float, seconds: float, **disks: Gauge) -> Tick:
    return Tick(time=end, seconds=seconds, disks=disks)


def test_a_tick_a_second_is_an_interval_each() -> None:
    ticks = [tick(101, 1, sda=gauge(100), sdb=gauge(0, 7)), tick(102, 1, sda=gauge(300), sdb=gauge(0, 9))]
    made = history(SCENE, ticks)
    assert made is not None
    assert (made.began, made.seconds, made.ticks) == (100, 1, 2)
    assert made.read_bytes_per_s == (100, 300)
    assert made.write_bytes_per_s == (7, 9)
    assert [(disk.name, disk.bytes_per_s) for disk in made.disks] == [("sda", (100, 300)), ("sdb", (7, 9))]


def test_a_long_tick_lies_in_several_intervals_and_a_gap_stays_one() -> None:
    made = history(SCENE, [tick(2.5, 2.5, sda=gauge(100)), tick(6, 1, sda=gauge(40))])
    assert made is not None
    assert made.read_bytes_per_s == (100, 100, 100, None, None, 40)
    assert made.disks[1].bytes_per_s == (None,) * 6


def test_a_tick_over_a_border_counts_on_both_sides_for_its_time() -> None:
    made = history(SCENE, [tick(0.5, 0.5, sda=gauge(80)), tick(1.5, 1, sda=gauge(40))])
    assert made is not None
    assert made.read_bytes_per_s == (60, 40)


def test_no_tick_is_no_history() -> None:
    assert history(SCENE, []) is None
    assert history(SCENE, [tick(1, 0, sda=gauge(5))]) is None


def test_a_disk_that_is_not_in_the_scene_is_left_out() -> None:
    made = history(SCENE, [tick(1, 1, sda=gauge(5), loop0=gauge(1000))])
    assert made is not None
    assert made.read_bytes_per_s == (5,)


@pytest.mark.parametrize(("seconds", "disks"), [(INTERVALS, 1), (INTERVALS + 1, 1), (7201, 1), (1800, 1000)])
def test_it_stays_small_whatever_it_is_made_of(seconds: int, disks: int) -> None:
    scene = Scene(host="h", disks=tuple(WatchedDisk(name=f"d{number}") for number in range(disks)))
    step = 1 if disks == 1 else 20
    ticks = (tick(end, step, d0=gauge(10)) for end in range(step, seconds + 1, step))
    made = history(scene, ticks)
    assert made is not None
    assert len(made.read_bytes_per_s) <= INTERVALS
    assert len(made.read_bytes_per_s) * disks <= max(CELLS, 2 * disks)
    assert set(made.read_bytes_per_s) == {10}
    assert len(made.read_bytes_per_s) * made.seconds == pytest.approx(seconds, abs=made.seconds)


@given(
    st.lists(
        st.tuples(st.floats(0.05, 90), st.floats(0, 5), st.floats(0, 1e10), st.floats(0, 1e10)), min_size=1, max_size=60
    )
)
def test_no_byte_is_lost(rows: list[tuple[float, float, float, float]]) -> None:
    now, ticks, total, busy = 0.0, [], 0.0, 0.0
    for seconds, pause, read, write in rows:
        now += pause + seconds
        ticks.append(tick(now, seconds, sda=gauge(read, write)))
        total += (read + write) * seconds
        busy += seconds
    made = history(SCENE, ticks)
    assert made is not None
    assert len(made.disks[0].bytes_per_s) <= INTERVALS
    most = max(read + write for _, _, read, write in rows)
    assert all(value is None or value <= most + 1 for value in made.disks[0].bytes_per_s)
    covered = sum(made.seconds for value in made.disks[0].bytes_per_s if value is not None)
    assert covered >= busy - 1e-6
    if all(pause == 0 for _, pause, _, _ in rows):
        last = made.seconds - (now % made.seconds or made.seconds)  # of the last interval, what lies behind the end
        summed = sum((value or 0) * made.seconds for value in made.disks[0].bytes_per_s)
        summed -= (made.disks[0].bytes_per_s[-1] or 0) * last
        assert summed == pytest.approx(total, rel=1e-6, abs=made.seconds * INTERVALS)
