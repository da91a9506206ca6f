"""An inventory: every disk of a machine, a shipped chassis or a purchase that is not made yet."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from raidtui.values.codec_rules import Value
from raidtui.values.paths import BY_ID_LINKS, BY_PATH_LINKS
from raidtui.values.speed import MachineFigures
from raidtui.values.target import TargetVersions
from raidtui.values.units import MOST_RATE

ContentState = Literal["blank", "content", "unknown"]
Origin = Literal["machine", "chassis", "purchase"]
BY_PATH = "path-"
"""begins the identity of a disk that is known by its link under /dev/disk/by-path alone"""
UseKind = Literal[
    "mounted", "swap", "holder", "md-member", "lvm-pv", "zfs", "bcache", "dm-crypt", "multipath",
    "partition-table", "file-system", "signature", "data", "read-only", "locked", "exclusive",
    "loop", "exported", "open", "system", "unclear",
]  # fmt: skip
LinkKind = Literal["port-multiplier", "expander", "cable"]
PathState = Literal["active", "failed", "offline"]
UNSIGNED_MIDDLE = "bytes between its zero ends that no known signature explains"
"""owner of a use of kind `data` where both ends of a disk are zero"""
INVENTORY_SCHEMA = "raidtui/inventory/1"


def wwn_digits(wwn: str | None) -> str:
    """The digits of a world-wide name in whatever form, such as 5000c50012345678; empty where there is none."""
    plain = (wwn or "").lower()
    return next((plain.removeprefix(form) for form in ("0x", "eui.", "uuid.", "naa.") if plain.startswith(form)), plain)


def sanitised(text: str) -> str:
    """`text` as udev writes it into a by-id link: blanks become one underscore, odd characters too (udev-util.c)."""
    return re.sub(r"[^A-Za-z0-9#+.:=@_-]", "_", re.sub(r"\s+", "_", text.strip()))


def own_wwn(identity: str, wwn: str | None, serial: str | None) -> str | None:
    """`wwn` where it is the disk's own; None where the disk is known by its serial number instead.

    Then other disks report that name too, or it is none that the manufacturer must make unique.
    """
    by_serial = bool(serial) and sanitised(serial or "") in identity and wwn_digits(wwn) not in identity.lower()
    return None if by_serial else wwn


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature(Value):
    """What identifies content: a file system, a member of something, a partition table."""

    type: str
    """libblkid's word, such as ext4 or linux_raid_member; our own read gives gpt-backup, and ext for all ext"""
    label: str | None = None
    """its label; name of an array, volume group or pool; raw"""
    uuid: str | None = None
    """its UUID, or that of what it is a member of, raw"""

    def __str__(self) -> str:
        """`ext4 notes 0146...`."""
        return " ".join(part for part in (self.type, self.label, self.uuid) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Use(Value):
    """One reason why a disk is in use or not blank."""

    kind: UseKind
    """what sort of use; `data` is bytes that no known signature explains, `open` a process that can write to it,
    `system` what the running system stands on, `unclear` what could not be read of it or contradicts itself"""
    where: str
    """the owner: mount point, array, volume group, holder, partition; raw text of the machine"""
    active: bool
    """True when something holds it now (never overridable); False for what is merely left on it"""
    partition: int | None = None
    """number of the disk's partition that this is, or is on; None on the whole disk"""
    signature: Signature | None = None
    """what identifies it; None for what holds the disk, a partition, or bytes without a signature"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskContent(Value):
    """Content of an unused disk, described independently of the disk's kernel name."""

    kind: UseKind
    """what sort of content: what is given up is given up by it"""
    where: str
    """its owner or signature, raw; empty for a partition"""
    partition: int | None = None
    """number of the partition that it is, or is on; None on the whole disk"""
    signature: Signature | None = None
    """what identifies it; None for a partition, or bytes without a signature"""

    def __str__(self) -> str:
        """`file-system partition 1 ext4 notes 0146...`."""
        place = f"partition {self.partition}" if self.partition is not None else ""
        return " ".join(part for part in (self.kind, place, self.where) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedBy(Value):
    """A process that has a disk open, or something on it."""

    process: int
    """its id"""
    command: str
    """its name, raw"""
    device: str
    """kernel name of what it has open: the disk, a partition, an array or volume on it"""
    writing: bool
    """opened for writing: then the disk is in use"""
    elsewhere: bool = False
    """it runs in another mount or pid namespace, such as a container"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled(Value):
    """What was read between the two ends of a disk, one MiB each, that are zero."""

    places: int
    """places of 4096 bytes that were read"""
    not_zero: int
    """places that hold something"""
    first_offset: int | None = None
    """where the first of those is, bytes from the start; None when all are zero"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Smart(Value):
    """Health reported by the drive (smartctl --json, nvme)."""

    healthy: bool | None = None
    """the drive's overall verdict"""
    hours: int | None = None
    """power-on hours"""
    reallocated: int | None = None
    """sectors the drive replaced (ATA attribute 5, SCSI grown defects, NVMe media errors)"""
    temperature_c: int | None = None
    """degrees Celsius"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredSpeed(Value):
    """Speed measured by reading an otherwise idle disk."""

    outer_bytes_per_s: int
    """sequential read at the start of the disk"""
    inner_bytes_per_s: int | None = None
    """sequential read at its end; None where only its start was read, by a benchmark"""
    day: str
    """when, as 2026-01-31"""
    middle_bytes_per_s: int | None = None
    """sequential read half-way; None where it was not read"""
    error: float = 1.0
    """nine of ten repetitions of the sequential figures lie within this factor; 1 where that was not determined"""
    read_iops: int | None = None
    """random reads of 4 KiB over the whole disk, per second; None where they were not measured"""
    iops_at_least: bool = False
    """True where the program that asked, not the disk, set that rate"""
    iops_error: float = 1.0
    """the same factor for random reads"""
    depth: int | None = None
    """requests in flight in them"""
    kernel: str = ""
    """kernel release it was measured under"""
    firmware: str | None = None
    """the drive's firmware then"""
    controller: str | None = None
    """PCI address of its controller then"""
    changed: str = ""
    """what is different now, in words; empty where nothing is, and in the stored file"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(Value):
    """Where a disk sits; a field is None where the driver hides it."""

    controller: str | None = None
    """PCI address of the controller, a key into `Inventory.controllers`"""
    expander: str | None = None
    """SAS expander or SATA port multiplier behind the controller"""
    port: str | None = None
    """controller port or expander phy"""
    enclosure: str | None = None
    """enclosure's logical identity"""
    slot: str | None = None
    """bay in the enclosure, as SES or the chassis names it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskPath(Value):
    """One path of a multipath map: a device of its own to the kernel, never written singly."""

    kernel_name: str
    """sdX, display only"""
    hctl: str | None = None
    """SCSI host:channel:target:lun"""
    state: PathState | None = None
    """failed: device-mapper sends nothing over it; offline: the kernel's SCSI device is not running; None: not known"""
    used: bool | None = None
    """True in the group of paths that requests go to, False in one that stands by; None: not known"""
    place: Place = Place()
    """where it leads along"""
    link_bits_per_s: int | None = None
    """negotiated link speed"""

    @property
    def works(self) -> bool:
        """True unless it is known to have failed."""
        return self.state in ("active", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Multipath(Value):
    """The map of dm-multipath through which a disk is used, with its paths."""

    name: str
    """device-mapper name, raw; another boot or host may give another"""
    paths: tuple[DiskPath, ...]
    """by kernel name"""
    policy: str | None = None
    """path selector, such as service-time; None: not known"""

    @property
    def carrying(self) -> tuple[DiskPath, ...]:
        """Paths that requests go to: those that work, of the group that is used."""
        return tuple(path for path in self.paths if path.works and path.used is not False)

    @property
    def working(self) -> tuple[DiskPath, ...]:
        """Paths that work, of all groups."""
        return tuple(path for path in self.paths if path.works)


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller(Value):
    """One host bus adapter or drive controller."""

    pci: str
    """PCI address, such as 0000:03:00.0"""
    driver: str | None = None
    """kernel driver"""
    name: str | None = None
    """model in words, where known"""
    pcie_speed_gts: float | None = None
    """PCIe link speed now, gigatransfers per second per lane"""
    pcie_width: int | None = None
    """PCIe lanes now"""
    pcie_max_speed_gts: float | None = None
    """PCIe link speed at most"""
    pcie_max_width: int | None = None
    """PCIe lanes at most"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link(Value):
    """What several disks share on the way to their controller."""

    name: str
    """the expander or port multiplier it leads up from, as `Place.expander` names it; a controller's for its cables"""
    kind: LinkKind
    """what is at its lower end"""
    lanes: int | None = None
    """lanes that are up; None where the driver hides them"""
    bits_per_s: int | None = None
    """line rate of one lane as negotiated; None where the driver hides it"""
    above: str | None = None
    """name of the expander it leads to; None where that is the controller"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lun(Value):
    """Geometry of a LUN that a hardware controller makes of drives the system does not see, as the admin states it."""

    data: int
    """drives' worth of data in a full stripe"""
    parity: int
    """drives' worth of parity: 0 (a stripe), 1 or 2"""
    chunk_bytes: int
    """bytes on one drive before the next; controllers call it segment or strip"""
    drive_bytes_per_s: int | None = None
    """sequential rate of one drive at its outer zone; None: that of its class"""

    @property
    def full_stripe_bytes(self) -> int:
        """Data in one full stripe."""
        return self.data * self.chunk_bytes

    @property
    def shape(self) -> tuple[int, int, int]:
        """Data, parity and chunk: what a file system is aligned to."""
        return self.data, self.parity, self.chunk_bytes

    @property
    def out_of_range(self) -> str:
        """What no controller makes of it, as `name: value is out of range`; empty if all is possible."""
        rate = self.drive_bytes_per_s
        for name, value, least, most in (
            ("data drives", self.data, 1, 256),
            ("parity drives", self.parity, 0, 2),
            ("chunk", self.chunk_bytes, 4096, 64 * 1024 * 1024),
            ("drive rate", 1 if rate is None else rate, 1, MOST_RATE),
        ):
            if not least <= value <= most:
                return f"{name}: {value} is out of range: {least} to {most}"
        return "" if self.chunk_bytes % 4096 == 0 else f"chunk: {self.chunk_bytes} is not a multiple of 4096"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk(Value):
    """One disk, named by what it is, never by where the kernel put it today."""

    id: str
    """identity: `wwn-0x...`, `eui...`, or `MODEL_SERIAL` where no world-wide name is its own; empty when it has none"""
    size_bytes: int
    """capacity"""
    logical_sector_bytes: int = 512
    """smallest addressable unit"""
    physical_sector_bytes: int = 512
    """smallest unit written without read-modify-write"""
    nominal_size: str = ""
    """size as it was written, where that was no whole number of sectors and was rounded down to `size_bytes`"""
    kernel_name: str = ""
    """sdX or nvmeXnY: display only, it may differ after a reboot"""
    wwn: str | None = None
    """world-wide name, EUI-64 or NGUID, as the disk reports it; others may report the same"""
    serial: str | None = None
    """serial number, raw"""
    vendor: str | None = None
    """vendor string, raw"""
    model: str | None = None
    """model string, raw"""
    firmware: str | None = None
    """firmware revision, raw"""
    by_id: tuple[str, ...] = ()
    """links under /dev/disk/by-id, best first; commands use the first"""
    by_path: str | None = None
    """link under /dev/disk/by-path"""
    rotational: bool | None = None
    """True for spinning disks, False for flash"""
    rpm: int | None = None
    """revolutions per minute"""
    smr: bool = False
    """True if it is said to be shingled and to manage that itself: it writes over old data far more slowly"""
    transport: str | None = None
    """sas, sata, nvme, usb, virtio, ...: of its controller; see `ata`"""
    ata: bool = False
    """udev asked it as an ATA disk, also behind a SAS controller or a USB bridge"""
    link_bits_per_s: int | None = None
    """negotiated link speed"""
    zoned: str = "none"
    """none, host-aware or host-managed"""
    hctl: str | None = None
    """SCSI host:channel:target:lun"""
    write_zeroes_max_bytes: int | None = None
    """most that one Write Zeroes takes (queue/write_zeroes_max_bytes); 0: it has none; None: not known"""
    optimal_io_bytes: int = 0
    """optimal I/O size the disk reports; md and mkfs multiply it into their own unless told otherwise"""
    place: Place = Place()
    """where it sits"""
    smart: Smart | None = None
    """its health; None when not read"""
    state: ContentState = "unknown"
    """blank only when the kernel, udev and our own read of both ends and of places between them agree; unknown is never
    blank"""
    uses: tuple[Use, ...] = ()
    """every reason why it is in use or not blank"""
    partitions: tuple[int, ...] = ()
    """numbers of the partitions that the kernel shows on it"""
    protected: bool = False
    """True if the running system uses it; there is no override"""
    not_selectable: str | None = None
    """why nothing may be built on it (in use, no identity, identity not unique, zoned); None when it may be chosen"""
    sequential_bytes_per_s: int | None = None
    """known sequential speed at the outer zone"""
    measured: MeasuredSpeed | None = None
    """its speed as raidtui measured it on this machine; None when it never did"""
    bsd_locked: bool = False
    """True when another process holds an advisory lock on the device"""
    fingerprint: str = ""
    """hash of its first and last MiB; empty when every byte there is zero or they were not read"""
    opened_by: tuple[OpenedBy, ...] = ()
    """processes that have it open, except this one; a process that only reads does not hold it"""
    sampled: Sampled | None = None
    """what was read between its ends; None where one of them is not zero, or nothing was read"""
    lun: Lun | None = None
    """its geometry where it is a LUN behind a hardware controller, as stated; None for a disk, and where not stated"""
    multipath: Multipath | None = None
    """its map and paths where dm-multipath joins several; None for a disk with one path"""

    @property
    def speaks_ata(self) -> bool:
        """True for an ATA disk, also where a SAS controller translates: it then reports the vendor ATA (SAT)."""
        return self.ata or self.transport in ("ata", "sata") or (self.vendor or "").strip() == "ATA"

    @property
    def own_wwn(self) -> str | None:
        """Its world-wide name unless other disks report that too."""
        return own_wwn(self.id, self.wwn, self.serial)

    @property
    def sectors(self) -> int:
        """Capacity in 512-byte sectors, rounded down."""
        return self.size_bytes // 512

    @property
    def unsigned(self) -> bool:
        """True when both ends are zero and nothing carries a signature: blank, or only bytes between the ends."""
        if self.state == "blank":
            return True
        between = all(use.kind == "data" and not use.active and use.partition is None for use in self.uses)
        return self.state == "content" and bool(self.uses) and between and not self.fingerprint and not self.partitions

    @property
    def ways(self) -> tuple[Disk, ...]:
        """The disk at the place of each path that requests go to; itself where it has one path."""
        carrying = self.multipath.carrying if self.multipath else ()
        return tuple(
            replace(self, place=path.place, link_bits_per_s=path.link_bits_per_s, multipath=None) for path in carrying
        ) or (self,)

    @property
    def selectable(self) -> bool:
        """True when an array may be planned on it."""
        return self.not_selectable is None

    @property
    def path(self) -> str:
        """The stable device path that commands use; empty when the disk has none."""
        if self.bound_by_path:
            return f"{BY_PATH_LINKS}{self.by_path}"
        return f"{BY_ID_LINKS}{self.by_id[0]}" if self.by_id else ""

    @property
    def bound_by_path(self) -> bool:
        """True where the identity is only the place at which the disk is attached."""
        return bool(self.by_path) and self.id == f"{BY_PATH}{self.by_path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LackingArray(Value):
    """An md array of the machine that lacks members, failed or does not run; `raidtui arrays` reads it whole."""

    name: str
    """kernel name"""
    level: str = ""
    """raid5; empty where it does not run"""
    devices: int | None = None
    """members that it has when whole; None where it does not run, or failed without a count"""
    lacks: int | None = None
    """members that do not work now; None as of `devices`"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory(Value):
    """Every disk that was found, and what could not be read."""

    schema: Literal["raidtui/inventory/1"] = "raidtui/inventory/1"
    """format of this document"""
    origin: Origin
    """a real machine, a shipped simulated chassis, or a purchase that is not made yet"""
    name: str
    """host name, or name of the chassis"""
    title: str = ""
    """one line about it"""
    machine_id: str | None = None
    """/etc/machine-id; None off a real machine"""
    controllers: tuple[Controller, ...] = ()
    """controllers that disks hang on"""
    links: tuple[Link, ...] = ()
    """links between controllers and disks that several disks share"""
    disks: tuple[Disk, ...] = ()
    """in the order that members are taken"""
    target: TargetVersions | None = None
    """versions of its kernel, mdadm and mkfs; None off a real machine"""
    unread: tuple[str, ...] = ()
    """what could not be read, and what it would take to read it"""
    users_unread: bool = False
    """True where not all users of the disks could be read, so that none may be chosen"""
    lacking: tuple[LackingArray, ...] = ()
    """md arrays that lack members or do not run"""
    figures: MachineFigures | None = None
    """what raidtui measured on this machine beside its disks; None where it never did"""

    @property
    def simulated(self) -> bool:
        """True when no such disks are attached here."""
        return self.origin != "machine"

    @property
    def free(self) -> tuple[Disk, ...]:
        """Disks that an array may be planned on and that hold nothing."""
        return tuple(disk for disk in self.disks if disk.selectable and disk.state == "blank")

    @property
    def unmeasured(self) -> Inventory:
        """This inventory as if nothing had been measured."""
        disks = tuple(replace(disk, measured=None) if disk.measured else disk for disk in self.disks)
        return replace(self, disks=disks, figures=None)
