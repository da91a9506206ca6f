"""What a design will be, to the byte: the answers of `raidtui model`."""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, log1p
from typing import Literal

from raidtui.values.codec_rules import Value
from raidtui.values.findings import Finding
from raidtui.values.layout import PARITY, Band, Level
from raidtui.values.location import Placement
from raidtui.values.notation import LayoutText
from raidtui.values.speed import AskedRate, Limit, Throughput

# How long a rebuild takes and how likely data is lost, with the inputs the figures rest on.


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuild(Value):
    """Time to rebuild one member, hours."""

    hours: float
    """at the assumed share of the members' time"""
    idle_hours: float
    """with no other load"""
    slow_hours: float
    """at a third of the members' time"""
    bytes_per_s: int
    """mean rate per member on an idle array"""
    limit: Limit
    """what sets the pace: `member`, `sync_speed_max`, `md sync thread`, the text of a link"""
    formula: str
    """how the hours follow, with this layout's numbers"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstSyncHours(Value):
    """Time of the first sync of all arrays on idle disks, hours."""

    hours: float
    """where md finds parity right, as on disks that are zero, or copies"""
    least_used_hours: float | None = None
    """where it rewrites the parity of what used disks hold: RAID6; None where it does not"""
    most_used_hours: float | None = None
    """the same at most"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpareShortage(Value):
    """How often a failed disk finds no spare, with a number of spares that may serve any array."""

    spares: int
    """hot spares in all"""
    per_failure: float
    """probability that a failure finds none left"""
    per_year: float
    """probability that any failure of an average year finds none; at most: failures that come together count singly"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Durability(Value):
    """Loss and repair. Probabilities are exact values of the model: show two significant digits at most."""

    rebuild_hours: float
    """`rebuild.hours`, first for outsiders; 0 where the level rebuilds nothing"""
    rebuild: Rebuild | None = None
    """None where the level survives no failure"""
    first_sync: FirstSyncHours | None = None
    """None where nothing is synced, or it was not asked for: a search does not"""
    annual_array_loss_probability: float
    """an array is lost to overlapping disk failures within a year"""
    annual_sector_loss_probability: float
    """an unreadable sector is met while redundancy is exhausted, within a year"""
    annual_sector_loss_measured: float
    """the same with the rate of unreadable sectors that was measured, 3e-16 per bit"""
    annual_array_loss_correlated: float
    """the first with the hazard of further failures multiplied by the assumed correlation"""
    annual_enclosure_loss_probability: float
    """an enclosure's outage destroys data, within a year; 0 where enclosures are unknown or placement survives"""
    any_loss_1y: float
    """any of them within a year, correlation 1"""
    any_loss_1y_correlated: float
    """the same with the assumed correlation"""
    any_loss_5y: float
    """any of them within five years, correlation 1"""
    any_loss_5y_correlated: float
    """the same with the assumed correlation"""
    mission_loss: float
    """any of them within the assumed mission"""
    mttdl_hours: float
    """mean time to data loss by array loss; never a headline"""
    spares_run_out_probability: float
    """in an average year a disk fails while no spare that may serve it is left"""
    spares_counted: int
    """spares that may serve any array: 0 beyond an array's own where no monitor moves them"""
    spare_shortages: tuple[SpareShortage, ...] = ()
    """for 0 spares, 1 and so on, to one more than suffice and to those of the layout, at the assumed restocking time"""
    spares_enough: int
    """the fewest shared spares with a shortage in at most 1 year in 10"""
    degraded_hours_per_year: float
    """expected hours a year with at least one member missing"""
    expected_bytes_lost_per_year: float
    """by unreadable sectors alone, 4 KiB each"""
    formulas: dict[str, str]
    """field of this value to its formula with this layout's numbers and source: what F1 shows"""
    limits: tuple[str, ...]
    """what the model leaves out; stands beside the figures"""
    annual_sector_loss_correlated: float = 0.0
    """chance of sector loss within a year with the assumed correlation; equal to the plain one where one failure is
    enough to exhaust redundancy"""

    @property
    def disks_loss_1y(self) -> float:
        """Loss of an array or a sector within a year, correlation 1: any loss but an enclosure's outage."""
        return either(self.annual_array_loss_probability, self.annual_sector_loss_probability)


def either(one: float, other: float) -> float:
    """Probability of at least one of two independent events."""
    return one + other - one * other


def within(yearly: float, years: float) -> float:
    """Probability within `years` of an event that has the probability `yearly` within each."""
    return -expm1(years * log1p(-min(yearly, 1 - 1e-16)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayGeometry(Value):
    """One md array as mdadm will make it. Sectors are 512 bytes."""

    level: Level
    """md level"""
    members: int
    """raid devices"""
    spares: int
    """hot spares attached to this array"""
    array_bytes: int
    """size of the block device"""
    io_min_bytes: int
    """minimum_io_size the device exposes"""
    io_opt_bytes: int
    """optimal_io_size the device exposes; 0 when it exposes none"""
    full_stripe_bytes: int
    """data in one true full stripe; the chunk-less RAID1 has none and says 0"""
    read_ahead_kib: int
    """read_ahead_kb the kernel sets by itself"""
    data_offset_sectors: int
    """where data starts on each member"""
    chunk_bytes: int | None = None
    """chunk; None for RAID1"""
    component_bytes: int | None = None
    """used size of each member; None for RAID0, whose members each give their own"""
    md_layout: str | None = None
    """mdadm's --layout: left-symmetric, n2, f2, ...; None where the level has none"""
    bitmap_chunk_bytes: int | None = None
    """bytes of member per bitmap bit; None without a bitmap"""

    @property
    def parity(self) -> int:
        """Parity disks: 0, 1 or 2."""
        return PARITY[self.level]

    @property
    def sectors(self) -> int:
        """Size of the array in 512-byte sectors."""
        return self.array_bytes // 512


@dataclass(frozen=True, slots=True, kw_only=True)
class LvmGeometry(Value):
    """A volume group with one logical volume over the arrays, striped or linear."""

    kind: Literal["lvm"] = "lvm"
    pe_start_bytes: int
    """where the first extent starts on each physical volume; a multiple of the full stripe"""
    extent_bytes: int
    """physical extent; a multiple of the full stripe, of a linear volume of the chunk"""
    stripes: int
    """physical volumes striped over; 1: linear, the arrays follow one another"""
    stripe_bytes: int
    """lvcreate -I; equals the chunk; 0: linear"""
    extents: int
    """extents of the logical volume"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StripeGeometry(Value):
    """An md RAID0 over the arrays."""

    kind: Literal["md"] = "md"
    array: ArrayGeometry
    """the outer array"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CryptGeometry(Value):
    """LUKS2 on a device, as `cryptsetup luksDump` and `cryptsetup status` will show it."""

    offset_bytes: int
    """where the data starts on the device: on a full stripe, at least 16 MiB"""
    sector_bytes: int
    """bytes that are encrypted as one; the logical sector of what is opened"""
    size_bytes: int
    """size of what is opened, which carries the file system"""


@dataclass(frozen=True, slots=True, kw_only=True)
class XfsGeometry(Value):
    """A fresh XFS, as `xfs_info` and `stat -f` will show it."""

    type: Literal["xfs"] = "xfs"
    blocks: int
    """data blocks"""
    block_bytes: int
    """bytes of a block"""
    sector_bytes: int
    """XFS sector size (the device's physical sector)"""
    sunit_blocks: int
    """stripe unit; 0 when none"""
    swidth_blocks: int
    """stripe width; 0 when none"""
    agcount: int
    """allocation groups"""
    agsize_blocks: int
    """blocks of an allocation group"""
    log_blocks: int
    """internal log"""
    log_sunit_blocks: int
    """log stripe unit"""
    imaxpct: int
    """per cent of the space that inodes may take"""
    statfs_blocks: int
    """f_blocks of a fresh mount"""
    statfs_available_blocks: int
    """f_bavail of a fresh mount"""
    total_bytes: int
    """what df calls size"""
    available_bytes: int
    """what df calls available, to any user"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ext4Geometry(Value):
    """A fresh ext4, as `dumpe2fs -h` and `stat -f` will show it."""

    type: Literal["ext4"] = "ext4"
    blocks: int
    """blocks of the file system"""
    block_bytes: int
    """bytes of a block"""
    stride_blocks: int
    """RAID stride: the chunk"""
    stripe_width_blocks: int
    """RAID stripe width: the full stripe's data"""
    reserved_blocks: int
    """kept for root"""
    inodes: int
    """inodes"""
    journal_blocks: int
    """internal journal"""
    statfs_blocks: int
    """f_blocks of a fresh mount"""
    statfs_free_blocks: int
    """f_bfree of a fresh mount"""
    statfs_available_blocks: int
    """f_bavail of a fresh mount"""
    total_bytes: int
    """what df calls size"""
    available_bytes: int
    """what df calls available, to any user but root"""


Volume = LvmGeometry | StripeGeometry
"""what joins several arrays"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction(Value):
    """The answer of `raidtui model`: sizes to the byte, and what there is to say about the ask."""

    schema: Literal["raidtui/prediction/1"] | None = None
    """format of this document; a plan, a report and a proposal hold predictions without it"""
    layout: LayoutText
    """canonical notation"""
    disks: tuple[str, ...]
    """identities in the order taken: members of the first array, of the second, ..., then spares"""
    raw_bytes: int
    """sum of the disks taken, spares included"""
    arrays: tuple[ArrayGeometry, ...]
    """every array, in order"""
    journals: tuple[ArrayGeometry, ...] | None = None
    """the mirror that carries the write journal of each array; None where no mirror does"""
    bands: tuple[Band, ...] | None = None
    """of a hybrid layout, the partitions that each of `arrays` is made of; members are numbers in `disks`"""
    volume: Volume | None = None
    """what joins the arrays; None for one array or separate file systems"""
    volume_bytes: int
    """size of the volume, or the sum of the arrays where each has its own file system"""
    crypts: tuple[CryptGeometry, ...] | None = None
    """encryption below every file system, or of every array below the volume, in order; None where nothing is
    encrypted"""
    true_sunit_bytes: int
    """stripe unit to pass to mkfs (su, stride); 0 if there is no stripe"""
    true_stripe_width: int
    """stripe width to pass to mkfs, in stripe units (sw)"""
    filesystem: XfsGeometry | Ext4Geometry | None = None
    """the file system; the first where each array has its own"""
    filesystems: tuple[XfsGeometry | Ext4Geometry, ...]
    """every file system, in order"""
    findings: tuple[Finding, ...]
    """refusals, warnings and notes"""
    throughput: Throughput | None = None
    """how fast it is expected to be; absent where the design cannot be"""
    durability: Durability | None = None
    """how long a rebuild takes and how likely data is lost; absent where the design cannot be, and over LUNs, whose
    drives, spares and rebuilds are not known"""
    asked: tuple[AskedRate, ...] | None = None
    """answers to the workloads that were asked for, in that order; None where none were"""
    placement: Placement | None = None
    """what the loss of each failure domain costs; absent where the design cannot be"""

    @property
    def has_sizes(self) -> bool:
        """True if every array has a size above 0; a design that is invalid may have none."""
        return bool(self.arrays) and all(array.array_bytes for array in self.arrays)

    @property
    def component_bytes(self) -> int:
        """Used bytes of a member of the array with the largest; raises ValueError without arrays."""
        return max(array.component_bytes or array.array_bytes // array.members for array in self.arrays)

    @property
    def usable_bytes(self) -> int:
        """What `df` reports as available, over all file systems; the size of the volume if there is none."""
        if self.filesystems:
            return sum(filesystem.available_bytes for filesystem in self.filesystems)
        return self.volume_bytes
