"""What is known of a row of hosts, in lines. Nothing here draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.model.finding import warnings
from raidtui.model.fleet.overview import FleetOverview
from raidtui.planner.fleet.look_text import change_text
from raidtui.planner.fleet.sheet_text import kind_rows
from raidtui.tui.screens.fleet.marks import fact_mark
from raidtui.tui.screens.fleet.table import HostTableRow, hosts_text
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Span, Tone, line, wrapped

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
