"""The answer of `raidtui propose`: every layout worth a look, the few worth naming, and why not the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.values.choices import FileSystem, Outage, Stack, Wish
from raidtui.values.codec_rules import Value
from raidtui.values.design import DEFAULT_CHUNK, FileSystemOptions
from raidtui.values.findings import Finding
from raidtui.values.layout import Layout, Level
from raidtui.values.notation import LayoutText
from raidtui.values.prediction import either
from raidtui.values.speed import Limit

PickName = Literal["suggested", "most room", "balanced", "fastest", "safest", "quickest rebuild"]
PickRule = Literal[
    "unprotected", "high loss", "large RAID5", "few spares", "idle disks", "odd copies", "bands", "wide arrays",
]  # fmt: skip
"""what keeps a layout from being a pick; `planner.search.picks` has the limits"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints(Value):
    """What a layout must do to be proposed, and what the admin would like most."""

    usable_bytes: int = 0
    """at least this much room, as df will show it"""
    survive: int = 0
    """every array outlives at least so many failed members, whichever they are"""
    spares: int = 0
    """at least so many hot spares"""
    max_width: int | None = None
    """at most so many members in an array; None: as md allows"""
    survive_domain: Outage | None = None
    """data must outlive the loss of any one of these"""
    levels: tuple[Level, ...] = ()
    """only these levels; empty: every level"""
    max_annual_loss: float | None = None
    """at most this probability of data loss within a year, of any cause"""
    price_per_disk: float | None = None
    """money for a disk; makes cost an objective, and leaving disks out worth a look"""
    wishes: tuple[Wish, ...] = ()
    """what matters most, first; they weigh the balanced pick"""
    compare: tuple[LayoutText, ...] = ()
    """layouts to hold against the proposals, canonical notation"""
    chunk_bytes: int = DEFAULT_CHUNK
    """chunk of every candidate"""
    stack: Stack = "lvm"
    """how several arrays become one volume"""
    fs: FileSystem = "xfs"
    """file system on the volume"""
    fs_options: FileSystemOptions | None = None
    """as in `Design`"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate(Value):
    """One layout and what it would be on the chosen disks."""

    layout: LayoutText
    """canonical notation"""
    usable_bytes: int
    """what df will show as available; the volume where there is no file system"""
    seq_read_bytes_per_s: int
    """many streams, outer zone"""
    seq_write_bytes_per_s: int
    """many streams of full stripes, outer zone"""
    rand_read_iops: int
    """4 KiB at depth"""
    rand_write_iops: int
    """4 KiB at depth"""
    annual_array_loss_probability: float
    """see `Durability`"""
    annual_sector_loss_probability: float
    """see `Durability`"""
    annual_enclosure_loss_probability: float
    """see `Durability`"""
    any_loss_1y: float
    """see `Durability`"""
    any_loss_1y_correlated: float
    """see `Durability`: the figure to plan with"""
    rebuild_hours: float
    """at the assumed load; 0 where the level rebuilds nothing"""
    spares: int
    """hot spares in all"""
    spares_enough: int
    """see `Durability`"""
    disks: int
    """disks taken, spares included"""
    outlives: tuple[Outage, ...]
    """data outlives the loss of any one of these, on the disks that the layout is placed on"""
    read_bottleneck: Limit
    """what binds reading"""
    write_bottleneck: Limit
    """what binds writing"""
    cost: float | None = None
    """money for the disks taken; None without a price"""
    on_front: bool = False
    """True when no other candidate is at least as good in every objective and better in one"""
    shown: bool = False
    """True for the few that stand for the whole front in a short table"""
    picks: tuple[PickName, ...] = ()
    """names it was given"""
    breaks: PickRule | None = None
    """the first rule of picks that it breaks; None: none"""
    asked: bool = False
    """True for a layout of `Constraints.compare`"""

    @property
    def volume_loss_1y(self) -> float:
        """Loss of a volume, by disks or an enclosure: what picks are chosen by. An unreadable sector costs a file."""
        return either(self.annual_array_loss_probability, self.annual_enclosure_loss_probability)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick(Value):
    """One named proposal with its reasons."""

    name: PickName
    """what it is the best at"""
    layout: LayoutText
    """canonical notation"""
    reason: str
    """two sentences: what it buys, and what sets the limit"""
    gives_up: str
    """what it gives up against its neighbours on the front, with figures"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot(Value):
    """A common layout, and why it was not chosen."""

    question: str
    """`why not RAID5`, `why not 2x(26+2)`"""
    answer: str
    """the figures that decide it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal(Value):
    """Everything `raidtui propose` found. The same for any order of the disks."""

    schema: Literal["raidtui/proposal/1"] = "raidtui/proposal/1"
    """format of this document"""
    disks: int
    """disks that could be taken"""
    constraints: Constraints
    """what was asked"""
    considered: int
    """layouts that there are"""
    compared: int
    """layouts of these that people build, with all their figures"""
    candidates: tuple[Candidate, ...]
    """the front, most room first; with `every` all that meet the constraints"""
    picks: tuple[Pick, ...]
    """named proposals"""
    why_not: tuple[WhyNot, ...]
    """answers to likely follow-up questions"""
    vendors: tuple[str, ...]
    """vendors' rules on spares and widths, beside the computed answer"""
    findings: tuple[Finding, ...]
    """why nothing fits, what is assumed, sizes that do not mix"""


def layout_key(layout: Layout) -> tuple[str, tuple[tuple[int, int], ...], int, str, int]:
    """A total order on layouts, so that every listing is the same in every run."""
    shapes = tuple((group.shape.members, group.arrays) for group in layout.groups)
    return layout.level, shapes, layout.first.copies, layout.first.spread, layout.spares
