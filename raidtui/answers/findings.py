"""Findings as blocks: a list of them, and one in full."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from raidtui.values.blocks import Block, BlockTone, Item, Items, Pairs, Paragraph
from raidtui.values.findings import Finding, Severity
from raidtui.values.inventory import Disk
from raidtui.values.units import decimal_size

TONES: dict[Severity, BlockTone] = {"error": "bad", "warning": "warn", "note": "quiet"}


def finding_items(
    findings: Sequence[Finding], *, coded: bool = True, details: Callable[[Finding], tuple[Block, ...]] = lambda _: ()
) -> tuple[Items, ...]:
    """The findings as one block, with their codes; none without findings. `details`: what Enter shows on a screen."""
    items = tuple(
        Item(
            mark=each.severity, text=f"{each.message} [{each.code}]" if coded else each.message, more=each.way_out,
            tone=TONES[each.severity], details=details(each),
        )
        for each in findings
    )  # fmt: skip
    return (Items(items=items),) if items else ()


def finding_details(finding: Finding, disks: Iterable[Disk]) -> tuple[Block, ...]:
    """A finding in full: message, what to do, its disk if it is one of `disks`, code."""
    facts = [("what to do", finding.way_out)] if finding.way_out else []
    for disk in disks:
        if finding.subject and disk.id == finding.subject:
            place = ", ".join(part for part in (disk.place.slot, disk.kernel_name) if part)
            known = (disk.model, f"serial {disk.serial}" if disk.serial else "", decimal_size(disk.size_bytes), disk.id)
            facts.append(("disk", f"{place or disk.id}: {', '.join(part for part in known if part)}"))
    return Paragraph(text=finding.message), Pairs(pairs=(*facts, ("code", finding.code)))
