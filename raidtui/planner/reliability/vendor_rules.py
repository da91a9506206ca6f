"""Vendor recommendations on spares and widths, beside the computed number. They disagree, so all are shown.

Each was verified at its source. "One spare per 30", often attributed to EMC, has no primary source and is excluded.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidtui.model.assumptions import Assumptions
from raidtui.planner.amounts import stated_percent
from raidtui.planner.numbers import shortages_text, spares_text
from raidtui.planner.reliability.spare_count import RULE
from raidtui.planner.reliability.spare_shortage import spare_shortages, spares_wanted


def vendor_sentences(disks: int, rotational: bool | None, assumptions: Assumptions) -> tuple[str, ...]:
    """The computed number of spares for `disks` disks, then the number that each vendor rule gives."""
    return (_computed(disks, assumptions), *_spares(disks, rotational), *_widths(rotational))


def _computed(disks: int, assumptions: Assumptions) -> str:
    enough = spares_wanted(disks, assumptions)
    rows = spare_shortages(disks, enough, assumptions)
    return (
        f"Computed: {spares_text(enough)} for {disks} disks, {RULE} (AFR {stated_percent(assumptions.afr)},"
        f" {assumptions.restock_days:g} days to restock). Failures that find no spare: {shortages_text(rows)}."
    )


def _spares(disks: int, rotational: bool | None) -> Iterator[str]:
    few, many = -(-disks // 20), -(-disks // 18)
    yield f"IBM DS3500 (redbook): one spare per 18 to 20 disks, not all in one enclosure: {_range(few, many)}."
    yield f"Veritas Volume Manager (guide): one spare per 10 disks: {spares_text(-(-disks // 10))}."
    least = 1 if rotational is False else 2
    kind = "flash" if rotational is False else "hard disks"
    yield f"NetApp ONTAP (documentation): at least {spares_text(least)} for {kind}, regardless of their number."
    space = spares_text(1 if disks < 10 else 2)
    yield f"IBM Storage Scale ECE (documentation): capacity of 1 disk up to 9 disks, of 2 from 10: {space}."
    yield f"Dell ME4 ADAPT (guide): capacity of the two largest disks: {spares_text(2)}."
    shelves = -(-disks // 48)
    yield f"EqualLogic (guide): 1 to 2 spares in each array of 16 to 48 disks: {_range(shelves, 2 * shelves)}."
    yield "KIPAC (a 60-disk installation, as published by its users): 4x(12+2)+4, one spare per 15 disks."


def _widths(rotational: bool | None) -> Iterator[str]:
    group = "20 to 28" if rotational is False else "12 to 20"
    yield f"Width, NetApp (System Manager): {group} disks per group; triple parity from 10 TB per disk, which md lacks."
    yield "Width, IBM distributed RAID6: 12 disks (10+2). Width, Dell ME4: 2, 4 or 8 data disks, 16 members at most."
    yield "Width, Lustre (manual): 4 or 8 data disks, so that 1 MiB is a whole number of full stripes."
    yield "Width, HPE (RAID 60 guide): for a fixed number of disks, more groups are safer and hold less."


def _range(low: int, high: int) -> str:
    return spares_text(low) if low == high else f"{low} to {high} spares"
