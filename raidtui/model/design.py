"""A design: a layout and everything else the admin chooses; what `raidtui model` takes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from raidtui.model.choices import Bitmap, FileSystem, FirstSync, Metadata, Scheduler, Stack
from raidtui.model.codec_rules import Value
from raidtui.model.file_system import DEFAULTS, FileSystemOptions
from raidtui.model.layout import AnyLayout, HybridLayout
from raidtui.model.target import TargetVersions

DEFAULT_CHUNK = 512 * 1024
"""bytes; mdadm's own default"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial(Value):
    """The design is only tried: small arrays that live for minutes, measured and taken away again."""

    slice_bytes: int
    """most that is used of each member, from where its data starts; a file system on one RAID0, which has no such limit
    in mdadm, or on one disk without md takes all"""
    first_sync: bool = False
    """True: the first sync is waited for, as a real array has it. False: mdadm is told to take the members for in sync,
    which only an array may be whose content is thrown away: its parity was never computed, so it survives no failure"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Partitions(Value):
    """The members are partitions: each disk gets a GPT with one partition for md."""

    size_bytes: int | None = None
    """size of each partition, so that a slightly smaller disk can replace a failed one; None: the largest of each
    disk"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design(Value):
    """The requested layout and options; the disks are a separate argument."""

    layout: AnyLayout
    """arrays, members, spares"""
    chunk_bytes: int = DEFAULT_CHUNK
    """chunk of levels that have one; for mirrors the LVM stripe size"""
    metadata: Metadata = "1.2"
    """md superblock version"""
    bitmap: Bitmap = "auto"
    """write-intent bitmap; auto means internal above 100 GiB a member, as mdadm 4.2 does, said explicitly"""
    bitmap_chunk_bytes: int | None = None
    """bytes of member per bit of the bitmap; stated, there is a bitmap. None: mdadm's choice, at least 64 MiB"""
    data_offset_bytes: int | None = None
    """where data starts on every member; None: mdadm's choice"""
    member_bytes: int | None = None
    """most that md uses of each whole disk, its metadata included; None: all of the smallest"""
    ppl: bool = False
    """partial parity log in place of the bitmap (RAID5 only)"""
    stack: Stack = "lvm"
    """how several arrays become one volume; one array carries its file system directly"""
    fs: FileSystem = "xfs"
    """file system on the volume"""
    target: TargetVersions | None = field(default=None, repr=False)
    """versions of the machine that it is for; None: not known"""
    trial: Trial | None = None
    """None: it is built to stay"""
    partitions: Partitions | None = None
    """None: the members are whole disks"""
    read_ahead_bytes: int | None = None
    """read-ahead of the devices that carry file systems; None: two full stripes, 128 KiB to 64 MiB"""
    stripe_cache_pages: int | None = None
    """stripe_cache_size of parity arrays, pages of each member; None: sixteen rows of chunks, 4 to 32 MiB"""
    parity_threads: int | None = None
    """group_thread_cnt of parity arrays; None: the kernel's default of one thread for each array"""
    sync_max_bytes_per_s: int | None = None
    """sync_speed_max, bytes per second and member; None: the kernel's"""
    sync_min_bytes_per_s: int | None = None
    """sync_speed_min, which a rebuild gets beside other load; None: 10.24 MB/s"""
    io_scheduler: Scheduler | None = None
    """I/O scheduler of every disk; None: the machine's choice"""
    queue_depth: int | None = None
    """requests that every disk is given at once (NCQ, SCSI); None: the driver's choice"""
    fs_options: FileSystemOptions | None = None
    """what mkfs and mount are told beyond that; None: nothing"""
    first_sync: FirstSync | None = None
    """zeroes: the data areas of all members are zeroed, and the arrays are created as in sync; None: md syncs them"""

    @property
    def on_partitions(self) -> bool:
        """True if members are partitions, stated or because the layout cuts the disks."""
        return self.partitions is not None or isinstance(self.layout, HybridLayout)

    @property
    def zeroes(self) -> bool:
        """True if zeroes on all members stand for the first sync; a trial states its own."""
        return self.first_sync == "zeroes" and self.trial is None

    def of_array(self, number: int) -> Design:
        """The design of array `number` alone where the arrays of a layout differ in level; else this one."""
        if not isinstance(self.layout, HybridLayout):
            return self
        shape = self.layout.shapes[number]
        return replace(self, layout=replace(shape, spares=self.layout.spares), partitions=Partitions())

    @property
    def options(self) -> FileSystemOptions:
        """`fs_options`, or the defaults."""
        return self.fs_options or DEFAULTS


def stated_first_sync(asked: FirstSync | None) -> FirstSync | None:
    """What a design states of `asked`: resync is md's own and not stated."""
    return None if asked == "resync" else asked
