"""Rates of a host from what it sent: by hand, and from answers that no host should send."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.model.errors import BadInput
from raidtui.model.fleet.gauges import HostArray, HostCounters
from raidtui.model.gauges import Gauge, Scene, WatchedDisk
from raidtui.planner.fleet.host_rates import HostRates, require_scene_ranges, total_gauge
from raidtui.planner.gauges.iostat_rates import FIGURES

FIRST = HostCounters(
    boot="a",
    monotonic_s=100.0,
    diskstats="   8 0 sda 100 0 8000 400 0 0 0 0 0 300 500\n   9 0 md0 0 0 0 0 0 0 0 0 0 0 0\n"
    "   8 16 sdb 1 0 8 1 0 0 0 0 0 1 1",
    processor=(100, 1000),
    arrays={"md0": HostArray(state="active", sync_action="resync", sync_done=0.25, component_bytes=1000, thread_s=5.0)},
)
SECOND = replace(
    FIRST,
    monotonic_s=102.0,
    diskstats="   8 0 sda 300 0 24384 1400 0 0 0 0 0 800 3500\n   9 0 md0 20 0 160 0 0 0 0 0 0 0 0\n"
    "   8 16 sdb 1 0 8 1 0 0 0 0 0 1 1",
    processor=(150, 1200),
    arrays={"md0": HostArray(state="active", sync_action="resync", sync_done=0.75, component_bytes=1000, thread_s=6.0)},
)


def test_figures_by_hand() -> None:
    rates = HostRates()
    assert rates.add(FIRST, 1.0) is None
    tick = rates.add(SECOND, 3.0)
    assert tick is not None
    assert (tick.time, tick.seconds, tick.busy_share) == (3.0, 2.0, 0.25)
    assert list(tick.disks) == ["sda", "sdb"]
    assert tick.disks["sda"] == Gauge(
        read_bytes_per_s=16384 * 512 / 2, write_bytes_per_s=0.0, read_iops=100.0, write_iops=0.0, util=0.25,
        await_ms=5.0, read_await_ms=5.0, queue=1.5,
    )  # fmt: skip
    array = tick.arrays["md0"]
    assert (array.gauge.read_bytes_per_s, array.sync_bytes_per_s, array.thread_share) == (160 * 256.0, 250.0, 0.5)
    assert rates.devices == {"sda", "sdb", "md0"}


def test_after_a_restart_the_counters_begin_anew() -> None:
    rates = HostRates()
    rates.add(SECOND, 1.0)
    restarted = replace(FIRST, boot="b", monotonic_s=3.0)
    assert rates.add(restarted, 3.0) is None
    tick = rates.add(replace(SECOND, boot="b", monotonic_s=5.0), 5.0)
    assert tick is not None and tick.disks["sda"].read_iops == 100.0


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"monotonic_s": 100.0}, "its clock stands still"),
        ({"monotonic_s": 5.0}, "its clock stands still"),
        ({"monotonic_s": math.nan}, "a time is out of range"),
        ({"monotonic_s": 1e300}, "a time is out of range"),
        ({"processor": (-1, 5)}, "a number is out of range"),
        ({"arrays": {"md0": HostArray(state="x", sync_done=2.0)}}, "a sync is out of range"),
        ({"arrays": {"md0": HostArray(state="x", thread_s=math.inf)}}, "a time is out of range"),
        ({"diskstats": f"   8 0 sda {'9' * 400} 0 0 0 0 0 0 0 0 0 0"}, "a counter is out of range"),
        ({"diskstats": "   8 0 sda 300 0 24384"}, ""),
    ],
)
def test_what_no_host_can_send(changed: dict[str, Any], why: str) -> None:
    rates = HostRates()
    rates.add(FIRST, 1.0)
    wrong = replace(SECOND, **changed)
    if why:
        with pytest.raises(BadInput, match=why):
            rates.add(wrong, 2.0)
        tick = rates.add(SECOND, 3.0)
        assert tick is not None and tick.seconds == 2.0  # since the last good answer
    else:
        tick = rates.add(wrong, 2.0)
        assert tick is not None and dict(tick.disks) == {}


NUMBER = st.integers(-(2**70), 2**70) | st.integers(0, 2**40)
LINE = st.builds(
    lambda name, row: f"   8 0 {name} {' '.join(map(str, row))}",
    st.sampled_from(["sda", "sdb", "md0", "\x1b[31m", "a b"]), st.lists(NUMBER, min_size=9, max_size=18),
)  # fmt: skip
COUNTERS = st.builds(
    HostCounters,
    boot=st.sampled_from(["a", "b"]),
    monotonic_s=st.floats() | st.floats(0, 1e6),
    diskstats=st.lists(LINE, max_size=4).map("\n".join) | st.text(),
    processor=st.tuples(NUMBER, NUMBER),
    arrays=st.dictionaries(
        st.sampled_from(["md0", "sda", "x"]),
        st.builds(HostArray, state=st.text(), degraded=NUMBER, sync_done=st.none() | st.floats(),
                  component_bytes=NUMBER, thread_s=st.floats()),
        max_size=2,
    ),
)  # fmt: skip


@given(st.lists(COUNTERS, max_size=4))
def test_hostile_answers_give_finite_figures_or_a_reason(answers: list[HostCounters]) -> None:
    rates = HostRates()
    for answer in answers:
        try:
            tick = rates.add(answer, 1.0)
        except BadInput as problem:
            assert str(problem).startswith("its counters: ")
            continue
        if tick is not None:
            gauges = [*tick.disks.values(), total_gauge(tick.disks), *(array.gauge for array in tick.arrays.values())]
            figures = [getattr(gauge, figure) for gauge in gauges for figure in FIGURES]
            figures += [each for array in tick.arrays.values() for each in (array.thread_share, array.sync_bytes_per_s)]
            assert all(math.isfinite(figure) and figure >= 0 for figure in figures)


def test_scenes_that_no_host_has() -> None:
    for disks in (
        tuple(WatchedDisk(name=f"d{n}") for n in range(5000)),
        (WatchedDisk(name="sda"), WatchedDisk(name="sda")),
        (WatchedDisk(name="sda", size_bytes=-1),),
        (WatchedDisk(name="sda", size_bytes=2**70),),
    ):
        with pytest.raises(BadInput, match="its disks"):
            require_scene_ranges(Scene(host="x", disks=disks))
