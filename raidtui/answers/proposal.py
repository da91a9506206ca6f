"""Text output of `raidtui propose`: picks, the front, answers to questions, vendor rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from raidtui.answers.findings import Paint, findings_lines, paragraph, unpainted
from raidtui.values.amounts import (
    cause_words,
    hours,
    known_iops,
    known_rate,
    loss_words,
    odds_base,
    rate_figure,
    spares_text,
)
from raidtui.values.codec import by_key
from raidtui.values.notation import LayoutText
from raidtui.values.proposal import Candidate, Pick, PickName, Proposal
from raidtui.values.units import binary_size, counted, grouped

WIDTH = 100
_ASKED, _BREAKS = "C", "x"
_SENTENCE = re.compile(r"(?<=\.) (?=[A-Z])")
_WITH_UNITS = 96
"""columns from which rates in the table have their units"""
_MARKS: dict[PickName, str] = {
    "suggested": "G", "most room": "M", "balanced": "B", "fastest": "F", "safest": "S", "quickest rebuild": "Q",
}  # fmt: skip


def proposal_text(proposal: Proposal, *, width: int = WIDTH, paint: Paint = unpainted) -> str:
    """The proposal as lines of at most `width` columns (80 and more); `paint` colours the best and severities."""
    shown = [each for each in proposal.candidates if each.shown] or list(proposal.candidates)
    on_front = sum(each.on_front for each in proposal.candidates)
    allow = "allows" if proposal.disks == 1 else "allow"
    layouts = (
        f"{grouped(proposal.considered)} layouts; of {grouped(proposal.compared)} that people build {on_front} are "
        "best trade-offs."
    )
    head = f"{counted(proposal.disks, 'disk')} {allow} {layouts}"
    none = f"{counted(proposal.disks, 'disk')}: no proposal."
    lines = [*paragraph(head, width, first="", rest="")] if proposal.candidates else [none]
    rules = [finding for finding in proposal.findings if finding.code in ("picks-rules", "weights")]
    for finding in rules:
        lines += paragraph(finding.message, width, first="", rest="")
    lines += _picks(proposal, width, paint)
    lines += _table(shown, width, paint)
    lines += _questions(proposal, width)
    if proposal.vendors:
        lines += ["", "NUMBER OF SPARES AND WIDTH: COMPUTED, AND VENDOR RECOMMENDATIONS"]
        for sentence in proposal.vendors:
            lines += paragraph(sentence, width, first="  - ", rest="    ")
    for finding in proposal.findings:
        lines += findings_lines([finding], paint, width) if finding not in rules else []
    return "\n".join(lines)


def picks_by_layout(proposal: Proposal) -> dict[LayoutText, list[Pick]]:
    """Each picked layout once, with all its names."""
    return by_key((pick.layout, pick) for pick in proposal.picks)


def pick_lines(proposal: Proposal, layout: LayoutText, width: int) -> Iterator[str]:
    """Figures, reasons and tradeoff of a picked layout."""
    own = picks_by_layout(proposal)[layout]
    sentences = [sentence for pick in own for sentence in _SENTENCE.split(pick.reason)]
    found = next(each for each in proposal.candidates if each.layout == layout)
    yield from paragraph(_figures(found), width)
    yield from paragraph(" ".join(dict.fromkeys(sentences)), width)
    yield from paragraph(f"Alternatives: {own[0].gives_up}", width)


def _picks(proposal: Proposal, width: int, paint: Paint) -> Iterator[str]:
    for layout, own in picks_by_layout(proposal).items():
        yield ""
        yield paint(f"{', '.join(pick.name for pick in own).upper()}: {layout}", "best")
        yield from pick_lines(proposal, layout, width)


def _figures(found: Candidate) -> str:
    parts = [
        f"{binary_size(found.usable_bytes)} usable",
        f"reads {known_rate(found.seq_read_bytes_per_s)}",
        f"writes {known_rate(found.seq_write_bytes_per_s)}",
        f"random reads {known_iops(found.rand_read_iops)}",
        f"random writes {known_iops(found.rand_write_iops)}",
        f"loss {loss_words(found.any_loss_1y, found.any_loss_1y_correlated)}",
        cause_words(
            found.annual_array_loss_probability,
            found.annual_sector_loss_probability,
            found.annual_enclosure_loss_probability,
        ),
        f"rebuild {hours(found.rebuild_hours)}",
        spares_text(found.spares),
    ]
    if found.cost is not None:
        parts.append(f"cost {grouped(round(found.cost))}")
    return ", ".join(parts) + "."


def _table(shown: Sequence[Candidate], width: int, paint: Paint) -> Iterator[str]:
    if not shown:
        return
    priced = any(each.cost is not None for each in shown)
    wide = width >= _WITH_UNITS
    head = ["", "LAYOUT", "USABLE", "READ", "WRITE", "RAND R", "RAND W", "LOSS", "ARRAY", *(["WORST"] if wide else [])]
    head += ["REBUILD", *(["COST"] if priced else [])]
    rows = [head, *(_row(each, priced, wide=wide) for each in shown)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    gap = "  " if sum(widths) + 2 * len(widths) - 2 <= width else " "
    yield ""
    for row in rows:
        cells = [
            cell.ljust(broad) if column < 2 else cell.rjust(broad)
            for column, (cell, broad) in enumerate(zip(row, widths, strict=True))
        ]
        marks = row[0]
        yield (paint(marks, "best") if marks else "") + gap.join(cells).rstrip()[len(marks) :]
    used_marks = {name for each in shown for name in each.picks}
    legend = [f"{mark} {name}" for name, mark in _MARKS.items() if name in used_marks]
    legend += [f"{_ASKED} compared"] if any(each.asked for each in shown) else []
    legend += [f"{_BREAKS} breaks a rule of the picks"] if any(each.breaks for each in shown) else []
    yield from paragraph("; ".join(legend), width, first="", rest="")
    rates = "Read and write" if wide else "Read and write, in GB/s,"
    worst = "; plan with the worst, any loss with correlated failures" if wide else ""
    yield from paragraph(
        "The table lists the front and what is compared with it. Usable is what df shows as available."
        f" {rates} are for many streams on empty disks (outer zone), random reads and writes are of 4 KiB at depth, a"
        " second. Loss is 1 in so many a year, of any data by any cause, mostly 4 KiB of a file; array that of a volume"
        f" by disks{worst}. Rebuild is for one member.",
        width,
        first="",
        rest="",
    )


def _row(found: Candidate, priced: bool, *, wide: bool) -> list[str]:
    rates = (found.seq_read_bytes_per_s, found.seq_write_bytes_per_s)
    operations = (found.rand_read_iops, found.rand_write_iops)
    return [
        "".join(_MARKS[name] for name in found.picks)
        + (_ASKED if found.asked else "")
        + (_BREAKS if found.breaks else ""),
        found.layout,
        binary_size(found.usable_bytes),
        *(known_rate(each) if wide else rate_figure(each / 1e9) for each in rates),
        *(known_iops(each).removesuffix(" IOPS") for each in operations),
        odds_base(found.any_loss_1y),
        odds_base(found.annual_array_loss_probability),
        *([odds_base(found.any_loss_1y_correlated)] if wide else []),
        hours(found.rebuild_hours),
        *([grouped(round(found.cost)) if found.cost is not None else "-"] if priced else []),
    ]


def _questions(proposal: Proposal, width: int) -> Iterator[str]:
    for each in proposal.why_not:
        yield ""
        yield from paragraph(each.question, width, first="", rest="")
        yield from paragraph(each.answer, width)
