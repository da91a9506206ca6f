"""Reasons of a proposal as lines: requirements, picks, layouts not chosen, vendor rules, findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.model.proposal import Proposal
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Span, line, wrapped
from raidtui.tui.widgets.findings_pane import finding_lines


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
