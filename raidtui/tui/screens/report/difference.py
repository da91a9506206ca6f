"""Comparison of two reports: results of both, and differing settings. Nothing here draws."""

from __future__ import annotations

from raidtui.model.report import Comparison, Difference, Judged, Side
from raidtui.planner.amounts import amount
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span, fit, line, wrapped
from raidtui.tui.widgets.paragraphs import Part

_FIGURE = 11


def difference_section(comparison: Comparison, glyphs: Glyphs) -> Part:
    """The section that compares this report with another one."""
    more, less = (sum(each.judged == word for each in comparison.figures) for word in ("more", "less"))
    said = f"{more} higher, {less} lower of {len(comparison.figures)}; {len(comparison.changed)} settings differ"
    return Part(
        title="Difference",
        short=(Span(said, "warn" if less else "text"), Span(f"  from {_side(comparison.before)}", "muted")),
        lines=lambda width: difference_lines(comparison, width, glyphs),
        compares=True,
    )


def difference_lines(comparison: Comparison, width: int, glyphs: Glyphs) -> list[Line]:
    """Both sides, their results, then the differing settings."""
    name = max(width - 2 * (_FIGURE + 1) - 8 - 18, 16)
    found: list[Line] = [
        *(line(row, "muted") for row in wrapped(f"before: {_side(comparison.before)}", width)),
        *(line(row, "muted") for row in wrapped(f"after:  {_side(comparison.after)}", width)),
        (),
        line(f"  {'test':<{name}} {'before':>{_FIGURE}} {'after':>{_FIGURE}}  ratio  verdict", "muted"),
    ]
    for each in comparison.figures:
        found.append(_figure_line(each, name, glyphs))
        found += [line(f"    {row}", "muted") for row in wrapped(each.note, width - 4)]
    for title, names in (("only before", comparison.only_before), ("only after", comparison.only_after)):
        if names:
            found += [(), line(title, "title"), *(line(f"  {row}") for row in wrapped(", ".join(names), width - 2))]
    if comparison.changed:
        found += [(), line("other differences", "title")]
        for other in comparison.changed:
            said = f"{other.name}: {other.before or 'none'} before, {other.after or 'none'} after"
            found += [line(f"  {row}") for row in wrapped(said, width - 2)]
    return found


def _figure_line(each: Difference, name: int, glyphs: Glyphs) -> Line:
    mark = _judged(each.judged, glyphs)
    return (
        Span(f"{mark.glyph} ", mark.tone),
        Span(f"{fit(f'{each.job} on {each.target}', name, glyphs)} "),
        Span(f"{amount(each.before, each.unit):>{_FIGURE}} ", "muted"),
        Span(f"{amount(each.after, each.unit):>{_FIGURE}}  ", "strong"),
        Span(f"{each.ratio:>5.2f}  "),
        Span(mark.word, mark.tone),
    )


def _judged(judged: Judged, glyphs: Glyphs) -> Mark:
    match judged:
        case "more":
            return Mark(glyphs.good, "more", "good")
        case "less":
            return Mark(glyphs.alert, "less", "warn")
        case "no difference that the repeats show":
            return Mark(" ", "no difference", "muted")
        case "one repeat, no spread":
            return Mark(glyphs.unknown, "one repeat", "muted")
        case "not the same job":
            return Mark(glyphs.unknown, "other job", "muted")


def _side(side: Side) -> str:
    told = "SIMULATED " if side.simulated else ""
    layout = f" {side.layout}" if side.layout else ""
    return f"{told}{side.host}{layout}, {side.when[:16].replace('T', ' ')}"
