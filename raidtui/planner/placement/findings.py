"""Findings about failure domains whose loss loses data: the count that proves it, and the nearest surviving layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from raidtui.model.counted import counted, plural
from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk
from raidtui.model.layout import AnyLayout
from raidtui.model.notation import show
from raidtui.model.placement import Certificate, DomainKind
from raidtui.model.safe import safe
from raidtui.planner.findings import LONGEST, note
from raidtui.planner.numbers import of_all
from raidtui.planner.placement.failure_domains import KINDS, SPOTS, domain_counts, domain_names
from raidtui.planner.placement.feasibility import (
    can_survive,
    max_members_lost,
    member_capacity,
    most_lost,
    nearest_surviving,
    widest_surviving,
)

_LISTED = 6
"""domains whose counts are listed one by one"""


def domain_findings(
    layout: AnyLayout,
    chosen: Sequence[Disk],
    disks: Sequence[Disk],
    certificates: Sequence[Certificate],
    *,
    placed: bool,
) -> Iterator[Finding]:
    """Notes on domains that are single, not survived or unknown. `disks` are all available disks.

    `placed`: the chosen disks were placed by `place`, so no better placement is known.
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
    layout: AnyLayout, kind: DomainKind, lost: Sequence[Certificate], counts: Sequence[int], placed: bool
) -> Finding:
    which = f"any of {counted(len(lost), kind)}" if len(lost) > 1 else f"{kind} {safe(lost[0].domain, longest=LONGEST)}"
    if can_survive(layout, counts) and not placed:
        why = "a better placement of its disks over the arrays exists"
        way_out = "spread the members of each array over the domains"
        return note("domain-lost", f"The loss of {which} destroys an array: {why}.", way_out, lost[0].domain)
    if can_survive(layout, counts):
        why = "a placement exists for this domain alone, but none was found that also respects sizes and other domains"
    else:
        why = _proof(layout, kind, counts)
    return note(
        "domain-lost",
        f"The loss of {which} destroys an array: {why}.",
        _way_out(layout, kind, counts),
        lost[0].domain,
    )


def _proof(layout: AnyLayout, kind: DomainKind, counts: Sequence[int]) -> str:
    """Why no placement can do better, as a count that the reader can verify."""
    widest = max(layout.groups, key=lambda group: group.members)
    each, members = max_members_lost(widest), widest.members
    if len(counts) * each < members and min(counts) >= each:
        total = len(counts) * each
        return f"it survives with at most {each} members on each, {total} in all; it has {members}"
    cap = most_lost(layout)
    given = [str(min(count, cap)) for count in counts]
    sums = " + ".join(given) if len(given) <= _LISTED else f"{counted(len(given), kind)} together"
    return (
        f"with at most {each} members of an array per {kind} the {plural(kind, 2)} hold {sums} = "
        f"{member_capacity(layout, counts)} members, {layout.member_disks} are needed"
    )


def _way_out(layout: AnyLayout, kind: DomainKind, counts: Sequence[int]) -> str:
    other = nearest_surviving(layout, counts)
    if other is None:
        return f"add {plural(kind, 2)}, or spread the disks over them more evenly"
    level = layout.level.upper()
    widest = max(layout.groups, key=lambda group: group.members)
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
