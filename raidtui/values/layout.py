"""A layout: arrays of what shape, and how many hot spares. Its notation is in `notation`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from raidtui.values.choices import LEVELS as LEVELS
from raidtui.values.choices import Level as Level
from raidtui.values.choices import MdLevel as MdLevel
from raidtui.values.codec_rules import FormValue, Value

Spread = Literal["n", "f", "o"]


@dataclass(frozen=True, slots=True)
class LevelTraits:
    """What is the same for each array of a level."""

    module: str
    """the kernel module of its personality; empty without md"""
    parity: int = 0
    """disks' worth of parity in a stripe"""
    least: int = 2
    """fewest members that md makes an array of without force; of RAID10 as many as copies, where those are more"""
    redundant: bool = True
    """a lost member can be rebuilt"""
    bare: bool = False
    """no redundancy until the first sync ends: mdadm builds the last member as a spare (Create.c)"""


LEVEL_TRAITS: dict[Level, LevelTraits] = {
    "raid0": LevelTraits("raid0", redundant=False),
    "raid1": LevelTraits("raid1"),
    "raid4": LevelTraits("raid456", parity=1, bare=True),
    "raid5": LevelTraits("raid456", parity=1, bare=True),
    "raid6": LevelTraits("raid456", parity=2, least=4),
    "raid10": LevelTraits("raid10"),
    "disk": LevelTraits("", least=1, redundant=False),
}
PARITY = {level: traits.parity for level, traits in LEVEL_TRAITS.items()}
REDUNDANT = frozenset(level for level, traits in LEVEL_TRAITS.items() if traits.redundant)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayShape:
    """One array: its level and how many members it has."""

    level: Level
    """the md level; `disk`: no md, the "array" is one disk or LUN as it is"""
    members: int
    """disks in the array, parity included, spares not"""
    copies: int = 2
    """RAID10 only: how many copies of every chunk"""
    spread: Spread = "n"
    """RAID10 only: near, far or offset placement of the copies"""

    @property
    def parity(self) -> int:
        """Parity disks: 0, 1 or 2."""
        return PARITY[self.level]

    @property
    def md_level(self) -> MdLevel:
        """The level of an md array. Raises ValueError without md."""
        if self.level == "disk":
            raise ValueError("a disk without md has no md level")
        return self.level

    @property
    def data(self) -> int:
        """Disks' worth of data in the full stripe, at least 1.

        RAID10 counts members over near copies where that divides evenly, since far and
        offset copies do not shorten the stripe.
        """
        if self.level == "raid1":
            return 1
        if self.level == "raid10" and self.spread == "n" and self.members % self.copies == 0:
            return self.members // self.copies
        return self.members - self.parity

    @property
    def survives(self) -> int:
        """Member failures that the array outlives, whichever members they are."""
        if self.level == "raid1":
            return self.members - 1
        if self.level == "raid10":
            return self.copies - 1
        return self.parity


@dataclass(frozen=True, slots=True)
class ArrayGroup:
    """A run of equal arrays."""

    shape: ArrayShape
    """each of them"""
    arrays: int = 1
    """how many"""


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
class HybridDisks:
    """Disks of mixed size, cut into bands of partitions; each band is an array, LVM joins the arrays one after another.

    Until they are known (`bands` None) they are taken for disks of equal size, which give one band.
    """

    disks: int
    """disks with members, spares not counted"""
    failures: int = 1
    """failed disks that every band survives: 1 or 2"""
    bands: tuple[Band, ...] | None = None
    """the bands, from the start of the disks on; None until the disks are known"""

    def __post_init__(self) -> None:
        """Raises ValueError for disks or failures of which no band can be made, or bands of other disks."""
        if self.failures not in (1, 2) or self.disks <= self.failures or self.bands == ():
            raise ValueError("expected 1 or 2 failures, more disks than those, and at least one band")
        known = tuple(range(self.disks))
        for band in self.bands or ():
            if len(band.members) <= self.failures or not {*band.members} <= {*known} or band.size_bytes < 1:
                raise ValueError("expected bands of more disks than fail, numbered from 0, with a size above 0")
            known = band.members
        if self.bands and len(self.bands[0].members) != self.disks:
            raise ValueError("expected every disk in the first band")

    @property
    def shapes(self) -> tuple[ArrayShape, ...]:
        """The array of each band."""
        widths = [self.disks] if self.bands is None else [len(band.members) for band in self.bands]
        return tuple(band_shape(width, self.failures) for width in widths)

    @property
    def widest_stripe(self) -> ArrayShape:
        """The array with a stripe that holds most; a mirror where there is no other."""
        sizes = [1] if self.bands is None else [band.size_bytes for band in self.bands]
        held = [(shape.parity > 0, shape.data * size) for shape, size in zip(self.shapes, sizes, strict=True)]
        return self.shapes[max(range(len(held)), key=held.__getitem__)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutForm(Value):
    """A layout in files: level and members of equal arrays, level and array_groups of unequal ones, or hybrid_disks."""

    level: Level | None = None
    """the md level of every array; `disk`: no md, each "array" is one disk or LUN as it is"""
    members: int | None = None
    """disks in each of equal arrays, parity included, spares not"""
    arrays: int | None = None
    """how many such arrays; 1 where nothing is said"""
    array_groups: tuple[GroupForm, ...] | None = None
    """runs of equal arrays where they differ in their number of members, in the order of the arrays"""
    hybrid_disks: int | None = None
    """disks of mixed size that have members: they are cut into bands, and each band is an array"""
    failures: int | None = None
    """failed disks that every band survives: 1 or 2; 1 where nothing is said"""
    spares: int = 0
    """hot spares in all, beside the arrays; of bands each is partitioned like the largest member and serves all"""
    copies: int | None = None
    """RAID10 only: how many copies of every chunk; 2 where nothing is said"""
    spread: Spread | None = None
    """RAID10 only: near, far or offset placement of the copies; near where nothing is said"""
    bands: tuple[Band, ...] | None = None
    """the bands, from the start of the disks on; absent until the disks are known"""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupForm(Value):
    """Equal arrays among unequal ones, in files."""

    members: int
    """disks in each array, parity included, spares not"""
    arrays: int = 1
    """how many such arrays"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout(FormValue):
    """Arrays of one level, equal or not, and hot spares beside them; of disks of mixed size an array for each band."""

    FORM = LayoutForm
    groups: tuple[ArrayGroup, ...]
    """runs of equal arrays in order; neighbours differ"""
    spares: int = 0
    """hot spares in all, beside the arrays; of a hybrid layout each is partitioned like the largest member"""
    hybrid: HybridDisks | None = None
    """the disks of mixed size whose bands the arrays are; None: each disk is in one array"""

    def __post_init__(self) -> None:
        """Raises ValueError without arrays, or if they differ in level, copies or spread and are no bands."""
        if not self.groups or any(group.arrays < 1 for group in self.groups):
            raise ValueError("expected at least one array in each group")
        if len(self.groups) > 1 and self.hybrid is None:
            kinds = {(group.shape.level, group.shape.copies, group.shape.spread) for group in self.groups}
            if len(kinds) > 1:
                raise ValueError("expected arrays of one level, with the same copies")

    @classmethod
    def of(
        cls, *, level: Level, members: int, arrays: int = 1, spares: int = 0, copies: int = 2, spread: Spread = "n"
    ) -> Layout:
        """`arrays` equal arrays of `members` disks each."""
        shape = ArrayShape(level=level, members=members, copies=copies, spread=spread)
        return cls(groups=(ArrayGroup(shape, arrays),), spares=spares)

    @classmethod
    def joined(cls, shapes: Iterable[ArrayShape], spares: int = 0, hybrid: HybridDisks | None = None) -> Layout:
        """The arrays `shapes` in this order. Raises ValueError if they differ in more than their members."""
        groups = tuple(ArrayGroup(shape, len(list(run))) for shape, run in groupby(shapes))
        return cls(groups=groups, spares=spares, hybrid=hybrid)

    @classmethod
    def over(cls, hybrid: HybridDisks, spares: int = 0) -> Layout:
        """The bands of disks of mixed size."""
        return cls.joined(hybrid.shapes, spares, hybrid)

    @property
    def first(self) -> ArrayShape:
        """The first array; of a hybrid layout that of the first band, which has a member on every disk."""
        return self.groups[0].shape

    @property
    def widest(self) -> ArrayGroup:
        """The first arrays with most members."""
        return max(self.groups, key=lambda group: group.shape.members)

    @property
    def equal(self) -> ArrayGroup | None:
        """The arrays if all are equal and each disk is in one of them; None of unequal arrays and of bands."""
        return self.groups[0] if len(self.groups) == 1 and self.hybrid is None else None

    @property
    def unequal(self) -> bool:
        """True if each disk is in one of several arrays that differ in their number of members."""
        return len(self.groups) > 1 and self.hybrid is None

    @property
    def kinds(self) -> tuple[ArrayGroup, ...]:
        """Each shape that there is, with how many arrays in all have it."""
        if len(self.groups) == 1:
            return self.groups
        return tuple([ArrayGroup(shape, count) for shape, count in Counter(self.shapes).items()])

    @property
    def whole(self) -> Layout:
        """All; of a hybrid layout the array of its first band, which has a member on every disk, with the spares."""
        return self if self.hybrid is None else Layout(groups=(ArrayGroup(self.first),), spares=self.spares)

    @property
    def level(self) -> Level:
        """The level of every array, of a hybrid layout of the first band."""
        return self.groups[0].shape.level

    @property
    def plain(self) -> bool:
        """True without md: a file system on each disk, or an LVM stripe over them."""
        return self.groups[0].shape.level == "disk"

    @property
    def parity(self) -> int:
        """Parity disks in each array, of a hybrid layout in the first band: 0, 1 or 2."""
        return self.groups[0].shape.parity

    @property
    def arrays(self) -> int:
        """Arrays in all."""
        return sum([group.arrays for group in self.groups])

    @property
    def member_disks(self) -> int:
        """Disks in all arrays, spares not counted."""
        if self.hybrid is not None:
            return self.hybrid.disks
        return sum([group.arrays * group.shape.members for group in self.groups])

    @property
    def disks(self) -> int:
        """Disks the layout takes in all, spares included."""
        return self.member_disks + self.spares

    @property
    def shapes(self) -> tuple[ArrayShape, ...]:
        """Each array, in order."""
        return tuple([group.shape for group in self.groups for _ in range(group.arrays)])

    def spares_of(self, array: int) -> int:
        """Spares attached to array number `array`: one each first, the rest dealt round. Every band has all."""
        if self.hybrid is not None:
            return self.spares if array < self.arrays else 0
        each, rest = divmod(self.spares, self.arrays)
        return each + (array < rest)

    @property
    def survives(self) -> int:
        """Member failures that every single array outlives, whichever members they are."""
        return min([group.shape.survives for group in self.groups])

    @property
    def form(self) -> LayoutForm:
        """See FormValue."""
        if (cut := self.hybrid) is not None:
            return LayoutForm(hybrid_disks=cut.disks, failures=cut.failures, spares=self.spares, bands=cut.bands)
        shape, equal = self.first, self.equal
        return LayoutForm(
            level=shape.level,
            members=equal.shape.members if equal else None,
            arrays=equal.arrays if equal else None,
            array_groups=None if equal else tuple(
                GroupForm(members=group.shape.members, arrays=group.arrays) for group in self.groups
            ),
            spares=self.spares, copies=shape.copies, spread=shape.spread,
        )  # fmt: skip

    @classmethod
    def read(cls, form: LayoutForm) -> Layout:
        """See FormValue. Raises ValueError where the form mixes the three ways to say it."""
        if form.hybrid_disks is not None:
            failures = 1 if form.failures is None else form.failures
            made = cls.over(HybridDisks(disks=form.hybrid_disks, failures=failures, bands=form.bands), form.spares)
        elif form.level is not None and (form.members is not None or form.array_groups):
            arrays = 1 if form.arrays is None else form.arrays
            equal = () if form.members is None else (GroupForm(members=form.members, arrays=arrays),)
            copies, spread = 2 if form.copies is None else form.copies, form.spread or "n"
            groups = [
                ArrayGroup(
                    ArrayShape(level=form.level, members=each.members, copies=copies, spread=spread), each.arrays
                )
                for each in form.array_groups or equal
            ]
            made = cls(groups=tuple(groups), spares=form.spares)
        else:
            raise ValueError("expected level and members of equal arrays, or level and array_groups, or hybrid_disks")
        own = made.form
        if foreign := [
            name for name in form.__slots__ if getattr(form, name) is not None and getattr(own, name) is None
        ]:
            raise ValueError(f"{foreign[0]} does not go with the other keys: expected those of one kind of layout")
        return made


def band_shape(disks: int, failures: int) -> ArrayShape:
    """The array that survives `failures` failed disks of `disks`, at least one more than those.

    A mirror of as few copies as survive, else RAID5 or RAID6.
    """
    if disks == failures + 1:
        return ArrayShape(level="raid1", members=disks)
    return ArrayShape(level="raid5" if failures == 1 else "raid6", members=disks)


def parity_of(level: str) -> int:
    """Disks' worth of parity of a level as the kernel names it; 0 of one that copies, and of one not known."""
    return next((count for known, count in PARITY.items() if known == level), 0)


def least_members(level: Level, copies: int = 2) -> int:
    """The fewest members md makes an array of; RAID0 and RAID1 of one disk need force, so two. A plain disk is one."""
    least = LEVEL_TRAITS[level].least
    return max(least, copies) if level == "raid10" else least
