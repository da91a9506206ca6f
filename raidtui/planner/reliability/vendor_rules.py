"""Vendor recommendations on spares and widths, beside the computed number. They disagree, so all are shown.

Each was verified at its source. "One spare per 30", often attributed to EMC, has no primary source and is excluded.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidtui.model.assumptions import Assumptions
from raidtui.planner.reliability.loss_rates import failures_per_hour, restock_hours
from raidtui.planner.reliability.spare_count import spares_enough


def spares_wanted(disks: int, assumptions: Assumptions) -> int:
    """Fewest spares with less than 1 % probability that more of `disks` fail before restocking."""
    return spares_enough(disks, failures_per_hour(assumptions), restock_hours(assumptions))


def vendor_sentences(disks: int, rotational: bool | None, assumptions: Assumptions) -> tuple[str, ...]:
    """The computed number of spares for `disks` disks, then the number that each vendor rule gives."""
    return (_computed(disks, assumptions), *_spares(disks, rotational), *_widths(rotational))


def _computed(disks: int, assumptions: Assumptions) -> str:
    enough = spares_wanted(disks, assumptions)
    return (
        f"Computed: {_several(enough)} for {disks} disks: with an AFR of {assumptions.afr * 100:g} % and"
        f" {assumptions.restock_days:g} days to restock, more are needed in less than 1 % of cases."
    )


def _spares(disks: int, rotational: bool | None) -> Iterator[str]:
    few, many = -(-disks // 20), -(-disks // 18)
    yield f"IBM DS3500 (redbook): one spare per 18 to 20 disks, not all in one enclosure: {_range(few, many)}."
    yield f"Veritas Volume Manager (guide): one spare per 10 disks: {_several(-(-disks // 10))}."
    least = 1 if rotational is False else 2
    kind = "flash" if rotational is False else "hard disks"
    yield f"NetApp ONTAP (documentation): at least {_several(least)} for {kind}, regardless of their number."
    space = _several(1 if disks < 10 else 2)
    yield f"IBM Storage Scale ECE (documentation): capacity of 1 disk up to 9 disks, of 2 from 10: {space}."
    yield f"Dell ME4 ADAPT (guide): capacity of the two largest disks: {_several(2)}."
    shelves = -(-disks // 48)
    yield f"EqualLogic (guide): 1 to 2 spares in each array of 16 to 48 disks: {_range(shelves, 2 * shelves)}."
    yield "KIPAC (a 60-disk installation, as published by its users): 4x(12+2)+4, one spare per 15 disks."


def _widths(rotational: bool | None) -> Iterator[str]:
    group = "20 to 28" if rotational is False else "12 to 20"
    yield f"Width, NetApp (System Manager): {group} disks per group; triple parity from 10 TB per disk, which md lacks."
    yield "Width, IBM distributed RAID6: 12 disks (10+2). Width, Dell ME4: 2, 4 or 8 data disks, 16 members at most."
    yield "Width, Lustre (manual): 4 or 8 data disks, so that 1 MiB is a whole number of full stripes."
    yield "Width, HPE (RAID 60 guide): for a fixed number of disks, more groups are safer and hold less."


def _several(spares: int) -> str:
    return f"{spares} spare{'s' if spares != 1 else ''}"


def _range(low: int, high: int) -> str:
    return _several(low) if low == high else f"{low} to {high} spares"
