"""What every disk and array does right now: one tick of gauges, and the scene they are shown in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from raidtui.values.codec_rules import Value
from raidtui.values.location import DiskIdentity
from raidtui.values.speed import Ceiling


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauge(Value):
    """One block device over one interval, computed as iostat -x does (Documentation/admin-guide/iostats.rst)."""

    read_bytes_per_s: float
    """sectors of 512 bytes read, times 512, over the interval"""
    write_bytes_per_s: float
    """the same, written"""
    read_iops: float
    """reads completed a second"""
    write_iops: float
    """writes completed a second"""
    util: float
    """share of the interval with at least one request in flight, 0 to 1; no measure of saturation on flash"""
    await_ms: float
    """mean time of the requests that completed, queueing included; 0 when none did"""
    read_await_ms: float = 0.0
    """the same of reads"""
    write_await_ms: float = 0.0
    """the same of writes"""
    queue: float
    """mean number of requests in flight (aqu-sz)"""

    @property
    def figures(self) -> tuple[float, ...]:
        """All of them, in the order of this list."""
        return (
            self.read_bytes_per_s, self.write_bytes_per_s, self.read_iops, self.write_iops, self.util, self.await_ms,
            self.read_await_ms, self.write_await_ms, self.queue,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayGauge(Value):
    """One md array over one interval."""

    gauge: Gauge
    """the array's own device; await and util are 0 on kernels that do not time it"""
    state: str
    """array_state of the kernel: clean, active, readonly, inactive, ..."""
    degraded: int = 0
    """members missing"""
    sync_action: str = "idle"
    """idle, resync, recover, check, repair, reshape, frozen"""
    sync_done: float | None = None
    """share of the sync that is done, 0 to 1; None when there is none"""
    sync_bytes_per_s: float = 0.0
    """of each member, over the interval"""
    thread_share: float = 0.0
    """processor time of the array's kernel threads over the interval; 1 is one core busy throughout"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick(Value):
    """Every device over one interval."""

    time: float
    """seconds since 1970, UTC, at the end of the interval"""
    seconds: float
    """length of the interval"""
    disks: Mapping[str, Gauge]
    """by kernel name; those of a running machine are computed on first access"""
    arrays: Mapping[str, ArrayGauge] = field(default_factory=dict)
    """by kernel name"""
    temperatures: dict[str, int] = field(default_factory=dict)
    """degrees Celsius by kernel name, of the disks whose driver tells it without waking them (drivetemp, nvme)"""
    busy_share: float = 0.0
    """share of all processors' time that was not idle"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedDisk(DiskIdentity):
    """A disk on the screen: who it is, in words that find it in the chassis."""

    id: str = ""
    """identity; empty where it has none"""
    name: str
    """kernel name, the key of ticks"""
    slot: str = ""
    """bay as the enclosure names it"""
    enclosure: str = ""
    """enclosure it sits in"""
    controller: str = ""
    """PCI address of its controller"""
    link: str = ""
    """expander or port multiplier it hangs on"""
    array: str = ""
    """kernel name of the array it is a member or spare of; the first where it is of several; empty for none"""
    role: Literal["member", "spare", "idle"] = "idle"
    """its part there"""
    size_bytes: int = 0
    """capacity"""
    rotational: bool | None = None
    """True for spinning disks"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedArray(Value):
    """An md array on the screen."""

    name: str
    """kernel name, the key of ticks"""
    title: str = ""
    """name under /dev/md; empty where it has none"""
    level: str
    """raid6, raid10, ..."""
    members: tuple[str, ...]
    """kernel names of its members in role order, arrays where it stands on arrays"""
    spares: tuple[str, ...] = ()
    """kernel names of its spares"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene(Value):
    """What does not change from tick to tick."""

    host: str
    """host name"""
    simulated: bool = False
    """True for simulated disks; shown on every screen and in every file"""
    disks: tuple[WatchedDisk, ...]
    """in the order shown: by array, controller, enclosure and slot"""
    arrays: tuple[WatchedArray, ...] = ()
    """outer arrays after those they stand on"""
    ceilings: dict[str, tuple[Ceiling, ...]] = field(default_factory=dict)
    """what bounds an array or a link, by its name; rates are bytes per second of traffic on that link or array"""

    @property
    def names(self) -> frozenset[str]:
        """Of its disks and arrays."""
        return frozenset([*(disk.name for disk in self.disks), *(array.name for array in self.arrays)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording(Value):
    """First line of a recorded run; every further line is a Tick."""

    schema: Literal["raidtui/recording/1"] = "raidtui/recording/1"
    """format of this document"""
    scene: Scene
    """what the ticks are about"""
