"""How many spares suffice, how often a failed disk finds none, and what vendors recommend on spares and widths.

Each failed disk is ordered, and its replacement becomes a spare after the restocking time. In the long run the number
of disks on order is Poisson-distributed whatever the distribution of that time (Palm's theorem), and failures find it
so.

Vendors disagree, so all of their rules are shown beside the computed number. Each was verified at its source. "One
spare per 30", often attributed to EMC, has no primary source and is excluded.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import exp, expm1, lgamma, log, log1p

from raidtui.predict.risk.loss_rates import failures_per_hour, pools_of, restock_hours
from raidtui.values.amounts import shortages_text, spares_text, stated_percent
from raidtui.values.assumptions import Assumptions
from raidtui.values.layout import Layout
from raidtui.values.prediction import SpareShortage
from raidtui.values.units import HOURS_PER_YEAR

RARE = 0.1
"""spares suffice if the probability that any failure of a year finds none is at most this"""
RULE = "the fewest with which at most 1 year in 10 has a failure that finds no spare"
"""`RARE` as a phrase"""
MISSED = 0.05
"""replacement disks on the shelf suffice if more than these are on order in at most this share of time"""
_SURE = 1e-17


@lru_cache(maxsize=16384)
def poisson_tail(count: int, expected: float) -> float:
    """P(N > `count`) for a Poisson number N with mean `expected`; 1 for a negative count."""
    if count < 0:
        return 1.0
    if expected <= 0:
        return 0.0
    if count < expected:
        return max(1 - _sum(count, -1, expected), 0.0)
    return _sum(count + 1, 1, expected)


def _sum(first: int, step: int, expected: float) -> float:
    """Sum of the Poisson probabilities of `first`, `first` + `step`, ..., which must decrease."""
    chance = exp(first * log(expected) - expected - lgamma(first + 1))
    total, number = 0.0, first
    while chance > _SURE * total:
        total += chance
        chance *= expected / (number + 1) if step > 0 else number / expected
        number += step
    return total


@lru_cache(maxsize=1024)
def spares_enough(disks: int, failure_per_hour: float, restock_hours: float) -> int:
    """Fewest spares with which the probability that any failure of an average year finds none is at most `RARE`."""
    expected = disks * failure_per_hour * restock_hours
    spares = max(int(expected) - 3, 0)  # with as many on order as that, most years are short
    while yearly_shortage(disks, spares, failure_per_hour, restock_hours) > RARE:
        spares += 1
    return spares


@lru_cache(maxsize=1024)
def spares_on_shelf(disks: int, failure_per_hour: float, restock_hours: float) -> int:
    """Fewest replacement disks with which at most `MISSED` of all moments have more disks on order than these."""
    expected = disks * failure_per_hour * restock_hours
    spares = int(expected)  # more than these are on order nearly half of the time
    while poisson_tail(spares, expected) > MISSED:
        spares += 1
    return spares


def shortage_per_failure(disks: int, spares: int, failure_per_hour: float, restock_hours: float) -> float:
    """Probability that a failure among `disks` finds no spare: at least `spares` disks are on order."""
    return poisson_tail(spares - 1, disks * failure_per_hour * restock_hours)


def yearly_shortage(disks: int, spares: int, failure_per_hour: float, restock_hours: float) -> float:
    """Probability that any failure of an average year, not the first one, finds no spare.

    At most: each counts as if it came alone. Where spares run out for weeks several come together, and the figure is
    too high: 9 % for 60 disks with one spare, 60 % for 1000 disks with five, which asks for one spare more than needed.
    """
    found = shortage_per_failure(disks, spares, failure_per_hour, restock_hours)
    return -expm1(-disks * failure_per_hour * HOURS_PER_YEAR * found)


def spares_wanted(disks: int, assumptions: Assumptions) -> int:
    """Spares that suffice for `disks` disks by the rule of `RULE`."""
    return spares_enough(disks, failures_per_hour(assumptions), restock_hours(assumptions))


def spare_shortages(disks: int, spares: int, assumptions: Assumptions) -> tuple[SpareShortage, ...]:
    """Shortages among `disks` disks with 0 spares, 1 and so on, to one more than suffice; then with `spares`."""
    failure, restock = failures_per_hour(assumptions), restock_hours(assumptions)
    counts = range(spares_wanted(disks, assumptions) + 2)
    return tuple(
        SpareShortage(
            spares=count,
            per_failure=shortage_per_failure(disks, count, failure, restock),
            per_year=yearly_shortage(disks, count, failure, restock),
        )
        for count in (*counts, *(() if spares in counts else (spares,)))
    )


def spares_run_out(layout: Layout, assumptions: Assumptions) -> float:
    """Probability that any failure of an average year finds no spare that may serve its array."""
    kept = 0.0
    for pool in pools_of(layout, assumptions):
        serving = pool.spares if layout.survives else 0
        short = yearly_shortage(pool.disks, serving, failures_per_hour(assumptions), restock_hours(assumptions))
        kept += pool.alike * log1p(-min(short, 1 - 1e-16))
    return -expm1(kept)


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
    yield f"Width, NetApp (System Manager): {group} disks per group; triple parity from 10 TB per disk; md has none."
    yield "Width, IBM distributed RAID6: 12 disks (10+2). Width, Dell ME4: 2, 4 or 8 data disks, 16 members at most."
    yield "Width, Lustre (manual): 4 or 8 data disks, so that 1 MiB is a whole number of full stripes."
    yield "Width, HPE (RAID 60 guide): for a fixed number of disks, more groups are safer and hold less."


def _range(low: int, high: int) -> str:
    return spares_text(low) if low == high else f"{low} to {high} spares"
