"""What the rules of the audit go by, and how they say what they found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from raidtui.advice.arrays.known import observed_arrays
from raidtui.advice.arrays.state import layout_of
from raidtui.advice.boot.next_boot import check_boot
from raidtui.advice.inferred_design import InferredDesign, NotALayout
from raidtui.programs.cryptsetup import CrypttabLine
from raidtui.values.arrays import AuditFinding, KnownBy, ObservedArray, ObservedArrays, OnArray, Unchecked
from raidtui.values.choices import Initramfs
from raidtui.values.facts import Boot
from raidtui.values.findings import Finding, Severity
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import REDUNDANT
from raidtui.values.plan import Plan

Said = Iterator[AuditFinding | Unchecked]
Recovery = Literal["limited", "unlimited", "none", "not-asked", "unknown"]
"""unlimited: SCT error recovery is off; none: the disk has no such setting; not-asked: no SATA disk"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskSettings:
    """How a disk and the kernel deal with a sector that cannot be read."""

    timeout_s: int | None
    """seconds that the kernel waits for a command (sd: device/timeout); None where it has no such limit"""
    recovery: Recovery
    """the disk's own limit on error recovery"""
    recovery_s: float | None = None
    """that limit for reads"""
    why: str = ""
    """why it is unknown"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSystemStripe:
    """The stripe that a file system goes by: of a mounted one what its mount shows, else of its superblock."""

    device: str
    """kernel name"""
    path: str
    """as an admin writes it: /dev/md0, /dev/mapper/vg-lv; raw"""
    kind: str
    """xfs or ext4"""
    point: str
    """mount point, raw; empty where it is not mounted"""
    unit_bytes: int | None = None
    """XFS: bytes of the stripe unit; None: none"""
    width: int | None = None
    """XFS: bytes of a full stripe, ext4: its blocks; None: none"""
    why: str = ""
    """why that could not be read; empty where it was"""

    @property
    def shown(self) -> str:
        """What findings call it: the mount point, else the device; raw."""
        return self.point or self.path


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFile:
    """A file that opens an encrypted volume, or saves its header."""

    path: str
    """raw"""
    there: bool = False
    """it exists"""
    only_roots: bool = True
    """it is root's, and nobody else can read or change it"""
    inside: bool = False
    """it is on a file system that stands on that volume"""
    why: str = ""
    """why that could not be read; empty where it was"""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncryptedVolume:
    """A LUKS volume on an array."""

    on: ObservedArray
    device: OnArray
    """the device with the header"""
    line: CrypttabLine | None = None
    """its line of crypttab"""
    key: KeptFile | None = None
    """the key file that this line names; None: it names none, or one on another device"""
    backup: KeptFile | None = None
    """copy of the header that a plan of raidtui made; None: no run that is known made it"""
    sector_bytes: int | None = None
    """that are encrypted as one; None: not known, or LUKS1"""
    offset_bytes: int = 0
    """where its data starts"""
    why: str = ""
    """why the header could not be read; empty where it was"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFacts:
    """Everything that was read for an audit."""

    seen: ObservedArrays
    inventory: Inventory
    kernel: str
    """release of the running kernel; empty where it is not known"""
    kernels: tuple[str, ...]
    """releases of the kernels in /boot"""
    checks: KnownBy
    """whether something starts a check of the arrays from time to time"""
    alerts: KnownBy
    """whether somebody gets mdadm's alerts"""
    shared_spares: bool | None
    """whether ARRAY lines of mdadm.conf have spare groups; None: it was not read"""
    disks: dict[str, DiskSettings] = field(default_factory=dict)
    """by kernel name, of the members' disks"""
    caches: dict[str, int | None] = field(default_factory=dict)
    """pages of the stripe cache by array; None: it has none, or it could not be read"""
    read_ahead: dict[str, int | None] = field(default_factory=dict)
    """KiB by array"""
    stripes: tuple[FileSystemStripe, ...] = ()
    """file systems on arrays"""
    encrypted: tuple[EncryptedVolume, ...] = ()
    """LUKS volumes on arrays"""
    plans: tuple[Plan, ...] = ()
    """plans that raidtui built here"""
    family: Initramfs = "debian"
    """what rebuilds the initramfs"""
    boot: Boot | str = "it was not looked at"
    """what the next boot goes by; why that could not be read"""

    @property
    def running(self) -> tuple[ObservedArray, ...]:
        """Arrays on disks that run, containers left out."""
        return tuple(each for each in self.seen.arrays if each.size_bytes and "container" not in each.states)

    @property
    def redundant(self) -> tuple[ObservedArray, ...]:
        """Those of them that survive a failure when whole."""
        return tuple(each for each in self.running if each.level in REDUNDANT and each.devices != 1)

    @property
    def at_boot(self) -> tuple[Finding, ...]:
        """What the next boot would make of the arrays; nothing where that was not read."""
        if isinstance(self.boot, str):
            return ()
        return tuple(check_boot(observed_arrays(self.seen, self.inventory, self.family), self.boot))

    def disks_of(self, array: ObservedArray) -> tuple[Disk, ...]:
        """Disks of its working members."""
        names = {member.disk for member in array.members if member.state in ("in-sync", "rebuilding")}
        return tuple(disk for disk in self.inventory.disks if disk.kernel_name in names)

    def built(self, array: ObservedArray) -> InferredDesign | NotALayout:
        """The design that would make it, or why there is none."""
        return layout_of(array, self.seen.arrays, self.inventory)


def found(severity: Severity, code: str, subject: str, evidence: str, consequence: str, way_out: str) -> AuditFinding:
    """What a rule found."""
    return AuditFinding(
        severity=severity, code=code, subject=subject, evidence=evidence, consequence=consequence, way_out=way_out
    )


def unknown(code: str, subject: str, why: str) -> Unchecked:
    """That a rule could not be applied."""
    return Unchecked(code=code, subject=subject, why=why)
