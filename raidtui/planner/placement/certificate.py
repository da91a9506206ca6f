"""Certificates: the effect of losing each failure domain, counted over a finished placement.

RAID10's copies follow drivers/md/raid10.c (__raid10_find_phys): near copies fill the members in rows, so chunk c
has them on members c*k, c*k+1, ..., c*k+k-1, counted round the array; far and offset copies put the next copy on
the next member round the array. Every chunk is therefore on `copies` neighbours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise
from math import gcd
from typing import assert_never

from raidtui.model.counted import counted
from raidtui.model.inventory import Disk
from raidtui.model.layout import AnyLayout, Layout
from raidtui.model.placement import Certificate, DomainKind, DomainVerdict
from raidtui.model.safe import safe
from raidtui.planner.array_labels import array_label
from raidtui.planner.findings import LONGEST
from raidtui.planner.members import array_bounds
from raidtui.planner.placement.failure_domains import KINDS, domain_names, domain_order, place_unknown

_GRAVITY: dict[DomainVerdict, int] = {"lost": 0, "degraded": 1, "survives": 2}


def certify(layout: AnyLayout, disks: Sequence[Disk]) -> tuple[Certificate, ...]:
    """One certificate for every domain that holds one of `disks`, worst first.

    `disks` are members of array 0, of array 1, ..., then spares. Disks of unknown domain are counted in each one; a
    domain whose loss would lose data only through them has no certificate, since neither case is proven. Raises
    ValueError unless there are as many disks as the layout takes.
    """
    if len(disks) != layout.disks:
        raise ValueError(f"expected {layout.disks} disks for the layout, found {len(disks)}")
    starts = array_bounds(layout)
    array_of = [array for array, (start, end) in enumerate(pairwise(starts)) for _ in range(start, end)]
    found = [certificate for kind in KINDS for certificate in _of_kind(layout, disks, kind, array_of, starts)]
    return tuple(
        sorted(
            found,
            key=lambda each: (
                _GRAVITY[each.verdict], KINDS.index(each.kind), -max(each.members_lost), domain_order(each.domain)
            ),
        )
    )  # fmt: skip


def chunks_lost(layout: Layout, lost: Set[int]) -> tuple[int, int]:
    """RAID10 without the members `lost`: (chunks without a remaining copy, chunks in all), per cycle of the layout."""
    step = gcd(layout.members, layout.copies) if layout.spread == "n" else 1
    gone = sum(
        all((start + copy) % layout.members in lost for copy in range(layout.copies))
        for start in lost
        if start % step == 0
    )
    return gone, layout.members // step


def array_lost(layout: Layout, lost: Set[int]) -> bool:
    """True if an array of `layout` loses data without the members `lost`, numbered from 0."""
    if layout.level == "raid10":
        return chunks_lost(layout, lost)[0] > 0
    return len(lost) > layout.survives


def fatal_domains(layout: Layout, inside: Sequence[str | None]) -> set[str]:
    """The domains whose loss loses an array of `layout`; `inside` is the domain of each member, empty without one."""
    if layout.level != "raid10":
        survives = layout.survives
        return {name for name, count in Counter(inside).items() if name and count > survives}
    step = gcd(layout.members, layout.copies) if layout.spread == "n" else 1
    around = [*inside, *inside[: layout.copies - 1]]
    copies = [around[copy : copy + layout.members : step] for copy in range(layout.copies)]
    return {names[0] for names in zip(*copies, strict=True) if names[0] and len(set(names)) == 1}


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
    layout: AnyLayout, disks: Sequence[Disk], kind: DomainKind, array_of: Sequence[int], starts: Sequence[int]
) -> Iterator[Certificate]:
    """The certificates of one kind of domain; `array_of` is the array of every member, `starts` its first ones."""
    inside: dict[str, list[int]] = {}
    nowhere: list[int] = []
    for number, name in enumerate(domain_names(disks, kind)):
        if name is not None:
            inside.setdefault(name, []).append(number)
        else:
            nowhere.append(number)
    if not inside:
        return
    unknown = [number for number in nowhere if place_unknown(disks[number], kind)]
    for name, numbers in inside.items():
        lost = _by_array(numbers, array_of, starts)
        verdict = _verdict(layout, lost)
        if unknown and verdict != "lost":
            verdict = _verdict(layout, _by_array([*numbers, *unknown], array_of, starts))
            if verdict == "lost":
                continue
        members_lost = [0] * layout.arrays
        for array, members in lost.items():
            members_lost[array] = len(members)
        yield Certificate(
            kind=kind,
            domain=name,
            members_lost=tuple(members_lost),
            spares_lost=len(numbers) - sum(members_lost),
            verdict=verdict,
            reason="contains every disk"
            if len(numbers) == len(disks)
            else _reason(layout, lost, verdict)
            + (
                f", even with {counted(len(unknown), 'disk')} of unknown {kind}"
                if unknown and verdict != "lost"
                else ""
            ),
        )


def _by_array(numbers: Sequence[int], array_of: Sequence[int], starts: Sequence[int]) -> dict[int, set[int]]:
    """Array number to the members it loses, numbered from 0; spares come after the members."""
    lost: dict[int, set[int]] = {}
    for number in numbers:
        if number < len(array_of):
            array = array_of[number]
            if array in lost:
                lost[array].add(number - starts[array])
            else:
                lost[array] = {number - starts[array]}
    return lost


def _verdict(layout: AnyLayout, lost: Mapping[int, Set[int]]) -> DomainVerdict:
    shapes = layout.shapes
    if any(array_lost(shapes[array], members) for array, members in lost.items()):
        return "lost"
    return "degraded" if lost else "survives"


def _reason(layout: AnyLayout, lost: Mapping[int, Set[int]], verdict: DomainVerdict) -> str:
    shapes = layout.shapes
    most = max((len(members) for members in lost.values()), default=0)
    widths = _range([shapes[array].members for array in lost]) if lost else ""
    match verdict:
        case "survives":
            return "contains only spares"
        case "degraded" if layout.level == "raid10":
            return f"at most {most} of {widths} members, and every chunk keeps a copy"
        case "degraded":
            return f"at most {most} of {widths} members, {_survives(layout)}"
        case "lost":
            array = min(
                lost, key=lambda number: (not array_lost(shapes[number], lost[number]), -len(lost[number]), number)
            )
            which = f"array {array_label(array)} loses" if layout.arrays > 1 else "it takes"
            if layout.level == "raid10":
                gone, chunks = chunks_lost(shapes[array], lost[array])
                return f"{which} every copy of {gone} in {chunks} chunks"
            return f"{which} {len(lost[array])} of {shapes[array].members} members, {_survives(shapes[array])}"
        case _:
            assert_never(verdict)


def _survives(layout: AnyLayout) -> str:
    return f"{layout.level.upper()} survives {layout.survives}"


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{high}" if low == high else f"{low} to {high}"


def _domains(kind: str, names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0] if names[0].startswith(kind) else f"{kind} {names[0]}"
    return f"any of {counted(len(names), kind)}: {names[0]}, {names[1]}" + (", ..." if len(names) > 2 else "")
