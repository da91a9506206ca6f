"""Layout of the gauges: one line per disk, or a grid of cells as detailed as fits. Nothing here draws."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

from raidtui.model.gauges import WatchedDisk
from raidtui.model.location import short_slot
from raidtui.tui.gauges.groups import GaugeGroup

_short = cache(short_slot)
Form = Literal["list", "named", "tagged", "figures", "heat"]
"""one line per disk; or one cell per disk: name, value and height; value below a short name; value only; one character
"""
NAMED, FIGURES, HEAT = 8, 4, 1
"""width of a disk in each form: beside its name; value only; one character"""
BETWEEN = 2
"""cells between blocks"""
_LABEL = 12
"""maximum width of the row labels of the grid"""
_LEAST_BLOCK = 74
"""minimum width of a list beside another one"""


class GaugeRow(NamedTuple):
    """One line of the gauges."""

    group: GaugeGroup
    disks: tuple[WatchedDisk, ...] = ()
    """one in a list, several in a grid; none in a group's own line"""
    label: str = ""
    """label before the cells"""
    tags: tuple[str, ...] = ()
    """names of the disks of the next line, where a line is for names"""
    sync: bool = False
    """True for the line that shows the sync of the group's array"""


class GaugeLayout(NamedTuple):
    """All lines and their arrangement."""

    form: Form
    rows: tuple[GaugeRow, ...]
    blocks: int = 1
    """number of blocks side by side"""
    cell: int = 1
    """width of a disk in the grid"""
    label: int = 0
    """width of the labels, with the blank after them"""
    block: int = 0
    """width of one of several blocks"""
    height: int = 9999
    """maximum lines of a block"""


def place_words(disk: WatchedDisk) -> str:
    """Short location of the disk: its slot, else its kernel name."""
    return _short(disk.slot) or disk.name


def tags_of(disks: Sequence[WatchedDisk]) -> tuple[str, Mapping[str, str]] | None:
    """What all short names begin with, and the rest of each by kernel name, in 3 cells; None if they do not fit.

    Slots where all are that short, else kernel names: `sd` and `a`, `bh`.
    """
    slots = {disk.name: place_words(disk) for disk in disks}
    if all(len(slot) < FIGURES for slot in slots.values()):
        return "", slots
    names = [disk.name for disk in disks]
    head = "sd" if all(name.startswith("sd") for name in names) else ""
    found = {name: name.removeprefix(head) for name in names}
    return (head, found) if all(0 < len(tag) < FIGURES for tag in found.values()) else None


def blocks_of(width: int) -> int:
    """Number of lists that fit side by side into `width` cells."""
    return max(1, (width + BETWEEN) // (_LEAST_BLOCK + BETWEEN))


def listed(
    groups: Sequence[GaugeGroup], only: Collection[str] | None, syncing: Collection[str], width: int, room: int
) -> GaugeLayout:
    """One line per disk below its group; with `only`, those disks only. Several blocks if they are too many."""
    rows = [row for group in groups for row in _list_rows(group, only, syncing)]
    blocks = blocks_of(width) if len(rows) > room else 1
    return GaugeLayout("list", tuple(rows), blocks=blocks, block=(width - BETWEEN * (blocks - 1)) // blocks)


def _list_rows(group: GaugeGroup, only: Collection[str] | None, syncing: Collection[str]) -> Iterator[GaugeRow]:
    yield from _group_rows(group, syncing)
    for disk in group.disks:
        if only is None or disk.name in only:
            yield GaugeRow(group, (disk,))


def _group_rows(group: GaugeGroup, syncing: Collection[str]) -> Iterator[GaugeRow]:
    yield GaugeRow(group)
    if group.array is not None and group.key in syncing:
        yield GaugeRow(group, sync=True)


def evened(layout: GaugeLayout) -> GaugeLayout:
    """Balances the lengths of the blocks; a block starts with a group if that costs few lines."""
    count, blocks = len(layout.rows), layout.blocks
    if blocks == 1 or not count:
        return layout
    least = -(-count // blocks)
    if layout.form == "tagged":
        return layout._replace(height=least + least % 2)
    whole = [
        height
        for height in range(least, least + least // 4 + 1)
        if all(not layout.rows[at].disks or layout.form != "list" for at in range(height, count, height))
    ]
    return layout._replace(height=whole[0] if whole else least)


def gridded(
    groups: Sequence[GaugeGroup], only: Collection[str] | None, syncing: Collection[str], width: int, room: int
) -> GaugeLayout:
    """The most detailed grid that fits into `room` lines; one character per disk if none does."""
    name = min(max((len(place_words(disk)) for group in groups for disk in group.disks), default=1), 8)
    short = min(max((len(group.name) for group in groups), default=0), _LABEL) + 1
    most = max((len(group.disks) for group in groups), default=1)
    shapes: tuple[tuple[Form, int, int, bool], ...] = (
        ("named", name + NAMED, 0, True), ("tagged", FIGURES, name + 1, True), ("tagged", FIGURES, short, False),
        ("figures", FIGURES, name + 1, True), ("figures", FIGURES, short, False),
        ("heat", HEAT, name + 1, True), ("heat", HEAT, short, False),
    )  # fmt: skip
    found = GaugeLayout("heat", ())
    tags = tags_of([disk for group in groups for disk in group.disks])
    for form, cell, label, headed in shapes:
        if form == "tagged" and tags is None:
            continue
        across = max(min((width - label) // cell, most), 1)
        blocks = 1 if headed else max((width + BETWEEN) // (label + across * cell + BETWEEN), 1)
        rows = tuple(row for group in groups for row in _grid_rows(group, only, syncing, across, headed=headed))
        if form == "tagged" and tags is not None:
            rows = tuple(line for row in rows for line in (*_tag_row(row, *tags), row))
        found = GaugeLayout(form, rows, blocks=blocks, cell=cell, label=label, block=label + across * cell)
        if len(rows) <= (room - room % 2 if form == "tagged" and blocks > 1 else room) * blocks:
            return found
    return found


def _grid_rows(
    group: GaugeGroup, only: Collection[str] | None, syncing: Collection[str], across: int, *, headed: bool
) -> Iterator[GaugeRow]:
    if headed:
        yield from _group_rows(group, syncing)
    shown = group.disks if only is None else tuple(disk for disk in group.disks if disk.name in only)
    for at in range(0, len(shown), across):
        cells = shown[at : at + across]
        yield GaugeRow(group, cells, label=place_words(cells[0]) if headed else "" if at else group.name)


def _tag_row(row: GaugeRow, head: str, tags: Mapping[str, str]) -> Iterator[GaugeRow]:
    """The line of names above a line of values; none above any other."""
    if row.disks:
        yield GaugeRow(row.group, label=head, tags=tuple(tags[disk.name] for disk in row.disks))
