"""The parts of the report that go row by row: rules, bands, every covered row, outliers, and what is left out."""

from __future__ import annotations

from tests.validation.causes import CAUSES
from tests.validation.covered import left
from tests.validation.figures import amount, short, table
from tests.validation.fit import FENCE, fitted, held_out, judges, margin, outcomes
from tests.validation.judging import outliers
from tests.validation.predicted import GROUPS, Group, Outcome


def rules() -> list[str]:
    """How the bands are made."""
    margins = ", ".join(f"{group} {margin(group):.2f}" for group in GROUPS if any_judges(group))
    return [
        "## Rules of the fit",
        "",
        "1. A row's ratio is what was measured over the lowest ceiling the model finds.",
        f"2. A ratio more than {FENCE:g} times off the middle of its class does not widen the band: a miss. Random",
        "   parity writes of disks have no such fence: their two sources contradict each other by more.",
        "3. The expected factor is the median of the sources' medians, at most 1: a source of many rows weighs as one.",
        "4. The band ends at the ratios that one row of ten lies below, or above, each source weighing as one; the",
        "   upper end is at least 1. Both lie a margin further out, the upper one at least 3 %: drives exceed their",
        "   data sheets by so much.",
        "5. The margin of a class is the least, in steps of 0.05 up to 1.25, that covers 85 % of its judging rows, or",
        f"   as many as 1.25 does, in bands that were made without their source: {margins}.",
        "6. Rows of class B in the table, rows whose link share is in the link table, and the far layout's write set",
        "   ceilings and do not judge. Where the ceiling is a lock of md, their spread is part of the band.",
        "7. What a ceiling is uncertain by itself (a guessed link, md's thread on an unknown processor) and the class'",
        "   band are independent: they combine in quadrature of their logarithms. No upper end lies above what a link",
        "   carries, nor more than 3 % above what the members deliver.",
        "",
    ]


def any_judges(group: Group) -> bool:
    """True if a row of the class judges."""
    return any(each.group == group and judges(each) for each in outcomes())


def bands() -> list[str]:
    """The constants."""
    lines = [
        [f"`{name}`", f"{band.point:.2f}", f"{band.low:.3f}", f"{band.high:.3f}"] for name, band in fitted().items()
    ]
    heading = "Constants that follow (`raidtui/predict/speed/confidence_bands.py`):"
    return [heading, "", *table(["band", "point", "low", "high"], lines)]


def rows() -> list[str]:
    """Every covered row, class by class."""
    out = [
        "## Every covered row",
        "",
        "MB/s, for random work operations a second. Band: held out for judging rows.",
        "",
    ]
    for group in GROUPS:
        shown = [
            _row(held_out(each, margin(group)) if judges(each) else each) for each in outcomes() if each.group == group
        ]
        out += [
            f"### {group[0].upper()}{group[1:]}", "",
            *table(["row", "source", "what", "predicted", "band", "measured", "predicted / measured", "in band",
                    "bottleneck", "role"], shown),
        ]  # fmt: skip
    return out


def _row(each: Outcome) -> list[str]:
    case, unit = each.case, each.case.unit
    layout = f"{case.layout.level} of {case.layout.first.members}"
    return [
        case.name, short(case.source), f"{layout}: {case.said}", amount(each.point, unit),
        f"{amount(each.low, unit)} to {amount(each.high, unit)}", amount(case.measured, unit),
        f"{each.point / case.measured:.2f}", "yes" if each.inside else "**no**", each.bottleneck,
        "judging" if judges(each) else "fitting",
    ]  # fmt: skip


def outliers_section() -> list[str]:
    """Judging rows outside their band."""
    rows = [
        [each.case.name, short(each.case.source), f"{each.point / each.case.measured:.2f}", CAUSES[each.case.name]]
        for each in outliers()
    ]
    return ["## Outliers", "", *table(["row", "source", "predicted / measured", "cause"], rows)]


def left_out() -> list[str]:
    """Rows without a prediction."""
    lines = [[each.name, short(each.source), each.said, each.measured, each.why] for each in left()]
    return ["## Rows that are not covered", "", *table(["row", "source", "what", "measured", "rule"], lines)]
