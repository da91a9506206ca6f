"""Gauges of this machine: one reading of /proc/diskstats per tick, plus arrays and temperatures.

For the cost of a tick see tests/benchmarks/GAUGES.md: names are read once, idle devices are skipped, and the rates of
the others are computed on access.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Iterator, Set
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from raidtui.machine.gauges.md import KeptOpen, MdGauges
from raidtui.machine.gauges.rates import Gauges, tick_json
from raidtui.machine.inventory.block_tree import NOT_DISKS
from raidtui.machine.system.files import RECORDING, new_file, open_named
from raidtui.machine.system.places import failures
from raidtui.programs import proc
from raidtui.programs.proc import DeviceOrder, Sample
from raidtui.values.codec import from_json, to_json
from raidtui.values.errors import BadInput, MachineFailed
from raidtui.values.gauges import Recording, Scene, Tick

# Recorded ticks: JSON lines, the first one the scene, every further one a tick (`raidtui/recording/1`).


LONGEST = 16 * 1024 * 1024
"""bytes of one line; 1,000 disks take a quarter of a MiB"""


class GaugeRecorder:
    """Writes a recording; never overwrites a file."""

    def __init__(self, path: Path, scene: Scene) -> None:
        """Raises as `write_new`."""
        self._path = path
        with new_file(path, 0o644) as handle:
            self._file = os.fdopen(os.dup(handle), "w", encoding="ascii")
        self._used = 0
        self._write(to_json(Recording(scene=scene), indent=None))

    def write(self, tick: Tick) -> int:
        """Appends a tick; returns at which byte its line begins. Raises MachineFailed when there is no room."""
        return self._write(tick_json(tick))

    def close(self) -> None:
        """Ends the recording."""
        self._file.close()

    def _write(self, line: str) -> int:
        with failures(self._path, "make room"):
            written = self._file.write(f"{line}\n")
            self._file.flush()
        self._used += written
        return self._used - written


def read_recording(path: Path) -> tuple[Scene, Iterator[Tick]]:
    """The disks of a recording, and its ticks; a last line that is cut off is left out.

    Where the clock was set back, the ticks after that follow those before.

    Raises BadInput, here and with a tick, with the number of an invalid line.
    """
    file = os.fdopen(open_named(path, RECORDING), "rb")
    first = _line(file, path, 1)
    if first is None:
        raise BadInput(f"{path}, line 1: empty", hint=_RECORDED)
    scene = from_json(Recording, first, source=f"{path}, line 1", hint=_RECORDED).scene
    return scene, _ticks(file, path)


def _ticks(file: BinaryIO, path: Path) -> Iterator[Tick]:
    with file:
        number, then, set_back = 1, -math.inf, 0.0
        while (line := _line(file, path, number := number + 1)) is not None and line.endswith(b"\n"):
            tick = tick_in(line, f"{path}, line {number}")
            if tick.time + set_back < then:
                set_back = then + tick.seconds - tick.time
            then = tick.time + set_back
            yield replace(tick, time=then) if set_back else tick


_RECORDED = "name the gauges.jsonl of a benchmark"
_NOT_EDITED = "recordings are written by raidtui and not edited"


def _line(file: BinaryIO, path: Path, number: int) -> bytes | None:
    """The next line with its end; None after the last."""
    with failures(path, "read another copy"):
        line = file.readline(LONGEST + 1)
    if len(line) > LONGEST:
        raise BadInput(f"{path}, line {number}: longer than {LONGEST} bytes", hint=_NOT_EDITED)
    return line or None


def tick_in(line: bytes, source: str) -> Tick:
    """The tick in a line of a recording. Raises BadInput, with the place `source`, for an invalid one."""
    tick = from_json(Tick, line, source=source)
    figures = [tick.time, tick.seconds, tick.busy_share]
    gauges = [*tick.disks.values(), *(array.gauge for array in tick.arrays.values())]
    figures += [figure for gauge in gauges for figure in gauge.figures]
    figures += [f for array in tick.arrays.values() for f in (array.sync_bytes_per_s, array.thread_share)]
    figures += [array.sync_done for array in tick.arrays.values() if array.sync_done is not None]
    if not all(map(math.isfinite, figures)) or min(figures) < 0 or tick.seconds == 0:
        raise BadInput(f"{source}: value out of range", hint=_NOT_EDITED)
    return tick


# Temperatures of disks with an hwmon sensor (drivetemp, nvme). Read rarely, and never of a disk that may sleep.
# A reading is a command to the drive (Documentation/hwmon/drivetemp.rst: it may delay the spin-down of some), which a
# busy SATA drive answers only after its queue has drained. So each drive is queried once a minute, only if it was busy
# since, and a tick spends at most 20 ms on it; the next tick continues.


EVERY = 60.0
"""seconds between two readings of one disk"""
STALE = 600.0
"""seconds after which a reading is no longer shown"""
_PATIENCE = 0.02
_NAMESPACE = re.compile(r"(nvme\d+)(?:c\d+)?(n\d+)", re.ASCII)
_SENSORS = frozenset({"drivetemp", "nvme"})


class Temperatures:
    """The sensors of a machine, from tick to tick."""

    def __init__(self, root: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._root = root
        self._clock = clock
        self._sensors: dict[str, str] = {}
        self._asked: dict[str, float] = {}
        self._read: dict[str, tuple[float, int]] = {}

    def line_up(self) -> None:
        """Searches for sensors."""
        self._sensors = dict(_sensors(self._root))

    def take(self, at_work: Callable[[str], bool]) -> dict[str, int]:
        """Degrees Celsius of every disk with a recent reading; `at_work`: True if a disk was busy in this tick."""
        if not self._sensors:
            return {}
        now = self._clock()
        for name, path in self._sensors.items():
            if now - self._asked.get(name, -EVERY) < EVERY or not at_work(name):
                continue
            self._asked[name] = now
            text = KeptOpen(path).word()
            if text.removeprefix("-").isdecimal():
                self._read[name] = now, round(int(text) / 1000)
            if self._clock() - now > _PATIENCE:
                break
        return {name: degrees for name, (then, degrees) in self._read.items() if now - then < STALE}


def _sensors(root: str) -> list[tuple[str, str]]:
    """Disk and file of each sensor."""
    top = f"{root}/sys/class/hwmon"
    found = []
    for monitor in _names(top):
        kind = KeptOpen(f"{top}/{monitor}/name").word()
        if kind not in _SENSORS:
            continue
        device = f"{top}/{monitor}/device"
        if kind == "drivetemp":
            disks = _names(f"{device}/block")
        else:
            matches = (_NAMESPACE.fullmatch(name) for name in _names(device))
            disks = sorted({match[1] + match[2] for match in matches if match is not None})
        found += [(disk, f"{top}/{monitor}/temp1_input") for disk in disks]
    return found


def _names(path: str) -> list[str]:
    try:
        return sorted(os.listdir(path))  # noqa: PTH208
    except OSError:
        return []


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
        self._processor = proc.machine(self._stat.first())

    def take(self) -> Tick:
        """See Ticks. Raises MachineFailed when /proc/diskstats is gone."""
        before, then, processor = self._before, self._then, self._processor
        self._before = self._sample(before)
        self._forgotten.forget()
        self._forgotten = before
        at = time.time()
        self._processor = proc.machine(self._stat.first())
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
