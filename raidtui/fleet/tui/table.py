"""Table of hosts, folded by what is known of them; only the visible rows are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal, NamedTuple

from textual.binding import Binding, BindingType

from raidtui.fleet.facts import Concern, Fact, HostFacts, HostGroup, gravity, host_groups
from raidtui.fleet.texts import change_text, kind_rows
from raidtui.fleet.values import FleetOverview
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span, Tone, fit, line, wrapped
from raidtui.tui.widgets.pane import Pane
from raidtui.values.findings import warnings
from raidtui.values.units import counted

# Facts about hosts as marks: glyph, word and tone.


def fact_mark(fact: Fact, glyphs: Glyphs) -> Mark:
    """The mark of one fact."""
    return concern_mark(fact.concern, fact.text, glyphs)


def concern_mark(concern: Concern, word: str, glyphs: Glyphs) -> Mark:
    """`word` with the glyph and the tone of its concern."""
    match concern:
        case "bad":
            return Mark(glyphs.failed, word, "bad")
        case "silent":
            return Mark(glyphs.unknown, word, "bad")
        case "warn":
            return Mark(glyphs.alert, word, "warn")
        case "busy":
            return Mark(glyphs.shut, word, "title")
        case "unknown":
            return Mark(glyphs.hole, word, "muted")
        case "good":
            return Mark(glyphs.good, word, "good")
        case "off":
            return Mark(glyphs.out, word, "muted")
        case "plain":
            return Mark(glyphs.disk, word, "good")
        case "none":
            return Mark(" ", word, "muted")


Order = Literal["state", "number", "name"]
ORDERS: tuple[Order, ...] = ("state", "number", "name")
"""gravest first; most hosts first; as the hosts were named"""
_WORRIES = frozenset({"bad", "silent", "warn"})
_TITLES = ("machine", "sheet", "check", "build")
_STATE = 13
"""cells of the state's word"""
_LEAST_WHY = 30
"""cells of the reason, before the columns of single facts are shown"""
_LEAST_NAME = 16


class HostTableRow(NamedTuple):
    """A group of hosts, or one host of a group that is unfolded."""

    group: HostGroup
    host: HostFacts | None = None
    """None for the group"""

    @property
    def hosts(self) -> tuple[HostFacts, ...]:
        """The hosts of the row."""
        return self.group.hosts if self.host is None else (self.host,)

    @property
    def name(self) -> str:
        """Host or node set."""
        return self.group.name if self.host is None else self.host.host

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What is known of it."""
        return self.group.facts if self.host is None else self.host.facts

    @property
    def headline(self) -> Fact:
        """The gravest of it."""
        return self.group.headline if self.host is None else self.host.headline


def why_text(row: HostTableRow) -> str:
    """The reason of the gravest fact that has one."""
    latest = row.facts[::-1]
    facts = sorted(latest, key=lambda fact: gravity(fact.concern))
    return next((fact.reason for fact in facts if fact.reason), "")


class HostsTable(Pane):
    """Rows of groups; Enter or Right unfolds one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "shut", "fold", show=False, tooltip="fold the group of hosts", id="fleet.fold"),
        Binding("right,l", "open", "unfold", show=False, tooltip="show each host of the group", id="fleet.unfold"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Hosts", pickable=True, id=id)
        self.facts: Sequence[HostFacts] = ()
        self.words = ""
        self.order: Order = "state"
        self.outliers = False
        """True shows only what needs attention"""
        self.rows: list[HostTableRow] = []
        self._groups: Sequence[HostGroup] = ()
        self._open: set[str] = set()
        """first hosts of the groups that are unfolded: they keep their place while others join"""
        self._columns: tuple[tuple[int, int], ...] = ()
        """number and width of each column of single facts"""
        self._moved = False
        """True once the cursor was moved: until then it is on the gravest row"""
        self._longest, self._digits = 8, 1
        """cells of the longest name and number"""

    @property
    def row(self) -> HostTableRow | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def show(self, facts: Sequence[HostFacts]) -> None:
        """Replaces all hosts."""
        self.facts = facts
        self.rearrange()

    def rearrange(self) -> None:
        """Folds the hosts that match; the cursor stays on its hosts."""
        found = [host for host in self.facts if self._matches(host)]
        self._groups = host_groups(found)
        if self.order == "number":
            self._groups = sorted(self._groups, key=lambda group: -len(group.hosts))
        elif self.order == "name":
            place = {host.host: number for number, host in enumerate(found)}
            self._groups = sorted(self._groups, key=lambda group: place[group.hosts[0].host])
        parts = [f"{len(found)} of {len(self.facts)}"] if len(found) != len(self.facts) else []
        parts += [f"filter: {self.words}"] if self.words else []
        parts += ["outliers"] if self.outliers else []
        parts += [{"state": "", "number": "most first", "name": "by name"}[self.order]]
        self.aside = "  ".join(part for part in parts if part)
        self.empty = "no host matches; Esc shows all" if self.facts else "no hosts"
        self._fit_columns()
        self._list_rows()

    def _matches(self, host: HostFacts) -> bool:
        if self.outliers and host.headline.concern not in _WORRIES:
            return False
        wanted = self.words.lower().split()
        if not wanted:
            return True
        text = " ".join((host.host, *(f"{fact.kind} {fact.text} {fact.reason}" for fact in host.facts))).lower()
        return all(word in text for word in wanted)

    def _fit_columns(self) -> None:
        columns = zip(*(group.facts for group in self._groups), strict=True)
        widths = [max(len(_TITLES[at]), *(len(fact.text) for fact in column)) for at, column in enumerate(columns)]
        told = [at for at in range(len(widths)) if any(group.facts[at].kind for group in self._groups)]
        self._columns = tuple((at, widths[at] + 2) for at in told) if len(told) > 1 else ()
        names = max((len(group.name) for group in self._groups), default=0)
        longest = max((len(host.host) for host in self.facts), default=0) + 2
        count = max((len(str(len(group.hosts))) for group in self._groups), default=1)
        self._longest, self._digits = max(names, longest, 5), count

    def _list_rows(self) -> None:
        before = self.row
        self.rows = []
        for group in self._groups:
            self.rows.append(HostTableRow(group))
            if len(group.hosts) > 1 and group.hosts[0].host in self._open:
                self.rows += [HostTableRow(group, host) for host in group.hosts]
        if before is not None and self._moved:
            self.cursor = self._place(before)
        self.keep_in_view()
        self.refresh()

    def _place(self, before: HostTableRow) -> int:
        """Where the row is now: the same kind of row with its first host, else the group of that host."""
        first, single = before.hosts[0].host, before.host is not None
        places = [number for number, row in enumerate(self.rows) if any(each.host == first for each in row.hosts)]
        same = [number for number in places if (self.rows[number].host is not None) == single]
        return next(iter((*same, *places)), self.cursor)

    def pick(self, host: str) -> None:
        """Puts the cursor on a host if it is shown, else on its group."""
        places = [number for number, row in enumerate(self.rows) if any(each.host == host for each in row.hosts)]
        if places:
            self.move_to(places[-1])

    def move_to(self, index: int) -> None:
        """Puts the cursor on a row; from then on it stays on its hosts."""
        self._moved = True
        super().move_to(index)

    def toggle(self) -> bool:
        """Unfolds or folds the group under the cursor; False where there is one host only."""
        row = self.row
        if row is None or len(row.hosts) == 1:
            return False
        self._moved = True
        self._open ^= {row.group.hosts[0].host}
        self._list_rows()
        return True

    def action_open(self) -> None:
        """Unfolds the group."""
        if self.row is not None and self.row.host is None and self.row.group.hosts[0].host not in self._open:
            self.toggle()

    def action_shut(self) -> None:
        """Folds the group that the row belongs to."""
        row = self.row
        if row is not None and row.group.hosts[0].host in self._open:
            self._open.discard(row.group.hosts[0].host)
            self.cursor = next(number for number, each in enumerate(self.rows) if each.group is row.group)
            self._list_rows()
            self.post_message(self.Moved(self, self.cursor))

    # Lines.

    def line_count(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def fixed_lines(self, width: int) -> Sequence[Line]:
        """Column titles."""
        name, count = self._names(width), self._digits
        spans = [Span(f"  {'state':<{_STATE}} {'hosts':<{name + count + 1}}  ", "muted")]
        spans += [Span(fit(_TITLES[at], cells, self.glyphs), "muted") for at, cells in self._shown(width)]
        return ((*spans, Span("why", "muted")),)

    def line_at(self, index: int, width: int) -> Line:
        """One group or host."""
        row = self.rows[index]
        name, count = self._names(width), self._digits
        mark = fact_mark(row.headline, self.glyphs)
        folded = len(row.group.hosts) > 1 and row.host is None
        number = Span(f" {len(row.hosts):>{count}}  " if row.host is None else " " * (count + 3), "strong")
        shown = f"  {row.name}" if row.host is not None else row.name
        spans = [
            Span(f"{mark.glyph} {fit(mark.word, _STATE, self.glyphs)} ", mark.tone),
            Span(fit(shown, name, self.glyphs), "strong" if folded else "text"),
            number,
        ]
        for at, cells in self._shown(width):
            fact = row.facts[at]
            tone = "muted" if fact.concern in ("plain", "none") else fact_mark(fact, self.glyphs).tone
            spans.append(Span(fit(fact.text, cells, self.glyphs), tone))
        used = sum(len(span.text) for span in spans)
        return (*spans, Span(fit(why_text(row), max(width - used, 0), self.glyphs), "text"))

    def _names(self, width: int) -> int:
        return min(self._longest, max(width // 4, _LEAST_NAME))

    def _shown(self, width: int) -> Sequence[tuple[int, int]]:
        """The columns of single facts where there is room for the reason beside them."""
        used = 2 + _STATE + 1 + self._names(width) + self._digits + 3
        wanted = sum(cells for _, cells in self._columns)
        return self._columns if width - used - wanted >= _LEAST_WHY else ()


def hosts_text(row: HostTableRow) -> str:
    """`node[01-57], 57 hosts`."""
    return f"{row.name}, {counted(len(row.hosts), 'host')}" if len(row.hosts) > 1 else row.name


# What is known of a row of hosts, in lines. Nothing here draws.


_TITLE = 9
_NAMES = ("machine", "sheet", "check", "build")


def about_lines(row: HostTableRow, overview: FleetOverview, width: int, glyphs: Glyphs) -> list[Line]:
    """Each fact with its reason and the way out, then the figures of the plan and what changed."""
    lines = [line(text, "strong") for text in wrapped(hosts_text(row), width)]
    for name, fact in zip(_NAMES, row.facts, strict=True):
        if not fact.kind:
            continue
        mark = fact_mark(fact, glyphs)
        lines.append((Span(f"{name:<{_TITLE}}", "muted"), Span(f"{mark.glyph} {mark.word}", mark.tone)))
        texts: tuple[tuple[str, Tone], ...] = ((fact.reason, "text"), (fact.hint, "muted"))
        for text, tone in texts:
            lines += [(Span(" " * _TITLE), Span(part, tone)) for part in wrapped(text, max(width - _TITLE, 10))]
    for title, more in _more(row, overview):
        for number, text in enumerate(more):
            for at, part in enumerate(wrapped(text, max(width - _TITLE, 10))):
                lines.append((Span(f"{title if not number and not at else '':<{_TITLE}}", "muted"), Span(part)))
    return lines


def _more(row: HostTableRow, overview: FleetOverview) -> Iterator[tuple[str, Sequence[str]]]:
    first = row.hosts[0]
    if overview.sheet is not None and first.plan_kind is not None:
        rows = kind_rows(overview.sheet.kinds[first.plan_kind])
        yield "plan", [f"{name} {value}" for name, value in rows]
    if overview.check is not None:
        checked = next((each for each in overview.check.hosts if each.host == first.host), None)
        if checked is not None:
            yield "warnings", [finding.message for finding in warnings(checked.findings)]
    if overview.look is not None:
        names = {host.host for host in row.hosts}
        yield "changed", [change_text(each) for each in overview.look.changes if names & set(each.hosts)]
