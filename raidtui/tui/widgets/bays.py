"""Enclosures as rows of bays, derived from slot names. Nothing here draws."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from raidtui.model.inventory import Disk
from raidtui.planner.array_labels import SPARE, array_label, part_names

if TYPE_CHECKING:
    from raidtui.model.layout import AnyLayout

# `drawer 1 slot 07`, `bay 3`, `A07`: what comes before the last number names a row.
_SLOT = re.compile(r"(.*?)[\s:/_-]*(\d+)")
_ROW = 12


class Shelf(NamedTuple):
    """One enclosure: rows of bays, each with a label; None is a bay without a disk."""

    words: str
    """title"""
    labels: tuple[str, ...]
    """one per row"""
    numbers: tuple[str, ...]
    """one per column; empty if columns have no number of their own"""
    rows: tuple[tuple[Disk | None, ...], ...]


def shelves(disks: Sequence[Disk]) -> tuple[Shelf, ...]:
    """A shelf for every enclosure in `disks`, then one for disks without a known slot."""
    placed: dict[str, list[Disk]] = {}
    loose: list[Disk] = []
    for disk in disks:
        if disk.place.slot and _SLOT.fullmatch(disk.place.slot):
            placed.setdefault(disk.place.enclosure or "", []).append(disk)
        else:
            loose.append(disk)
    found = [_shelf(name, tuple(inside)) for name, inside in placed.items()]
    if loose:
        rows = tuple(tuple(loose[at : at + _ROW]) for at in range(0, len(loose), _ROW))
        words = "slot unknown: in inventory order"
        labels = tuple(str(1 + _ROW * number) for number in range(len(rows)))
        found.append(Shelf(words=words, labels=labels, numbers=(), rows=rows))
    return tuple(found)


def _shelf(name: str, disks: Sequence[Disk]) -> Shelf:
    where: dict[tuple[str, int], Disk] = {}
    for disk in disks:
        match = _SLOT.fullmatch(disk.place.slot or "")
        assert match is not None
        where.setdefault((match.group(1), int(match.group(2))), disk)
    prefixes = sorted({prefix for prefix, _ in where})
    numbers = sorted({number for _, number in where})
    words = f"enclosure {name}" if name else "slots"
    common = _common_word(prefixes)
    if len(prefixes) > 1:
        columns = range(min(numbers[0], 1), numbers[-1] + 1)
        rows = tuple(tuple(where.get((prefix, number)) for number in columns) for prefix in prefixes)
        titles = tuple(f"{number:02d}" for number in columns)
        labels = tuple(prefix.removesuffix(common).strip() or prefix for prefix in prefixes)
        return Shelf(words=words, labels=labels, numbers=titles, rows=rows)
    first = min(numbers[0], 1)
    flat = [where.get((prefixes[0], number)) for number in range(first, numbers[-1] + 1)]
    rows = tuple(tuple(flat[at : at + _ROW]) for at in range(0, len(flat), _ROW))
    labels = tuple(str(first + _ROW * number) for number in range(len(rows)))
    return Shelf(words=words, labels=labels, numbers=(), rows=rows)


def row_of(slot: str) -> str:
    """`drawer 1` for `drawer 1 slot 07`; empty if the name has no row."""
    match = _SLOT.fullmatch(slot)
    words = match.group(1).strip() if match is not None else ""
    return re.sub(r"\s*[A-Za-z]+$", "", words) if re.search(r"\d", words) else ""


def _common_word(prefixes: Sequence[str]) -> str:
    """The last word that all prefixes share, such as `slot`."""
    last = {prefix.rpartition(" ")[2] for prefix in prefixes}
    return last.pop() if len(last) == 1 else ""


def role_words(layout: AnyLayout, labels: Mapping[str, str], name: str) -> dict[str, str]:
    """`A data-0` or `spare`, for each disk in `labels` (see `groups_of`) of the layout in a plan called `name`."""
    arrays = {array_label(at): array for at, array in enumerate(part_names(name, layout.arrays))}
    return {
        identity: "spare" if label == SPARE else f"{label} {arrays[label]}" if label in arrays else label
        for identity, label in labels.items()
    }
