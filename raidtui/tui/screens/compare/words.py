"""Difference of two layouts as text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from raidtui.advice.proposals.scored_layout import ERROR
from raidtui.tui.screens.compare.table import COST, MEASURES, RISKS, CompareRow, ahead_of
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Span, Tone, line, wrapped
from raidtui.tui.widgets.findings_pane import finding_lines
from raidtui.values.amounts import (
    LEAST_ODDS,
    amounts,
    any_failures,
    cause_words,
    hours,
    listed,
    loss_words,
    odds,
    percent,
    risk_differs,
    spares_text,
    times_as_likely,
)
from raidtui.values.proposal import Candidate, Proposal
from raidtui.values.speed import Limit
from raidtui.values.units import binary_size

_RANDOM = ERROR["random-read"]


def difference(one: Candidate, other: Candidate) -> tuple[tuple[str, str], ...]:
    """The changes from `other` to `one`: title and text for every measure."""
    return (
        ("usable", _usable(one, other)),
        ("reading", _rate(one.seq_read_bytes_per_s, other.seq_read_bytes_per_s)),
        ("", _limits(one.read_bottleneck, other.read_bottleneck)),
        ("writing", _rate(one.seq_write_bytes_per_s, other.seq_write_bytes_per_s)),
        ("", _limits(one.write_bottleneck, other.write_bottleneck)),
        ("random reads", _operations(one.rand_read_iops, other.rand_read_iops)),
        ("random writes", _operations(one.rand_write_iops, other.rand_write_iops)),
        ("survives", _survives(one, other)),
        *((("whole loss of", _outlives(one, other)),) if one.outlives or other.outlives else ()),
        ("rebuild", _rebuild(one, other)),
        ("loss per year", _loss(one.any_loss_1y, other.any_loss_1y)),
        ("of an array", _loss(one.annual_array_loss_probability, other.annual_array_loss_probability)),
        ("of a sector", _loss(one.annual_sector_loss_probability, other.annual_sector_loss_probability)),
        ("at worst", _loss(one.any_loss_1y_correlated, other.any_loss_1y_correlated)),
        ("spares", _spares(one, other)),
        ("disks", f"{one.disks} against {other.disks}: {_count(one.disks - other.disks)}"),
        *_cost(one, other),
    )


def in_short(one: Candidate, other: Candidate) -> str:
    """The differences only, in a sentence or two."""
    said = ", ".join(text for text, _ in _figures(one, other))
    tail = [text for text, _ in _counts(one, other)]
    if one.read_bottleneck == other.read_bottleneck and one.seq_read_bytes_per_s == other.seq_read_bytes_per_s:
        tail.append(f"reading is bound by {one.read_bottleneck} in both")
    return "; ".join([said or "no differences", *tail])


def trade(one: Candidate, other: Candidate) -> tuple[str, str]:
    """(what is gained, what is given up) by `one` in place of `other`; each may be empty."""
    parts = [*_figures(one, other), *_counts(one, other)]
    gains, losses = (", ".join(text for text, better in parts if better is wanted) for wanted in (True, False))
    return gains, losses


def _figures(one: Candidate, other: Candidate) -> list[tuple[str, bool]]:
    """Differences of rates, sizes and risks beyond their error: text, and whether `one` is better."""
    rebuild = math.inf if one.rebuild_hours == 0 else one.rebuild_hours
    parts = [
        (
            _share_words(one.usable_bytes, other.usable_bytes, "larger", "smaller", ERROR["capacity"]),
            one.usable_bytes > other.usable_bytes,
        ),
        (
            _share_words(one.seq_read_bytes_per_s, other.seq_read_bytes_per_s, "faster to read", "slower to read"),
            one.seq_read_bytes_per_s > other.seq_read_bytes_per_s,
        ),
        (
            _share_words(one.seq_write_bytes_per_s, other.seq_write_bytes_per_s, "faster to write", "slower to write"),
            one.seq_write_bytes_per_s > other.seq_write_bytes_per_s,
        ),
        (
            _share_words(one.rand_read_iops, other.rand_read_iops, "more random reads", "fewer random reads", _RANDOM),
            one.rand_read_iops > other.rand_read_iops,
        ),
        (
            _share_words(
                one.rand_write_iops, other.rand_write_iops, "more random writes", "fewer random writes", _RANDOM
            ),
            one.rand_write_iops > other.rand_write_iops,
        ),
        (_hours_words(one.rebuild_hours, other.rebuild_hours), rebuild < (other.rebuild_hours or math.inf)),
        (
            _factor_words(one.annual_array_loss_probability, other.annual_array_loss_probability, "loss of an array"),
            one.annual_array_loss_probability < other.annual_array_loss_probability,
        ),
        (
            _factor_words(one.annual_sector_loss_probability, other.annual_sector_loss_probability, "loss of a sector"),
            one.annual_sector_loss_probability < other.annual_sector_loss_probability,
        ),
        (
            _factor_words(one.any_loss_1y_correlated, other.any_loss_1y_correlated, "loss at worst"),
            one.any_loss_1y_correlated < other.any_loss_1y_correlated,
        ),
    ]
    return [(text, better) for text, better in parts if text]


def _counts(one: Candidate, other: Candidate) -> list[tuple[str, bool]]:
    """Differences of spares and survived failures: text, and whether `one` is better."""
    parts = []
    if one.spares != other.spares:
        text = f"{spares_text(one.spares)} instead of {other.spares}{_waits(one)}"
        parts.append((text, one.spares > other.spares))
    mine, theirs = _survived(one), _survived(other)
    if mine != theirs:
        parts.append((f"survives {any_failures(mine)} instead of {any_failures(theirs)}", mine > theirs))
    parts += [(f"survives any one {kind}", True) for kind in one.outlives if kind not in other.outlives]
    parts += [(f"does not survive any one {kind}", False) for kind in other.outlives if kind not in one.outlives]
    return parts


def _share(one: float, other: float) -> float:
    """Relative difference of `one` to `other`; 0 if `other` is 0."""
    return one / other - 1 if other else 0.0


def _share_words(one: float, other: float, more: str, less: str, error: float = ERROR["read"]) -> str:
    share = _share(one, other)
    if abs(share) < error:
        return ""
    return f"{percent(abs(share))} {more if share > 0 else less}"


def _hours_words(one: float, other: float) -> str:
    if one == other or abs(one - other) < ERROR["rebuild"] * min(one, other):
        return ""
    if one == 0:
        return "rebuilds nothing"
    if other == 0:
        return f"rebuilds in {hours(one)}"
    return f"rebuild {hours(abs(one - other))} {'longer' if one > other else 'shorter'}"


def _factor_words(one: float, other: float, what: str = "loss") -> str:
    if not risk_differs(one, other):
        return ""
    if not one or not other:
        return f"{what} per year {odds(one)} instead of {odds(other)}"
    return f"{what} {times_as_likely(max(one, LEAST_ODDS) / max(other, LEAST_ODDS))}"


def _usable(one: Candidate, other: Candidate) -> str:
    figures = f"{binary_size(one.usable_bytes)} against {binary_size(other.usable_bytes)}"
    if one.usable_bytes == other.usable_bytes:
        return f"{figures}: the same"
    gap = one.usable_bytes - other.usable_bytes
    share = percent(abs(_share(one.usable_bytes, other.usable_bytes)))
    return f"{figures}: {binary_size(abs(gap))} {'more' if gap > 0 else 'less'}, {share}"


def _rate(one: int, other: int) -> str:
    figures = amounts((one, other), "B/s", " against ")
    return f"{figures}: {_share_words(one, other, 'faster', 'slower') or 'the same'}"


def _operations(one: int, other: int) -> str:
    figures = amounts((one, other), "IOPS", " against ")
    return f"{figures}: {_share_words(one, other, 'more', 'fewer', _RANDOM) or 'the same'}"


def _limits(one: Limit, other: Limit) -> str:
    return f"bound by {one} in both" if one == other else f"bound by {one}, the other one by {other}"


def _survived(candidate: Candidate) -> int:
    return candidate.layout.layout.survives


def _survives(one: Candidate, other: Candidate) -> str:
    mine, theirs = _survived(one), _survived(other)
    words = f"{any_failures(mine)} of an array" if mine else any_failures(mine)
    return f"{words}, like the other one" if mine == theirs else f"{words}; the other one {any_failures(theirs)}"


def _rebuild(one: Candidate, other: Candidate) -> str:
    figures = f"{hours(one.rebuild_hours)} against {hours(other.rebuild_hours)}"
    words = _hours_words(one.rebuild_hours, other.rebuild_hours).removeprefix("rebuild ")
    return f"{figures}: {words or 'the same'}"


def _loss(mine: float, theirs: float) -> str:
    words = _factor_words(mine, theirs).removeprefix("loss ") or "the same risk"
    return f"{odds(mine)} against {odds(theirs)}: {words}"


def _outlives(one: Candidate, other: Candidate) -> str:
    mine, theirs = (listed(found.outlives) if found.outlives else "none" for found in (one, other))
    return f"any one {mine}" + (", like the other one" if mine == theirs else f"; the other one {theirs}")


def _spares(one: Candidate, other: Candidate) -> str:
    return f"{one.spares} against {other.spares}{_waits(one) if one.spares != other.spares else ': the same'}"


def _waits(candidate: Candidate) -> str:
    """Remark on a layout without spares."""
    return "" if candidate.spares or not _survived(candidate) else ": rebuilds wait for a new disk"


def _count(gap: int) -> str:
    return f"{abs(gap)} {'more' if gap > 0 else 'fewer'}" if gap else "the same"


def _cost(one: Candidate, other: Candidate) -> tuple[tuple[str, str], ...]:
    if one.cost is None or other.cost is None:
        return ()
    gap = one.cost - other.cost
    words = f"{abs(gap):,.0f} {'more' if gap > 0 else 'less'}" if gap else "the same"
    return (("cost", f"{one.cost:,.0f} against {other.cost:,.0f}: {words}".replace(",", " ")),)


# Remarks on a layout of the table, and on a pair. Nothing here draws.


_TITLE = 14


def words_for(row: CompareRow, proposal: Proposal | None, present: CompareRow | None) -> Sequence[str]:
    """The reasons of its picks, the comparison with the present design, and what a loss is made of."""
    picks = proposal.picks if proposal is not None else ()
    texts = [
        f"{pick.reason} Gives up: {pick.gives_up}" if pick.gives_up else pick.reason
        for pick in picks
        if pick.layout == row.candidate.layout and row.candidate.picks
    ]
    if row.present:
        texts.append(_standing(row.candidate, proposal))
    elif present is not None:
        same = row.candidate.layout == present.candidate.layout
        against = "The present layout, spread over the chassis" if same else f"Compared with the {called(present)}"
        texts.append(f"{against}: {in_short(row.candidate, present.candidate)}.")
    found = row.candidate
    causes = cause_words(
        found.annual_array_loss_probability, found.annual_sector_loss_probability,
        found.annual_enclosure_loss_probability,
    )  # fmt: skip
    texts.append(f"Loss {loss_words(found.any_loss_1y, found.any_loss_1y_correlated)}, by any cause: {causes}.")
    return texts


def called(row: CompareRow) -> str:
    """Name of a row in a sentence."""
    return f"present {row.candidate.layout}" if row.present else row.candidate.layout


def difference_lines(rows: Sequence[CompareRow], width: int) -> list[Line]:
    """Of two layouts the changes to the first, of three their figures side by side; then what is gained and given up.

    Each is wrapped beside its title.
    """
    first, *others = rows
    if len(others) == 1:
        (other,) = others
        return [*_trade(first, other, width), (), *_titled(difference(first.candidate, other.candidate), width)]
    lines = _side_by_side(rows, width)
    for other in others:
        lines += [(), (Span(f"{called(other)} in place of {called(first)}", "strong"),), *_trade(other, first, width)]
    return lines


def _trade(one: CompareRow, other: CompareRow, width: int) -> list[Line]:
    gains, losses = trade(one.candidate, other.candidate)
    return [
        *_titled((("you gain", f"{gains or 'nothing'}"),), width, "good"),
        *_titled((("you give up", f"{losses or 'nothing'}"),), width, "warn"),
    ]


def _titled(parts: Iterable[tuple[str, str]], width: int, tone: Tone = "muted") -> list[Line]:
    return [
        (Span(f"{title if number == 0 else '':<{_TITLE}}", tone), Span(text))
        for title, sentence in parts
        for number, text in enumerate(wrapped(sentence, width - _TITLE))
    ]


def _side_by_side(rows: Sequence[CompareRow], width: int) -> list[Line]:
    cells = (width - _TITLE) // len(rows) - 1
    lines: list[Line] = [
        (Span(f"{'':<{_TITLE}}"), *(Span(f" {row.candidate.layout[:cells]:>{cells}}", "strong") for row in rows))
    ]
    for measure in MEASURES:
        if measure is not COST or all(row.candidate.cost is not None for row in rows):
            texts = [measure.text(measure.value(row.candidate)) for row in rows]
            title = measure.title if measure in RISKS else measure.axis
            lines.append((Span(f"{title:<{_TITLE}}", "muted"), *(Span(f" {text:>{cells}}") for text in texts)))
    survived = [any_failures(row.candidate.layout.layout.survives) for row in rows]
    return [*lines, (Span(f"{'survives':<{_TITLE}}", "muted"), *(Span(f" {text:>{cells}}") for text in survived))]


def _standing(present: Candidate, proposal: Proposal | None) -> str:
    """Remark on whether another layout dominates the present one."""
    if proposal is None:
        return "The search for other layouts is running."
    ahead = ahead_of(present, proposal.candidates)
    if ahead is None:
        return "No layout within the constraints is as good in every measure and better in one."
    return f"Behind {ahead.layout}, which is as good in every measure: {in_short(ahead, present)}."


# Reasons of a proposal as lines: requirements, picks, layouts not chosen, vendor rules, findings.


def why_lines(proposal: Proposal, asked: Sequence[str], width: int, glyphs: Glyphs) -> list[Line]:
    """All reasons of the proposal, wrapped to `width` cells."""
    parts = [
        _bullets("Understood", asked, width),
        *(
            [
                (Span(pick.name.capitalize(), "title"), Span(f"  {pick.layout}", "strong")),
                *_indented(pick.reason, width),
                *_indented(f"Gives up: {pick.gives_up}" if pick.gives_up else "", width),
            ]
            for pick in proposal.picks
        ),
        *(
            [*(line(row, "title") for row in wrapped(each.question, width)), *_indented(each.answer, width)]
            for each in proposal.why_not
        ),
        _bullets("Vendor rules", proposal.vendors, width),
        finding_lines(proposal.findings, width, glyphs) if proposal.findings else [],
    ]
    lines: list[Line] = []
    for part in parts:
        if part:
            lines += [*part, ()]
    return lines[:-1]


def _bullets(title: str, texts: Sequence[str], width: int) -> list[Line]:
    if not texts:
        return []
    return [line(title, "title"), *(row for text in texts for row in _hanging(text, width))]


def _hanging(text: str, width: int) -> Iterator[Line]:
    for number, row in enumerate(wrapped(text, width - 4)):
        yield line(f"  {'-' if number == 0 else ' '} {row}")


def _indented(text: str, width: int) -> list[Line]:
    return [line(f"  {row}") for row in wrapped(text, width - 2)]
