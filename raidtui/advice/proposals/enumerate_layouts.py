"""Layouts to compare on a pool of disks: those that people build.

Of thousands of layouts few are built: those that use all disks, with arrays as wide as the number of arrays and of
spares allows. Numbers of spares: as many as required, one, as many as suffice for restocking, one for each array; what
division leaves is added. Sixty disks make some hundred such layouts of 39,339.

Mirrors of more than four copies, or more than the failures to survive require, are left out: their loss is below what
the model can predict. So are layouts equivalent to a simpler one: stripes of RAID0s, RAID10 of no more members than
copies, and parity over one data disk. RAID4 is there only on request.

Disks of several sizes: each array counts all members as its smallest, so the disks of each size and larger ones are a
pool of their own. With a price per disk fewer disks are cheaper, and pools of fewer disks are compared too.

Arrays of unequal width. Where every array counts in full (`--stack md` and `separate`), spares of a parity layout that
are more than cover restocking, and fewer than its arrays, are evaluated as one more member of some arrays too: for each
level and number of arrays the layout that is as near to equal as the number of disks allows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from raidtui.predict.checks.layout import MOST_ARRAYS, MOST_DEVICES, MOST_LVM_STRIPES, MOST_RAID6
from raidtui.predict.placement.domains import can_survive, domain_names
from raidtui.values.choices import Outage, Stack
from raidtui.values.inventory import Disk
from raidtui.values.layout import PARITY, ArrayGroup, Layout, MdLevel, Spread, least_members
from raidtui.values.proposal import Constraints

LEAST_GAIN = 0.02
"""share of the data disks that wider arrays must add to be worth an evaluation"""
_MOST_COPIES = 4
_MOST_CLASSES = 6
"""size classes of which each is a pool of its own: those with most disks"""
_MOST_PRICED = 24
"""pools of fewer disks that are compared where disks have a price"""
MOST_MEMBERS = MOST_DEVICES["1.2"]


@dataclass(frozen=True, slots=True)
class LevelVariant:
    """A RAID level of the search; RAID10 has one variant for each of its common layouts."""

    level: MdLevel
    copies: int = 2
    spread: Spread = "n"


KINDS = (
    LevelVariant("raid0"), LevelVariant("raid1"), LevelVariant("raid4"), LevelVariant("raid5"), LevelVariant("raid6"),
    LevelVariant("raid10"), LevelVariant("raid10", 2, "f"), LevelVariant("raid10", 2, "o"), LevelVariant("raid10", 3),
)  # fmt: skip


def canonical_layouts(
    classes: Sequence[int], constraints: Constraints, enough: Callable[[int], int], *, rotational: bool = True
) -> Iterator[Layout]:
    """The layouts to evaluate over disks of `classes` (see `DiskPool`), each once, in a fixed order.

    They satisfy the constraints that depend on the layout alone: levels, width, failures survived, spares. `enough`
    returns the number of spares that suffice for so many disks. Far and offset copies shorten the way of a head, so
    that they are for rotating disks.
    """
    found = (
        layout
        for disks in _counts(classes, priced=constraints.price_per_disk is not None)
        for kind in _kinds(constraints)
        if rotational or kind.spread == "n"
        for layout in _of_kind(kind, disks, constraints, enough(disks))
    )
    yield from dict.fromkeys(found)


def _counts(classes: Sequence[int], *, priced: bool) -> Iterator[int]:
    """Numbers of disks to use: all of a class and larger ones; with a price, where fewer are cheaper, others too."""
    yield from sorted(classes[-_MOST_CLASSES:], reverse=True)
    if priced:
        disks = classes[-1]
        yield from range(disks - 1, 1, -max(1, disks // _MOST_PRICED))


def _of_kind(kind: LevelVariant, disks: int, constraints: Constraints, enough: int) -> Iterator[Layout]:
    """Layouts of one level that use `disks` disks: of one number of arrays and of spares the widest."""
    least, most = _narrowest(kind, constraints), min(disks, _widest(kind, constraints))
    if kind.level == "raid0":
        if constraints.spares == 0 and least <= disks <= most:
            yield Layout.of(level="raid0", members=disks)
        return
    for kept in sorted({constraints.spares, *(max(constraints.spares, each) for each in (1, enough))}):
        if kind.level == "raid1":
            for members in range(least, most + 1):
                arrays = (disks - kept) // members
                if arrays == 1 or _several_mirrors(constraints):
                    yield from _with_rest(kind, members, arrays, disks, constraints)
        elif kind.level == "raid10":
            yield from _copies(kind, disks, kept, least, most, constraints)
        else:
            yield from _parity(kind, disks, lambda _, kept=kept: kept, least, most, constraints)  # type: ignore[misc]
    if PARITY.get(kind.level):
        yield from _parity(kind, disks, lambda arrays: max(arrays, constraints.spares), least, most, constraints)


def _several_mirrors(constraints: Constraints) -> bool:
    """True if RAID10 cannot do instead: a file system on each mirror, more copies, or RAID10 is not wanted."""
    levels = constraints.levels
    return constraints.stack == "separate" or constraints.survive > 2 or bool(levels and "raid10" not in levels)


def _copies(
    kind: LevelVariant, disks: int, kept: int, least: int, most: int, constraints: Constraints
) -> Iterator[Layout]:
    """RAID10: one array where it may be as wide, of complete copy sets; an incomplete one if only that uses all."""
    arrays = max(1, -(-(disks - kept) // most))
    members = (disks - kept) // arrays
    whole = members - members % kind.copies
    if whole >= least:
        yield from _with_rest(kind, whole, arrays, disks, constraints)
    if whole < members and members >= least and kept == constraints.spares:
        yield from _with_rest(kind, members, arrays, disks, constraints)


def _parity(
    kind: LevelVariant,
    disks: int,
    kept: Callable[[int], int],
    least: int,
    most: int,
    constraints: Constraints,
) -> Iterator[Layout]:
    """Parity: arrays as wide as their number and the spares allow, no more of which would be as wide."""
    for arrays in range(1, disks // least + 1):
        members = min(most, (disks - kept(arrays)) // arrays)
        more = arrays + 1
        if members < least or more * members + kept(more) <= disks:
            continue
        yield from _with_rest(kind, members, arrays, disks, constraints)


def _with_rest(kind: LevelVariant, members: int, arrays: int, disks: int, constraints: Constraints) -> Iterator[Layout]:
    """So many arrays, as far as the stack takes them, and the other disks as spares, as far as md takes them."""
    arrays = min(arrays, _most_arrays(kind, constraints.stack))
    spares = min(disks - arrays * members, arrays * (MOST_MEMBERS - members))
    if arrays > 0 and spares >= constraints.spares:
        yield Layout.of(
            level=kind.level, members=members, arrays=arrays, spares=spares, copies=kind.copies, spread=kind.spread
        )


def fewer_arrays(layout: Layout) -> Iterator[Layout]:
    """The layout, then with one array less, and so on; the disks of the others are spares."""
    yield layout
    shape, count = layout.first, layout.arrays
    for arrays in range(count - 1, 0, -1):
        spares = layout.spares + (count - arrays) * shape.members
        if spares <= arrays * (MOST_MEMBERS - shape.members):
            yield Layout(groups=(ArrayGroup(shape, arrays),), spares=spares)


def count_layouts(disks: int, stack: Stack) -> int:
    """Number of layouts over `disks` disks, of every level, width, number of arrays and of spares."""
    total = 0
    for kind in KINDS:
        limit = MOST_LVM_STRIPES if stack == "lvm" else MOST_ARRAYS - (stack == "md")
        for members in range(least_members(kind.level, kind.copies), min(disks, _most_members(kind)) + 1):
            arrays = min(disks // members, limit)
            if kind.level == "raid0":
                total += arrays
            else:
                total += arrays * (disks + 1) - members * arrays * (arrays + 1) // 2
    return total


def widened(layout: Layout, constraints: Constraints, enough: int) -> Layout | None:
    """`layout` with its spares beyond `enough` as one more member of some of its arrays; None where that is no gain.

    An LVM stripe takes as much of each array as the smallest has, so wider arrays beside narrower ones add nothing.
    """
    shape, arrays = layout.first, layout.arrays
    if constraints.stack == "lvm" or layout.equal is None or not shape.parity:
        return None
    kept = max(enough, constraints.spares)
    more = layout.spares - kept
    widest = _widest(LevelVariant(shape.md_level), constraints)
    if not 0 < more < arrays or shape.members >= widest or more < LEAST_GAIN * arrays * shape.data:
        return None
    wider = ArrayGroup(replace(shape, members=shape.members + 1), more)
    return Layout(groups=(wider, ArrayGroup(shape, arrays - more)), spares=kept)


def leaves_disks_idle(layout: Layout, disks: int, enough: int) -> bool:
    """True if one more array, or one more copy set in each RAID10, still leaves `enough` spares of `disks` disks."""
    if layout.level == "raid0":
        return layout.disks < disks
    more = min(group.shape.members for group in layout.groups)
    if layout.level == "raid10":
        more = min(more, layout.arrays * layout.first.copies)
    return layout.spares - more >= enough


def _kinds(constraints: Constraints) -> tuple[LevelVariant, ...]:
    if constraints.levels:
        return tuple(kind for kind in KINDS if kind.level in constraints.levels)
    return tuple(kind for kind in KINDS if kind.level != "raid4")


def _narrowest(kind: LevelVariant, constraints: Constraints) -> int:
    """Fewest members to evaluate; beyond the maximum if the level cannot survive the required failures."""
    never = MOST_MEMBERS + 1
    match kind.level:
        case "raid0":
            return 2 if constraints.survive == 0 else never
        case "raid1":
            return max(2, constraints.survive + 1)
        case "raid10":
            return kind.copies + 1 if kind.copies > constraints.survive else never
        case "raid4" | "raid5" | "raid6":
            parity = PARITY[kind.level]
            return parity + 2 if parity >= constraints.survive else never


def _widest(kind: LevelVariant, constraints: Constraints) -> int:
    most = _most_members(kind)
    if kind.level == "raid1":
        most = max(_MOST_COPIES, constraints.survive + 1)
    return min(most, constraints.max_width or most)


def _most_members(kind: LevelVariant) -> int:
    return MOST_RAID6 if kind.level == "raid6" else MOST_MEMBERS


def _most_arrays(kind: LevelVariant, stack: Stack) -> int:
    if kind.level == "raid0":
        return 1
    return MOST_LVM_STRIPES if stack == "lvm" else MOST_ARRAYS - (stack == "md")


class RequiredDomains:
    """The disks of a search, largest first, in each failure domain of the kind whose loss must be survived."""

    def __init__(self, disks: Sequence[Disk], kind: Outage | None) -> None:
        self._names = domain_names(disks, kind) if kind is not None else None
        self._counts: dict[int, tuple[int, ...]] = {}

    def counts(self, disks: int) -> tuple[int, ...]:
        """Disks in each domain among the `disks` largest; disks of unknown domain can only be spares."""
        if disks not in self._counts:
            found = Counter(name for name in (self._names or ())[:disks] if name is not None)
            self._counts[disks] = tuple(sorted(found.values()))
        return self._counts[disks]

    @property
    def any(self) -> bool:
        """True if no kind of domain is required."""
        return self._names is None

    def survives(self, layout: Layout) -> bool:
        """True if some placement survives the loss of any one domain, or no kind of domain is required."""
        return self.any or can_survive(layout, self.counts(layout.disks))
