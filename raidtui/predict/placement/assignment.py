"""Assigns disks to groups so that no group holds more of a failure domain than it may lose. Disks are numbers here.

Domains that lie inside each other (expanders behind a controller) are met exactly: members are picked greedily
under a cap for every domain, which for nested sets always ends in a largest possible pick, and then dealt round
in the order of the nesting, which gives a bin at most the rounded-up average of every domain. Between sets of unequal
size one more is possible, which `swap_repair` corrects where it can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace
from itertools import accumulate, pairwise

from raidtui.predict.placement.disk_condition import Badness
from raidtui.predict.placement.domains import KINDS
from raidtui.values.layout import ArrayShape, Layout
from raidtui.values.location import DomainKind
from raidtui.values.members import array_bounds

Domains = Mapping[DomainKind, tuple[int, ...]]
"""for each kind the domain number of every disk, from 0; -1 if it has none or it is unknown"""
_GOOD: Badness = (False, 0, 0.0, 0)
"""a disk without fault"""


@dataclass(frozen=True, slots=True)
class MemberGroups:
    """Sets of members to fill."""

    sizes: tuple[int, ...]
    """members of each"""
    most: tuple[int, ...]
    """members of one domain that each may lose"""

    @property
    def count(self) -> int:
        """Number of sets."""
        return len(self.sizes)

    @property
    def cap(self) -> int:
        """Members of one domain that all of them together may lose."""
        return sum(self.most)

    @property
    def total(self) -> int:
        """Members of all sets."""
        return sum(self.sizes)


@dataclass(frozen=True, slots=True)
class Assignment:
    """Result of `assign`."""

    bins: tuple[tuple[int, ...], ...]
    rest: tuple[int, ...]
    """disks that were not assigned, in the order of their domains"""
    met: tuple[DomainKind, ...]
    """kinds that are satisfied (no group holds more of a domain than it may lose), the gravest first"""
    coarsest: DomainKind | None
    """the one of them that contains the others: disks that differ in it differ in all of them"""


class Candidates:
    """Disks that groups are filled from, with their domains and condition."""

    def __init__(self, disks: tuple[int, ...], domains: Domains, bad: Sequence[Badness]) -> None:
        self.disks = disks
        self.domains = domains
        self.bad = bad
        inside = {kind: set(map(domains[kind].__getitem__, disks)) for kind in KINDS}
        self.known = tuple(kind for kind in KINDS if max(inside[kind], default=-1) >= 0)
        """kinds of which any of them has a domain"""
        self.in_one_domain = all(len(numbers) < 2 for numbers in inside.values())
        """True if no known domain distinguishes them: their order is then kept, for there is nothing to spread"""
        self._coarser_first = sorted(KINDS, key=lambda kind: -len(inside[kind]))

    def comparable(self, one: DomainKind, other: DomainKind) -> bool:
        """True if the domains of one of the kinds lie inside those of the other."""
        return self.refines(one, other) or self.refines(other, one)

    def most_picked(self, kinds: tuple[DomainKind, ...], cap: int) -> int:
        """Most disks with at most `cap` in a domain; of `kinds` that are nested, so in any order."""
        held: list[dict[int, int]] = [{} for _ in kinds]
        total = 0
        for place, count in self.places(kinds):
            room = count
            for domain, taken in zip(place, held, strict=True):
                if domain >= 0:
                    room = min(room, cap - taken.get(domain, 0))
            for domain, taken in zip(place, held, strict=True):
                taken[domain] = taken.get(domain, 0) + room
            total += room
        return total

    def fullest(self, kind: DomainKind) -> int:
        """Number of the disks in the domain with most of them."""
        return max((count for (number,), count in self.places((kind,)) if number >= 0), default=0)

    def wanted(self, kinds: tuple[DomainKind, ...], total: int) -> list[int]:
        """All of them, sorted by `kinds`, the best first; of equally good ones those last that the others stay even
        without, where `total` are needed."""
        order, bad = self.sorted_by(kinds), self.bad
        good = [disk for disk in order if bad[disk] == _GOOD]
        last = set(self.leaving(good, max(len(good) - total, 0)))
        if len(good) == len(order):
            return [disk for disk in order if disk not in last] + [disk for disk in order if disk in last]
        return sorted(order, key=lambda disk: (bad[disk], disk in last))

    def refines(self, fine: DomainKind, coarse: DomainKind) -> bool:
        """True if every domain of kind `fine` is within one of `coarse`."""
        inside: dict[int, int] = {}
        own, outer = self.domains[fine], self.domains[coarse]
        return all(inside.setdefault(own[disk], outer[disk]) == outer[disk] for disk in self.disks if own[disk] >= 0)

    def nested(self, met: tuple[DomainKind, ...]) -> tuple[DomainKind, ...]:
        """Kinds to sort by, the coarsest first. Kinds that overlap one of them are excluded; of those not satisfied
        (not in `met`) the coarser ones, which are furthest from it.
        """
        kinds = list(met)
        for kind in self._coarser_first:
            if kind not in kinds and all(self.comparable(kind, other) for other in kinds):
                kinds.append(kind)
        parts = {kind: sum(self.refines(other, kind) for other in kinds) for kind in kinds}
        return tuple(sorted(kinds, key=lambda kind: (-parts[kind], KINDS.index(kind))))

    def _numbers(self, kinds: tuple[DomainKind, ...], disks: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """The domains of each of `disks`, of each of `kinds`."""
        return zip(*(map(self.domains[kind].__getitem__, disks) for kind in kinds), strict=True)

    def places(self, kinds: tuple[DomainKind, ...]) -> tuple[tuple[tuple[int, ...], int], ...]:
        """How many of the disks are in each combination of domains."""
        return tuple(Counter(self._numbers(kinds, self.disks)).items())

    def sorted_by(self, kinds: tuple[DomainKind, ...]) -> tuple[int, ...]:
        """All of them, by their domains of each of `kinds`, then by number."""
        keys = dict(zip(self.disks, self._numbers(kinds, self.disks), strict=True))
        return tuple(sorted(self.disks, key=lambda disk: (keys[disk], disk)))

    def leaving(self, disks: Sequence[int], count: int) -> list[int]:
        """The first `count` of `disks` to leave out, so that the others stay even: from the fullest domain first.

        The gravest kind decides, then the next; last the number of disks in the same domains of all kinds.
        """
        here: dict[tuple[int, ...], list[int]] = {}
        for disk, place in zip(disks, self._numbers(KINDS, disks), strict=True):
            here.setdefault(place, []).append(disk)
        full = [Counter(map(self.domains[kind].__getitem__, disks)) for kind in KINDS]

        def fullness(place: tuple[int, ...]) -> tuple[int, ...]:
            return (*(-count[at] for count, at in zip(full, place, strict=True)), -len(here[place]))

        queue = [(fullness(place), number, place) for number, place in enumerate(here)]
        heapify(queue)
        found: list[int] = []
        while len(found) < count:
            known, number, place = queue[0]
            if (now := fullness(place)) != known:  # it became emptier: domains never fill again
                heapreplace(queue, (now, number, place))
                continue
            found.append(here[place].pop())
            for held, at in zip(full, place, strict=True):
                held[at] -= 1
            if not here[place]:
                heappop(queue)
        return found


def assign(among: Candidates, bins: MemberGroups) -> Assignment:
    """Fills `bins` from disks, of which there must be enough. Better disks are taken first, evenly spaced.

    Disks that no domain distinguishes fill one bin after the other in their order.
    """
    if among.in_one_domain:
        return _in_sequence(among.disks, among.bad, bins)
    met = _met(among, bins)
    kinds = among.nested(met)
    order = among.sorted_by(kinds)
    taken = set(_pick(among, kinds, met, bins))
    found = _dealt_round([disk for disk in order if disk in taken], bins.sizes)
    if len(set(bins.sizes)) > 1:
        met = tuple(kind for kind in met if _kept(found, among.domains[kind], bins.most))
    return Assignment(
        bins=found,
        rest=tuple([disk for disk in order if disk not in taken]),
        met=met,
        coarsest=next((kind for kind in kinds if kind in met), None),
    )


def _in_sequence(disks: Sequence[int], bad: Sequence[Badness], bins: MemberGroups) -> Assignment:
    """The best disks in their order, the first bin's first; every kind of domain is as good as it can be."""
    taken = set(sorted(disks, key=lambda disk: (bad[disk], disk))[: bins.total])
    members = sorted(taken)
    ends = (0, *accumulate(bins.sizes))
    return Assignment(
        bins=tuple(tuple(members[start:end]) for start, end in pairwise(ends)),
        rest=tuple(disk for disk in sorted(disks) if disk not in taken),
        met=(),
        coarsest=None,
    )


def _kept(found: Sequence[Sequence[int]], domain: Sequence[int], most: Sequence[int]) -> bool:
    """True if no set holds more of a domain than it may lose."""
    return all(
        count <= limit
        for inside, limit in zip(found, most, strict=True)
        for number, count in Counter(domain[disk] for disk in inside).items()
        if number >= 0
    )


def _dealt_round(members: Sequence[int], sizes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """`members` dealt round, so that every run of them is spread over the sets in proportion to their sizes."""
    if len(set(sizes)) == 1:
        return tuple(tuple(members[number :: len(sizes)]) for number in range(len(sizes)))
    turns = sorted(((2 * turn + 1) / size, number) for number, size in enumerate(sizes) for turn in range(size))
    bins: list[list[int]] = [[] for _ in sizes]
    for disk, (_, number) in zip(members, turns, strict=True):
        bins[number].append(disk)
    return tuple(tuple(each) for each in bins)


def evenly_spaced(disks: Sequence[int], bad: Sequence[Badness], count: int) -> list[int]:
    """The best `count` of `disks`; ties are taken at even distances in their order."""
    best = sorted(disks, key=bad.__getitem__)
    worst_taken = bad[best[count - 1]] if count else None
    sure = [disk for disk in disks if worst_taken is not None and bad[disk] < worst_taken]
    tied = [disk for disk in disks if bad[disk] == worst_taken]
    left = count - len(sure)
    return sure + [tied[-(-number * len(tied) // left) - 1] for number in range(1, left + 1)]


def _met(among: Candidates, bins: MemberGroups) -> tuple[DomainKind, ...]:
    """The nested kinds that can be satisfied together, the gravest first."""
    met: tuple[DomainKind, ...] = ()
    for kind in among.known if bins.cap else ():
        nested = all(among.comparable(kind, other) for other in met)
        if nested and among.most_picked((*met, kind), bins.cap) >= bins.total:
            met = (*met, kind)
    return met


def _pick(
    among: Candidates, kinds: tuple[DomainKind, ...], met: tuple[DomainKind, ...], bins: MemberGroups
) -> Sequence[int]:
    """The best disks, sorted by `kinds`, that fit the groups' limits per domain of `met`: as many as they take."""
    wanted, cap = among.wanted(kinds, bins.total), bins.cap
    held: list[tuple[Sequence[int], dict[int, int]]] = [
        (among.domains[kind], {}) for kind in met if among.fullest(kind) > cap
    ]
    if not held:
        return wanted[: bins.total]
    found: list[int] = []
    for disk in wanted:
        if len(found) == bins.total:
            break
        if all(domain[disk] < 0 or taken.get(domain[disk], 0) < cap for domain, taken in held):
            for domain, taken in held:
                taken[domain[disk]] = taken.get(domain[disk], 0) + 1
            found.append(disk)
    return found


# Improves a placement by swapping disks: for overlapping kinds of domain, which assignment cannot always satisfy.
# Slots and disks are numbers. A slot lies in the sets whose loss counts: its array, or the runs of RAID10 copies.


_TRIALS = 8
"""total swaps tried per slot; bounds the time for a thousand disks"""


@dataclass(frozen=True, slots=True)
class DomainMembership:
    """One kind of failure domain: the domain of each disk, and the domains that must be survived."""

    domain: Sequence[int]
    """domain number of each disk; -1 if none"""
    watched: frozenset[int]
    """domains whose loss the arrays could survive"""


class SwapRepair:
    """Local search over the disks in slots, counting the disks of each domain in every set."""

    def __init__(
        self,
        slots: list[int],
        sets: Sequence[Sequence[int]],
        most: int,
        kinds: Sequence[DomainMembership],
        fits: Sequence[frozenset[int]],
        sizes: Sequence[int],
    ) -> None:
        self.slots = slots
        """the disk in each slot"""
        self.sets = sets
        """the slots in each set"""
        self.most = most
        """disks of one domain that a set may lose"""
        self.kinds = kinds
        """the gravest first"""
        self.fits = fits
        """for each slot the classes of size it takes"""
        self.sizes = sizes
        """the class of size of each disk"""
        self.trials = _TRIALS * len(slots)
        self.sets_of: list[list[int]] = [[] for _ in slots]
        for number, inside in enumerate(sets):
            for slot in inside:
                self.sets_of[slot].append(number)
        self.held = [[self._count(kind, inside) for inside in sets] for kind in kinds]

    def repair(self) -> None:
        """Swaps while that improves a kind and worsens no graver one, within a fixed number of trials."""
        better = True
        while better:
            better = False
            for at in self._trouble():
                while self._improve(*at):
                    better = True

    def _count(self, kind: DomainMembership, inside: Sequence[int]) -> dict[int, int]:
        held: dict[int, int] = {}
        for slot in inside:
            domain = kind.domain[self.slots[slot]]
            if domain in kind.watched:
                held[domain] = held.get(domain, 0) + 1
        return held

    def _trouble(self) -> Iterator[tuple[int, int, int]]:
        """(kind, set, domain) for every set that holds too many disks of a domain."""
        for rank, counts in enumerate(self.held):
            for number, held in enumerate(counts):
                for domain in [domain for domain, count in held.items() if count > self.most]:
                    yield rank, number, domain

    def _improve(self, rank: int, number: int, domain: int) -> bool:
        """True if an improving swap was found and made."""
        kind, held = self.kinds[rank].domain, self.held[rank][number]
        for here in self.sets[number]:
            if held[domain] <= self.most or self.trials <= 0:
                return False
            if kind[self.slots[here]] != domain:
                continue
            for there in range(len(self.slots)):
                if kind[self.slots[there]] == domain or not self._may(here, there):
                    continue
                self.trials -= 1
                if self._gain(here, there) < 0:
                    self._swap(here, there)
                    return True
                if self.trials <= 0:
                    return False
        return False

    def _may(self, here: int, there: int) -> bool:
        return self.sizes[self.slots[there]] in self.fits[here] and self.sizes[self.slots[here]] in self.fits[there]

    def _gain(self, here: int, there: int) -> int:
        """Change of the gravest kind affected by the swap (positive is worse); 0 if none is."""
        for kind, held in zip(self.kinds, self.held, strict=True):
            one, other = kind.domain[self.slots[here]], kind.domain[self.slots[there]]
            change = 0
            if one != other:
                for number in self.sets_of[here]:
                    if number not in self.sets_of[there]:
                        change += self._change(held[number], kind, one, other)
                for number in self.sets_of[there]:
                    if number not in self.sets_of[here]:
                        change += self._change(held[number], kind, other, one)
            if change:
                return change
        return 0

    def _change(self, held: dict[int, int], kind: DomainMembership, out: int, into: int) -> int:
        less = out in kind.watched and held[out] > self.most
        more = into in kind.watched and held.get(into, 0) >= self.most
        return more - less

    def _swap(self, here: int, there: int) -> None:
        for kind, held in zip(self.kinds, self.held, strict=True):
            one, other = kind.domain[self.slots[here]], kind.domain[self.slots[there]]
            for slot, out, into in ((here, one, other), (there, other, one)):
                for number in self.sets_of[slot]:
                    if out in kind.watched:
                        held[number][out] -= 1
                    if into in kind.watched:
                        held[number][into] = held[number].get(into, 0) + 1
        self.slots[here], self.slots[there] = self.slots[there], self.slots[here]


# Copy sets of RAID10: the members that hold the copies of one chunk, and orders that separate failure domains.


def has_copy_sets(shape: ArrayShape) -> bool:
    """True if members form sets of `copies` with the same data: RAID10 near with members divisible by copies."""
    return shape.level == "raid10" and shape.spread == "n" and shape.members % shape.copies == 0


def interleaved(disks: Sequence[int], domain: Sequence[int]) -> list[int]:
    """The disks in an order round the array with the shortest possible runs of one domain.

    If one domain has more than half of the disks, the others are inserted at even distances. Otherwise the even
    positions are filled and then the odd ones, domain by domain, so that no neighbours share a domain.
    """
    inside: dict[int, list[int]] = {}
    for disk in disks:
        inside.setdefault(domain[disk] if domain[disk] >= 0 else -1 - disk, []).append(disk)
    runs = sorted(inside.values(), key=lambda run: (-len(run), run))
    flat = [disk for run in runs for disk in run]
    count = len(flat)
    around: list[int] = [-1] * count
    if 2 * len(runs[0]) > count:
        others = flat[len(runs[0]) :]
        for number, disk in enumerate(others):
            around[number * count // len(others)] = disk
        most = iter(runs[0])
        return [next(most) if disk < 0 else disk for disk in around]
    for place, disk in zip([*range(0, count, 2), *range(1, count, 2)], flat, strict=True):
        around[place] = disk
    return around


def sets_of_slots(layout: Layout) -> list[list[int]]:
    """Sets of slots whose joint loss matters: an array, or neighbours that hold the copies of a chunk.

    If the members are not divisible by near copies, all neighbours are separated, some of them unnecessarily.
    """
    found: list[list[int]] = []
    for shape, start in zip(layout.shapes, array_bounds(layout), strict=False):
        if shape.level != "raid10":
            found.append(list(range(start, start + shape.members)))
            continue
        step = shape.copies if has_copy_sets(shape) else 1
        found += [
            [start + (first + copy) % shape.members for copy in range(shape.copies)]
            for first in range(0, shape.members, step)
        ]
    return found
