"""Rates of one host's disks between two of its own answers, by the functions that compute them for this machine.

What a host sends is hostile: counters, times and shares are checked here before anything is computed from them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from raidtui.model.errors import BadInput
from raidtui.model.fleet.gauges import HostArray, HostCounters
from raidtui.model.gauges import ArrayGauge, Gauge, Scene, Tick
from raidtui.planner.gauges.iostat_rates import IDLE, Gauges, disk_figures
from raidtui.tools.diskstats import Sample

MOST_DISKS = 4096
"""of one host, disks and arrays together"""
_LONGEST_S = 1e10
"""of a monotonic clock and of processor time: three centuries"""
_SHORTEST_S = 0.001
_MOST_BYTES = 2**63
_WIDE = re.compile(r"\d{21}", re.ASCII)
"""no counter of the kernel has more than 20 digits"""
_HINT = "install the same version on all hosts, then look at /proc/diskstats there"


class HostRates:
    """The counters of one host, from answer to answer."""

    def __init__(self) -> None:
        self._before: tuple[HostCounters, Sample] | None = None

    @property
    def devices(self) -> frozenset[str]:
        """Disks and arrays of the last good answer."""
        return frozenset(self._before[1].line_up.numbers) if self._before is not None else frozenset()

    def add(self, counters: HostCounters, time_s: float) -> Tick | None:
        """The figures since the answer before; None for the first answer, and for the first after a restart.

        `time_s`: end of the interval, seconds since 1970. Raises BadInput for counters that no host can have; the
        next answer is then compared with the last good one.
        """
        _check_counters(counters)
        before = self._before
        sample = Sample(counters.diskstats.encode("utf-8", "replace"), before[1] if before is not None else None)
        if len(sample.line_up.numbers) > MOST_DISKS:
            raise BadInput(f"its counters: more than {MOST_DISKS} disks", hint=_HINT)
        tick = None
        if before is not None and before[0].boot == counters.boot:
            tick = _between(before[0], before[1], counters, sample, time_s)
        self._before = counters, sample
        return tick


def _between(then: HostCounters, before: Sample, now: HostCounters, after: Sample, time_s: float) -> Tick:
    seconds = now.monotonic_s - then.monotonic_s
    if seconds < _SHORTEST_S:
        raise BadInput("its counters: its clock stands still", hint="something on the way stores answers")
    numbers = after.line_up.numbers
    disks = Gauges(before, after, seconds, {name: at for name, at in numbers.items() if name not in now.arrays})
    arrays = Gauges(before, after, seconds, {name: at for name, at in numbers.items() if name in now.arrays})
    try:
        for each in (disks, arrays):
            each.column("util")
    except ValueError as problem:
        raise BadInput("its counters: a line is cut off", hint=_HINT) from problem
    busy, whole = now.processor[0] - then.processor[0], now.processor[1] - then.processor[1]
    return Tick(
        time=time_s,
        seconds=seconds,
        disks=disks,
        arrays={
            name: _array_gauge(arrays[name], then.arrays.get(name), array, seconds)
            for name, array in now.arrays.items()
            if name in arrays
        },
        busy_share=min(max(busy / whole, 0.0), 1.0) if whole > 0 else 0.0,
    )


def _array_gauge(gauge: Gauge, then: HostArray | None, now: HostArray, seconds: float) -> ArrayGauge:
    synced = 0.0
    if then is not None and then.sync_done is not None and now.sync_done is not None:
        synced = max(now.sync_done - then.sync_done, 0.0) * now.component_bytes
    ran = max(now.thread_s - then.thread_s, 0.0) if then is not None else 0.0
    return ArrayGauge(
        gauge=gauge, state=now.state, degraded=now.degraded, sync_action=now.sync_action, sync_done=now.sync_done,
        sync_bytes_per_s=synced / seconds, thread_share=ran / seconds,
    )  # fmt: skip


def _check_counters(counters: HostCounters) -> None:
    """Raises BadInput for values out of range."""
    times = [counters.monotonic_s, *(array.thread_s for array in counters.arrays.values())]
    shares = [array.sync_done for array in counters.arrays.values() if array.sync_done is not None]
    numbers = [*counters.processor, *(number for array in counters.arrays.values() for number in _numbers(array))]
    problem = (
        "time" if not all(math.isfinite(each) and 0 <= each <= _LONGEST_S for each in times)
        else "sync" if not all(math.isfinite(each) and 0 <= each <= 1 for each in shares)
        else "number" if not all(0 <= each < _MOST_BYTES for each in numbers)
        else "counter" if _WIDE.search(counters.diskstats)
        else ""
    )  # fmt: skip
    if problem:
        raise BadInput(f"its counters: a {problem} is out of range", hint=_HINT)


def _numbers(array: HostArray) -> tuple[int, int]:
    return array.degraded, array.component_bytes


def require_scene_ranges(scene: Scene) -> None:
    """Raises BadInput for a scene that no host can have."""
    if len(scene.disks) > MOST_DISKS or len({disk.name for disk in scene.disks}) < len(scene.disks):
        raise BadInput("its disks: too many, or two of one name", hint=_HINT)
    rates = [ceiling.rate for ceilings in scene.ceilings.values() for ceiling in ceilings]
    if not all(0 <= number < _MOST_BYTES for number in (*rates, *(disk.size_bytes for disk in scene.disks))):
        raise BadInput("its disks: a size or rate is out of range", hint=_HINT)


def total_gauge(disks: Mapping[str, Gauge]) -> Gauge:
    """All disks of a host together: sums of bytes, requests and queues, the mean utilisation, await by requests."""
    util = disk_figures(disks, "util")
    if not util:
        return IDLE
    requests = [
        reads + writes
        for reads, writes in zip(disk_figures(disks, "read_iops"), disk_figures(disks, "write_iops"), strict=True)
    ]
    waited = sum(n * ms for n, ms in zip(requests, disk_figures(disks, "await_ms"), strict=True))
    return Gauge(
        read_bytes_per_s=sum(disk_figures(disks, "read_bytes_per_s")),
        write_bytes_per_s=sum(disk_figures(disks, "write_bytes_per_s")),
        read_iops=sum(disk_figures(disks, "read_iops")),
        write_iops=sum(disk_figures(disks, "write_iops")),
        util=sum(util) / len(util),
        await_ms=waited / sum(requests) if any(requests) else 0.0,
        queue=sum(disk_figures(disks, "queue")),
    )
