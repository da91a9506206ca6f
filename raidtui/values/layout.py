"""A layout: how many arrays of what shape, and how many hot spares. Its notation is in `notation`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from raidtui.values.choices import LEVELS as LEVELS
from raidtui.values.choices import Level as Level
from raidtui.values.choices import MdLevel as MdLevel
from raidtui.values.codec_rules import Value

Spread = Literal["n", "f", "o"]
PARITY: dict[Level, int] = {"raid0": 0, "raid1": 0, "raid4": 1, "raid5": 1, "raid6": 2, "raid10": 0, "disk": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout(Value):
    """`arrays` equal arrays of `members` disks each, and `spares` hot spares beside them."""

    level: Level
    """the md level of every array; `disk`: no md, each "array" is one disk or LUN as it is"""
    members: int
    """disks in each array, parity included, spares not"""
    arrays: int = 1
    """how many such arrays"""
    spares: int = 0
    """hot spares in all, beside the arrays"""
    copies: int = 2
    """RAID10 only: how many copies of every chunk"""
    spread: Spread = "n"
    """RAID10 only: near, far or offset placement of the copies"""

    @property
    def parity(self) -> int:
        """Parity disks in each array: 0, 1 or 2."""
        return PARITY[self.level]

    @property
    def plain(self) -> bool:
        """True without md: a file system on each disk, or an LVM stripe over them."""
        return self.level == "disk"

    @property
    def md_level(self) -> MdLevel:
        """The level of an md array. Raises ValueError without md."""
        if self.level == "disk":
            raise ValueError("a disk without md has no md level")
        return self.level

    @property
    def data(self) -> int:
        """Disks' worth of data in each array's full stripe, at least 1.

        RAID10 counts members over near copies where that divides evenly, since far and
        offset copies do not shorten the stripe.
        """
        if self.level == "raid1":
            return 1
        if self.level == "raid10" and self.spread == "n" and self.members % self.copies == 0:
            return self.members // self.copies
        return self.members - self.parity

    @property
    def member_disks(self) -> int:
        """Disks in all arrays, spares not counted."""
        return self.arrays * self.members

    @property
    def disks(self) -> int:
        """Disks the layout takes in all, spares included."""
        return self.arrays * self.members + self.spares

    @property
    def shapes(self) -> tuple[Layout, ...]:
        """One layout of a single array without spares for each array, in order."""
        return (self._bare(1),) * self.arrays

    @property
    def groups(self) -> tuple[Layout, ...]:
        """Runs of equal arrays in order, without spares: here one."""
        return (self._bare(self.arrays),)

    def _bare(self, arrays: int) -> Layout:
        """`arrays` arrays of this shape without spares; the search asks thousands of times, so without `replace`."""
        if self.arrays == arrays and not self.spares:
            return self
        return Layout(level=self.level, members=self.members, arrays=arrays, copies=self.copies, spread=self.spread)

    def spares_of(self, array: int) -> int:
        """Spares attached to array number `array`: one each first, the rest dealt round."""
        return _spares_of(self, array)

    @property
    def survives(self) -> int:
        """Member failures that every single array outlives, whichever members they are."""
        if self.level == "raid1":
            return self.members - 1
        if self.level == "raid10":
            return self.copies - 1
        return self.parity


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayGroup(Value):
    """Equal arrays of an unequal layout."""

    members: int
    """disks in each array, parity included, spares not"""
    arrays: int = 1
    """how many such arrays"""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnequalLayout(Value):
    """Arrays of one level that differ in their number of members, and `spares` hot spares beside them.

    It has no `members` and no `data`, since there is no such number for all of its arrays: ask `shapes` or `groups`.
    """

    level: Level
    """the md level of every array"""
    array_groups: tuple[ArrayGroup, ...]
    """runs of equal arrays, in the order of the arrays"""
    spares: int = 0
    """hot spares in all, beside the arrays"""
    copies: int = 2
    """RAID10 only: how many copies of every chunk"""
    spread: Spread = "n"
    """RAID10 only: near, far or offset placement of the copies"""

    def __post_init__(self) -> None:
        """Raises ValueError without arrays: nothing could be said of them."""
        if not self.array_groups or any(group.arrays < 1 for group in self.array_groups):
            raise ValueError("expected at least one array in each group")

    @property
    def plain(self) -> bool:
        """True without md, which no unequal layout is."""
        return self.level == "disk"

    @property
    def md_level(self) -> MdLevel:
        """The level of the md arrays. Raises ValueError without md."""
        return self.groups[0].md_level

    @property
    def parity(self) -> int:
        """Parity disks in each array: 0, 1 or 2."""
        return PARITY[self.level]

    @property
    def arrays(self) -> int:
        """Arrays in all."""
        return sum(group.arrays for group in self.array_groups)

    @property
    def member_disks(self) -> int:
        """Disks in all arrays, spares not counted."""
        return sum(group.arrays * group.members for group in self.array_groups)

    @property
    def disks(self) -> int:
        """Disks the layout takes in all, spares included."""
        return self.member_disks + self.spares

    @property
    def shapes(self) -> tuple[Layout, ...]:
        """One layout of a single array without spares for each array, in order."""
        return tuple(shape for group in self.groups for shape in group.shapes)

    @property
    def groups(self) -> tuple[Layout, ...]:
        """Runs of equal arrays in order, without spares."""
        return tuple(
            Layout(level=self.level, members=group.members, arrays=group.arrays, copies=self.copies, spread=self.spread)
            for group in self.array_groups
        )

    def spares_of(self, array: int) -> int:
        """Spares attached to array number `array`: one each first, the rest dealt round."""
        return _spares_of(self, array)

    @property
    def survives(self) -> int:
        """Member failures that every single array outlives, whichever members they are."""
        return min(group.survives for group in self.groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class Band(Value):
    """A piece of equal place and size on several disks: its partitions are the members of one array."""

    members: tuple[int, ...]
    """numbers of the disks that reach that far, from 0, in the order of the layout"""
    start_bytes: int
    """start of the partition on each of them"""
    size_bytes: int
    """size of each partition"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridLayout(Value):
    """Disks of mixed size, cut into bands of partitions; each band is an array, LVM joins the arrays one after another.

    Until it is laid on disks (`bands` None) it answers as for disks of equal size, which give one band.
    """

    hybrid_disks: int
    """disks with members, spares not counted"""
    failures: int = 1
    """failed disks that every band survives: 1 or 2"""
    spares: int = 0
    """hot spares; each is partitioned like the largest member and serves every band"""
    bands: tuple[Band, ...] | None = None
    """the bands on the disks, from the start of the disks on; None until the disks are known"""

    def __post_init__(self) -> None:
        """Raises ValueError for disks or failures of which no band can be made, or bands of other disks."""
        if self.failures not in (1, 2) or self.hybrid_disks <= self.failures or self.bands == ():
            raise ValueError("expected 1 or 2 failures, more disks than those, and at least one band")
        known = tuple(range(self.hybrid_disks))
        for band in self.bands or ():
            if len(band.members) <= self.failures or not {*band.members} <= {*known} or band.size_bytes < 1:
                raise ValueError("expected bands of more disks than fail, numbered from 0, with a size above 0")
            known = band.members
        if self.bands and len(self.bands[0].members) != self.hybrid_disks:
            raise ValueError("expected every disk in the first band")

    @property
    def whole(self) -> Layout:
        """The array of the first band, which has a member on every disk, with the spares."""
        return replace(band_shape(self.hybrid_disks, self.failures), spares=self.spares)

    @property
    def widest_stripe(self) -> Layout:
        """The array with a stripe that holds most; a mirror where there is no other."""
        sizes = [1] if self.bands is None else [band.size_bytes for band in self.bands]
        held = [(shape.parity > 0, shape.data * size) for shape, size in zip(self.shapes, sizes, strict=True)]
        return self.shapes[max(range(len(held)), key=held.__getitem__)]

    @property
    def plain(self) -> bool:
        """True without md, which no hybrid layout is."""
        return False

    @property
    def level(self) -> Level:
        """The level of the first band, which has a member on every disk."""
        return self.whole.level

    @property
    def md_level(self) -> MdLevel:
        """The level of the first band."""
        return self.whole.md_level

    @property
    def parity(self) -> int:
        """Parity disks of the first band: 0, 1 or 2."""
        return self.whole.parity

    @property
    def copies(self) -> int:
        """Copies of a RAID10, which no band is."""
        return self.whole.copies

    @property
    def spread(self) -> Spread:
        """Placement of the copies of a RAID10, which no band is."""
        return self.whole.spread

    @property
    def arrays(self) -> int:
        """Bands."""
        return 1 if self.bands is None else len(self.bands)

    @property
    def member_disks(self) -> int:
        """Disks with members, spares not counted."""
        return self.hybrid_disks

    @property
    def disks(self) -> int:
        """Disks the layout takes in all, spares included."""
        return self.hybrid_disks + self.spares

    @property
    def shapes(self) -> tuple[Layout, ...]:
        """One layout of a single array without spares for each band, in order."""
        widths = [self.hybrid_disks] if self.bands is None else [len(band.members) for band in self.bands]
        return tuple(band_shape(width, self.failures) for width in widths)

    @property
    def groups(self) -> tuple[Layout, ...]:
        """Runs of equal arrays in order, without spares."""
        return tuple(replace(shape, arrays=len(list(run))) for shape, run in groupby(self.shapes))

    def spares_of(self, array: int) -> int:
        """Spares attached to array number `array`: a partition of every spare disk."""
        return self.spares if array < self.arrays else 0

    @property
    def survives(self) -> int:
        """Failed disks that it outlives, whichever they are."""
        return self.failures


MdLayout = Layout | UnequalLayout
"""a layout of equal or of unequal arrays, each disk in one of them"""
AnyLayout = Layout | UnequalLayout | HybridLayout
"""any layout"""


def band_shape(disks: int, failures: int) -> Layout:
    """The array that survives `failures` failed disks of `disks`, at least one more than those.

    A mirror of as few copies as survive, else RAID5 or RAID6.
    """
    if disks == failures + 1:
        return Layout(level="raid1", members=disks)
    return Layout(level="raid5" if failures == 1 else "raid6", members=disks)


def layout_of(shapes: Sequence[Layout], spares: int) -> MdLayout:
    """The layout of these arrays (each `shapes` entry without spares) in this order, with `spares` spares.

    Equal arrays give a `Layout`. Raises ValueError if there is none, or if they differ in level, copies or spread.
    """
    if len({(shape.level, shape.copies, shape.spread) for shape in shapes}) != 1:
        raise ValueError("expected arrays of one level, with the same copies")
    first = shapes[0]
    runs = groupby(shape.members for shape in shapes for _ in range(shape.arrays))
    groups = tuple(ArrayGroup(members=members, arrays=len(list(run))) for members, run in runs)
    if len(groups) == 1:
        return replace(first, arrays=groups[0].arrays, spares=spares)
    return UnequalLayout(
        level=first.level, array_groups=groups, spares=spares, copies=first.copies, spread=first.spread
    )


def _spares_of(layout: MdLayout, array: int) -> int:
    arrays = layout.arrays
    return layout.spares // arrays + (1 if array < layout.spares % arrays else 0)


def least_members(level: Level, copies: int = 2) -> int:
    """The fewest members md makes an array of; RAID0 and RAID1 of one disk need force, so two. A plain disk is one."""
    if level == "disk":
        return 1
    if level == "raid10":
        return max(2, copies)
    return 4 if level == "raid6" else 2
