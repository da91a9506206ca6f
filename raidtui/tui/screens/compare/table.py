"""The layouts as a table: what each would be, what limits it, and which of them have a name."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.notation import parse, show
from raidtui.model.proposal import Candidate, PickName
from raidtui.tui.screens.compare.measures import COST, LOSS, READ, REBUILD, SPARES, USABLE, WRITE, Measure
from raidtui.tui.screens.compare.rows import Row, sorted_rows
from raidtui.tui.terminal.text import Line, Span, Tone, fit
from raidtui.tui.widgets.pane import Pane

_COLUMNS: tuple[tuple[Measure, int], ...] = ((USABLE, 5), (READ, 4), (WRITE, 5), (REBUILD, 7), (LOSS, 7), (SPARES, 2))
"""with the cells of each"""
_LAYOUT = 15
_PICKS = 13
_LIMIT = 9
"""cells for what binds, at least"""
PICK_WORDS: dict[PickName, str] = {
    "most room": "most room",
    "balanced": "balanced",
    "fastest": "fastest",
    "safest": "safest",
    "quickest rebuild": "quick rebuild",
}


class CompareTable(Pane):
    """One layout a line; the cursor stays on its layout, whatever the order."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Layouts", pickable=True, id=id)
        self.given: Sequence[Row] = ()
        self.rows: Sequence[Row] = ()
        self.sort: Measure | None = None
        self.turned = False
        self.marked: tuple[str, ...] = ()
        """keys of the rows marked to be compared, two at most"""
        self.columns = _COLUMNS
        """what is shown of every layout; the cost where a price was said"""
        self.words = ""
        """what the heading says of the rows"""

    def show(self, rows: Sequence[Row], words: str) -> None:
        """Other layouts; marks on those that are gone are gone too."""
        self.given, self.words = rows, words
        priced = any(row.candidate.cost is not None for row in rows)
        self.columns = (*_COLUMNS, (COST, 7)) if priced else _COLUMNS
        keys = {row.key for row in rows}
        self.marked = tuple(key for key in self.marked if key in keys)
        self.rearrange()

    def rearrange(self) -> None:
        """Applies the order."""
        before = self.row.key if self.row is not None else ""
        self.rows = sorted_rows(self.given, self.sort, turned=self.turned)
        self.cursor = next((at for at, row in enumerate(self.rows) if row.key == before), 0)
        order = f"  by {self.sort.title}" if self.sort is not None else ""
        self.aside = f"{self.words}{order}{' turned' if self.turned else ''}"
        self.keep_in_view()
        self.refresh()

    @property
    def row(self) -> Row | None:
        """The layout under the cursor."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    @property
    def present(self) -> Row | None:
        """The design as it is now."""
        return next((row for row in self.rows if row.present), None)

    def mark(self) -> None:
        """Marks the layout under the cursor, or unmarks it; of three the oldest is dropped."""
        if self.row is None:
            return
        key = self.row.key
        if key in self.marked:
            self.marked = tuple(other for other in self.marked if other != key)
        else:
            self.marked = (*self.marked[-1:], key)
        self.refresh()

    def pair(self) -> tuple[Row, Row] | None:
        """What to compare: the two marked; the cursor's and the marked one; the cursor's and the present design."""
        if self.row is None:
            return None
        found = {row.key: row for row in self.rows}
        wanted = [found[key] for key in self.marked]
        for other in (self.row, self.present):
            if len(wanted) < 2 and other is not None and other not in wanted:
                wanted.insert(0 if other is self.row else 1, other)
        return (wanted[0], wanted[1]) if len(wanted) == 2 else None

    def line_count(self) -> int:
        """One line a layout."""
        return len(self.rows)

    def fixed_lines(self, width: int) -> Sequence[Line]:
        """Column titles; the one that is sorted by stands out."""
        spans = [Span(f"   {'layout':<{_LAYOUT}}", "muted")]
        for measure, cells in self.columns:
            spans.append(Span(f" {measure.title:>{cells}}", "title" if measure is self.sort else "muted"))
        limit = self._limit_cells(width)
        spans.append(Span(f" {fit('limit', limit, self.glyphs)} " if limit else " ", "muted"))
        return (tuple(spans),)

    def line_at(self, index: int, width: int) -> Line:
        """Letter, mark, layout, figures, what binds, names."""
        row = self.rows[index]
        found, glyphs = row.candidate, self.glyphs
        tone: Tone = "strong" if found.picks or row.present else "text"
        sign = glyphs.good if row.key in self.marked else " "
        layout = show(parse(found.layout), times=glyphs.times)
        spans = [
            Span(f"{row.letter or glyphs.point}", "title"),
            Span(f"{sign} ", "good"),
            Span(fit(layout, _LAYOUT, glyphs), tone),
        ]
        for measure, cells in self.columns:
            spans.append(Span(f" {fit(measure.text(measure.value(found)), cells, glyphs, right=True)}"))
        limit = self._limit_cells(width)
        if limit:
            spans.append(Span(f" {fit(limits(found, limit), limit, glyphs)}", "muted"))
        return (*spans, Span(f" {names(row)}", "title"))

    def _limit_cells(self, width: int) -> int:
        """Cells left for what binds; none where the names need them."""
        used = 3 + _LAYOUT + sum(cells + 1 for _, cells in self.columns)
        left = width - used - _PICKS - 2
        return min(left, 44) if left >= _LIMIT else 0


def limits(candidate: Candidate, cells: int) -> str:
    """What binds reading / writing; where that is too long what binds the slower of them, without its address."""
    read, write = candidate.read_bottleneck, candidate.write_bottleneck
    both = str(read) if read == write else f"{read} / {write}"
    if len(both) <= cells:
        return both
    slower = read if candidate.seq_read_bytes_per_s < candidate.seq_write_bytes_per_s else write
    return str(slower) if len(str(slower)) <= cells else slower.short


def names(row: Row) -> str:
    """The names a layout was given; what the present design is called when it has none."""
    words = [PICK_WORDS[name] for name in row.candidate.picks]
    if len(words) > 1:
        return f"{words[0]} +{len(words) - 1}"
    return words[0] if words else "present" if row.present else ""
