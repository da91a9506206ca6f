"""Effects of the loss of each failure domain, as lines. Nothing here draws."""

from __future__ import annotations

from raidtui.model.placement import DomainVerdict, Placement
from raidtui.planner.numbers import spares_text
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span, line, wrapped


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
