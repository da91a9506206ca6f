"""Acts on arrays that exist: a member is replaced, an array is extended; what is done, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from raidtui.values.codec import document_digest
from raidtui.values.codec_rules import Value
from raidtui.values.findings import Finding
from raidtui.values.location import DiskIdentity
from raidtui.values.plan import PlanArray, PlanDisk, Step

ReplacementWay = Literal["copy", "rebuild", "spare", "journal"]
"""copy: the old member works until the new one has taken its place. rebuild: the old one is gone or faulty. spare: a
spare has taken its place already, the new disk becomes the spare. journal: the new disk becomes the write journal"""


@dataclass(frozen=True, slots=True)
class ActOnArrays(Value):
    """What a replacement and an extension have in common: they change arrays that are in use."""

    ESTIMATES: ClassVar[Mapping[str, object]] = {}
    """fields that the digest does not cover, since nothing that is done depends on them, and what stands there then"""

    @property
    def digest(self) -> str:
        """SHA-256 of what is confirmed."""
        raise NotImplementedError

    @property
    def run_id(self) -> str:
        """Names its directory."""
        return self.digest[:32]

    @property
    def volumes(self) -> Mapping[str, str]:
        """Device-mapper name of each volume that it extends, by its path."""
        return {}

    @property
    def lives(self) -> bool:
        """True: the arrays are in use meanwhile."""
        return True


def digest_of(act: ActOnArrays) -> str:
    """The digest of array, disks and commands: of what is confirmed."""
    return document_digest(replace(act, **act.ESTIMATES))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacementDisk(DiskIdentity):
    """A disk as an admin finds it."""

    device: str
    """kernel name of it or of its partition that is the member; empty for one that is gone"""
    path: str
    """the stable path that commands use; empty for one that is gone"""
    bay: str | None = None
    """slot of the enclosure"""
    size_bytes: int | None = None
    """of the disk"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement(ActOnArrays):
    """The answer of `raidtui replace`: what there is to do, in order. `digest` confirms it."""

    ESTIMATES: ClassVar[Mapping[str, object]] = {
        "hours": None, "least_hours": None, "most_hours": None, "candidates": (), "findings": (),
    }  # fmt: skip

    schema: Literal["raidtui/replacement/1"] = "raidtui/replacement/1"
    """format of this document"""
    host: str
    """host name of the machine"""
    simulated: bool
    """True when no such disks are attached here"""
    array: str
    """kernel name"""
    uuid: str
    """of the array, in md's form"""
    level: str
    """of the array"""
    also: tuple[str, ...] = ()
    """kernel names of the other arrays with a partition of the disk as a member, which get theirs after it"""
    way: ReplacementWay
    """how it goes in this array"""
    old: ReplacementDisk | None = None
    """the member that goes; None where a spare has its place"""
    slot: int | None = None
    """its place in the array"""
    new: ReplacementDisk | None = None
    """the disk that comes; None while none is chosen"""
    candidates: tuple[str, ...]
    """identities of the blank disks that would fit"""
    needed_bytes: int
    """least size of the device that takes the place"""
    survives: int | None = None
    """failures of further members, whichever they are, that the array survives meanwhile; None: it depends on which"""
    hours: float | None = None
    """expected, with half of the members' time; None where the layout is none that raidtui predicts"""
    least_hours: float | None = None
    """with no other load"""
    most_hours: float | None = None
    """with a third of the members' time"""
    disks: tuple[PlanDisk, ...] = ()
    """the disk that comes, by identity: it is written to"""
    arrays: tuple[PlanArray, ...] = ()
    """the arrays, by UUID"""
    members: tuple[str, ...] = ()
    """paths of the members that leave them"""
    steps: tuple[Step, ...]
    """in order; none where a finding is an error"""
    findings: tuple[Finding, ...]
    """with an error it cannot be done so"""
    digest: str = ""
    """SHA-256 of array, disks and commands: what is confirmed"""

    @property
    def purpose(self) -> Literal["replace"]:
        """What its run is for."""
        return "replace"

    @property
    def noun(self) -> str:
        """What it is called in a sentence."""
        return "replacement"


# How an array that exists is extended: a spare, a bitmap, larger members used to their end, or another shape.


ExtensionKind = Literal["spare", "bitmap", "grow", "shelf", "reshape"]
"""shelf: further arrays for its volume; reshape: the commands are printed, raidtui does not carry them out"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtendedVolume(Value):
    """A logical volume that is extended."""

    path: str
    """its device"""
    mapped: str
    """its device-mapper name"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionFigures(Value):
    """The array and what is on it, before or after."""

    array_bytes: int
    """of the array, of a shelf of all arrays below the volume"""
    volume_bytes: int | None = None
    """of the logical volume on it; None where there is none, or it is not extended"""
    filesystem_bytes: int | None = None
    """as statfs(2) shows it: without the log of XFS; None where there is none, it is not grown, or not predicted"""
    spares: int
    """of the array"""
    read_bytes_per_s: float | None = None
    """in sequence, of the slower part of a volume; None where the layout is none that raidtui predicts"""
    write_bytes_per_s: float | None = None
    """in sequence"""
    rebuild_hours: float | None = None
    """with half of the members' time"""
    annual_loss: float | None = None
    """probability that data is lost within a year"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension(ActOnArrays):
    """The answer of `raidtui extend`: what there is to do, in order. `digest` confirms it."""

    ESTIMATES: ClassVar[Mapping[str, object]] = {
        "what": (), "before": ExtensionFigures(array_bytes=0, spares=0),
        "after": ExtensionFigures(array_bytes=0, spares=0), "hours": None, "most_hours": None, "findings": (),
    }  # fmt: skip

    schema: Literal["raidtui/extension/1"] = "raidtui/extension/1"
    """format of this document"""
    host: str
    """host name of the machine"""
    simulated: bool
    """True when no such disks are attached here"""
    kind: ExtensionKind
    """what is extended"""
    what: tuple[str, ...] = ()
    """the words that were asked with it: a disk, a bitmap, arrays, a layout"""
    array: str
    """kernel name"""
    uuid: str
    """of the array, in md's form"""
    level: str
    """of the array"""
    before: ExtensionFigures
    """now"""
    after: ExtensionFigures
    """when it is done"""
    hours: float | None = None
    """of the sync or the reshape that it takes, on idle disks; None: none, or not known"""
    most_hours: float | None = None
    """with a third of the members' time, or the slowest that was measured"""
    disks: tuple[PlanDisk, ...] = ()
    """disks that it adds, by identity"""
    arrays: tuple[PlanArray, ...] = ()
    """arrays that commands name, by UUID"""
    volume: ExtendedVolume | None = None
    """None where none is extended"""
    steps: tuple[Step, ...]
    """in order; none where a finding is an error"""
    findings: tuple[Finding, ...]
    """with an error it cannot be done so"""
    digest: str = ""
    """SHA-256 of array, figures that commands depend on, and steps: what is confirmed"""

    @property
    def purpose(self) -> Literal["extend"]:
        """What its run is for."""
        return "extend"

    @property
    def noun(self) -> str:
        """What it is called in a sentence."""
        return "extension"

    @property
    def members(self) -> tuple[str, ...]:
        """None: no member leaves its array."""
        return ()

    @property
    def volumes(self) -> Mapping[str, str]:
        """Device-mapper name of the volume, by its path."""
        return {} if self.volume is None else {self.volume.path: self.volume.mapped}
