"""Gauges of this machine: one reading of /proc/diskstats per tick, plus arrays and temperatures.

For the cost of a tick see tests/benchmarks/GAUGES.md: names are read once, idle devices are skipped, and the rates of
the others are computed on access.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Set

from raidtui.machine.gauges.md import MdGauges
from raidtui.machine.gauges.open_files import KeptOpen
from raidtui.machine.gauges.temperatures import Temperatures
from raidtui.machine.inventory.block_tree import NOT_DISKS
from raidtui.model.errors import MachineFailed
from raidtui.model.gauges import Scene, Tick
from raidtui.planner.gauges.iostat_rates import Gauges
from raidtui.tools import proc_stat
from raidtui.tools.diskstats import DeviceOrder, Sample

_ARRAY = re.compile(r"md(?:\d+|_.+)", re.DOTALL)
_HIDDEN_PATH = re.compile(r"nvme\d+c\d+n\d+", re.ASCII)
_SHORTEST = 0.001
"""seconds: shortest interval that the counters' milliseconds can resolve"""


class SystemTicks:
    """Ticks of the machine under `root`. See `machine.ticks.Ticks`."""

    def __init__(
        self, scene: Scene, root: str = "/", *, only: Set[str] | None = None, temperatures: bool = True
    ) -> None:
        """`only`: kernel names of the disks and arrays to read, None for all.

        Raises MachineFailed if there is no /proc/diskstats.
        """
        self.scene = scene
        self._root = root.rstrip("/")
        self._only = only
        self._named = frozenset(disk.name for disk in scene.disks)
        self._diskstats = KeptOpen(f"{self._root}/proc/diskstats")
        self._stat = KeptOpen(f"{self._root}/proc/stat")
        self._arrays = MdGauges(self._root)
        self._temperatures = Temperatures(self._root) if temperatures else None
        self._disks: dict[str, int] = {}
        self._array_lines: dict[str, int] = {}
        self._then = 0.0
        self._before = self._sample(None)
        self._forgotten = self._before
        """the reading before the last interval: its lines stay with the ticks, its numbers are used no more"""
        self._processor = proc_stat.machine(self._stat.first())

    def take(self) -> Tick:
        """See Ticks. Raises MachineFailed when /proc/diskstats is gone."""
        before, then, processor = self._before, self._then, self._processor
        self._before = self._sample(before)
        self._forgotten.forget()
        self._forgotten = before
        at = time.time()
        self._processor = proc_stat.machine(self._stat.first())
        seconds = max(self._then - then, _SHORTEST)
        disks = Gauges(before, self._before, seconds, self._disks)
        arrays = Gauges(before, self._before, seconds, self._array_lines)
        busy, whole = self._processor[0] - processor[0], self._processor[1] - processor[1]
        return Tick(
            time=at,
            seconds=seconds,
            disks=disks,
            arrays=self._arrays.take(arrays, seconds),
            temperatures=self._temperatures.take(disks.moved) if self._temperatures else {},
            busy_share=min(max(busy / whole, 0.0), 1.0) if whole > 0 else 0.0,
        )

    def _sample(self, before: Sample | None) -> Sample:
        data = self._diskstats.whole()
        self._then = time.monotonic()
        if not self._diskstats.there:
            raise MachineFailed(f"{self._root}/proc/diskstats cannot be read", hint="mount /proc; it needs no root")
        sample = Sample(data, before)
        if before is None or before.line_up is not sample.line_up:
            self._line_up(sample.line_up)
        return sample

    def _line_up(self, line_up: DeviceOrder) -> None:
        """Devices were added or removed: finds the disks and arrays."""
        whole = _whole_devices(self._root, frozenset(line_up.numbers))
        wanted = whole if self._only is None else whole & self._only
        lines = {name: number for name, number in line_up.numbers.items() if name in wanted}
        self._array_lines = {name: number for name, number in lines.items() if _is_array(name)}
        self._disks = {
            name: number
            for name, number in lines.items()
            if name not in self._array_lines and (name in self._named or is_disk(name))
        }
        self._arrays.line_up(self._array_lines)
        if self._temperatures:
            self._temperatures.line_up()


def _is_array(name: str) -> bool:
    """True for the kernel name of an md array."""
    return _ARRAY.fullmatch(name) is not None


def is_disk(name: str) -> bool:
    """True for the kernel name of what may be a disk: no loop, ram, md, dm device, no hidden path to an NVMe disk."""
    return not NOT_DISKS.fullmatch(name) and not _HIDDEN_PATH.fullmatch(name)


def _whole_devices(root: str, names: frozenset[str]) -> frozenset[str]:
    """Those of `names` that are not partitions, by /sys/block; without it by their names."""
    try:
        blocks = {name.replace("!", "/") for name in os.listdir(f"{root}/sys/block")}  # noqa: PTH208
    except OSError:
        blocks = set()
    if not names.isdisjoint(blocks):
        return names & blocks
    return frozenset(name for name in names if not _is_partition(name, names))


def _is_partition(name: str, names: frozenset[str]) -> bool:
    """True for sda1 beside sda, nvme0n1p1 beside nvme0n1."""
    stem = name.rstrip("0123456789")
    if stem == name:
        return False
    disk = stem[:-1] if stem.endswith("p") and stem[-2:-1].isdigit() else stem
    return disk in names
