"""Certificates: the effect of losing each failure domain, counted over a finished placement.

RAID10's copies follow drivers/md/raid10.c (__raid10_find_phys): near copies fill the members in rows, so chunk c
has them on members c*k, c*k+1, ..., c*k+k-1, counted round the array; far and offset copies put the next copy on
the next member round the array. Every chunk is therefore on `copies` neighbours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import compress, pairwise
from math import gcd
from operator import add

from raidtui.predict.placement.domains import (
    KINDS,
    SPOTS,
    Spot,
    can_survive,
    domain_counts,
    domain_names,
    domain_order,
    max_members_lost,
    member_capacity,
    most_lost,
    names_of,
    nearest_surviving,
    widest_surviving,
)
from raidtui.values.amounts import of_all
from raidtui.values.choices import OUTAGES, Outage
from raidtui.values.findings import LONGEST, Finding, note, warning
from raidtui.values.inventory import Disk
from raidtui.values.layout import ArrayShape, Layout, Level
from raidtui.values.location import Certificate, DomainKind, DomainVerdict
from raidtui.values.members import array_bounds, array_label
from raidtui.values.notation import show
from raidtui.values.safe import safe
from raidtui.values.units import counted, plural

_GRAVITY: dict[DomainVerdict, int] = {"lost": 0, "degraded": 1, "survives": 2}
_UNKNOWN = ""
"""domain of a disk whose domain of that kind is unknown"""


def certify(layout: Layout, disks: Sequence[Disk]) -> tuple[Certificate, ...]:
    """One certificate for every domain that holds one of `disks`, worst first.

    `disks` are members of array 0, of array 1, ..., then spares. Disks of unknown domain are counted in each one; a
    domain whose loss would lose data only through them has no certificate, since neither case is proven. Raises
    ValueError unless there are as many disks as the layout takes.
    """
    if len(disks) != layout.disks:
        raise ValueError(f"expected {layout.disks} disks for the layout, found {len(disks)}")
    spots = SPOTS.each(disks)
    here = Counter(spots)
    found = [certificate for kind in KINDS for certificate in _of_kind(layout, spots, here, kind)]
    return tuple(
        sorted(
            found,
            key=lambda each: (
                _GRAVITY[each.verdict], KINDS.index(each.kind), -max(each.members_lost), domain_order(each.domain)
            ),
        )
    )  # fmt: skip


def chunks_lost(shape: ArrayShape, lost: Set[int]) -> tuple[int, int]:
    """RAID10 without the members `lost`: (chunks without a remaining copy, chunks in all), per cycle of the layout."""
    step = gcd(shape.members, shape.copies) if shape.spread == "n" else 1
    gone = sum(
        all((start + copy) % shape.members in lost for copy in range(shape.copies))
        for start in lost
        if start % step == 0
    )
    return gone, shape.members // step


def fatal_domains(shape: ArrayShape, inside: Sequence[str | None]) -> set[str]:
    """The domains whose loss loses the array; `inside` is the domain of each member, empty without one."""
    survives = shape.survives
    if len(inside) - len(set(inside)) < survives:
        return set()
    if shape.level != "raid10":
        return {name for name, count in Counter(inside).items() if name and count > survives}
    step = gcd(shape.members, shape.copies) if shape.spread == "n" else 1
    around = [*inside, *inside[: shape.copies - 1]]
    copies = [around[copy : copy + shape.members : step] for copy in range(shape.copies)]
    return {names[0] for names in zip(*copies, strict=True) if names[0] and len(set(names)) == 1}


def outlived(found: Sequence[Certificate]) -> tuple[Outage, ...]:
    """Kinds of domain of which data outlives any one, by the certificates of a placement."""
    lost = {each.kind for each in found if each.verdict == "lost"}
    known = {each.kind for each in found}
    return tuple(kind for kind in OUTAGES if kind in known - lost)


def certificate_text(certificates: Sequence[Certificate]) -> list[str]:
    """The certificates as a text table; domains with the same effect share a line."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for each in certificates:
        row = (each.kind, each.verdict, _range(each.members_lost), str(each.spares_lost), each.reason)
        alike.setdefault(row, []).append(safe(each.domain, longest=LONGEST))
    rows = [("LOSS OF", "VERDICT", "OF EACH ARRAY", "SPARES", "WHY")]
    rows += [(_domains(kind, names), *row) for (kind, *row), names in alike.items()]  # type: ignore[misc]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return [
        f"{what:<{widths[0]}}  {verdict:<{widths[1]}}  {members:<{widths[2]}}  {spares:>{widths[3]}}  {why}"
        for what, verdict, members, spares, why in rows
    ]


def _of_kind(
    layout: Layout, spots: Sequence[Spot], here: Mapping[Spot, int], kind: DomainKind
) -> Iterator[Certificate]:
    """The certificates of one kind of domain for disks at `spots`; `here`: how many at each."""
    names = names_of(here, kind)
    in_all = domain_counts(here, kind)
    hidden = [spot for spot, name in names.items() if name is None and kind in spot.unknown]
    names |= dict.fromkeys(hidden, _UNKNOWN)
    unknown = sum(here[spot] for spot in hidden)
    inside = [[names[spot] for spot in spots[start:end]] for start, end in pairwise(array_bounds(layout)) if in_all]
    widths = [shape.members for shape in layout.shapes]
    held = {name: [0] * len(inside) for name in names.values()}
    if len(held) == 1:
        held = dict.fromkeys(held, widths)
    else:
        for array, domains in enumerate(inside):
            for own in domains:
                held[own][array] += 1
    for name, count in in_all.items():
        taken = tuple(held[name])
        lost, touched = _lost_arrays(layout, inside, taken, {name}), any(taken)
        if unknown and not lost:
            more = list(map(add, taken, held[_UNKNOWN]))
            if _lost_arrays(layout, inside, more, {name, _UNKNOWN}):
                continue
            touched = any(more)
        verdict: DomainVerdict = "lost" if lost else "degraded" if touched else "survives"
        if count == len(spots):
            reason = "contains every disk"
        elif lost:
            array = min(lost, key=lambda number: (-taken[number], number))
            reason = _loss(layout, array, _members_in(inside[array], {name}))
        else:
            reason = _remains(layout, list(compress(widths, taken)), max(taken), verdict)
            reason += f", even with {counted(unknown, 'disk')} of unknown {kind}" if unknown else ""
        yield Certificate(
            kind=kind,
            domain=name,
            members_lost=taken,
            spares_lost=count - sum(taken),
            verdict=verdict,
            reason=reason,
        )


def _lost_arrays(
    layout: Layout, inside: Sequence[Sequence[str | None]], taken: Sequence[int], lost: Set[str]
) -> list[int]:
    """The arrays that lose data with the domains `lost`, which take `taken` members of each.

    `inside` is the domain of every member of each array.
    """
    if max(taken) <= layout.survives:
        return []
    shapes = layout.shapes
    beyond = [array for array, count in enumerate(taken) if count > shapes[array].survives]
    if layout.level != "raid10":
        return beyond
    return [array for array in beyond if chunks_lost(shapes[array], _members_in(inside[array], lost))[0]]


def _members_in(inside: Sequence[str | None], domains: Set[str]) -> set[int]:
    return {member for member, name in enumerate(inside) if name in domains}


def _remains(layout: Layout, widths: Sequence[int], most: int, verdict: DomainVerdict) -> str:
    """Why nothing is lost with a domain that takes at most `most` members of arrays of `widths` members."""
    if verdict == "survives":
        return "contains only spares"
    keeps = "and every chunk keeps a copy" if layout.level == "raid10" else _survives(layout.level, layout.survives)
    return f"at most {most} of {_range(widths) if widths else ''} members, {keeps}"


def _loss(layout: Layout, array: int, lost: Set[int]) -> str:
    """Why array number `array` loses data with its members `lost`."""
    shape = layout.shapes[array]
    which = f"array {array_label(array)} loses" if layout.arrays > 1 else "it takes"
    if layout.level == "raid10":
        gone, chunks = chunks_lost(shape, lost)
        return f"{which} every copy of {gone} in {chunks} chunks"
    return f"{which} {len(lost)} of {shape.members} members, {_survives(shape.level, shape.survives)}"


def _survives(level: Level, failures: int) -> str:
    return f"{level.upper()} survives {failures}"


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{high}" if low == high else f"{low} to {high}"


def _domains(kind: str, names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0] if names[0].startswith(kind) else f"{kind} {names[0]}"
    return f"any of {counted(len(names), kind)}: {names[0]}, {names[1]}" + (", ..." if len(names) > 2 else "")


# Findings about failure domains whose loss loses data: the count that proves it, and the nearest surviving layout.


_LISTED = 6
"""domains whose counts are listed one by one"""


def domain_findings(
    layout: Layout,
    chosen: Sequence[Disk],
    disks: Sequence[Disk],
    certificates: Sequence[Certificate],
    *,
    placed: bool,
) -> Iterator[Finding]:
    """Warnings of domains that are not survived, notes on those that are single or unknown.

    `disks` are all available disks; `placed`: the chosen ones were placed by `place`, so no better placement is known.
    """
    yield from _unknown(chosen)
    if layout.level == "raid0":
        return
    single: list[str] = []
    said: set[frozenset[frozenset[int]]] = set()
    for kind in KINDS:
        lost = [each for each in certificates if each.kind == kind and each.verdict == "lost"]
        counts = domain_counts(Counter(SPOTS.each(disks)), kind) if lost else {}
        if len(counts) == 1:
            single.append(f"one {kind} ({safe(lost[0].domain, longest=LONGEST)})")
        elif lost and (parts := _parts(chosen, kind)) not in said:  # backplanes of one expander each: said once
            said.add(parts)
            loose = len(disks) - sum(counts.values())
            yield _lost(layout, kind, lost, (*sorted(counts.values(), reverse=True), *(1,) * loose), placed)
    if single:
        yield note(
            "domain-single",
            f"All disks are attached to {' and to '.join(single)}: no layout survives its loss.",
            "add a second one and spread every array over both",
        )


def _parts(disks: Sequence[Disk], kind: DomainKind) -> frozenset[frozenset[int]]:
    inside: dict[str, set[int]] = {}
    for number, name in enumerate(domain_names(disks, kind)):
        if name is not None:
            inside.setdefault(name, set()).add(number)
    return frozenset(frozenset(numbers) for numbers in inside.values())


def _lost(
    layout: Layout, kind: DomainKind, lost: Sequence[Certificate], counts: Sequence[int], placed: bool
) -> Finding:
    which = f"any of {counted(len(lost), kind)}" if len(lost) > 1 else f"{kind} {safe(lost[0].domain, longest=LONGEST)}"
    if can_survive(layout, counts) and not placed:
        why = "a better placement of its disks over the arrays exists"
        way_out = "spread the members of each array over the domains"
        return warning("domain-lost", f"The loss of {which} stops an array: {why}.", way_out, lost[0].domain)
    if can_survive(layout, counts):
        why = "a placement exists for this domain alone, but none was found that also respects sizes and other domains"
    else:
        why = _proof(layout, kind, counts)
    return warning(
        "domain-lost",
        f"The loss of {which} stops an array: {why}.",
        _way_out(layout, kind, counts),
        lost[0].domain,
    )


def _proof(layout: Layout, kind: DomainKind, counts: Sequence[int]) -> str:
    """Why no placement can do better, as a count that the reader can verify."""
    widest = layout.widest.shape
    each, members = max_members_lost(widest), widest.members
    if len(counts) * each < members and min(counts) >= each:
        total = len(counts) * each
        return f"it may have {each} members on each, {total} in all, but has {members}"
    cap = most_lost(layout)
    given = [str(min(count, cap)) for count in counts]
    sums = " + ".join(given) if len(given) <= _LISTED else f"{counted(len(given), kind)} together"
    return (
        f"with at most {each} members of an array per {kind} the {plural(kind, 2)} hold {sums} = "
        f"{member_capacity(layout, counts)} members, {layout.member_disks} are needed"
    )


def _way_out(layout: Layout, kind: DomainKind, counts: Sequence[int]) -> str:
    other = nearest_surviving(layout, counts)
    if other is None:
        return f"add {plural(kind, 2)}, or spread the disks over them more evenly"
    level = layout.level.upper()
    widest = layout.widest.shape
    width = widest_surviving(widest, len(counts)) if layout.parity else 0
    narrower = 0 < width < widest.members
    rule = f"{level} of at most {width} members survives it; " if narrower else ""
    return f"{rule}nearest on these disks: {show(other)}"


def _unknown(chosen: Sequence[Disk]) -> Iterator[Finding]:
    parts = []
    spots = SPOTS.each(chosen)
    for kind in ("enclosure", "controller"):
        if unknown := {spot for spot in set(spots) if kind in spot.unknown}:
            count = sum(spot in unknown for spot in spots)
            parts.append(f"the {kind} of {of_all(count, len(chosen), 'disk')}")
    if parts:
        yield note(
            "place-unknown",
            f"Unknown, so not certified: {' and '.join(parts)}.",
            "run as root with the enclosures' SES driver (ses) loaded, or check the cabling",
        )
