"""Places members and spares so that no failure domain holds more members of an array than the array survives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from raidtui.predict.placement.assignment import (
    Candidates,
    DomainMembership,
    Domains,
    MemberGroups,
    SwapRepair,
    assign,
    evenly_spaced,
    has_copy_sets,
    interleaved,
    sets_of_slots,
)
from raidtui.predict.placement.disk_condition import Badness, condition_key, failing, wear_findings
from raidtui.predict.placement.disk_pool import DiskClass, PoolClasses, SizeClasses, kind_of, kinds_by_capacity
from raidtui.predict.placement.domains import (
    KINDS,
    SPOTS,
    max_members_lost,
    member_capacity,
    most_lost,
    names_of,
    place_order,
)
from raidtui.values.design import Design
from raidtui.values.inventory import Disk
from raidtui.values.layout import ArrayShape, Layout
from raidtui.values.location import DomainKind, Placement
from raidtui.values.members import disks_by_array
from raidtui.values.units import GIB


def place(
    layout: Layout, disks: Sequence[Disk], *, slow: Mapping[str, float] | None = None
) -> tuple[tuple[Disk, ...], Placement]:
    """The disks that `layout` takes, in the order of `members.disks_by_array`, with certificates and findings.

    Priorities: capacity (disks of one size share an array, spares fit every array, failing disks are excluded if
    there are enough others), then failure domains, the gravest kind first, then slow and worn disks, which become
    spares or are excluded. With disks of one size the gravest kind that can be satisfied always is, and so are kinds
    nested in it; overlapping kinds are satisfied by swaps, without proof. The order of `disks` does not matter.
    `slow` maps identities to speed as a share of the median. Raises ValueError if there are too few disks.
    """
    placer = Placer(disks, slow=slow)
    chosen = placer.choose(layout)
    return chosen, placement_of(layout, chosen, placer.pool(layout), slow=slow, placed=True)


class _Pool(NamedTuple):
    """Disks that a layout may be placed on, with what all layouts on them share."""

    disks: list[Disk]
    classes: PoolClasses
    every: Candidates
    """all of them to fill groups from"""


class Placer:
    """Chooses the members of many layouts from the same disks; computes once what the layouts share."""

    def __init__(self, disks: Sequence[Disk], *, slow: Mapping[str, float] | None = None) -> None:
        self._disks = sorted(disks, key=place_order)
        self._well = [disk for disk in self._disks if not failing(disk)]
        self._slow = slow or {}
        self._kinds = kinds_by_capacity(self._well)
        self._counts = Counter(kind_of(disk) for disk in self._well)
        self._known: dict[tuple[DiskClass | None, int], _Pool] = {}

    def pool(self, layout: Layout) -> list[Disk]:
        """The disks that `layout` is placed on: healthy ones of one kind, others only where these are too few."""
        return self._pool(layout).disks

    def choose(self, layout: Layout) -> tuple[Disk, ...]:
        """The disks that `place` chooses. Raises ValueError if there are too few."""
        if len(self._disks) < layout.disks:
            raise ValueError(f"expected at least {layout.disks} disks for the layout, found {len(self._disks)}")
        pool = self._pool(layout)
        numbers = _placed(layout, pool) if layout.hybrid is None else _largest(layout, pool)
        return tuple([pool.disks[number] for number in numbers])

    def _pool(self, layout: Layout) -> _Pool:
        kind = next((kind for kind in self._kinds if self._counts[kind] >= layout.disks), None)
        needed = max(layout.disks - len(self._well), 0)
        if (kind, needed) not in self._known:
            sick = sorted((disk for disk in self._disks if failing(disk)), key=lambda disk: -disk.size_bytes)[:needed]
            pool = [disk for disk in self._well if kind in (None, kind_of(disk))]
            pool = sorted(pool + sick, key=place_order) if sick else pool
            every = Candidates(tuple(range(len(pool))), _numbered(pool), condition_key(pool, self._slow))
            self._known[kind, needed] = _Pool(pool, PoolClasses(pool), every)
        return self._known[kind, needed]


def placed_disks(layout: Layout, disks: Sequence[Disk], placer: Placer | None = None) -> tuple[Disk, ...]:
    """`disks` reordered: the best-fitting members and spares of the layout first, then the others.

    Best: alike in kind and size, as large as possible, healthy and fast, spread over failure domains (`place`); disks
    that none of this distinguishes keep their order. Unchanged if there are too few. `placer`: one of the same disks.
    """
    if layout.disks > len(disks):
        return tuple(disks)
    taken = (placer or Placer(disks)).choose(layout)
    chosen = set(map(attrgetter("id"), taken))
    return (*taken, *[disk for disk in disks if disk.id not in chosen])


def disks_for(design: Design, disks: Sequence[Disk], placer: Placer | None = None) -> tuple[Disk, ...]:
    """`placed_disks` of the layout of `design`, then the best-fitting disks for its journals, then the others.

    Best for a journal: flash, healthy, then the smallest with room for one. Both disks of a mirror are of one size,
    where there are such, and in different failure domains. `placer`: one of the same disks.
    """
    placed, taken = placed_disks(design.layout, disks, placer), design.layout.disks
    if not design.journal_disks or len(placed) < design.disks:
        return placed
    rest = sorted(placed[taken:], key=_unfit)
    return (*placed[:taken], *(_paired(rest, design.layout.arrays) if design.mirrors_journals else rest))


def _paired(disks: Sequence[Disk], mirrors: int) -> Iterator[Disk]:
    """`disks` with those of so many mirrors first: of each the next, and beside it the one that suits it best."""
    rest = list(disks)
    names = [names_of(SPOTS.each(disks), kind) for kind in KINDS]

    def beside(first: Disk, other: Disk) -> tuple[bool, ...]:
        """Smaller for a better one: as good, near in size, then in other failure domains, the gravest kind first."""
        here, there = SPOTS.of(first), SPOTS.of(other)
        near = other.size_bytes * 100 <= first.size_bytes * 101
        shared = (of[here] is not None and of[here] == of[there] for of in names)
        return (_unfit(other)[:-1] != _unfit(first)[:-1], not near, *shared)

    for _ in range(mirrors):
        first = rest.pop(0)
        second = min(rest, key=lambda other: beside(first, other))
        rest.remove(second)
        yield from (first, second)
    yield from rest


def _unfit(disk: Disk) -> tuple[bool, bool, bool, int]:
    return disk.rotational is not False, failing(disk), disk.size_bytes < GIB, disk.size_bytes


def _largest(layout: Layout, pool: _Pool) -> list[int]:
    """Members and spares of bands: the largest disks; of them the very largest are spares, which replace any other.

    Of disks of one size the worst ones are spares.
    """
    order = sorted(
        range(len(pool.disks)), key=lambda number: (-pool.disks[number].size_bytes, pool.every.bad[number], number)
    )
    order = order[: layout.disks]
    sizes = [pool.disks[number].size_bytes for number in order]
    least = sizes[layout.spares - 1] if layout.spares else sizes[0] + 1
    larger = [number for number, size in zip(order, sizes, strict=True) if size > least]
    alike = [number for number, size in zip(order, sizes, strict=True) if size == least]
    spares = [*larger, *alike[len(alike) + len(larger) - layout.spares :]] if layout.spares else []
    members = [number for number in order if number not in spares]
    return [*members, *spares]


def placement_of(
    layout: Layout,
    chosen: Sequence[Disk],
    disks: Sequence[Disk],
    *,
    slow: Mapping[str, float] | None = None,
    placed: bool = False,
) -> Placement:
    """Certificates and findings of `chosen` in their present order; `disks` are all available disks.

    `placed`: `chosen` is the result of `place`, so no better order is known.
    """
    # the app's first picture has the disks without their certificates
    from raidtui.predict.placement.certificate import certify, domain_findings

    layout = layout.whole  # a domain that its first band survives is survived by the others, which have fewer disks
    certificates = certify(layout, chosen)
    shares = disks_by_array(layout, chosen)
    return Placement(
        disks=tuple([disk.id for disk in chosen]),
        certificates=certificates,
        findings=(
            *domain_findings(layout, chosen, disks, certificates, placed=placed),
            *wear_findings(layout, shares, slow or {}),
        ),
    )


def _placed(layout: Layout, pool: _Pool) -> list[int]:
    sizes = pool.classes.of_layout(layout)
    arrays, spares, left, met = _dealt(layout, pool, sizes)
    slots = [disk for array in arrays for disk in array] + spares + left
    unmet = tuple(kind for kind in KINDS if kind not in met)
    if most_lost(layout) and any(kind.watched for kind in _watched(layout, slots, pool.every, unmet)):
        fits = [fit for fit, shape in zip(sizes.arrays, layout.shapes, strict=True) for _ in range(shape.members)]
        fits += [sizes.arrays[0] if sizes.interchangeable else frozenset[int]()] * layout.spares
        fits += [frozenset(sizes.of)] * len(left)
        watched = _watched(layout, slots, pool.every, (*met, *unmet))
        SwapRepair(slots, sets_of_slots(layout), layout.survives, watched, fits, sizes.of).repair()
    return _in_order(layout, slots[: layout.disks])


def _numbered(pool: Sequence[Disk]) -> Domains:
    """The domain number of every disk, by kind; numbered in order of first appearance."""
    spots = SPOTS.each(pool)
    found: dict[DomainKind, tuple[int, ...]] = {}
    for kind in KINDS:
        numbers: dict[str, int] = {}
        at = {
            spot: -1 if name is None else numbers.setdefault(name, len(numbers))
            for spot, name in names_of(spots, kind).items()
        }
        found[kind] = tuple(map(at.__getitem__, spots))
    return found


def _dealt(
    layout: Layout, pool: _Pool, sizes: SizeClasses
) -> tuple[list[list[int]], list[int], list[int], tuple[DomainKind, ...]]:
    """(members of each array, spares, unused disks, kinds of domain that are satisfied); sizes descend."""
    arrays: list[list[int]] = []
    spares: list[int] = []
    every, bad = pool.every, pool.every.bad
    left = list(every.disks)
    met: tuple[DomainKind, ...] = KINDS
    if not sizes.interchangeable:
        spares = _worst(sorted(sizes.spares), bad)[: layout.spares]
        left = [disk for disk in left if disk not in spares]
    while len(arrays) < layout.arrays:
        alike = [fit for fit in sizes.arrays[len(arrays) :] if fit == sizes.arrays[len(arrays)]]
        able = left if sizes.uniform else [disk for disk in left if sizes.of[disk] in alike[0]]
        shapes = layout.shapes[len(arrays) : len(arrays) + len(alike)]
        out = assign(
            every if len(able) == len(every.disks) else Candidates(tuple(able), every.domains, bad), _bins(shapes)
        )
        first = not arrays and not spares
        arrays += _arrays(shapes, out.bins, every.domains, out.coarsest)
        met = tuple(kind for kind in met if kind in out.met)
        gone = {disk for each in out.bins for disk in each}
        if first:
            last = len(arrays) == layout.arrays
            # what the spares leave are members of smaller arrays, so that the worst of them are spares
            if not last:
                spares = _worst(out.rest, bad)[: layout.spares]
            elif every.in_one_domain:
                spares = sorted(out.rest, key=lambda disk: (bad[disk], disk))[: layout.spares]
            else:
                spares = evenly_spaced(out.rest, bad, layout.spares)
            gone |= set(spares)
        left = [disk for disk in left if disk not in gone]
    return arrays, spares, left, met


def _worst(disks: Sequence[int], bad: Sequence[Badness]) -> list[int]:
    """The disks sorted worst first, but failing ones last."""
    worst = sorted(disks, key=lambda disk: bad[disk], reverse=True)
    return sorted(worst, key=lambda disk: bad[disk][0])


def _bins(shapes: Sequence[ArrayShape]) -> MemberGroups:
    """Groups to fill: arrays, or the copy sets of a RAID10."""
    sizes: list[int] = []
    most: list[int] = []
    for shape, alike in groupby(shapes):
        sets = _bins_of(shape)
        count = sets * len(list(alike))
        sizes += [shape.members // sets] * count
        most += [shape.copies - 1 if has_copy_sets(shape) else max_members_lost(shape)] * count
    return MemberGroups(tuple(sizes), tuple(most))


def _bins_of(shape: ArrayShape) -> int:
    """Number of groups that one array of `shape` is filled in."""
    return shape.members // shape.copies if has_copy_sets(shape) else 1


def _arrays(
    shapes: Sequence[ArrayShape], bins: Sequence[Sequence[int]], domains: Domains, coarsest: DomainKind | None
) -> list[list[int]]:
    if shapes[0].level != "raid10":
        return [list(each) for each in bins]
    found: list[list[int]] = []
    start = 0
    for shape in shapes:
        end = start + _bins_of(shape)
        if not has_copy_sets(shape) and coarsest is not None:
            found.append(interleaved(bins[start], domains[coarsest]))
        else:
            found.append([disk for each in bins[start:end] for disk in each])
        start = end
    return found


def _watched(
    layout: Layout, slots: Sequence[int], every: Candidates, kinds: Sequence[DomainKind]
) -> list[DomainMembership]:
    """Each of `kinds` with the domains whose loss the arrays could survive; `slots` hold all disks, members first."""
    members, cap = layout.member_disks, most_lost(layout)
    found = []
    for kind in kinds:
        if kind not in every.known:
            continue
        domain = every.domains[kind]
        counts = {number: count for (number,), count in every.places((kind,)) if number >= 0}
        nowhere = len(slots) - sum(counts.values())
        watched = frozenset(counts)
        if member_capacity(layout, tuple(counts.values())) + nowhere < members:
            taken = Counter(map(domain.__getitem__, slots[:members])) if len(counts) > 1 or nowhere else counts
            watched = frozenset(each for each in counts if taken[each] <= cap)
        found.append(DomainMembership(domain, watched))
    return found


def _in_order(layout: Layout, slots: Sequence[int]) -> list[int]:
    """Sorts members within a set by physical place, where their order does not affect redundancy."""
    ordered: list[int] = []
    for shape, alike in groupby(layout.shapes):
        size = shape.copies if has_copy_sets(shape) else shape.members
        kept = shape.level == "raid10" and not has_copy_sets(shape)
        for _ in range(shape.members // size * len(list(alike))):
            inside = slots[len(ordered) : len(ordered) + size]
            ordered += inside if kept else sorted(inside)
    return ordered + sorted(slots[len(ordered) :])
