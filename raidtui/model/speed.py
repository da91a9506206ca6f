"""How fast a design is expected to be, each figure with its band and the ceiling that binds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import Value
from raidtui.model.limit import Limit

SpeedSource = Literal["said", "measured", "inventory", "family", "class"]
"""who says a disk's speed: the admin, a measurement kept on this machine, the inventory, a table of drive families by
model string, or what its class usually does; stored documents have these words, texts say `stated` for `said`"""
CeilingSource = Literal["said", "measured", "sysfs", "table", "guess"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskSpeed(Value):
    """What one disk does alone. Bytes per second, decimal; operations of 4 KiB per second."""

    read_bytes_per_s: int
    """sequential read at the outer zone"""
    write_bytes_per_s: int
    """sequential write at the outer zone, sustained"""
    inner_share: float
    """speed of the inner zone over the outer one; 1 for flash"""
    read_iops: int
    """random reads at the depth an array reaches"""
    write_iops: int
    """random writes, sustained"""
    rotational: bool
    """True for spinning disks"""
    source: SpeedSource
    """where the figures come from"""
    basis: str
    """the same in words, with the family or class"""
    low: float = 1.0
    """lower end of the band of the sequential speed, over the figure"""
    high: float = 1.0
    """upper end"""
    write_high: float | None = None
    """upper end of writes, where it is another: shingled disks take new data as fast as they read"""
    middle_share: float | None = None
    """speed half-way over that of the outer zone, where it was measured"""
    iops_error: float = 1.0
    """nine of ten random rates lie within this factor of the figure"""
    iops_low: float | None = None
    """lower end of random rates over the figure, where it is not one over `iops_error`"""
    flush_s: float | None = None
    """seconds that flash takes to write its cache out; None: its cache outlives a power cut, or it rotates"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling(Value):
    """One thing that bounds a rate."""

    name: Limit
    """the limit by name: `members`, `port multiplier ata1.pmp`, `PCIe slot 0000:03:00.0`"""
    rate: int
    """bytes (or operations) of user data per second it allows"""
    source: CeilingSource
    """where its capacity comes from"""
    formula: str
    """how the rate follows, with this layout's numbers"""
    remedy: str = ""
    """what would lift it; empty where nothing simple does"""


Driver = Literal[
    "class", "md thread", "disk speed", "link", "memory", "partial stripes", "latency", "bitmap", "controller cache"
]  # fmt: skip
"""class: how near arrays come to their lowest ceiling; the others are inputs that are not known exactly"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BandCause(Value):
    """What makes a band wide."""

    driver: Driver
    """what is known worst"""
    factor: float
    """how many times narrower the band would be if it were known exactly"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate(Value):
    """A sequential rate of user data, bytes per second."""

    bytes_per_s: int
    """what is expected"""
    low: int
    """lower end of the band that nine measurements of ten fell into"""
    high: int
    """upper end"""
    bottleneck: Limit
    """name of the binding ceiling"""
    next: Limit
    """name of the ceiling that binds when the first is lifted; empty when there is no other"""
    ceilings: dict[Limit, int]
    """every ceiling by name, bytes of user data per second, before the derating"""
    spread: BandCause | None = None
    """what widens the band most; None for a narrow one"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Iops(Value):
    """A random rate of 4 KiB operations, per second."""

    iops: int
    """what is expected"""
    low: int
    """lower end of the band"""
    high: int
    """upper end"""
    bottleneck: Limit
    """name of the binding ceiling"""
    next: Limit
    """name of the next one; empty when there is no other"""
    ceilings: dict[Limit, int]
    """every ceiling by name, operations per second"""
    spread: BandCause | None = None
    """what widens the band most; None for a narrow one"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput(Value):
    """The speed of a design. Rotating disks are given at their outer zone; `inner_share` scales to the inner one."""

    seq_read: Rate
    """many streams"""
    seq_read_one_stream: Rate
    """one reader"""
    seq_write: Rate
    """many streams of full stripes"""
    seq_write_one_stream: Rate
    """one writer"""
    rand_read: Iops
    """4 KiB at depth"""
    rand_write: Iops
    """4 KiB at depth"""
    degraded_seq_read: Rate | None = None
    """with one member of each array missing; None where the level survives none"""
    degraded_rand_read: Iops | None = None
    """the same, random"""
    rebuilding_seq_read: Rate | None = None
    """while one member of each array is rebuilt at the assumed share"""
    mean_share: float
    """mean over the whole disk relative to the outer zone; 1 for flash"""
    inner_share: float
    """inner zone relative to the outer one; 1 for flash"""
    disk: DiskSpeed
    """the slowest member, which sets the pace"""
    unknown: tuple[str, ...] = ()
    """what is not known of the way to the disks and might bind lower"""
    explained: dict[str, tuple[Ceiling, ...]]
    """field of this value to its ceilings, lowest first: what F1 shows"""
    notes: tuple[str, ...] = ()
    """where md is known to be off the simple rule, and why"""
