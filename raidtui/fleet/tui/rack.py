"""Rack: one cell for each host, or where there is no room for that one for several, which shows the gravest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.message import Message

from raidtui.fleet.facts import Fact, HostFacts, gravity
from raidtui.fleet.tui.table import fact_mark
from raidtui.tui.terminal.text import Line, Span, Tone, fit
from raidtui.tui.widgets.pane import Pane

RackView = Literal["state", "machine", "sheet", "check", "build"]
_QUIET = frozenset({"plain", "off", "good", "none", "unknown"})
VIEWS: tuple[RackView, ...] = ("state", "machine", "sheet", "check", "build")
_MOST_LABEL = 16
_CELLS = (3, 2, 1)
_GLYPH = 4
"""cells of a glyph and the blanks beside it, where a cell has its host's name"""
_ROUND = 10
"""columns are a multiple of it where that many fit"""


class RackGrid(NamedTuple):
    """How hosts are laid out."""

    columns: int
    """cells in a row"""
    cell: int
    """width of a cell"""
    each: int
    """hosts in a cell"""
    label: int
    """cells for the name of a row's first host; 0 where each cell has its host's name"""


def grid(hosts: int, name: int, width: int, height: int) -> RackGrid:
    """The widest cells with which all `hosts` fit into `width` x `height`; several hosts in a cell if they must.

    `name`: cells of the longest name of a host.
    """
    height = max(height, 1)
    named = name + _GLYPH
    columns = _rounded(width // named)
    if columns * height >= hosts:
        return RackGrid(columns, named, 1, 0)
    label = min(name, _MOST_LABEL) + 1
    width = max(width - label, 1)
    for cell in _CELLS:
        columns = _rounded(width // cell)
        if columns * height >= hosts:
            return RackGrid(columns, cell, 1, label)
    columns = _rounded(width)
    return RackGrid(columns, 1, -(-hosts // (columns * height)), label)


def _rounded(columns: int) -> int:
    return columns // _ROUND * _ROUND or columns


class RackPane(Pane):
    """Cells in rows. The arrow keys move from cell to cell; `v` changes what a cell shows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "step(-1)", "previous host", show=False),
        Binding("right,l", "step(1)", "next host", show=False),
        Binding(
            "v",
            "view",
            "cell shows",
            tooltip="what a cell of the rack shows: state, machine, sheet, check or build",
            id="rack.view",
        ),
    ]

    @dataclass
    class Picked(Message):
        """The cursor has moved to another cell, whose gravest host this is."""

        host: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Rack", id=id)
        self.facts: Sequence[HostFacts] = ()
        self.view: RackView = "state"
        self.picked: frozenset[str] = frozenset()
        self._place = 0
        """cell of the cursor"""
        self._long = 1
        """cells of the longest name"""

    def show(self, facts: Sequence[HostFacts]) -> None:
        """Draws all hosts."""
        self.facts = facts
        self._long = max((len(host.host) for host in facts), default=1)
        self.refresh()

    def pick(self, hosts: Sequence[str]) -> None:
        """Marks `hosts`, and puts the cursor on the first of them."""
        wanted = frozenset(hosts)
        if wanted == self.picked:
            return
        self.picked = wanted
        if not self.has_focus:
            each = self._grid().each
            first = next((number for number, host in enumerate(self.facts) if host.host in wanted), 0)
            self._place = first // each
        self.refresh()

    # Keys.

    def action_view(self) -> None:
        """Changes what the cells show."""
        told = [view for view in VIEWS if view == "state" or any(self._fact(host, view).kind for host in self.facts)]
        self.view = told[(told.index(self.view) + 1) % len(told)] if self.view in told else "state"
        self.refresh()

    def action_step(self, by: int) -> None:
        """Moves to the next or previous cell."""
        self._go(self._place + by)

    def action_move(self, by: int) -> None:
        """Moves one row up or down."""
        self._go(self._place + by * self._grid().columns)

    def action_page(self, by: int) -> None:
        """Moves to the first or last row."""
        rows, columns = self.line_count(), self._grid().columns
        self._go(self._place % columns + (rows - 1) * columns * (by > 0))

    def action_jump(self, to: int) -> None:
        """Moves to the first cell (0) or the last (-1)."""
        self._go(0 if to == 0 else self._cells() - 1)

    def _go(self, place: int) -> None:
        if 0 <= place < self._cells():
            self._place = place
            self.refresh()
            self.post_message(self.Picked(self._gravest(self._hosts_at(place)).host))

    def on_click(self, event: events.Click) -> None:
        """Picks the clicked cell."""
        shape = self._grid()
        x, y = event.x - self._margin - shape.label, event.y - 1
        if x >= 0 and y >= 0 and x // shape.cell < shape.columns:
            self._go(y * shape.columns + x // shape.cell)

    def caret(self) -> Offset:
        """The cell of the cursor."""
        shape = self._grid()
        row, column = divmod(self._place, shape.columns)
        middle = shape.cell // 2 if shape.label else 1
        return Offset(self._margin + shape.label + column * shape.cell + middle, 1 + row)

    # Lines.

    def heading_line(self, width: int, boxed: bool) -> Line:
        """With what a cell shows."""
        each = self._grid().each
        parts = [f"a cell is {each} hosts, the gravest shown"] if each > 1 else []
        parts += [self.view] if self.view != "state" else []
        self.aside = "  ".join(parts)
        return super().heading_line(width, boxed)

    def line_count(self) -> int:
        """Number of rows."""
        columns = self._grid().columns
        return -(-self._cells() // columns)

    def lines_wanted(self, width: int, most: int) -> int:
        """Rows of the widest cells that fit into `width` and at most `most` rows."""
        shape = grid(len(self.facts), self._long, width, most)
        return -(-len(self.facts) // (shape.columns * shape.each))

    def line_at(self, index: int, width: int) -> Line:
        """One row of cells, on narrow ones with the name of its first host."""
        del width
        shape = self._grid()
        row = self.facts[index * shape.columns * shape.each : (index + 1) * shape.columns * shape.each]
        spans = [Span(fit(row[0].host, shape.label - 1, self.glyphs) + " ", "muted")] if shape.label else []
        here = self._place - index * shape.columns if self.has_focus else -1
        few = len(self.picked) * 4 <= len(self.facts)
        for place in range(0, len(row), shape.each):
            spans += self._cell(row[place : place + shape.each], shape, here=place == here * shape.each, few=few)
        return _joined(spans)

    def _cell(self, hosts: Sequence[HostFacts], shape: RackGrid, *, here: bool, few: bool) -> Sequence[Span]:
        fact = self._fact(self._gravest(hosts), self.view)
        mark = fact_mark(fact, self.glyphs)
        glyph = self.glyphs.disk if mark.glyph == " " else mark.glyph
        taken = any(host.host in self.picked for host in hosts)
        left, right = ("[", "]") if taken and shape.cell > 2 else (" ", " ")
        if not shape.label:
            name = fit(hosts[0].host, shape.cell - _GLYPH, self.glyphs)
            tone: Tone = "cursor" if here else "strong" if taken else "muted" if fact.concern in _QUIET else mark.tone
            return (Span(left, "strong"), Span(f"{glyph} ", mark.tone), Span(name, tone), Span(right, "strong"))
        if here:
            return (Span(f"{f'[{glyph}]' if shape.cell > 2 else glyph:^{shape.cell}}", "cursor"),)
        if shape.cell > 2:
            return (Span(left, "strong"), Span(glyph, mark.tone), Span(right, "strong"))
        tone = "cursor-off" if taken and few and fact.concern in _QUIET else mark.tone
        return (Span(f"{glyph:<{shape.cell}}", tone),)

    def _fact(self, host: HostFacts, view: RackView) -> Fact:
        return host.headline if view == "state" else host.facts[VIEWS.index(view) - 1]

    def _gravest(self, hosts: Sequence[HostFacts]) -> HostFacts:
        if len(hosts) == 1:
            return hosts[0]
        return min(hosts, key=lambda host: gravity(self._fact(host, self.view).concern))

    def _hosts_at(self, place: int) -> Sequence[HostFacts]:
        each = self._grid().each
        return self.facts[place * each : (place + 1) * each]

    def _cells(self) -> int:
        return -(-len(self.facts) // self._grid().each)

    def _grid(self) -> RackGrid:
        return grid(len(self.facts), self._long, self.inner_width(), self.room())


def _joined(spans: Sequence[Span]) -> Line:
    """Neighbours of the same tone as one span: a row of a hundred hosts is drawn as a few."""
    found: list[Span] = []
    for span in spans:
        if found and found[-1].tone == span.tone:
            found[-1] = Span(found[-1].text + span.text, span.tone)
        else:
            found.append(span)
    return tuple(found)
