"""A tick as one line of JSON, for `watch --json` and for recordings. Rounded to the counters' resolution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from json.encoder import encode_basestring_ascii as quoted
from typing import TypeVar

from raidtui.model.gauges import ArrayGauge, Gauge, Tick
from raidtui.planner.gauges.iostat_rates import IDLE

V = TypeVar("V")
_WATCHED = (
    '{"read_bytes_per_s": %.1f, "write_bytes_per_s": %.1f, "read_iops": %.2f, "write_iops": %.2f, "util": %.4f, '
    '"await_ms": %.3f, "queue": %.3f}'
)
_WATCHED_IDLE = _WATCHED % (0, 0, 0, 0, 0, 0, 0)
_KEPT = (
    '{"read_bytes_per_s":%.1f,"write_bytes_per_s":%.1f,"read_iops":%.2f,"write_iops":%.2f,"util":%.4f,'
    '"await_ms":%.3f,"read_await_ms":%.3f,"write_await_ms":%.3f,"queue":%.3f}'
)
_KEPT_IDLE = '{"read_bytes_per_s":0,"write_bytes_per_s":0,"read_iops":0,"write_iops":0,"util":0,"await_ms":0,"queue":0}'


def watch_line(tick: Tick, *, simulated: bool = False) -> str:
    """The line of `raidtui watch --json` for one tick; the key `simulated` is present only if true."""
    label = ', "simulated": true' if simulated else ""
    heat = f', "temperatures": {_members(tick.temperatures, str)}' if tick.temperatures else ""
    disks, arrays = _members(tick.disks, _watched), _members(tick.arrays, _array)
    return f'{{"time": {tick.time:.3f}, "disks": {disks}, "arrays": {arrays}{heat}{label}}}'


def recording_line(tick: Tick) -> str:
    """The line of a recording for one tick, readable by `codec.from_json(Tick, ...)`."""
    heat = f',"temperatures":{_members(tick.temperatures, str)}' if tick.temperatures else ""
    arrays = f',"arrays":{_members(tick.arrays, _array)}' if tick.arrays else ""
    return (
        f'{{"time":{tick.time:.3f},"seconds":{tick.seconds:.6f},"disks":{_members(tick.disks, _kept)}'
        f'{arrays}{heat},"busy_share":{tick.busy_share:.4f}}}'
    )


def _watched(gauge: Gauge) -> str:
    if gauge is IDLE:
        return _WATCHED_IDLE
    return _WATCHED % (
        gauge.read_bytes_per_s, gauge.write_bytes_per_s, gauge.read_iops, gauge.write_iops, gauge.util, gauge.await_ms,
        gauge.queue,
    )  # fmt: skip


def _kept(gauge: Gauge) -> str:
    if gauge is IDLE:
        return _KEPT_IDLE
    return _KEPT % (
        gauge.read_bytes_per_s, gauge.write_bytes_per_s, gauge.read_iops, gauge.write_iops, gauge.util, gauge.await_ms,
        gauge.read_await_ms, gauge.write_await_ms, gauge.queue,
    )  # fmt: skip


def _array(array: ArrayGauge) -> str:
    done = "" if array.sync_done is None else f',"sync_done":{array.sync_done:.6f}'
    return (
        f'{{"gauge":{_kept(array.gauge)},"state":{quoted(array.state)},"degraded":{array.degraded},'
        f'"sync_action":{quoted(array.sync_action)}{done},"sync_bytes_per_s":{array.sync_bytes_per_s:.1f},'
        f'"thread_share":{array.thread_share:.4f}}}'
    )


def _members(values: Mapping[str, V], show: Callable[[V], str]) -> str:
    return "{" + ", ".join([f"{quoted(name)}: {show(value)}" for name, value in values.items()]) + "}"
