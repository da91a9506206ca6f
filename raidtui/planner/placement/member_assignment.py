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
from functools import lru_cache
from itertools import accumulate, pairwise

from raidtui.model.placement import DomainKind
from raidtui.planner.placement.disk_condition import Badness
from raidtui.planner.placement.failure_domains import KINDS

Domains = Mapping[DomainKind, tuple[int, ...]]
"""for each kind the domain number of every disk, from 0; -1 if it has none or it is unknown"""


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


def in_one_domain(disks: Sequence[int], domains: Domains) -> bool:
    """True if no known domain distinguishes the disks: their order is then kept, for there is nothing to spread."""
    return all(len(set(_numbers_of(disks, numbers))) < 2 for numbers in domains.values())


def _numbers_of(disks: Sequence[int], numbers: Sequence[int]) -> Sequence[int]:
    """`numbers` of `disks`, whose order does not matter."""
    return numbers if len(disks) == len(numbers) else [numbers[disk] for disk in disks]


def assign(disks: tuple[int, ...], domains: Domains, bad: Sequence[Badness], bins: MemberGroups) -> Assignment:
    """Fills `bins` from `disks`, of which there must be enough. Better disks are taken first, evenly spaced.

    Disks that no domain distinguishes fill one bin after the other in their order.
    """
    if in_one_domain(disks, domains):
        return _in_sequence(disks, bad, bins)
    met = _met(disks, domains, bins)
    kinds = _nested(disks, tuple(domains[kind] for kind in KINDS), met)
    order = _sorted_by(disks, tuple(domains[kind] for kind in kinds))
    caps = [domains[kind] for kind in met]
    taken = set(_pick(_wanted(order, domains, bad, bins), caps, bins))
    members = [disk for disk in order if disk in taken]
    found = _dealt_round(members, bins.sizes)
    if len(set(bins.sizes)) > 1:
        met = tuple(kind for kind in met if _kept(found, domains[kind], bins.most))
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


def _met(disks: tuple[int, ...], domains: Domains, bins: MemberGroups) -> tuple[DomainKind, ...]:
    """The nested kinds that can be satisfied together, the gravest first."""
    met: list[DomainKind] = []
    if not bins.cap:
        return ()
    need = bins.total
    for kind in KINDS:
        if max(_numbers_of(disks, domains[kind]), default=-1) < 0:
            continue
        caps = tuple(domains[other] for other in (*met, kind))
        if all(_comparable(disks, domains[kind], domains[other]) for other in met) and (
            _most_picked(disks, caps, bins) >= need
        ):
            met.append(kind)
    return tuple(met)


@lru_cache(maxsize=256)
def _nested(
    disks: tuple[int, ...], numbers: tuple[tuple[int, ...], ...], met: tuple[DomainKind, ...]
) -> tuple[DomainKind, ...]:
    """Kinds to sort by, the coarsest first. Kinds that overlap one of them are excluded; of those not satisfied the
    coarser ones, which are furthest from it. `numbers` are the domains of each of `KINDS`.
    """
    domains = dict(zip(KINDS, numbers, strict=True))
    kinds = list(met)
    for kind in sorted(KINDS, key=lambda kind: -len({domains[kind][disk] for disk in disks})):
        if kind not in kinds and all(_comparable(disks, domains[kind], domains[other]) for other in kinds):
            kinds.append(kind)
    parts = {kind: sum(_refines(disks, domains[other], domains[kind]) for other in kinds) for kind in kinds}
    return tuple(sorted(kinds, key=lambda kind: (-parts[kind], KINDS.index(kind))))


def _comparable(disks: tuple[int, ...], one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return _refines(disks, one, other) or _refines(disks, other, one)


@lru_cache(maxsize=256)
def _refines(disks: tuple[int, ...], fine: tuple[int, ...], coarse: tuple[int, ...]) -> bool:
    """True if every domain of `fine` is within one of `coarse`."""
    inside: dict[int, int] = {}
    return all(inside.setdefault(fine[disk], coarse[disk]) == coarse[disk] for disk in disks if fine[disk] >= 0)


def _wanted(order: Sequence[int], domains: Domains, bad: Sequence[Badness], bins: MemberGroups) -> list[int]:
    """`order` with the best disks first; of equally good ones those last that the others stay even without."""
    good = (False, 0, 0.0, 0)
    fine = tuple([disk for disk in order if bad[disk] == good])
    left = max(len(fine) - bins.total, 0)
    last = set(_leaving(fine, tuple(domains[kind] for kind in KINDS))[:left])
    if len(fine) == len(order):
        return [disk for disk in order if disk not in last] + [disk for disk in order if disk in last]
    return sorted(order, key=lambda disk: (bad[disk], disk in last))


@lru_cache(maxsize=256)
def _leaving(disks: tuple[int, ...], kinds: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """The disks in the order in which they are left out, so that the others stay even: from the fullest domain first.

    The gravest kind decides, then the next; last the number of disks in the same domains of all kinds.
    """
    here: dict[tuple[int, ...], list[int]] = {}
    for disk in disks:
        here.setdefault(tuple(domain[disk] for domain in kinds), []).append(disk)
    full = [Counter(domain[disk] for disk in disks) for domain in kinds]
    found = []
    while here:
        place = max(
            here, key=lambda place: (*(count[at] for count, at in zip(full, place, strict=True)), len(here[place]))
        )
        found.append(here[place].pop())
        for count, at in zip(full, place, strict=True):
            count[at] -= 1
        if not here[place]:
            del here[place]
    return tuple(found)


@lru_cache(maxsize=256)
def _sorted_by(disks: tuple[int, ...], kinds: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    return tuple(sorted(disks, key=lambda disk: (*(domain[disk] for domain in kinds), disk)))


@lru_cache(maxsize=256)
def _places(disks: tuple[int, ...], caps: tuple[tuple[int, ...], ...]) -> tuple[tuple[tuple[int, ...], int], ...]:
    """How many of the disks are in each combination of domains."""
    return tuple(Counter(tuple(domain[disk] for domain in caps) for disk in disks).items())


def _most_picked(disks: tuple[int, ...], caps: tuple[tuple[int, ...], ...], bins: MemberGroups) -> int:
    """Number of disks that `_pick` yields if the groups have room for all: for nested domains in any order."""
    cap = bins.cap
    held: list[dict[int, int]] = [{} for _ in caps]
    total = 0
    for place, count in _places(disks, caps):
        room = count
        for domain, taken in zip(place, held, strict=True):
            if domain >= 0:
                room = min(room, cap - taken.get(domain, 0))
        for domain, taken in zip(place, held, strict=True):
            taken[domain] = taken.get(domain, 0) + room
        total += room
    return total


def _fullest(disks: Sequence[int], domain: Sequence[int]) -> int:
    """Number of `disks` in the domain with most of them."""
    return max((count for at, count in Counter(_numbers_of(disks, domain)).items() if at >= 0), default=0)


def _pick(disks: Sequence[int], caps: Sequence[Sequence[int]], bins: MemberGroups) -> Iterator[int]:
    """The first of `disks` that fit the groups' limits per domain, up to the groups' total size."""
    cap, need = bins.cap, bins.total
    kinds: list[tuple[Sequence[int], dict[int, int]]] = [(each, {}) for each in caps if _fullest(disks, each) > cap]
    if not kinds:
        yield from disks[:need]
        return
    for disk in disks:
        if need == 0:
            return
        for domain, held in kinds:
            number = domain[disk]
            if number >= 0 and held.get(number, 0) >= cap:
                break
        else:
            for domain, held in kinds:
                held[domain[disk]] = held.get(domain[disk], 0) + 1
            need -= 1
            yield disk
