"""Table of layouts: measures, limits, and names of the picks."""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from raidtui.advice.proposals.scored_layout import as_scored, candidate
from raidtui.predict.placement.certificate import outlived
from raidtui.session.decision import DesignOutcome
from raidtui.tui.terminal.text import Line, Span, Tone, fit
from raidtui.tui.widgets.pane import Pane
from raidtui.values.amounts import hours, known_iops, odds_base, rate_figure
from raidtui.values.notation import show
from raidtui.values.proposal import Candidate, Pick, PickName, Proposal
from raidtui.values.units import TIB

# Measures of layouts: each is a column of the table and an axis of the scatter plot.


GB = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """One measure of a candidate."""

    key: str
    title: str
    """column heading"""
    axis: str
    """axis label with unit"""
    value: Callable[[Candidate], float]
    text: Callable[[float], str]
    """a value as short text"""
    log: bool = False
    """True if factors matter more than differences"""
    more: bool = True
    """True if more is better"""

    def merit(self, candidate: Candidate) -> float:
        """The value with larger as better; no rebuild at all is worse than the longest rebuild."""
        value = self.value(candidate)
        if self.key == "rebuild" and value == 0:
            return -math.inf
        return value if self.more else -value


def _room(value: float) -> str:
    """Five cells: `0.38`, `86.71`, `872.9`, `1241`."""
    return f"{value:.2f}" if value < 99.995 else f"{value:.1f}" if value < 999.95 else f"{value:.0f}"


def _operations(value: float) -> str:
    """Five cells: `812`, `3.60k`, `1.25M`."""
    return known_iops(value).removesuffix(" IOPS")


def _time(value: float) -> str:
    """Seven cells: `12 h`, `7.3 d`, `never`."""
    return hours(value).replace(" days", " d")


def _whole(value: float) -> str:
    return f"{value:,.0f}".replace(",", " ")


def _chance(key: str, title: str, axis: str, value: Callable[[Candidate], float]) -> Ranking:
    return Ranking(key=key, title=title, axis=f"{axis} (1 in ...)", value=value, text=odds_base, log=True, more=False)


USABLE = Ranking(key="usable", title="TiB", axis="usable TiB", value=lambda each: each.usable_bytes / TIB, text=_room)
READ = Ranking(
    key="read", title="read", axis="read GB/s", value=lambda each: each.seq_read_bytes_per_s / GB, text=rate_figure
)
WRITE = Ranking(
    key="write", title="write", axis="write GB/s", value=lambda each: each.seq_write_bytes_per_s / GB, text=rate_figure
)
RANDOM_READ = Ranking(
    key="random-read", title="r4k", axis="random read IOPS", value=lambda each: each.rand_read_iops, text=_operations,
    log=True,
)  # fmt: skip
RANDOM_WRITE = Ranking(
    key="random-write", title="w4k", axis="random write IOPS", value=lambda each: each.rand_write_iops,
    text=_operations, log=True,
)  # fmt: skip
LOSS = _chance("loss", "loss 1 in", "loss a year", lambda each: each.any_loss_1y)
ARRAY = _chance("array", "array", "array loss", lambda each: each.annual_array_loss_probability)
SECTOR = _chance("sector", "sector", "sector loss", lambda each: each.annual_sector_loss_probability)
WORST = _chance("worst", "worst", "loss at worst", lambda each: each.any_loss_1y_correlated)
REBUILD = Ranking(
    key="rebuild", title="rebuild", axis="rebuild", value=lambda each: each.rebuild_hours, text=_time, more=False
)
SPARES = Ranking(key="spares", title="sp", axis="spares", value=lambda each: each.spares, text=_whole)
COST = Ranking(key="cost", title="cost", axis="cost", value=lambda each: each.cost or 0.0, text=_whole, more=False)
MEASURES = (USABLE, READ, WRITE, RANDOM_READ, RANDOM_WRITE, REBUILD, LOSS, ARRAY, SECTOR, WORST, SPARES, COST)
RISKS = (LOSS, ARRAY, SECTOR, WORST)
"""probabilities of a loss within a year"""


# Rows of layouts to compare: present design and picks first, each with its letter in the scatter plot.


CompareView = Literal["few", "front", "every"]
VIEWS: tuple[CompareView, ...] = ("few", "front", "every")
FEW_DISKS = 4
"""so few disks have so few layouts that all of them are shown at once"""
PRESENT = "*"
"""marks the present design in table and scatter plot"""
LETTERS = string.ascii_lowercase + string.ascii_uppercase


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRow:
    """One layout."""

    candidate: Candidate
    letter: str
    """its letter in any sort order; `*` for the present design, empty after the last letter"""
    present: bool = False
    """True for the present design"""

    @property
    def key(self) -> str:
        """Unique key of the row."""
        return f"{PRESENT} {self.candidate.layout}" if self.present else self.candidate.layout

    @property
    def named(self) -> tuple[str, Candidate]:
        """Its name in a sentence, and its figures."""
        return f"present {self.candidate.layout}" if self.present else self.candidate.layout, self.candidate


def candidates_of(proposal: Proposal, view: CompareView) -> tuple[Candidate, ...]:
    """A sample of the Pareto front, the whole front, or all candidates."""
    few = tuple(found for found in proposal.candidates if found.shown or found.picks)
    if view == "few" and few:
        return few
    return tuple(found for found in proposal.candidates if found.on_front or found.asked or view == "every")


def next_view(proposal: Proposal, view: CompareView) -> CompareView:
    """The view after `view` that shows other layouts. All of them are known only once they were asked for."""
    following = VIEWS[(VIEWS.index(view) + 1) % len(VIEWS)]
    same = candidates_of(proposal, following) == candidates_of(proposal, view)
    return "every" if following == "front" and same else following


def rows_of(
    candidates: Sequence[Candidate], picks: Sequence[Pick], present: Candidate | None
) -> tuple[CompareRow, ...]:
    """The present design, what was asked for, the picks, then the other candidates.

    A candidate with the present layout counts as the present design if its values agree; if the present choice of
    disks gives other values, both are shown.
    """
    names = [pick.layout for pick in picks]

    def rank(candidate: Candidate) -> int:
        if candidate.asked:
            return -1
        return names.index(candidate.layout) if candidate.layout in names else len(names)

    ordered = sorted(candidates, key=rank)
    if present is not None:
        same = next((found for found in ordered if found.layout == present.layout and alike(found, present)), None)
        ordered = [same or present, *(found for found in ordered if found is not same)]
    signs = iter(LETTERS)
    return tuple(
        CompareRow(candidate=found, letter=PRESENT, present=True)
        if present is not None and number == 0
        else CompareRow(candidate=found, letter=next(signs, ""))
        for number, found in enumerate(ordered)
    )


def alike(one: Candidate, other: Candidate) -> bool:
    """True if no measure differs by more than the rounding of placement: a twentieth, for loss a quarter."""
    pairs = ((measure, measure.value(one), measure.value(other)) for measure in MEASURES)
    return all(
        abs(first - second) <= (0.25 if measure in RISKS else 0.05) * max(first, second)
        for measure, first, second in pairs
    )


def sorted_rows(rows: Sequence[CompareRow], by: Ranking | None, *, turned: bool) -> tuple[CompareRow, ...]:
    """`rows` sorted best first by one measure, worst first if `turned`; unsorted without one."""
    if by is None:
        return tuple(reversed(rows)) if turned else tuple(rows)
    return tuple(sorted(rows, key=lambda row: by.merit(row.candidate), reverse=not turned))


def present_candidate(outcome: DesignOutcome) -> Candidate | None:
    """The present design as a candidate; None if it is invalid."""
    throughput, durability, placement = outcome.throughput, outcome.durability, outcome.placement
    if throughput is None or durability is None or placement is None:
        return None
    constraints = outcome.decision.constraints
    price = constraints.price_per_disk if constraints is not None else None
    kept = outlived(placement.certificates)
    layout = outcome.decision.design.layout
    return candidate(as_scored(layout, outcome.prediction, throughput, durability, kept, price))


_COLUMNS: tuple[tuple[Ranking, int], ...] = (
    (USABLE, 5), (READ, 4), (WRITE, 5), (RANDOM_READ, 5), (RANDOM_WRITE, 5), (REBUILD, 7), (LOSS, 9), (ARRAY, 8),
    (WORST, 7),
)  # fmt: skip
"""columns with their widths; the layout shows its spares"""
_WITH_ARRAY, _WITH_WORST = 88, 96
"""cells from which the table has the loss of an array, and the loss at worst, which are said of the row at the cursor
too"""
_LAYOUT = 14
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
        least = {ARRAY.key: _WITH_ARRAY, WORST.key: _WITH_WORST}
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

    def mark_asked(self, layouts: Sequence[str]) -> None:
        """Marks `layouts`, and the present design where one mark is left, instead of what was marked; goes to them."""
        asked = [row.key for row in self.given if row.candidate.layout in layouts][:MOST_MARKED]
        present = [row.key for row in self.given if row.present and row.key not in asked]
        if asked:
            self.marked = (*present[: MOST_MARKED - len(asked)], *asked)
            self.cursor = next(at for at, row in enumerate(self.rows) if row.key in self.marked)
            self.keep_in_view()
            self.refresh()

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
        """Width of the layouts: that of the longest, as far as the names keep theirs."""
        others = 3 + sum(cells + 1 for _, cells in self.columns) + _PICKS + 2
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
