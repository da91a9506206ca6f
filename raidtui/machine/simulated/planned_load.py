"""Simulated load of a planned design: its arrays read, write and rest in turn at the model's speed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import sin
from typing import Literal

from raidtui.machine.simulated.ticks import SimulatedTicks
from raidtui.model.gauges import ArrayGauge, Gauge, Scene, WatchedArray
from raidtui.model.inventory import Disk
from raidtui.model.layout import AnyLayout
from raidtui.model.speed import Throughput
from raidtui.planner.gauges.iostat_rates import IDLE
from raidtui.planner.members import disks_by_array

_TURN = 24.0
_STAGGER = 2.5
_REQUEST = 512 * 1024
_SWAY = 0.08
_SLOW = 0.74
"""pace of the slow member over that of the others"""
_READING, _WRITING, _RANDOM = range(3)
_SMALL = 4096


def planned_scene(scene: Scene, layout: AnyLayout, disks: Sequence[Disk], names: Sequence[str]) -> Scene:
    """`scene` with the arrays of `layout` on `disks`, called `names`, in place of those it has."""
    arrays: list[WatchedArray] = []
    parts: dict[str, tuple[int, str, Literal["member", "spare", "idle"]]] = {}
    known = {disk.id: disk.name for disk in scene.disks}
    for number, of in enumerate(disks_by_array(layout, disks)):
        members = tuple(known[disk.id] for disk in of.members)
        spares = tuple(known[disk.id] for disk in of.spares)
        name = f"md{127 - number}" if number < 128 else f"md_{number}"
        level = layout.shapes[number].level
        arrays.append(WatchedArray(name=name, title=names[number], level=level, members=members, spares=spares))
        parts |= dict.fromkeys(members, (number, name, "member"))
        parts |= dict.fromkeys(spares, (number, name, "spare"))
    last: tuple[int, str, Literal["member", "spare", "idle"]] = (len(arrays), "", "idle")
    order = sorted(
        scene.disks, key=lambda disk: (parts.get(disk.name, last)[0], parts.get(disk.name, last)[2] == "spare")
    )
    return replace(
        scene,
        arrays=tuple(arrays),
        disks=tuple(
            replace(disk, array=parts.get(disk.name, last)[1], role=parts.get(disk.name, last)[2]) for disk in order
        ),
    )


def at_work(
    scene: Scene, layout: AnyLayout, speed: Throughput, clock: Callable[[], float] = time.time
) -> SimulatedTicks:
    """Ticks of the arrays of `scene`, which are those of `layout`; one member is slower than it should be."""
    play = _Play(scene, layout, speed)
    return SimulatedTicks(scene, play.disks, arrays=play.arrays, clock=clock)


class _Play:
    """Streams of reads, streams of writes, random reads: a turn each, the arrays a little after one another."""

    def __init__(self, scene: Scene, layout: AnyLayout, speed: Throughput) -> None:
        self._scene, self._shapes, self._speed = scene, layout.shapes, speed
        second = scene.arrays[min(1, len(scene.arrays) - 1)].members if scene.arrays else ()
        self._slow = second[len(second) // 2] if len(second) > 2 else ""

    def disks(self, at: float) -> Mapping[str, Gauge]:
        """What each disk does."""
        found = dict.fromkeys((disk.name for disk in self._scene.disks), IDLE)
        for number, array in enumerate(self._scene.arrays):
            each = self._member(at - _STAGGER * number, number)
            found |= dict.fromkeys(array.members, each)
            if self._slow in array.members:  # the others wait for it: all move the same, it alone is busier
                slow = {name: getattr(each, name) / _SLOW for name in ("await_ms", "read_await_ms", "write_await_ms")}
                found[self._slow] = replace(each, util=min(each.util / _SLOW, 1.0), queue=each.queue / _SLOW, **slow)
        return found

    def arrays(self, at: float) -> Mapping[str, ArrayGauge]:
        """What each array does."""
        found = {}
        for number, array in enumerate(self._scene.arrays):
            one = self._member(at - _STAGGER * number, number)
            share = self._shapes[number].data / self._shapes[number].members
            gauge = replace(
                one,
                read_bytes_per_s=one.read_bytes_per_s * len(array.members),
                write_bytes_per_s=one.write_bytes_per_s * len(array.members) * share,
                read_iops=one.read_iops * len(array.members),
                write_iops=one.write_iops * len(array.members) * share,
            )
            writes = gauge.write_bytes_per_s * len(self._scene.arrays) / max(self._speed.seq_write.bytes_per_s, 1)
            found[array.name] = ArrayGauge(
                gauge=gauge, state="active" if one is not IDLE else "clean", thread_share=0.45 * min(writes, 1.0)
            )
        return found

    def _member(self, at: float, number: int) -> Gauge:
        turn = int(at // _TURN) % 3 if at >= 0 else -1
        if turn < 0:
            return IDLE
        sway = 1 - _SWAY * (1 + sin(at / 3 + number)) / 2
        arrays, members = len(self._scene.arrays), self._shapes[number].members
        disk = self._speed.disk
        if turn == _RANDOM:
            iops = sway * self._speed.rand_read.iops / (arrays * members)
            return _reads(iops, _SMALL, min(iops / max(disk.read_iops, 1), 1.0))
        if turn == _READING:
            rate = sway * self._speed.seq_read.bytes_per_s / (arrays * members)
            return _reads(rate / _REQUEST, _REQUEST, min(rate / max(disk.read_bytes_per_s, 1), 1.0))
        rate = sway * self._speed.seq_write.bytes_per_s / (arrays * self._shapes[number].data)
        util = min(rate / max(disk.write_bytes_per_s, 1), 1.0)
        return Gauge(
            read_bytes_per_s=0.0, write_bytes_per_s=rate, read_iops=0.0, write_iops=rate / _REQUEST, util=util,
            await_ms=8 * util, write_await_ms=8 * util, queue=rate / _REQUEST * 0.008 * util,
        )  # fmt: skip


def _reads(iops: float, size: int, util: float) -> Gauge:
    wait = 4 + 12 * util
    return Gauge(
        read_bytes_per_s=iops * size, write_bytes_per_s=0.0, read_iops=iops, write_iops=0.0, util=util, await_ms=wait,
        read_await_ms=wait, queue=iops * wait / 1000,
    )  # fmt: skip
