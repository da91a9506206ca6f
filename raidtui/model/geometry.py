"""What a design will be, to the byte: the answers of `raidtui model`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.ask import AskedRate
from raidtui.model.codec_rules import Value
from raidtui.model.durability import Durability
from raidtui.model.finding import Finding
from raidtui.model.layout import PARITY, Band, Level
from raidtui.model.placement import Placement
from raidtui.model.speed import Throughput
from raidtui.model.text_values import LayoutText


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
    bands: tuple[Band, ...] | None = None
    """of a hybrid layout, the partitions that each of `arrays` is made of; members are numbers in `disks`"""
    volume: Volume | None = None
    """what joins the arrays; None for one array or separate file systems"""
    volume_bytes: int
    """size of the volume, or the sum of the arrays where each has its own file system"""
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
