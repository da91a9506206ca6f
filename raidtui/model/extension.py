"""How an array that exists is extended: a spare, a bitmap, larger members used to their end, or another shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import Value
from raidtui.model.finding import Finding
from raidtui.model.plan import PlanArray, PlanDisk, Step

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
class Extension(Value):
    """The answer of `raidtui extend`: what there is to do, in order. `digest` confirms it."""

    schema: Literal["raidtui/extension/1"] = "raidtui/extension/1"
    """format of this document"""
    host: str
    """host name of the machine"""
    simulated: bool
    """True when no such disks are attached here"""
    kind: ExtensionKind
    """what is extended"""
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
    def run_id(self) -> str:
        """Names its directory."""
        return self.digest[:32]

    @property
    def members(self) -> tuple[str, ...]:
        """None: no member leaves its array."""
        return ()

    @property
    def volumes(self) -> Mapping[str, str]:
        """Device-mapper name of the volume, by its path."""
        return {} if self.volume is None else {self.volume.path: self.volume.mapped}

    @property
    def lives(self) -> bool:
        """True: the array is in use meanwhile."""
        return True
