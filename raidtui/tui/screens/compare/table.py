"""Table of layouts: measures, limits, and names of the picks."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.notation import show
from raidtui.model.proposal import Candidate, PickName
from raidtui.tui.screens.compare.measures import (
    ARRAY,
    COST,
    LOSS,
    RANDOM_READ,
    RANDOM_WRITE,
    READ,
    REBUILD,
    USABLE,
    WORST,
    WRITE,
    Ranking,
)
from raidtui.tui.screens.compare.rows import CompareRow, sorted_rows
from raidtui.tui.terminal.text import Line, Span, Tone, fit
from raidtui.tui.widgets.pane import Pane

_COLUMNS: tuple[tuple[Ranking, int], ...] = (
    (USABLE, 5), (READ, 4), (WRITE, 5), (RANDOM_READ, 5), (RANDOM_WRITE, 5), (REBUILD, 7), (LOSS, 9), (ARRAY, 8),
    (WORST, 7),
)  # fmt: skip
"""columns with their widths; the layout shows its spares"""
_WITH_REBUILD, _WITH_WORST = 88, 96
"""cells from which the table has the rebuild time, and the loss at worst, which is said of the row at the cursor too"""
_LAYOUT = 14
_ADDRESS = 23
"""cells of a limit with the address of its link"""
MOST_MARKED = 3
_PICKS = 12
_LIMIT = 9
"""minimum width of the limit column"""
PICK_WORDS: dict[PickName, str] = {
    "suggested": "suggested",
    "most room": "most room",
    "balanced": "balanced",
    "fastest": "fastest",
    "safest": "safest",
    "quickest rebuild": "quickest",
}


class CompareTable(Pane):
    """One layout per line; the cursor stays on its layout in any order, and on its line if the layout is gone."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Layouts", pickable=True, id=id)
        self.given: Sequence[CompareRow] = ()
        self.rows: Sequence[CompareRow] = ()
        self.sort: Ranking | None = None
        self.turned = False
        self.marked: tuple[str, ...] = ()
        """keys of the rows marked for comparison, the oldest first, at most three"""
        self.priced = False
        """True if the layouts have a cost"""
        self.words = ""
        """remark on the rows in the heading"""
        self._longest = 0
        """cells of the longest layout"""

    def show(self, rows: Sequence[CompareRow], words: str) -> None:
        """Replaces the layouts; marks on removed ones are dropped."""
        self.given, self.words = rows, words
        self._longest = max((len(row.candidate.layout) for row in rows), default=0)
        self.priced = any(row.candidate.cost is not None for row in rows)
        keys = {row.key for row in rows}
        self.marked = tuple(key for key in self.marked if key in keys)
        self.rearrange()

    def rearrange(self) -> None:
        """Applies the sort order."""
        before = self.row.key if self.row is not None else ""
        self.rows = sorted_rows(self.given, self.sort, turned=self.turned)
        stays = min(self.cursor, max(len(self.rows) - 1, 0))
        self.cursor = next((at for at, row in enumerate(self.rows) if row.key == before), stays)
        order = f"  by {self.sort.title}" if self.sort is not None else ""
        self.aside = f"{self.words}{order}{' reversed' if self.turned else ''}"
        self.keep_in_view()
        self.refresh()

    @property
    def columns(self) -> Sequence[tuple[Ranking, int]]:
        """Columns of the table with their widths."""
        least = {REBUILD.key: _WITH_REBUILD, WORST.key: _WITH_WORST}
        found = [each for each in _COLUMNS if self.inner_width() >= least.get(each[0].key, 0)]
        return (*found, (COST, 7)) if self.priced else found

    @property
    def row(self) -> CompareRow | None:
        """The layout under the cursor."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    @property
    def present(self) -> CompareRow | None:
        """The row of the present design."""
        return next((row for row in self.rows if row.present), None)

    def mark(self) -> CompareRow | None:
        """Toggles the mark of the layout under the cursor; the row whose mark a fourth one takes."""
        if self.row is None:
            return None
        key, dropped = self.row.key, None
        if key in self.marked:
            self.marked = tuple(other for other in self.marked if other != key)
        else:
            if len(self.marked) == MOST_MARKED:
                dropped = next(row for row in self.rows if row.key == self.marked[0])
            self.marked = (*self.marked[1 - MOST_MARKED :], key)
        self.refresh()
        return dropped

    def compared(self) -> Sequence[CompareRow]:
        """Two or three rows: the marked ones; the cursor's and the marked one; the cursor's and the present one."""
        if self.row is None:
            return ()
        found = {row.key: row for row in self.rows}
        wanted = [found[key] for key in self.marked]
        for other in (self.row, self.present):
            if len(wanted) < 2 and other is not None and other not in wanted:
                wanted.insert(0 if other is self.row else 1, other)
        return wanted if len(wanted) > 1 else ()

    def line_count(self) -> int:
        """One line per layout."""
        return len(self.rows)

    def fixed_lines(self, width: int) -> Sequence[Line]:
        """Column titles; the sort column is highlighted."""
        spans = [Span(f"   {'layout':<{self._layout_cells(width)}}", "muted")]
        for measure, cells in self.columns:
            spans.append(Span(f" {measure.title:>{cells}}", "title" if measure is self.sort else "muted"))
        limit = self._limit_cells(width)
        spans.append(Span(f" {fit('limit', limit, self.glyphs)} " if limit else " ", "muted"))
        return (tuple(spans),)

    def title_clicked(self, number: int) -> None:
        """Sorts by the clicked measure; clicked again, the other way round."""
        if 1 <= number <= len(self.columns):
            measure = self.columns[number - 1][0]
            self.turned = self.sort is measure and not self.turned
            self.sort = measure
            self.rearrange()
            self.post_message(self.Moved(self, self.cursor))

    def line_at(self, index: int, width: int) -> Line:
        """Letter, mark, layout, measures, limit, names."""
        row = self.rows[index]
        found, glyphs = row.candidate, self.glyphs
        tone: Tone = "strong" if found.picks or row.present else "muted" if found.breaks else "text"
        figure: Tone = "muted" if tone == "muted" else "text"
        sign = glyphs.good if row.key in self.marked else " "
        layout = show(found.layout.layout, times=glyphs.times)
        spans = [
            Span(f"{row.letter or glyphs.point}", "title"),
            Span(f"{sign} ", "good"),
            Span(fit(layout, self._layout_cells(width), glyphs), tone),
        ]
        for measure, cells in self.columns:
            spans.append(Span(f" {fit(measure.text(measure.value(found)), cells, glyphs, right=True)}", figure))
        limit = self._limit_cells(width)
        if limit:
            spans.append(Span(f" {fit(limits(found, limit), limit, glyphs)}", "muted"))
        words, left = names(row), width - self._used(width) - (limit + 1 if limit else 0)
        return (
            (*spans, Span(f" {words}", "title" if found.picks or row.present else "muted"))
            if len(words) < left
            else tuple(spans)
        )

    def _layout_cells(self, width: int) -> int:
        """Width of the layouts: that of the longest, as far as the limits keep theirs."""
        others = 3 + sum(cells + 1 for _, cells in self.columns) + _PICKS + 2 + _ADDRESS
        return max(min(self._longest, width - others), _LAYOUT)

    def _used(self, width: int) -> int:
        """Width of letter, mark, layout and measures."""
        return 3 + self._layout_cells(width) + sum(cells + 1 for _, cells in self.columns)

    def _limit_cells(self, width: int) -> int:
        """Width left for the limit column; 0 if the names need it."""
        left = width - self._used(width) - _PICKS - 2
        return min(left, 44) if left >= _LIMIT else 0


def limits(candidate: Candidate, cells: int) -> str:
    """Bottlenecks of reading / writing; if too long, that of the slower one, without its address."""
    read, write = candidate.read_bottleneck, candidate.write_bottleneck
    both = str(read) if read == write else f"{read} / {write}"
    if len(both) <= cells:
        return both
    slower = read if candidate.seq_read_bytes_per_s < candidate.seq_write_bytes_per_s else write
    return str(slower) if len(str(slower)) <= cells else slower.short


def names(row: CompareRow) -> str:
    """The names of a pick; else whether it is the present design, breaks a rule of the picks, or was asked for."""
    found = row.candidate
    words = [PICK_WORDS[name] for name in found.picks]
    if len(words) > 1:
        return f"{words[0]} +{len(words) - 1}"
    return words[0] if words else "present" if row.present else found.breaks or ("yours" if found.asked else "")
