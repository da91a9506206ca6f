"""Results and findings of a decision, in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from raidtui.answers.figures import figure_groups, taken
from raidtui.predict.design import MEASURE, advised_chunk
from raidtui.session.decision import DesignOutcome, gain_words, idle_words, mixed_sizes
from raidtui.tui.fields.design import PURPOSE_WORDS
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span, Tone, fit, line, severity_mark, wrapped
from raidtui.tui.widgets.pane import Pane
from raidtui.values.amounts import spares_text
from raidtui.values.blocks import FigureRow
from raidtui.values.findings import Finding, gravest_first, note, subject
from raidtui.values.inventory import Disk
from raidtui.values.location import DomainVerdict, Placement
from raidtui.values.safe import safe
from raidtui.values.units import decimal_size, exact_binary


def results(outcome: DesignOutcome) -> tuple[FigureRow, ...]:
    """All rows: capacity, speed, risk, then the layers; only the number of disks if the design is refused."""
    prediction, disks = outcome.prediction, outcome.disks
    if not prediction.arrays:
        return (taken(prediction, len(disks)),)
    found = figure_groups(outcome.assessed, outcome.decision.assumptions, disks)
    return (*found.asked, *found.capacity, *found.speed, *found.risk, *found.causes, *found.layers)


def _chunk_advice(outcome: DesignOutcome) -> Sequence[Finding]:
    """A note where another chunk suits the use of the file system."""
    design, purpose = outcome.decision.design, outcome.decision.purpose
    advice = advised_chunk(purpose)
    if not outcome.prediction.true_sunit_bytes or design.chunk_bytes == advice.chunk_bytes:
        return ()
    advised = exact_binary(advice.chunk_bytes)
    return (
        note(
            "chunk-advice", f"Chunk {advised} is advised for {PURPOSE_WORDS[purpose]}: {advice.reason}.", MEASURE
        ),
    )  # fmt: skip


def _mixed_sizes(outcome: DesignOutcome) -> Sequence[Finding]:
    """A note where the design does not use all of disks of several sizes."""
    mixed = mixed_sizes(outcome)
    if mixed is None:
        return ()
    idle, gain = idle_words(mixed), gain_words(mixed)
    why = f"{idle}: the design's disks have another size." if idle else "The disks have several sizes."
    way_out = f"{gain}; Compare offers it" if gain else "Compare also offers layouts for mixed sizes"
    return (note("disks-of-several-sizes", why, way_out, subject(mixed.idle)),)


def findings(outcome: DesignOutcome) -> Sequence[Finding]:
    """All findings, most severe first: sizes, placement, then deviations of md from the simple rule."""
    placed = outcome.placement.findings if outcome.placement else ()
    noted = outcome.throughput.notes if outcome.throughput else ()
    notes = (Finding(severity="note", code="throughput", message=words, way_out="") for words in noted)
    found = (*_mixed_sizes(outcome), *_chunk_advice(outcome), *outcome.prediction.findings, *placed, *notes)
    return gravest_first(found)


# Differences of a design's figures from those of a saved one, with a mark for better or worse.


def difference_from(result: FigureRow, before: float | None, glyphs: Glyphs, *, short: bool = False) -> Span | None:
    """The difference of `result` from a saved design's number, with its sign, unit and a mark for better or worse.

    None if they cannot be compared. `short`: for a narrow column.
    """
    if result.number is None or before is None:
        return None
    delta = (result.short_delta if short else None) or result.delta
    words = delta(result.number - before)
    if words == "=":
        return Span(words, "muted")
    if not result.better:
        return Span(words, "title")
    gains = (result.number > before) == (result.better == "more")
    return Span(f"{glyphs.better if gains else glyphs.worse} {words}", "good" if gains else "warn")


# Results pane: results of the design, with differences to a saved one.


_TITLE = 14
_FIGURE = 10
"""cells that shorter figures are aligned in, so that their units stand below each other"""
_EDGE = 64
"""maximum width from title to difference, so that the eye can follow a line"""


class ResultPane(Pane):
    """One result per line."""

    def __init__(self, heading: str, *, id: str | None = None) -> None:
        super().__init__(heading, pickable=True, id=id)
        self.results: Sequence[FigureRow] = ()
        self.saved: dict[str, float] = {}
        self.against = ""
        self.keeps_mark = False

    def show(self, results: Sequence[FigureRow], saved: Sequence[FigureRow], against: str) -> None:
        """`results`, and their differences to `saved`, a design named `against`."""
        self.results, self.against = results, against
        self.saved = {result.label: result.number for result in saved if result.number is not None}
        self.aside = f"difference from {against}" if against else ""
        self.keep_in_view()
        self.refresh_changes()

    def heading_of(self, index: int) -> str:
        """The title of a line; an indented line is prefixed with the title above it."""
        result = self.results[index]
        if not result.inner:
            return result.title
        above = next((each.title for each in self.results[index::-1] if not each.inner), "")
        return f"{above}: {result.title}"

    def line_count(self) -> int:
        """One line a figure."""
        return len(self.results)

    def line_at(self, index: int, width: int) -> Line:
        """Title, value, remarks as far as they fit, difference."""
        result = self.results[index]
        tone: Tone = "strong" if result.strong else "text"
        title = Span(f"{result.label:<{_TITLE}}", "muted")
        found = difference_from(result, self.saved.get(result.label), self.glyphs) if self.against else None
        delta, delta_tone = found or Span("", "muted")
        edge = min(width, _EDGE) if self.against else width
        room = max(edge - _TITLE - len(delta) - (1 if delta else 0), 1)
        value = safe(result.value)
        if cell_len(value) > room:
            value = fit(value, room, self.glyphs)
        elif result.number is not None and cell_len(value) < _FIGURE:
            value = fit(value, min(_FIGURE, room), self.glyphs, right=True)
        aside = _said(result.notes, room - cell_len(value))
        gap = " " * (room - cell_len(value) - cell_len(aside)) if delta else ""
        tail = Span(f"{gap} {delta}", delta_tone) if delta else Span("")
        return (title, Span(value, tone), Span(aside, "muted"), tail)


def _said(asides: Sequence[str], room: int) -> str:
    """As many of `asides` as fit uncut into `room` cells, in order."""
    said = ""
    for aside in asides:
        more = f"{said}  {safe(aside)}" if aside else said
        if cell_len(more) > room:
            break
        said = more
    return said


# Effects of the loss of each failure domain, as lines. Nothing here draws.


def domain_lines(placement: Placement, width: int, glyphs: Glyphs) -> list[Line]:
    """The certificate of each domain in lines of `width` cells, worst first."""
    lines: list[Line] = []
    for certificate in placement.certificates:
        sign, word, tone = verdict_mark(certificate.verdict, glyphs)
        head = f"{sign} {word}"
        kind, domain = certificate.kind, certificate.domain
        name = " ".join(wrapped(domain if domain.startswith(kind) else f"{kind} {domain}", width - len(head) - 2))
        lines.append((Span(head, tone), Span(f"  {name}", "strong")))
        spares = certificate.spares_lost
        more = f"; also {spares_text(spares)}" if spares else ""
        lines += [line(f"    {row}", "muted") for row in wrapped(f"{certificate.reason}{more}", width - 4)]
    if not lines:
        return [line(row) for row in wrapped("The inventory names no enclosure, controller or expander.", width)]
    return lines


def verdict_mark(verdict: DomainVerdict, glyphs: Glyphs) -> Mark:
    """Mark of the effect of a domain's loss."""
    match verdict:
        case "survives":
            return Mark(glyphs.good, "survives", "good")
        case "degraded":
            return Mark(glyphs.alert, "degraded", "warn")
        case "lost":
            return Mark(glyphs.failed, "lost", "bad")


# One finding in full, for a dialog. Nothing here draws.


_FINDING_TITLE = 12
_REMEDY = "what to do"


def finding_text(finding: Finding, disks: Sequence[Disk], width: int, glyphs: Glyphs) -> tuple[Mark, list[Line]]:
    """The mark of its severity, and message, way out, disk and code in lines of `width` cells.

    `disks`: those that `finding` may be about.
    """
    lines = [line(row, "strong") for row in wrapped(finding.message, width)]
    for title, text in _facts(finding, disks):
        rows = list(wrapped(text, width - _FINDING_TITLE))
        lines.append(())
        lines += [
            (
                Span(f"{'' if number else title:<{_FINDING_TITLE}}", "muted"),
                Span(row, "good" if title == _REMEDY else "text"),
            )
            for number, row in enumerate(rows)
        ]
    return severity_mark(finding.severity, glyphs), lines


def _facts(finding: Finding, disks: Sequence[Disk]) -> Iterator[tuple[str, str]]:
    if finding.way_out:
        yield _REMEDY, finding.way_out
    for disk in disks:
        if finding.subject and disk.id == finding.subject:
            place = ", ".join(part for part in (disk.place.slot, disk.kernel_name) if part)
            known = (disk.model, f"serial {disk.serial}" if disk.serial else "", decimal_size(disk.size_bytes), disk.id)
            yield "disk", f"{place or disk.id}: {', '.join(part for part in known if part)}"
    yield "code", finding.code
