"""Slot map: the enclosures with one cell per bay, showing its state, array or temperature.

With the room for it, each bay is a box with its number, the disk's name, and what the cell shows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.message import Message

from raidtui.tui.terminal.text import GROUP_TONES, Line, Mark, Span, Tone, cells, fit
from raidtui.tui.widgets.pane import Pane
from raidtui.values.inventory import Disk
from raidtui.values.location import short_slot
from raidtui.values.members import JOURNAL, SPARE, array_label, label_number, part_names

if TYPE_CHECKING:
    from raidtui.values.layout import Layout


# Enclosures as rows of bays, derived from slot names. Nothing here draws.


# `drawer 1 slot 07`, `bay 3`, `A07`: what comes before the last number names a row.
_SLOT = re.compile(r"(.*?)[\s:/_-]*(\d+)")
_ROW = 12
BESIDE = {SPARE: "spare", JOURNAL: "journal"}
"""labels of disks that are no members, with what they are"""


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


def role_words(layout: Layout, labels: Mapping[str, str], name: str) -> dict[str, str]:
    """`A data-0`, `spare` or `journal`, for each disk in `labels` (`groups_of`) of the layout in a plan `name`."""
    arrays = {array_label(at): array for at, array in enumerate(part_names(name, layout.arrays))}
    return {
        identity: BESIDE[label] if label in BESIDE else f"{label} {arrays[label]}" if label in arrays else label
        for identity, label in labels.items()
    }


SlotView = Literal["state", "array", "temperature"]
VIEWS: tuple[SlotView, ...] = ("state", "array", "temperature")
_MOST_IN_BAY, _LEAST_BAY, _NAMED_BAY, _MOST_BAY = 4, 4, 6, 14
"""lines in a box; its cells, the left edge included, at least, with the disk's name, and at most"""


class MapLine(NamedTuple):
    """A line of the map: a title, an edge of boxes, or a line of a row of bays."""

    shelf: Shelf
    row: int
    """-1 for the title; the number of rows for the lowest edge"""
    part: int = 0
    """line in the boxes; -1 for the edge above them"""


class SlotMap(Pane):
    """Bays in rows. The arrow keys move from bay to bay; `v` changes what a cell shows.

    `boxes`: draws bays as boxes if all of them fit.
    """

    MOST_CELL: ClassVar[int] = 5
    """cells of a bay without a box"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "step(-1)", "previous slot", show=False),
        Binding("right,l", "step(1)", "next slot", show=False),
        Binding("v", "view", "cell shows", tooltip="state, array or temperature in the slot map", id="map.view"),
    ]

    @dataclass
    class Picked(Message):
        """The cursor has moved to another disk."""

        disk: Disk

    def __init__(self, heading: str, *, id: str | None = None, view: SlotView = "state", boxes: bool = False) -> None:
        super().__init__(heading, id=id)
        self.view: SlotView = view
        self.boxes = boxes
        self.inside = 0
        """lines in a box; 0 if bays are drawn without"""
        self.shelves: tuple[Shelf, ...] = ()
        self.marks: Mapping[str, Mark] = {}
        self.groups: Mapping[str, str] = {}
        self._widest = 1
        """cells of the longest label"""
        self.picked = ""
        self._rows: list[MapLine] = []

    def show(self, shelves: tuple[Shelf, ...], marks: Mapping[str, Mark], groups: Mapping[str, str]) -> None:
        """Draws `shelves`; `marks`: state of each disk by key, `groups`: label of its array by identity."""
        if shelves is not self.shelves or bool(groups) != bool(self.groups):
            self.shelves, self.groups = shelves, groups
            self._arrange()
            self.keep_in_view()
        self.marks, self.groups = marks, groups
        self._widest = max(map(len, set(groups.values())), default=1)
        self.refresh_changes()

    def _arrange(self) -> None:
        """Makes the lines: boxes with as many lines as fit, else a line for a row of bays."""
        self.inside = self.inside_for(self.inner_width(), self.room())
        self._rows = []
        for shelf in self.shelves:
            rows = len(shelf.rows)
            first = -1 if self.inside else 0
            if len(self.shelves) > 1 or self.lines_for(self.inside) != self.room() + 1:  # else all bays fit without
                self._rows += [MapLine(shelf, -1)]
            self._rows += [MapLine(shelf, row, part) for row in range(rows) for part in range(first, self.inside or 1)]
            self._rows += [MapLine(shelf, rows, -1)] if self.inside else []
        if not self.inside and self._airy():
            spaced = [(made, made._replace(part=1)) if made.row >= 0 else (made,) for made in self._rows]
            self._rows = [each for pair in spaced for each in pair][:-1]

    def _airy(self) -> bool:
        """True if there is a line to spare below each row of bays that are no boxes."""
        rows = sum(len(shelf.rows) for shelf in self.shelves)
        return self.boxes and self.lines_for(0) + rows <= self.room() + 1

    def inside_for(self, width: int, most: int) -> int:
        """Number of lines in a box, if all are to fit into `most` lines; 0 if boxes do not fit."""
        across = max((len(bays) for shelf in self.shelves for bays in shelf.rows), default=1)
        labels = [label for shelf in self.shelves for label in shelf.labels]
        short, whole = (
            max(map(len, each), default=0) + 2 for each in ([short_slot(label) for label in labels], labels)
        )
        if not self.boxes or width < across * _LEAST_BAY + short:
            return 0
        named = width >= across * _NAMED_BAY + whole
        highest = 2 if not named else _MOST_IN_BAY if self.groups else _MOST_IN_BAY - 1
        most += len(self.shelves) == 1  # its title is left out
        return next((inside for inside in range(highest, 1, -1) if self.lines_for(inside) <= most), 0)

    def lines_for(self, inside: int) -> int:
        """Number of lines of all bays with boxes of `inside` lines; 0: without boxes."""
        return sum(1 + len(shelf.rows) * (1 + inside) + bool(inside) for shelf in self.shelves)

    def lines_wanted(self, width: int, most: int) -> int:
        """Number of lines that are used where `most` lines of `width` cells are free."""
        return min(self.lines_for(self.inside_for(width, most)), most)

    def on_resize(self) -> None:
        """Scrolls to the top, but keeps the picked disk visible."""
        before, self.top = (self.top, self._rows), 0
        self._arrange()
        self._show_picked()
        if (self.top, self._rows) != before:
            self.refresh()

    def pick(self, disk: Disk | None) -> None:
        """Puts the cursor on `disk` and scrolls to it."""
        key = disk_key(disk) if disk is not None else ""
        if key == self.picked:
            return
        self.picked = key
        self._show_picked()
        self.refresh()

    @property
    def disk(self) -> Disk | None:
        """The disk under the cursor."""
        return next((disk for _, _, disk in self._cells() if disk_key(disk) == self.picked), None)

    def _show_picked(self) -> None:
        if not self.size:
            return
        number = next((number for number, _, disk in self._cells() if disk_key(disk) == self.picked), 0)
        room = self.room()
        if number < room:
            self.top = 0
        elif not self.top <= number < self.top + room:
            self.top = number - room + 1 if number >= self.top else number - 1
        self.keep_in_view()

    def on_click(self, event: events.Click) -> None:
        """Picks the disk in the clicked bay."""
        index = event.y - 1 + self.top
        if not 0 <= index < len(self._rows):
            return
        shelf, row, _ = self._rows[index]
        _, label, cell = self._shape(shelf, self.inner_width())
        column = (event.x - self._margin - label - 1) // cell
        disk = shelf.rows[row][column] if 0 <= row < len(shelf.rows) and 0 <= column < len(shelf.rows[row]) else None
        if disk is not None:
            self.pick(disk)
            self.post_message(self.Picked(disk))

    def action_view(self) -> None:
        """Changes what the cells show: state, array or temperature."""
        self.view = VIEWS[(VIEWS.index(self.view) + 1) % len(VIEWS)]
        self.aside = "degrees C" if self.view == "temperature" else ""
        self.refresh()

    def _position(self) -> str:
        """Which lines are shown; of all of them what the marks beside the arrays mean."""
        position = super()._position()
        if position or self.view != "array":
            return position
        disks = [disk for *_, disk in self._cells() if disk.id not in self.groups]
        words = [f"{label}{word}" for label, word in BESIDE.items() if label in self.groups.values()]
        if any(self.marks[disk_key(disk)].tone == "good" for disk in disks):
            words.append(f"{self.glyphs.hole}unused")
        room = self.size.width - cells(self.heading) - 10
        shown = (between.join(words[:most]) for most in range(len(words), 0, -1) for between in ("  ", " "))
        return next((text for text in shown if cells(text) <= room), "")

    def action_step(self, by: int) -> None:
        """Moves to the next disk in slot order."""
        self._pick_at(self._place() + by)

    def action_move(self, by: int) -> None:
        """Moves to the bay above or below."""
        cells = self._cells()
        here = self._place()
        if not cells:
            return
        row, column = cells[here][0] + (1 if by > 0 else -1), cells[here][1]
        same = [number for number, (other, _, _) in enumerate(cells) if other == row]
        while not same and 0 <= row < len(self._rows):
            row += 1 if by > 0 else -1
            same = [number for number, (other, _, _) in enumerate(cells) if other == row]
        if same:
            self._pick_at(min(same, key=lambda number: abs(cells[number][1] - column)))

    def _cells(self) -> list[tuple[int, int, Disk]]:
        return [
            (number, column, cell)
            for number, (shelf, row, part) in enumerate(self._rows)
            if 0 <= row < len(shelf.rows) and part == 0
            for column, cell in enumerate(shelf.rows[row])
            if cell is not None
        ]

    def _place(self) -> int:
        return next((n for n, (_, _, disk) in enumerate(self._cells()) if disk_key(disk) == self.picked), 0)

    def _pick_at(self, place: int) -> None:
        cells = self._cells()
        if 0 <= place < len(cells):
            self.pick(cells[place][2])
            self.post_message(self.Picked(cells[place][2]))

    def caret(self) -> Offset:
        """The picked bay."""
        cells = self._cells()
        if not cells:
            return Offset(0, 0)
        row, column, _ = cells[self._place()]
        _, label, cell = self._shape(self._rows[row].shelf, self.inner_width())
        return Offset(self._margin + label + 1 + column * cell + cell // 2, 1 + row - self.top)

    def line_count(self) -> int:
        """Number of title lines and rows of all shelves."""
        return len(self._rows)

    def line_at(self, index: int, width: int) -> Line:
        """The title of a shelf, or one row of bays."""
        shelf, row, part = self._rows[index]
        labels, label, cell = self._shape(shelf, width)
        if row < 0:
            return self._title(shelf, label, cell)
        if part < 0:
            above, below = (len(shelf.rows[at]) if 0 <= at < len(shelf.rows) else 0 for at in (row - 1, row))
            return (Span(" " * (label + 1)), Span(edge(above, below, cell), "rule"))
        if part and not self.inside:
            return ()
        spans = [Span(f"{'' if part else labels[row]:>{label}} ", "muted")]
        for column, disk in enumerate(shelf.rows[row]):
            if self.inside:
                spans += [Span("│", "rule"), *self._in_bay(shelf, row, column, part, cell - 1)]
            else:
                spans += self._cell(disk, cell)
        return (*spans, Span("│", "rule")) if self.inside else tuple(spans)

    def _in_bay(self, shelf: Shelf, row: int, column: int, part: int, width: int) -> Sequence[Span]:
        """Line `part` of a box: the bay's number, what the cell shows, between them the disk's name, then its state."""
        disk = shelf.rows[row][column]
        name = disk.kernel_name if disk is not None else ""
        if part == 0:
            number = shelf.numbers[column] if shelf.numbers else f"{int(shelf.labels[row]) + column:02d}"
            shown = Span(f"{number:^{width}}", "muted")
        elif disk is None:
            shown = Span(" " * width)
        elif part == 1 and self.inside > 2:
            shown = Span(f"{fit(name, min(len(name), width), self.glyphs):^{width}}")
        elif part == 3:
            mark, group = self.marks[disk_key(disk)], self.groups.get(disk.id, "")
            text, tone = (mark.glyph, mark.tone) if self.view == "array" else (group, group_tone(group or SPARE))
            shown = Span(f"{text:^{width}}", tone)
        else:
            return self._cell(disk, width)
        if disk is not None and disk_key(disk) == self.picked:
            return (Span(shown.text, "cursor" if self.has_focus else "cursor-off"),)
        return (shown,)

    def _shape(self, shelf: Shelf, width: int) -> tuple[Sequence[str], int, int]:
        """Labels of the rows, and the cells of a label and of a bay."""
        columns = max(len(bays) for bays in shelf.rows)
        labels = shelf.labels
        widest = self._widest if self.view == "array" else 1
        room = width - len(max(labels, key=len))
        if (room - 2) // columns < _LEAST_BAY if self.inside else (room - 1) // columns <= widest:
            labels = tuple(short_slot(name) for name in labels)
        label = len(max(labels, key=len))
        if self.inside:
            return labels, label, max(_LEAST_BAY, min((width - label - 2) // columns, _MOST_BAY))
        return labels, label, max(widest, min((width - label - 1) // columns, self.MOST_CELL))

    def _title(self, shelf: Shelf, label: int, cell: int) -> Line:
        if len(self.shelves) == 1 and shelf.numbers and cell >= 3 and not self.inside:
            return (Span(" " * (label + 1)), *(Span(f"{name:^{cell}}", "muted") for name in shelf.numbers))
        return (Span(shelf.words, "muted"),)

    def _cell(self, disk: Disk | None, width: int) -> Sequence[Span]:
        if disk is None:
            return (Span(f"{' ':^{width}}", "muted"),)
        mark = self.marks[disk_key(disk)]
        text, tone = mark.glyph, mark.tone
        group = self.groups.get(disk.id, "")
        if self.view == "array" and group:
            text, tone = group, group_tone(group)
        elif self.view == "array" and mark.tone == "good":
            text, tone = self.glyphs.hole, "muted"
        elif self.view == "temperature" and width >= 3 and disk.smart and disk.smart.temperature_c is not None:
            text = str(disk.smart.temperature_c)
        if disk_key(disk) != self.picked:
            return (Span(f"{text:^{width}}", tone),)
        shown = f"[{text}]" if width >= len(text) + 2 else text
        return (Span(f"{shown:^{width}}", "cursor" if self.has_focus else "cursor-off"),)


def edge(above: int, below: int, cell: int) -> str:
    """The edge between a row of `above` boxes and one of `below` boxes."""
    last = max(above, below)
    corners = []
    for column in range(last + 1):
        row = "┌┬┐" if not above or column > above else "└┴┘" if not below or column > below else "├┼┤"
        corners.append(row[0 if column == 0 else 2 if column == last else 1])
    return ("─" * (cell - 1)).join(corners)


def group_tone(label: str) -> Tone:
    """The colour of an array's label; the colours repeat."""
    return "muted" if label in BESIDE else GROUP_TONES[label_number(label) % len(GROUP_TONES)]


def disk_key(disk: Disk) -> str:
    """A key that is unique for `disk` on screen, even without an identity."""
    return disk.id or f"{disk.kernel_name}/{disk.by_path}/{disk.place.slot}"
