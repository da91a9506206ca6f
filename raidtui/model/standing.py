"""Survey of a plan's arrays: file systems with their content, and everything that is not the plan's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import Value

ForeignKind = Literal[
    "logical-volume", "snapshot", "physical-volume", "volume-group", "luks", "swap", "file-system", "array",
    "partition", "loop", "device-mapper", "export", "mount", "namespace", "opener", "array-changed", "member", "path",
    "link", "data", "beside", "lines", "not roots", "unreadable",
]  # fmt: skip
"""logical-volume, snapshot: another one in the volume group of the plan; physical-volume: one in our group that is not
ours, or one of ours in another group; volume-group: of others, on our device; luks, swap, file-system, array: content
of that kind which the plan did not make; partition: a partition or a table; loop, device-mapper, export: a loop device,
a device-mapper or other block device, an LIO or NVMe target that uses ours; mount: mounted at another place, or hidden
by another mount; namespace: mounted in another mount namespace; opener: open without a user that was found;
array-changed: grown, reshaped or renamed; member: a device in our array that is not of the plan; path: a single path to
a multipath disk of the plan in its place; link: the path of a disk of the plan does not lead to it; data: bytes without
a signature; beside: on a disk of the plan, beside its superblock; lines: the plan's lines in a file that others write
too, which are not as they were written; not roots: a file that the undo writes, or a
mount point, which is not root's alone; unreadable: a question without an answer"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign(Value):
    """Something on a device of the plan that the plan did not make; it forbids taking the plan back."""

    kind: ForeignKind
    """what it is"""
    device: str
    """the device or file that it is on, by the plan's path; empty when it is about the machine"""
    owner: str
    """its name: volume, group, mount point, process, array, signature with its offset; or why nothing could be read"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSystemSeen(Value):
    """A file system that the plan made, as it is now."""

    device: str
    """its block device, by the plan's path"""
    uuid: str
    """its UUID, which is the plan's"""
    type: str
    """xfs or ext4"""
    mount_point: str = ""
    """where it is mounted; empty when it is not mounted"""
    used_bytes: int | None = None
    """bytes in use as df shows them, metadata included; None when unknown"""
    files: int | None = None
    """inodes in use beyond those of a fresh file system: files, directories and links, also deleted ones that are
    still open; None when unknown"""
    at_least: bool = False
    """True when it was not unmounted cleanly: its superblock may count less than its log holds"""
    names: tuple[str, ...] = ()
    """first names in its top directory, at most eight, harmless; empty when it is not mounted"""
    entries: int = 0
    """all names in its top directory but lost+found; 0 when it is not mounted"""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsignedData(Value):
    """Data without a signature on an array or volume of the plan that runs; its owner is unknown."""

    device: str
    """the array or volume, by the plan's path"""
    at: int
    """where a place that is read holds it, bytes from the start"""

    def __str__(self) -> str:
        return f"{self.device}: data without a signature at byte {self.at}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing(Value):
    """One survey of the content and users of a plan's arrays."""

    filesystems: tuple[FileSystemSeen, ...] = ()
    """file systems of the plan that exist now"""
    unseen: tuple[str, ...] = ()
    """arrays and volumes of the plan that exist but do not run: what is on them cannot be read"""
    held: tuple[UnsignedData, ...] = ()
    """arrays and volumes of the plan that run without a signature and hold something between their ends"""
    foreign: tuple[Foreign, ...] = ()
    """everything that is not of the plan"""
    kept: tuple[str, ...] = ()
    """sentences about disks of the plan without its superblock that hold something or are not here: left as they are"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedLoss(Value):
    """What a person gave up before an undo was started; the executor finds nothing more than that, or refuses."""

    digest: str
    """digest of the plan"""
    standing: Standing
    """what the page showed"""
