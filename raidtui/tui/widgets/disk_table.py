"""Disk table that draws only the visible rows, so that a thousand disks cost as much as ten."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from raidtui.tui.terminal.text import Line, Mark, Span, Tone, fit, why
from raidtui.tui.widgets.pane import Pane
from raidtui.tui.widgets.slot_map import disk_key
from raidtui.values.inventory import Disk
from raidtui.values.location import short_slot
from raidtui.values.safe import safe
from raidtui.values.units import decimal_size

# Columns of the disk table: widths, filter and sort order. Nothing here draws.


Key = tuple[int, int | str, str]


class DiskColumn(NamedTuple):
    """One column of the table of disks."""

    title: str
    text: Callable[[Disk], str]
    """text of a disk's cell; empty if unknown"""
    order: Callable[[Disk], int | str | None]
    """sort key; None sorts last"""
    right: bool = False
    """True for numbers, which are right-aligned"""
    rank: int = 0
    """columns of a higher rank are shown only if they fit"""
    shrinks: bool = False
    """it gives way when there is too little room"""
    drops: int = 0
    """order in which columns of rank 0 are left out on the narrowest terminals; 0: never"""
    most: int = 20
    """maximum width in cells"""


_SHRUNK = 8
"""least cells of a column that gives way"""
_size = cache(decimal_size)
_slot = cache(short_slot)


def _sector(disk: Disk) -> str:
    logical, physical = disk.logical_sector_bytes, disk.physical_sector_bytes
    return {(512, 512): "512n", (512, 4096): "512e", (4096, 4096): "4Kn"}.get(
        (logical, physical), f"{logical}/{physical}"
    )


def _smart(disk: Disk, name: str) -> int | None:
    return getattr(disk.smart, name) if disk.smart is not None else None


def _figure(value: int | None, unit: str = "") -> str:
    return "" if value is None else f"{value}{unit}"


def _link(disk: Disk) -> str:
    bits = disk.link_bits_per_s
    return "" if bits is None else f"{bits / 1e9:g}G"


COLUMNS: tuple[DiskColumn, ...] = (
    DiskColumn(title="slot", text=lambda disk: _slot(disk.place.slot or ""), order=lambda disk: disk.place.slot,
               most=10),
    DiskColumn(title="dev", text=lambda disk: disk.kernel_name, order=lambda disk: disk.kernel_name or None, most=9),
    DiskColumn(
        title="model", text=lambda disk: disk.model or "", order=lambda disk: disk.model, most=24, shrinks=True, drops=1
    ),
    DiskColumn(title="serial", text=lambda disk: disk.serial or "", order=lambda disk: disk.serial, most=20),
    DiskColumn(title="size", text=lambda disk: _size(disk.size_bytes), order=lambda disk: disk.size_bytes, right=True),
    DiskColumn(title="sect", text=_sector, order=lambda disk: disk.physical_sector_bytes, most=9, drops=2),
    DiskColumn(
        title="hours", text=lambda disk: _figure(_smart(disk, "hours")),
        order=lambda disk: _smart(disk, "hours"), right=True,
    ),
    DiskColumn(
        title="realloc", text=lambda disk: _figure(_smart(disk, "reallocated")),
        order=lambda disk: _smart(disk, "reallocated"), right=True, rank=1,
    ),
    DiskColumn(
        title="temp", text=lambda disk: _figure(_smart(disk, "temperature_c"), "C"),
        order=lambda disk: _smart(disk, "temperature_c"), right=True,
    ),
    DiskColumn(title="link", text=_link, order=lambda disk: disk.link_bits_per_s, right=True, rank=2),
    DiskColumn(title="rpm", text=lambda disk: _figure(disk.rpm), order=lambda disk: disk.rpm, right=True, rank=3),
    DiskColumn(title="vendor", text=lambda disk: disk.vendor or "", order=lambda disk: disk.vendor, rank=3, most=10),
    DiskColumn(title="firmware", text=lambda disk: disk.firmware or "", order=lambda disk: disk.firmware, rank=3,
               most=10),
    DiskColumn(title="identity", text=lambda disk: disk.id, order=lambda disk: disk.id or None, rank=2, most=40),
)  # fmt: skip


def widths(disks: Sequence[Disk]) -> tuple[int, ...]:
    """Cells every column needs for `disks`; 0 for a column that is empty for all disks."""
    needs = []
    for column in COLUMNS:
        longest = max((len(safe(column.text(disk))) for disk in disks), default=0)
        needs.append(min(max(longest, len(column.title)), column.most) if longest else 0)
    return tuple(needs)


def first_columns(needs: Sequence[int]) -> int:
    """Least cells of the columns that are always shown, with a blank after each."""
    first = ((column, need) for column, need in zip(COLUMNS, needs, strict=True) if need and column.rank == 0)
    return sum((min(need, _SHRUNK) if column.shrinks else need) + 1 for column, need in first)


def shown_columns(needs: Sequence[int], room: int, keep: int) -> tuple[tuple[DiskColumn, int], ...]:
    """The columns that fit into `room` cells beside `keep` cells for the state, with their widths.

    If even the first ones do not fit, the model column shrinks, then columns are left out; numbers and serials are
    never cut.
    """
    chosen = [(column, need) for column, need in zip(COLUMNS, needs, strict=True) if need and column.rank == 0]
    spare = room - keep - sum(need + 1 for _, need in chosen)
    if spare < 0:
        chosen = [(column, max(need + spare, _SHRUNK) if column.shrinks else need) for column, need in chosen]
        for column, _ in sorted(chosen, key=lambda pair: pair[0].drops):
            if column.drops and sum(need + 1 for _, need in chosen) > room - keep:
                chosen = [pair for pair in chosen if pair[0] is not column]
    for rank in (1, 2, 3):
        for column, need in zip(COLUMNS, needs, strict=True):
            if column.rank == rank and need and spare >= need + 1:
                chosen.append((column, need))
                spare -= need + 1
    return tuple(sorted(chosen, key=lambda pair: COLUMNS.index(pair[0])))


def matching(disks: Sequence[Disk], words: str, state: Callable[[Disk], str]) -> list[Disk]:
    """The disks that contain each of the blank-separated `words` in some column or in their state."""
    wanted = words.lower().split()
    if not wanted:
        return list(disks)
    return [disk for disk in disks if _shows(disk, state(disk), wanted)]


def _shows(disk: Disk, state: str, wanted: Sequence[str]) -> bool:
    text = " ".join((*(column.text(disk) for column in COLUMNS), state, disk.place.enclosure or "")).lower()
    return all(word in text for word in wanted)


def ordered(disks: Sequence[Disk], column: DiskColumn | None, *, down: bool) -> list[Disk]:
    """`disks` sorted by `column`, numbers inside names by value; disks without a value come last."""
    if column is None:
        return list(disks)
    known = [disk for disk in disks if column.order(disk) is not None]
    silent = [disk for disk in disks if column.order(disk) is None]
    return sorted(known, key=lambda disk: _natural(column.order(disk)), reverse=down) + silent


def _natural(value: int | str | None) -> tuple[tuple[int, int, str], ...]:
    if isinstance(value, int):
        return ((0, value, ""),)
    parts = re.findall(r"\d+|\D+", value or "")
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part.lower()) for part in parts)


_STATE = 8
"""cells for the longest state"""
_ROLE = 8
"""cells for `array A` beside it"""
_WHY = 24
"""least cells of a reason on wide screens"""


class DiskTable(Pane):
    """Rows of disks, filtered and sorted; the cursor stays on its disk."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Disks", pickable=True, id=id)
        self.disks: Sequence[Disk] = ()
        self.branch: frozenset[str] | None = None
        """keys of the disks below the picked branch; None for all"""
        self.marks: Mapping[str, Mark] = {}
        self.roles: Mapping[str, str] = {}
        self.words = ""
        self.sort: DiskColumn | None = None
        self.down = False
        self.rows: list[Disk] = []
        self._needs: Sequence[int] = ()
        self._needs_of: Sequence[Disk] | None = None
        self._longest_reason = 0
        self._aside = 0
        self.empty = "no disk matches the filter; Esc in the filter clears it"

    @property
    def disk(self) -> Disk | None:
        """The disk under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    def show(self, disks: Sequence[Disk], marks: Mapping[str, Mark], roles: Mapping[str, str]) -> None:
        """Replaces the disks, their states and roles."""
        self.disks, self.marks, self.roles = disks, marks, roles
        if self._needs_of is not disks:
            self._needs, self._needs_of = widths(disks), disks
            self._longest_reason = max((len(why(disk)) for disk in disks), default=0)
        self._aside = max(self._longest_reason, *(len(role) for role in roles.values()), 0)
        self.rearrange()

    def rearrange(self) -> None:
        """Applies filter and sort order; the cursor stays on its disk if that is still shown."""
        before = self.disk
        inside = [disk for disk in self.disks if self.branch is None or disk_key(disk) in self.branch]
        found = matching(inside, self.words, lambda disk: self.marks[disk_key(disk)].word)
        self.rows = ordered(found, self.sort, down=self.down)
        key = disk_key(before) if before is not None else ""
        self.cursor = next((place for place, disk in enumerate(self.rows) if disk_key(disk) == key), self.cursor)
        parts = [f"{len(self.rows)} of {len(self.disks)}"] if len(self.rows) != len(self.disks) else []
        parts += [f"filter: {self.words}"] if self.words else []
        parts += [f"by {self.sort.title}{' down' if self.down else ''}"] if self.sort else []
        self.aside = "  ".join(parts)
        self.keep_in_view()
        self.refresh()

    def pick(self, disk: Disk) -> None:
        """Puts the cursor on `disk` if it is shown."""
        key = disk_key(disk)
        for place, row in enumerate(self.rows):
            if disk_key(row) == key:
                self.move_to(place)

    def line_count(self) -> int:
        """Number of matching rows."""
        return len(self.rows)

    def fixed_lines(self, width: int) -> Sequence[Line]:
        """Column titles; that of the sort column is highlighted."""
        gap = " " * self._gap(width)
        titles = (
            Span(f"{fit(column.title, cells, self.glyphs, right=column.right)}{gap}",
                 "title" if column is self.sort else "muted")
            for column, cells in self._columns(width)
        )  # fmt: skip
        last = f"  {'state':<{_STATE}} {'design' if self.roles else ''}".rstrip()
        return ((*titles, Span(last, "muted")),)

    def title_clicked(self, number: int) -> None:
        """Sorts by the clicked column; clicked again, the other way round."""
        columns = [column for column, _ in self._columns(self.inner_width())]
        if 0 <= number < len(columns):
            self.down = self.sort is columns[number] and not self.down
            self.sort = columns[number]
            self.rearrange()
            self.post_message(self.Moved(self, self.cursor))

    def line_at(self, index: int, width: int) -> Line:
        """The row of one disk."""
        disk = self.rows[index]
        mark = self.marks[disk_key(disk)]
        dim: Tone = "text" if disk.selectable else "muted"
        gap = " " * self._gap(width)
        spans = [
            Span(fit(column.text(disk), cells, self.glyphs, right=column.right) + gap, dim)
            for column, cells in self._columns(width)
        ]
        spans.append(Span(f"{mark.glyph} {mark.word:<{_STATE}}", mark.tone))
        role = self.roles.get(disk.id, "")
        reason = why(disk)
        spans.append(Span(f" {reason or role}", "muted"))
        return tuple(spans)

    def _columns(self, width: int) -> Sequence[tuple[DiskColumn, int]]:
        return shown_columns(self._needs, width, self._keep(width)) if self._needs else ()

    def _keep(self, width: int) -> int:
        """Cells for state and reason: as many as the longest reason needs, before columns that are less important."""
        state = 2 + _STATE + 1
        least = _WHY if width >= 100 else _ROLE
        return state + max(least, min(self._aside, width - state - first_columns(self._needs)))

    def _gap(self, width: int) -> int:
        """Blanks between columns: two where there is room."""
        columns = self._columns(width)
        used = sum(cells + 1 for _, cells in columns)
        return 2 if width - self._keep(width) - used >= len(columns) else 1


def state_counts(marks: Mapping[str, Mark]) -> list[Span]:
    """How many disks are in each state, for a note line; `marks`: state of each disk."""
    counts = Counter(marks.values())
    texts = [(Span("  "), Span(f"{state.glyph} {count} {state.word}", state.tone)) for state, count in counts.items()]
    return [span for text in texts for span in text]
