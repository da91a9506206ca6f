"""A design: a layout and everything else the admin chooses; what `raidtui model` takes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, get_args

from raidtui.values.choices import Bitmap, CryptLayer, FileSystem, FirstSync, Metadata, Scheduler, Stack
from raidtui.values.codec_rules import Value
from raidtui.values.layout import Layout
from raidtui.values.target import TargetVersions

if TYPE_CHECKING:
    pass


# What mkfs and mount are told beyond the geometry; the defaults are those of a plan that says nothing.


Quota = Literal["user", "group", "project"]
QUOTAS: tuple[Quota, ...] = ("user", "group", "project")
Ext4Feature = Literal[
    "ea_inode",
    "encrypt",
    "inline_data",
    "large_dir",
    "metadata_csum_seed",
    "mmp",
    "orphan_file",
    "stable_inodes",
    "verity",
]
EXT4_FEATURES: tuple[Ext4Feature, ...] = get_args(Ext4Feature)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ext4Options(Value):
    """Options of mkfs.ext4."""

    block_bytes: int = 4096
    """bytes of a block: 1024, 2048 or 4096"""
    reserved_percent: float = 5.0
    """share of the blocks that only root may fill, in per cent"""
    inode_ratio: int | None = None
    """bytes of the file system per inode; None: mke2fs.conf's own by size"""
    quotas: tuple[Quota, ...] = ()
    """kinds of quota that the file system accounts from its first mount on; empty: no quota feature. With `project`
    inodes have a project id"""
    lazy_itable_init: bool | None = None
    """False: mkfs writes the inode tables before it ends; True: the kernel does in the background after the first
    mount; None: as mke2fs chooses, which is True on every kernel since 2.6.37"""
    lazy_journal_init: bool | None = None
    """False: mkfs overwrites the journal with zeros; True: it does not; None: as mke2fs.conf has it, mostly False"""
    inode_bytes: int | None = None
    """bytes of an inode; None: 256"""
    inodes: int | None = None
    """number of inodes, at least; None: by their ratio"""
    journal_bytes: int | None = None
    """bytes of the journal; None: by size"""
    flex_bg: int | None = None
    """groups whose tables are together; None: 16"""
    packed_meta_blocks: bool | None = None
    """True: all tables and the journal are at the beginning; None: spread over the file system"""
    features: tuple[Ext4Feature, ...] = ()
    """features of -O beyond those that every plan has"""


@dataclass(frozen=True, slots=True, kw_only=True)
class XfsOptions(Value):
    """Options of mkfs.xfs."""

    reflink: bool = True
    """files can share blocks (cp --reflink); costs reserved space for the reference counts"""
    rmapbt: bool = False
    """each block's owner is recorded, for online scrub and repair; costs about 1 % of the space and some writes"""
    bigtime: bool | None = None
    """timestamps until 2486 instead of 2038; None: as mkfs.xfs chooses, which is True since 5.15"""
    block_bytes: int = 4096
    """bytes of a block: 1024, 2048 or 4096"""
    sector_bytes: int | None = None
    """bytes of a sector, the least that it writes; None: the device's physical sector"""
    inode_bytes: int | None = None
    """bytes of an inode; None: 512"""
    finobt: bool | None = None
    """each group has a tree of its free inodes; None: yes"""
    inobtcount: bool | None = None
    """each group counts the blocks of its inode trees, which makes a mount faster; None: as finobt"""
    sparse: bool | None = None
    """inodes are allocated where no run for 64 of them is free, too; None: as mkfs.xfs chooses, which is True"""
    nrext64: bool | None = None
    """files may have more than 2^31 extents; None: as mkfs.xfs chooses, which is True since 6.5"""
    imaxpct: int | None = None
    """per cent of the space that inodes may take; None: by size"""
    agcount: int | None = None
    """number of allocation groups; None: by size"""
    agsize_bytes: int | None = None
    """bytes of an allocation group; None: by size"""
    log_bytes: int | None = None
    """bytes of the log; None: by size"""
    log_sunit_bytes: int | None = None
    """stripe unit of the log; None: the stripe unit, a block with sectors above 512 bytes"""
    directory_bytes: int | None = None
    """bytes of a directory's block; None: 4096"""
    cowextsize_blocks: int | None = None
    """blocks that a copy on write takes at least; None: the kernel's 32"""
    extszinherit_blocks: int | None = None
    """blocks that a growing file takes at least; None: no such hint"""


XFS_DEFAULTS = XfsOptions()
EXT4_DEFAULTS = Ext4Options()


@dataclass(frozen=True, slots=True, kw_only=True)
class MountOption(Value):
    """One option of mount(8)."""

    name: str
    """as the table of mount options spells it"""
    value: str = ""
    """behind the equals sign; empty for an option that has none"""

    @property
    def text(self) -> str:
        """As fstab has it."""
        return f"{self.name}={self.value}" if self.value else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSystemOptions(Value):
    """Options of the file system and of its mount. Those of the type that a design does not have stay unused."""

    xfs: XfsOptions = XFS_DEFAULTS
    """of mkfs.xfs"""
    ext4: Ext4Options = EXT4_DEFAULTS
    """of mkfs.ext4"""
    mount: tuple[MountOption, ...] = ()
    """of mount(8), beyond those that every plan has"""


DEFAULTS = FileSystemOptions()


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
    leave_bytes: int | None = None
    """room in front of them on each disk, from 1 MiB on, for partitions that are not the plan's, rounded up to whole
    MiB; None: none"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Encryption(Value):
    """LUKS2 between the arrays and the file systems."""

    layer: CryptLayer = "volume"
    """arrays: on each array, below the LVM volume that joins them; the same as volume where nothing joins them"""
    key_file: str = ""
    """absolute path of the file that opens it, now and at every boot: root's, readable by root alone, on another
    device; empty: a passphrase does, which is typed"""
    passphrase: bool | None = None
    """True: a passphrase opens it beside the key file, in a second key slot; None: only where there is no key file"""

    @property
    def asks(self) -> bool:
        """True if a build asks for a passphrase."""
        return bool(self.passphrase) or not self.key_file

    @property
    def slots(self) -> int:
        """Key slots of each volume."""
        return 2 if self.key_file and self.asks else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Design(Value):
    """The requested layout and options; the disks are a separate argument."""

    layout: Layout
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
    encryption: Encryption | None = None
    """None: nothing is encrypted"""
    journal: int | None = None
    """disks with nothing else on them that carry the write journal of each array, two as a mirror; None: no array has
    one"""

    @property
    def journal_disks(self) -> int:
        """Disks of write journals, of all arrays together; a trial measures without."""
        return 0 if self.trial is not None else (self.journal or 0) * self.layout.arrays

    @property
    def mirrors_journals(self) -> bool:
        """True if the write journal of each array is on a mirror of two disks."""
        return self.journal_disks > self.layout.arrays

    @property
    def disks(self) -> int:
        """Disks that it takes in all: members, spares, journals."""
        return self.layout.disks + self.journal_disks

    @property
    def logs(self) -> bool:
        """True if a log in place of the bitmap closes the write hole: of partial parity, or a write journal."""
        return self.ppl or self.journal_disks > 0

    @property
    def on_partitions(self) -> bool:
        """True if members are partitions, stated or because the layout cuts the disks."""
        return self.partitions is not None or self.layout.hybrid is not None

    @property
    def encrypts(self) -> bool:
        """True if a file system stands on LUKS2; a trial measures without."""
        return self.encryption is not None and self.fs != "none" and self.trial is None

    @property
    def typed_at_boot(self) -> bool:
        """True if a boot asks for the passphrase that opens what file systems stand on."""
        return self.encrypts and self.encryption is not None and not self.encryption.key_file

    @property
    def encrypts_arrays(self) -> bool:
        """True if LVM joins what is opened on each array, instead of the arrays."""
        joined = self.stack != "separate" and self.layout.arrays > 1
        return self.encrypts and joined and self.encryption is not None and self.encryption.layer == "arrays"

    @property
    def zeroes(self) -> bool:
        """True if zeroes on all members stand for the first sync; a trial states its own."""
        return self.first_sync == "zeroes" and self.trial is None

    def of_array(self, number: int) -> Design:
        """The design of array `number` alone where the arrays of a layout differ in level; else this one."""
        if self.layout.hybrid is None:
            return self
        alone = Layout.joined(self.layout.shapes[number : number + 1], self.layout.spares)
        return replace(self, layout=alone, partitions=Partitions())

    @property
    def options(self) -> FileSystemOptions:
        """`fs_options`, or the defaults."""
        return self.fs_options or DEFAULTS


def stated_first_sync(asked: FirstSync | None) -> FirstSync | None:
    """What a design states of `asked`: resync is md's own and not stated."""
    return None if asked == "resync" else asked


# Who hears of a failed disk: what a plan writes into mdadm.conf for mdadm --monitor.


_MAIL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}(?:@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?)?")
_PROGRAM = re.compile(r"(?:/[A-Za-z0-9_][A-Za-z0-9._+-]*)+")
_LONGEST_PATH = 200
_GONE_AT_BOOT = ("/dev/", "/proc/", "/run/", "/sys/", "/tmp/", "/var/run/")
"""directories in memory, or emptied at a boot"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert(Value):
    """Recipient of mdadm's alarms; at least one of both."""

    mail: str = ""
    """MAILADDR: one address, or the name of a local user; empty: root"""
    program: str = ""
    """PROGRAM: absolute path of what mdadm starts with event, array and member; empty: none"""


def key_file_problem(encryption: Encryption) -> str:
    """Why this key file may not go into crypttab; empty if it may."""
    path = encryption.key_file
    if path and (not _PROGRAM.fullmatch(path) or len(path) > _LONGEST_PATH):
        return f"'{path}' is not the path of a key file: expected an absolute path of letters, digits, . _ + -"
    if path.startswith(_GONE_AT_BOOT):
        return f"{path} is gone after a reboot, and with it the key"
    return ""


NOBODY = Alert()
"""no recipient of the plan's own"""


def problem_of(alert: Alert) -> str:
    """Why these words may not go into mdadm.conf; empty if they may."""
    if alert.mail and not _MAIL.fullmatch(alert.mail):
        return f"'{alert.mail}' is not a mail address: expected one such as storage@example.org, or a user's name"
    if alert.program and (not _PROGRAM.fullmatch(alert.program) or len(alert.program) > _LONGEST_PATH):
        return f"'{alert.program}' is not the path of a program: expected an absolute path of letters, digits, . _ + -"
    return ""
