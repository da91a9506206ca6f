"""A tick as one line of JSON, for `watch --json` and recordings. Rounded to the counters'
resolution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from json.encoder import encode_basestring_ascii as quoted
from typing import TypeVar

from raidtui.model.gauges import ArrayGauge, Gauge, Tick
from raidtui.planner.gauges.iostat_rates import IDLE

V = TypeVar("V")
_GAUGE = (
    '{"read_bytes_per_s":%.1f,"write_bytes_per_s":%.1f,"read_iops":%.2f,"write_iops":%.2f,"util":%.4f,'
    '"await_ms":%.3f,"read_await_ms":%.3f,"write_await_ms":%.3f,"queue":%.3f}'
)
_IDLE = (
    '{"read_bytes_per_s":0,"write_bytes_per_s":0,"read_iops":0,"write_iops":0,"util":0,"await_ms":0,"read_await_ms":0,'
    '"write_await_ms":0,"queue":0}'
)


def watch_line(tick: Tick, *, simulated: bool = False) -> str:
    """The line of `raidtui watch --json` for one tick: a `WatchTick`."""
    return f'{{"schema":"raidtui/watch-tick/1","simulated":{str(simulated).lower()},"tick":{tick_json(tick)}}}'


def tick_json(tick: Tick) -> str:
    """A `Tick`: the line of a recording."""
    heat = f',"temperatures":{_members(tick.temperatures, str)}' if tick.temperatures else ""
    return (
        f'{{"time":{tick.time:.3f},"seconds":{tick.seconds:.6f},"disks":{_members(tick.disks, _gauge)},'
        f'"arrays":{_members(tick.arrays, _array)}{heat},"busy_share":{tick.busy_share:.4f}}}'
    )


def _gauge(gauge: Gauge) -> str:
    if gauge is IDLE:
        return _IDLE
    return _GAUGE % gauge.figures


def _array(array: ArrayGauge) -> str:
    done = "" if array.sync_done is None else f',"sync_done":{array.sync_done:.6f}'
    return (
        f'{{"gauge":{_gauge(array.gauge)},"state":{quoted(array.state)},"degraded":{array.degraded},'
        f'"sync_action":{quoted(array.sync_action)}{done},"sync_bytes_per_s":{array.sync_bytes_per_s:.1f},'
        f'"thread_share":{array.thread_share:.4f}}}'
    )


def _members(values: Mapping[str, V], show: Callable[[V], str]) -> str:
    return "{" + ", ".join([f"{quoted(name)}: {show(value)}" for name, value in values.items()]) + "}"
