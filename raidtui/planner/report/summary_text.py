"""Short text summary of a report for a mail, a ticket or the terminal."""

from __future__ import annotations

from raidtui.model.report import Report
from raidtui.model.safe import safe
from raidtui.planner.report.blocks import ReportDocument


def summary(report: Report, document: ReportDocument) -> str:
    """Verdict, facts and open points."""
    lines = [f"{safe(document.title)}: {document.verdict}", f"  {safe(document.reason)}"]
    if document.banner:
        lines.insert(0, document.banner)
    wide = max(len(name) for name, _ in document.facts)
    lines += ["", *(f"  {name:<{wide}}  {safe(value)}" for name, value in document.facts)]
    points = [point for point in report.points if point.weight != "note"]
    if points:
        lines.append("")
    for point in points:
        lines.append(f"  {point.weight}: {safe(point.text)}")
        if point.way_out:
            lines.append(f"    {safe(point.way_out)}")
    if report.comparison:
        lines += ["", f"  compared with {safe(report.comparison.before.host)}, {safe(report.comparison.before.when)}:"]
        for each in report.comparison.figures:
            target = safe(each.target or each.kind)
            lines.append(f"    {safe(each.job)} on {target}: {each.ratio:.2f}, {each.judged}")
    return "\n".join(lines)
