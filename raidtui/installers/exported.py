"""An export: a plan written for an installer, with each attribute of the plan that it carries or loses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.values.choices import ExportFormat
from raidtui.values.codec_rules import Value

Attribute = Literal[
    "level", "members", "member order", "member device", "spares", "chunk", "layout", "bitmap", "metadata version",
    "array UUID", "array name", "size and data offset", "first sync", "spare group", "volume", "extent size",
    "mkfs options", "file system UUID", "mount", "alert", "tuning", "content check",
]  # fmt: skip
"""What a plan states. members: the disks by serial number or WWN; member order: which disks of a RAID10 hold the same
copies; member device: the whole disk or a partition of a stated size; bitmap: write-intent bitmap or PPL; first sync:
that zeroes on all members replace it; volume: what joins the arrays, with its stripe; extent size: physical extents of
LVM and where they start; alert: who hears of a failed disk; tuning: read-ahead, stripe cache, least rebuild rate;
content check: disks that hold something are refused unless that was accepted"""
ATTRIBUTES: tuple[Attribute, ...] = (
    "level", "members", "member order", "member device", "spares", "chunk", "layout", "bitmap", "metadata version",
    "array UUID", "array name", "size and data offset", "first sync", "spare group", "volume", "extent size",
    "mkfs options", "file system UUID", "mount", "alert", "tuning", "content check",
)  # fmt: skip
Carriage = Literal["carried", "default", "lost", "unused"]
"""carried: the file states the plan's value; default: it does not, and the installer's own value is the plan's; lost:
the installer builds something else; unused: the plan has none"""
Way = Literal["native", "adopt"]
"""native: the installer builds the arrays; adopt: the plan's build script does, and the installer uses them"""
FigureUnit = Literal["bytes/s", "1/s", "bytes", "hours", "probability"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureChange(Value):
    """One predicted figure of the plan, and of what the installer builds instead."""

    figure: str
    """what it is: sequential write"""
    unit: FigureUnit
    """of both; a probability is for one year"""
    planned: float
    """of the plan"""
    built: float
    """of what the installer builds"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeCarriage(Value):
    """What becomes of one attribute of the plan."""

    attribute: Attribute
    """which"""
    carriage: Carriage
    """what becomes of it"""
    planned: str = ""
    """the plan's value; empty where it is unused"""
    built: str = ""
    """the installer's value where it is lost"""
    reason: str = ""
    """why it is lost"""
    figures: tuple[FigureChange, ...] = ()
    """predicted figures that differ by it, by 1 % or more; empty where none does, or where it was not modelled"""
    modelled: bool = False
    """True if figures were predicted; False where the model has none, or the disks are not in the inventory"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFile(Value):
    """One file of an export."""

    name: str
    """relative path"""
    text: str
    """whole content"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Export(Value):
    """A plan for an installer; the answer of `raidtui export --json`."""

    schema: Literal["raidtui/export/1"] = "raidtui/export/1"
    """format of this document"""
    format: ExportFormat
    """which installer it is for"""
    way: Way
    """who builds the arrays"""
    digest: str
    """digest of the plan"""
    run_id: str
    """run id of the plan"""
    simulated: bool
    """True when the disks of the plan are attached nowhere"""
    files: tuple[ExportFile, ...]
    """what the installer reads; the first is the one to name to it"""
    attributes: tuple[AttributeCarriage, ...]
    """one for each attribute, in a fixed order"""
    checked_by: str
    """parser or schema that the tests of raidtui hold this format against"""
    notes: tuple[str, ...]
    """what the admin has to know or add"""

    def count(self, carriage: Carriage) -> int:
        """How many attributes fare so."""
        return sum(each.carriage == carriage for each in self.attributes)
