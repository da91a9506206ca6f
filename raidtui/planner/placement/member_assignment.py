"""Assigns disks to groups so that no group holds more of a failure domain than it may lose. Disks are numbers here.

Domains that lie inside each other (expanders behind a controller) are met exactly: members are picked greedily
under a cap for every domain, which for nested sets always ends in a largest possible pick, and then dealt round
in the order of the nesting, which gives a bin at most the rounded-up average of every domain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from raidtui.model.placement import DomainKind
from raidtui.planner.placement.disk_condition import Badness
from raidtui.planner.placement.failure_domains import KINDS

Domains = Mapping[DomainKind, Sequence[int]]
"""for each kind the domain number of every disk, from 0; -1 if it has none or it is unknown"""


@dataclass(frozen=True, slots=True)
class Groups:
    """Equal sets of members to fill."""

    count: int
    size: int
    most: int
    """members of one domain that a group may lose"""


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


def assign(disks: Sequence[int], domains: Domains, bad: Sequence[Badness], bins: Groups) -> Assignment:
    """Fills `bins` from `disks`, of which there must be enough. Better disks are taken first, evenly spaced."""
    met = _met(disks, domains, bins)
    kinds = _nested(disks, domains, met)
    order = sorted(disks, key=lambda disk: (*(domains[kind][disk] for kind in kinds), disk))
    caps = [domains[kind] for kind in met]
    taken = set(_pick(_wanted(order, bad, bins), caps, bins))
    members = [disk for disk in order if disk in taken]
    return Assignment(
        bins=tuple(tuple(members[number :: bins.count]) for number in range(bins.count)),
        rest=tuple(disk for disk in order if disk not in taken),
        met=met,
        coarsest=next((kind for kind in kinds if kind in met), None),
    )


def evenly_spaced(disks: Sequence[int], bad: Sequence[Badness], count: int) -> list[int]:
    """The best `count` of `disks`; ties are taken at even distances in their order."""
    best = sorted(disks, key=lambda disk: bad[disk])
    worst_taken = bad[best[count - 1]] if count else None
    sure = [disk for disk in disks if worst_taken is not None and bad[disk] < worst_taken]
    tied = [disk for disk in disks if bad[disk] == worst_taken]
    return sure + [disk for disk, picked in _striding(tied, count - len(sure)) if picked]


def _met(disks: Sequence[int], domains: Domains, bins: Groups) -> tuple[DomainKind, ...]:
    """The nested kinds that can be satisfied together, the gravest first."""
    met: list[DomainKind] = []
    if not bins.most:
        return ()
    need = bins.count * bins.size
    for kind in KINDS:
        if all(domains[kind][disk] < 0 for disk in disks):
            continue
        caps = [domains[other] for other in (*met, kind)]
        if all(_comparable(disks, domains[kind], domains[other]) for other in met) and (
            sum(1 for _ in _pick(disks, caps, bins)) == need
        ):
            met.append(kind)
    return tuple(met)


def _nested(disks: Sequence[int], domains: Domains, met: Sequence[DomainKind]) -> list[DomainKind]:
    """Kinds to sort by, the coarsest first. Kinds that overlap one of them are excluded; of those not satisfied the
    coarser ones, which are furthest from it.
    """
    kinds = list(met)
    for kind in sorted(KINDS, key=lambda kind: -len({domains[kind][disk] for disk in disks})):
        if kind not in kinds and all(_comparable(disks, domains[kind], domains[other]) for other in kinds):
            kinds.append(kind)
    parts = {kind: sum(_refines(disks, domains[other], domains[kind]) for other in kinds) for kind in kinds}
    return sorted(kinds, key=lambda kind: (-parts[kind], KINDS.index(kind)))


def _comparable(disks: Sequence[int], one: Sequence[int], other: Sequence[int]) -> bool:
    return _refines(disks, one, other) or _refines(disks, other, one)


def _refines(disks: Sequence[int], fine: Sequence[int], coarse: Sequence[int]) -> bool:
    """True if every domain of `fine` is within one of `coarse`."""
    inside: dict[int, int] = {}
    return all(inside.setdefault(fine[disk], coarse[disk]) == coarse[disk] for disk in disks if fine[disk] >= 0)


def _wanted(order: Sequence[int], bad: Sequence[Badness], bins: Groups) -> list[int]:
    """`order` with the best disks first; ties so that the rest stays evenly spread."""
    good = (False, 0, 0.0, 0)
    fine = [disk for disk in order if bad[disk] == good]
    left = max(len(fine) - bins.count * bins.size, 0)
    spread = {disk for disk, picked in _striding(fine, left) if picked}
    return sorted(order, key=lambda disk: (bad[disk], disk in spread))


def _striding(disks: Sequence[int], count: int) -> Iterator[tuple[int, bool]]:
    """Each disk, with True for `count` of them at even distances."""
    for place, disk in enumerate(disks):
        yield disk, (place + 1) * count // len(disks) > place * count // len(disks)


def _pick(disks: Sequence[int], caps: Sequence[Sequence[int]], bins: Groups) -> Iterator[int]:
    """The first of `disks` that fit the groups' limits per domain, up to the groups' total size."""
    cap, need = bins.count * bins.most, bins.count * bins.size
    held: list[dict[int, int]] = [{} for _ in caps]
    for disk in disks:
        if need == 0:
            return
        if all(domain[disk] < 0 or count.get(domain[disk], 0) < cap for domain, count in zip(caps, held, strict=True)):
            for domain, count in zip(caps, held, strict=True):
                count[domain[disk]] = count.get(domain[disk], 0) + 1
            need -= 1
            yield disk
