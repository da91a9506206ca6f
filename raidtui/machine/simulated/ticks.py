"""Ticks of simulated disks: a given load with a small reproducible variation."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace

from raidtui.model.gauges import ArrayGauge, Gauge, Scene, Tick
from raidtui.planner.gauges.iostat_rates import IDLE

_TURN = 20.0
_FEW = 4
_REQUEST = 512 * 1024
UNREST = 0.03
"""relative variation of the figures"""
DiskLoad = Callable[[float], Mapping[str, Gauge]]
"""what each disk does so many seconds after the start"""
ArrayLoad = Callable[[float], Mapping[str, ArrayGauge]]
"""the same of arrays"""


def _no_arrays(_: float) -> Mapping[str, ArrayGauge]:
    return {}


class SimulatedTicks:
    """See `machine.ticks.Ticks`. The scene is marked as simulated, whatever it was before."""

    def __init__(
        self,
        scene: Scene,
        load: DiskLoad,
        *,
        arrays: ArrayLoad = _no_arrays,
        clock: Callable[[], float] | None = None,
        speed: float = 1.0,
    ) -> None:
        """`clock`: seconds since 1970, this machine's when None; `speed`: how much faster time passes for the disks."""
        self.scene = replace(scene, simulated=True)
        self._load, self._arrays, self._speed = load, arrays, speed
        self._clock = clock or time.time
        self._start = self._then = self._clock()
        self._number = 0

    def take(self) -> Tick:
        """See Ticks."""
        now = self._clock()
        seconds = max(now - self._then, 0.001)
        self._then = now
        self._number += 1
        at = (now - self._start) * self._speed
        disks = {name: unsteady(gauge, f"{name} {self._number}") for name, gauge in self._load(at).items()}
        return Tick(time=now, seconds=seconds, disks=disks, arrays=dict(self._arrays(at)))


def unsteady(gauge: Gauge, key: str) -> Gauge:
    """`gauge` a little up or down; how far follows from `key` alone."""
    spread = zlib.crc32(key.encode("utf-8", "replace")) * 0x9E3779B1 & 0xFFFFFFFF  # alike keys, unlike shares
    share = 1 + UNREST * (spread / 0x7FFFFFFF - 1)
    return replace(
        gauge,
        read_bytes_per_s=gauge.read_bytes_per_s * share,
        write_bytes_per_s=gauge.write_bytes_per_s * share,
        read_iops=gauge.read_iops * share,
        write_iops=gauge.write_iops * share,
        util=min(gauge.util * share, 1.0),
        queue=gauge.queue * share,
    )


def demonstration(scene: Scene) -> DiskLoad:
    """A load for looking at: groups of disks read in turn, for twenty seconds each, one disk slower than its group.

    The figures are made up: 180 MB/s of a spinning disk, 2 GB/s of flash.
    """
    named = [(disk, disk.array or disk.link or disk.controller) for disk in scene.disks]
    groups = sorted({group for _, group in named})
    slow = scene.disks[len(scene.disks) // 3].name if len(scene.disks) > _FEW else ""

    def load(at: float) -> Mapping[str, Gauge]:
        turn = groups[int(at / _TURN) % len(groups)] if groups else ""
        return {
            disk.name: _reading(disk.rotational is not False, 0.7 if disk.name == slow else 1.0)
            if group == turn
            else IDLE
            for disk, group in named
        }

    return load


def _reading(spins: bool, share: float) -> Gauge:
    rate = (180e6 if spins else 2e9) * share
    requests = rate / _REQUEST
    return Gauge(
        read_bytes_per_s=rate, write_bytes_per_s=0.0, read_iops=requests, write_iops=0.0, util=1.0,
        await_ms=1000 / requests, read_await_ms=1000 / requests, queue=1.0,
    )  # fmt: skip
