"""Speed of one disk and its source: command line, measurement, inventory, drive family, or disk class.

A rotating disk slows from its outer to its inner zone, s(x) = outer * (1 - (1 - inner_share) * x**1.25) over the
position x in 0..1; flash has an inner share of 1. It is a fit: 77 and 37 MB/s at the ends of one disk (PostgreSQL 9.0
High Performance, disk chapter), 130 to 90 MB/s with a mean of 123 over the first part of a WD40EFRX.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from raidtui.predict.disks.families import MB, Family, family_of, is_shingled
from raidtui.predict.disks.per_disk import PerDisk
from raidtui.predict.speed.raid_level_rates import random_read, random_write, sequential_read, sequential_write
from raidtui.predict.speed.shared_links import when
from raidtui.values.amounts import rate
from raidtui.values.assumptions import Assumptions
from raidtui.values.inventory import Disk
from raidtui.values.layout import ArrayShape, Level
from raidtui.values.safe import safe
from raidtui.values.speed import DiskSpeed

BEND = 1.25
"""exponent of the profile"""
INNER_SHARE = 0.48
"""default speed of the innermost zone over the outermost"""
_SMALL = 1e-13


def speed_at(position: float, outer: float, inner_share: float) -> float:
    """Bytes per second at `position`, from 0 (outer edge) to 1 (inner edge)."""
    return outer * (1 - (1 - inner_share) * float(position**BEND))


def mean_share(inner_share: float, middle_share: float | None = None) -> float:
    """Mean speed over all positions, relative to the outer zone; of three measured zones by Simpson's rule."""
    if middle_share is not None:
        return (1 + 4 * middle_share + inner_share) / 6
    return 1 - (1 - inner_share) / (BEND + 1)


def hours_to_pass(size_bytes: float, outer: float, inner_share: float, cap_bytes_per_s: float) -> float:
    """Hours to read or write a whole disk once at no more than `cap_bytes_per_s`.

    The disk runs at the cap up to the position where its own speed falls below it, then at its own speed:
    the integral of size / min(cap, s(x)) over x. Raises ValueError unless 0 < `inner_share` <= 1 and rates are above 0.
    """
    if not (0 < inner_share <= 1 and outer > 0 and cap_bytes_per_s > 0):
        raise ValueError(
            "expected rates above 0 and 0 < inner share <= 1, found"
            f" {outer} bytes/s, inner share {inner_share}, cap {cap_bytes_per_s}"
        )
    pace = min(cap_bytes_per_s, outer)
    held = _position_of(pace, outer, inner_share)
    seconds = size_bytes * (held / pace + _slowness(held, inner_share) / outer)
    return seconds / 3600


def _position_of(speed: float, outer: float, inner_share: float) -> float:
    """Position at which the disk has slowed down to `speed`; 1 if it never does."""
    if speed <= outer * inner_share:
        return 1.0
    return float(((1 - speed / outer) / (1 - inner_share)) ** (1 / BEND))


@lru_cache(maxsize=256)
def _slowness(start: float, inner_share: float) -> float:
    """Integral of outer / s(x) from `start` to 1: the geometric series of 1 / (1 - a x**1.25), term by term."""
    fall = 1 - inner_share
    total, power, exponent = 0.0, 1.0, 1.0
    while power / exponent > _SMALL:
        total += power / exponent * (1 - start**exponent)
        power *= fall
        exponent += BEND
    return total


FAMILY_BAND = (0.93, 1.03)
"""measured over data-sheet rate: drives reach it and seldom exceed it"""
IOPS_GUESS = 1.4
"""between the random rate of a rotating disk and that of its class: disks of 2 TB did 106 and 114 reads a second one by
one in a file of 50 GB (`fio_plot_raid5.csv`), for which the class has 80; judgement for the lower side"""
IOPS_UNKNOWN_RPM = 1.8
"""upper side where the rpm is not known either: the figure is that of 5400, 7200 make half as many again"""
FLUSH_S = 1 / 174
"""seconds of a write that is flushed, on flash whose cache does not outlive a power cut: RAID5 of five NVMe drives made
174 a second (`throughput.csv`, row 98); a published trace of one such drive has 3 to 6 ms"""
_DATA_CENTRE_GB = (400, 800, 960, 1600, 1920, 3200, 3840, 6400, 7680, 12_800, 15_360, 25_600, 30_720, 61_440, 122_880)
"""sizes of flash that is made for data centres, whose cache outlives a power cut; PCs have 500 GB, 1 TB, 4 TB"""


@dataclass(frozen=True, slots=True)
class _Class:
    """Typical rates of a class of disks: MB/s, operations per second, and the band as factors."""

    name: str
    read: int
    write: int
    read_iops: int
    write_iops: int
    low: float
    high: float
    rotational: bool = False
    iops_error: float = IOPS_GUESS
    write_high: float | None = None
    iops_low: float | None = None


def disk_speed(disk: Disk, assumptions: Assumptions) -> DiskSpeed:
    """Rates of `disk` alone.

    Sources in order of precedence: options, measurement, inventory, drive family, class default. Sequential rates of
    rotating disks are those of the outer zone. A LUN's follow from those of its drives.
    """
    speed = _from_measurement(disk) or _from_inventory(disk) or _from_lun(disk) or _from_tables(disk)
    if assumptions.disk_bytes_per_s is not None:
        rate = assumptions.disk_bytes_per_s
        speed = replace(
            speed, read_bytes_per_s=rate, write_bytes_per_s=rate, source="said", basis="stated", low=1.0, high=1.0,
            write_high=None,
        )  # fmt: skip
    if assumptions.disk_write_bytes_per_s is not None:
        speed = replace(
            speed, write_bytes_per_s=assumptions.disk_write_bytes_per_s, basis=f"{speed.basis}; write rate said"
        )
    if assumptions.disk_iops is not None:
        iops = assumptions.disk_iops
        basis = f"{speed.basis}; random rate said"
        speed = replace(speed, read_iops=iops, write_iops=iops, iops_error=1.0, iops_low=None, basis=basis)
    return speed


@lru_cache(maxsize=4)
def speed_table(assumptions: Assumptions) -> PerDisk[DiskSpeed]:
    """`disk_speed` of many disks: what it depends on is looked up once for disks that agree in it."""

    def like(disk: Disk) -> tuple[object, ...]:
        return (
            disk.model, disk.size_bytes, disk.rotational, disk.rpm, disk.smr, disk.transport, disk.link_bits_per_s,
            disk.sequential_bytes_per_s, disk.measured, disk.lun,
        )  # fmt: skip

    return PerDisk(lambda disk: disk_speed(disk, assumptions), like)


def _from_measurement(disk: Disk) -> DiskSpeed | None:
    """Measured rates with the measurement's error. A rotating disk writes as fast as it reads, also at random.

    Other figures come from its family or class, and so do random reads that only the asking program bounded below it.
    """
    found = disk.measured
    if found is None:
        return None
    rest = _from_tables(disk)
    rate = found.outer_bytes_per_s
    reads = found.read_iops if found.read_iops and not (found.iops_at_least and found.read_iops < rest.read_iops) else 0
    basis = f"read alone on {when(found.day, found.kernel)}"
    return replace(
        rest,
        read_bytes_per_s=rate,
        write_bytes_per_s=rate if rest.rotational else min(rate, rest.write_bytes_per_s),
        inner_share=min(1.0, found.inner_bytes_per_s / rate) if found.inner_bytes_per_s else rest.inner_share,
        read_iops=reads or rest.read_iops,
        write_iops=reads if reads and rest.rotational else rest.write_iops,
        source="measured",
        basis=f"{basis}; since then {safe(found.changed)}" if found.changed else basis,
        low=1 / found.error,
        high=found.error,
        middle_share=min(1.0, found.middle_bytes_per_s / rate) if found.middle_bytes_per_s else None,
        iops_error=found.iops_error if reads else rest.iops_error,
        iops_low=None if reads else rest.iops_low,
    )


def _from_inventory(disk: Disk) -> DiskSpeed | None:
    """The rate from the inventory; other figures come from the family or class. Flash never writes above its class."""
    rate = disk.sequential_bytes_per_s
    if rate is None:
        return None
    rest = _from_tables(disk)
    write = rate if rest.rotational else min(rate, rest.write_bytes_per_s)
    return replace(
        rest,
        read_bytes_per_s=rate,
        write_bytes_per_s=write,
        source="inventory",
        basis="from the inventory",
        low=1.0,
        high=1.0,
    )


def _from_lun(disk: Disk) -> DiskSpeed | None:
    """Rates of a LUN from those of its drives, as md would make them: the controller's cache is not known.

    A drive has the LUN's size over its data drives, 7200 rpm, and the rate that was stated, else that of its class.
    """
    lun = disk.lun
    if lun is None:
        return None
    one = _of_class(_class_of(replace(disk, size_bytes=disk.size_bytes // lun.data, transport=None, rpm=7200)))
    if lun.drive_bytes_per_s is not None:
        one = replace(
            one, read_bytes_per_s=lun.drive_bytes_per_s, write_bytes_per_s=lun.drive_bytes_per_s, source="said",
            basis="stated", low=1.0, high=1.0,
        )  # fmt: skip
    levels: tuple[Level, ...] = ("raid0", "raid5", "raid6")
    inner = ArrayShape(level=levels[lun.parity], members=lun.data + lun.parity)
    return replace(
        one,
        read_bytes_per_s=round(sequential_read(inner, one.read_bytes_per_s, rotational=one.rotational)),
        write_bytes_per_s=round(sequential_write(inner, one.write_bytes_per_s, rotational=one.rotational)),
        read_iops=round(random_read(inner, one.read_iops)),
        write_iops=round(random_write(inner, one.write_iops)),
        basis=f"LUN of {lun.data}+{lun.parity} drives of {rate(one.read_bytes_per_s)}: {one.basis}",
    )


def _from_tables(disk: Disk) -> DiskSpeed:
    family = family_of(disk.model)
    if family is not None:
        return _of_family(family, is_shingled(disk))
    found = _of_class(_class_of(disk))
    return found if found.rotational or power_safe(disk.size_bytes) else replace(found, flush_s=FLUSH_S)


def power_safe(size_bytes: int) -> bool:
    """True for flash of a size that is made for data centres: capacitors write its cache out after a power cut."""
    return any(size <= size_bytes / 1e9 < 1.005 * size for size in _DATA_CENTRE_GB)


def _of_family(family: Family, shingled: bool) -> DiskSpeed:
    iops = _spinning_iops(family.rpm)
    low, high = FAMILY_BAND
    rewritten = SHINGLED_WRITE if shingled else 1.0
    return DiskSpeed(
        read_bytes_per_s=family.read_bytes_per_s,
        write_bytes_per_s=round(rewritten * family.write_bytes_per_s),
        inner_share=INNER_SHARE if family.rotational else 1.0,
        read_iops=family.read_iops or iops,
        write_iops=family.write_iops or round(rewritten * iops),
        rotational=family.rotational,
        source="family",
        basis=f"data sheet of {family.name}" + (_SHINGLED_TEXT if shingled else ""),
        low=low,
        high=high,
        write_high=high / SHINGLED_WRITE if shingled else None,
        iops_error=IOPS_GUESS if family.rotational else 1.0,
    )


def _of_class(kind: _Class) -> DiskSpeed:
    return DiskSpeed(
        read_bytes_per_s=kind.read * MB,
        write_bytes_per_s=kind.write * MB,
        inner_share=INNER_SHARE if kind.rotational else 1.0,
        read_iops=kind.read_iops,
        write_iops=kind.write_iops,
        rotational=kind.rotational,
        source="class",
        basis=f"typical of {kind.name}",
        low=kind.low,
        high=kind.high,
        write_high=kind.write_high,
        iops_error=kind.iops_error if kind.rotational else 1.0,
        iops_low=kind.iops_low,
    )


def _class_of(disk: Disk) -> _Class:
    if disk.transport == "nvme":
        return _nvme(disk.link_bits_per_s)
    if disk.rotational is False:
        return _SAS_SSD if disk.transport == "sas" else _SATA_SSD
    return _spinning(disk)


_SATA_SSD = _Class("a SATA SSD", 540, 450, 90_000, 30_000, 0.8, 1.05)
_SAS_SSD = _Class("a 12G SAS SSD on one port", 1050, 950, 200_000, 80_000, 0.75, 1.1)
_NVME = (
    (126e9, _Class("NVMe on PCIe 5.0 x4", 12_000, 6_000, 2_000_000, 300_000, 0.7, 1.15)),
    (63e9, _Class("NVMe on PCIe 4.0 x4", 6_500, 4_000, 1_000_000, 150_000, 0.75, 1.08)),
    (31e9, _Class("NVMe on PCIe 3.0 x4", 3_200, 2_000, 600_000, 80_000, 0.6, 1.1)),
    (0.0, _Class("NVMe on a narrow link", 1_600, 1_000, 300_000, 40_000, 0.5, 2.0)),
)
"""minimum line rate of all lanes in bits per second, and the class of such a drive; the validation holds their bands"""
_NVME_UNKNOWN = _Class("NVMe on an unknown link", 3_200, 2_000, 600_000, 80_000, 0.5, 2.1)


def _nvme(link_bits_per_s: int | None) -> _Class:
    if link_bits_per_s is None:
        return _NVME_UNKNOWN
    return next(kind for bits, kind in _NVME if link_bits_per_s >= bits)


_SPINNING_MB = {
    5400: ((0.32, 55, 95), (0.5, 70, 130), (1, 85, 150), (2, 100, 180), (3, 120, 180), (4, 130, 190), (6, 150, 200),
           (8, 165, 215), (10, 190, 220), (14, 195, 230), (16, 225, 285), (18, 235, 285), (1e9, 245, 309)),
    7200: ((0.32, 65, 120), (0.5, 75, 185), (1, 95, 210), (2, 120, 220), (3, 140, 215), (4, 160, 227), (6, 185, 255),
           (8, 200, 270), (10, 225, 255), (12, 230, 261), (14, 240, 267), (16, 245, 275), (18, 255, 285),
           (20, 260, 285), (1e9, 270, 309)),
    10_000: ((0.15, 70, 125), (0.3, 90, 170), (0.6, 130, 200), (1.2, 160, 230), (1.8, 195, 250), (1e9, 210, 270)),
    15_000: ((0.08, 75, 130), (0.15, 90, 170), (0.3, 125, 200), (0.6, 160, 225), (1e9, 200, 300)),
}  # fmt: skip
"""rpm to triples of (maximum terabytes, slowest and fastest MB/s of the outermost zone): data sheets from the first
generation of that size to the last; the figure is the slow end, since the age of a disk that nobody describes is not
known"""
_OLD_TB, _OLD_LOW = 4.0, 0.45
"""up to this size a disk may be fifteen years old, full, and in a machine of its age: lower end of its band over the
slow end of the data sheets. Arrays of such disks in public reports gave a half to a seventh of the fast end"""
_LOW = 0.8
"""the same of larger disks"""
_HELIUM_TB = 10.5
"""larger disks turn 7200 times a minute, whatever class their label names"""
SHINGLED_WRITE = 0.3
"""sustained writes of drive-managed SMR over its reads: bands are rewritten once its cache is full (judgement)"""
_SHINGLED_TEXT = f"; drive-managed SMR writes {SHINGLED_WRITE:g} of what it reads"


def _spinning(disk: Disk) -> _Class:
    """Class of a rotating disk, or of one that may rotate: its band then extends to the rate of a SATA SSD.

    Where its rpm is not known, the figure is that of a slow one and the band ends with a fast one.
    """
    near = min(_SPINNING_MB, key=lambda rpm: abs(rpm - (disk.rpm or 5400)))
    terabytes = disk.size_bytes / 1e12
    slow, fast = _slow_and_fast(near, terabytes)
    name = f"the slowest {near} rpm disks of this size"
    if disk.rpm is None:
        fast = _slow_and_fast(7200, terabytes)[1]
        name = "the slowest disks of this size; its rpm is unknown"
    if disk.rotational is None:
        fast = 550
        name = "the slowest disks of this size; unknown whether it rotates"
    rpm = disk.rpm or (7200 if terabytes > _HELIUM_TB else None)
    iops = _spinning_iops(rpm)
    low = _OLD_LOW if terabytes <= _OLD_TB * 1.05 else _LOW
    error = IOPS_GUESS if rpm else IOPS_UNKNOWN_RPM
    kind = _Class(
        name, slow, slow, iops, iops, low, max(1.0, fast / slow), rotational=True, iops_error=error,
        iops_low=None if rpm else 1 / IOPS_GUESS,
    )  # fmt: skip
    return _shingled(kind) if is_shingled(disk) else kind


def _slow_and_fast(rpm: int, terabytes: float) -> tuple[int, int]:
    """Slowest and fastest MB/s of disks of that size."""
    return next((slow, fast) for most, slow, fast in _SPINNING_MB[rpm] if terabytes <= most * 1.05)


def _shingled(kind: _Class) -> _Class:
    return replace(
        kind,
        name=kind.name + _SHINGLED_TEXT,
        write=round(SHINGLED_WRITE * kind.write),
        write_iops=round(SHINGLED_WRITE * kind.write_iops),
        write_high=kind.high / SHINGLED_WRITE,
    )


def _spinning_iops(rpm: int | None) -> int:
    """Random 4 KiB operations per second at the depth an array reaches: about 1.5 times those at depth 1."""
    for least, iops in ((14_000, 250), (9_500, 180), (7_000, 120)):
        if (rpm or 5400) >= least:
            return iops
    return 80
