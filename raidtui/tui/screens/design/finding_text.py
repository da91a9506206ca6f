"""One finding in full, for a dialog. Nothing here draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk
from raidtui.model.units import decimal_size
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span, line, severity_mark, wrapped

_TITLE = 12
_REMEDY = "what to do"


def finding_text(finding: Finding, disks: Sequence[Disk], width: int, glyphs: Glyphs) -> tuple[Mark, list[Line]]:
    """The mark of its severity, and message, way out, disk and code in lines of `width` cells.

    `disks`: those that `finding` may be about.
    """
    lines = [line(row, "strong") for row in wrapped(finding.message, width)]
    for title, text in _facts(finding, disks):
        rows = list(wrapped(text, width - _TITLE))
        lines.append(())
        lines += [
            (Span(f"{'' if number else title:<{_TITLE}}", "muted"), Span(row, "good" if title == _REMEDY else "text"))
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
