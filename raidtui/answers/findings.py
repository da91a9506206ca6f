"""Findings as lines, wrapped and coloured where the reader wants it; paragraphs of text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from textwrap import TextWrapper
from typing import Literal

from raidtui.values.blocks import Block, Pairs, Paragraph
from raidtui.values.findings import Finding, Severity
from raidtui.values.inventory import Disk
from raidtui.values.safe import safe
from raidtui.values.units import HARD_BLANK, decimal_size, joined

FindingTone = Severity | Literal["best"]
"""what a colour means"""
Paint = Callable[[str, FindingTone], str]
"""a text as it is printed, with or without the colour of a tone"""
_LEAST_WIDTH = 40


def unpainted(text: str, tone: FindingTone) -> str:  # noqa: ARG001  the signature of Paint
    """`text` without a colour."""
    return text


def findings_lines(findings: Sequence[Finding], paint: Paint = unpainted, width: int | None = None) -> list[str]:
    """An empty line, then message and way out of each finding.

    `paint` gives a severity its colour. `width`: columns of a line; None: message and way out are a line each.
    """
    lines = [""] if findings else []
    for finding in findings:
        message = f"{finding.severity}: {safe(finding.message)} [{finding.code}]"
        first, *rest = paragraph(message, width, first="", rest="  ")
        painted = paint(finding.severity, finding.severity)
        lines += [painted + first.removeprefix(finding.severity), *rest]
        lines += paragraph(safe(finding.way_out), width, first="    ", rest="    ")
    return lines


def finding_details(finding: Finding, disks: Iterable[Disk]) -> tuple[Block, ...]:
    """A finding in full: message, what to do, its disk if it is one of `disks`, code."""
    facts = [("what to do", finding.way_out)] if finding.way_out else []
    for disk in disks:
        if finding.subject and disk.id == finding.subject:
            place = ", ".join(part for part in (disk.place.slot, disk.kernel_name) if part)
            known = (disk.model, f"serial {disk.serial}" if disk.serial else "", decimal_size(disk.size_bytes), disk.id)
            facts.append(("disk", f"{place or disk.id}: {', '.join(part for part in known if part)}"))
    return Paragraph(text=finding.message), Pairs(pairs=(*facts, ("code", finding.code)))


class _Wrapper(TextWrapper):
    """Breaks a word longer than a line after a slash; without one the word stays whole."""

    def _handle_long_word(self, reversed_chunks: list[str], cur_line: list[str], cur_len: int, width: int) -> None:
        """See TextWrapper; the word begins on a line of its own."""
        if not cur_line:
            word = reversed_chunks.pop()
            end = word.rfind("/", 1, width - cur_len) + 1 or len(word)
            cur_line.append(word[:end])
            reversed_chunks.extend(filter(None, [word[end:]]))


def paragraph(text: str, width: int | None, *, first: str = "  ", rest: str = "  ") -> list[str]:
    """Lines of `text` of at most `width` columns (one line where it is None), with their indentation.

    Digit groups and units are not separated from their number. A path longer than a line is broken after a slash, any
    other word stays whole.
    """
    if width is None:
        return [first + text]
    wide = max(width, _LEAST_WIDTH)
    wrapper = _Wrapper(wide, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
    return [line.replace(HARD_BLANK, " ") for line in wrapper.wrap(joined(text))] or [first.rstrip()]


def fitted(lines: Iterable[str], width: int) -> list[str]:
    """`lines`, the longer ones of them wrapped at `width`; what follows is indented two columns more."""
    found: list[str] = []
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        more = len(line) > width
        found += paragraph(line.lstrip(), width, first=indent, rest=f"{indent}  ") if more else [line]
    return found


def columns(rows: Sequence[tuple[str, ...]], *, right: tuple[int, ...] = (), gap: str = "  ") -> list[str]:
    """`rows` as lines with columns as wide as their widest cell; `right` lists right-aligned columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        gap.join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
