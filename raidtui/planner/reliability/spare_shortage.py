"""How often a failed disk finds no spare, and how many spares suffice, under the assumptions."""

from __future__ import annotations

from math import expm1, log1p

from raidtui.model.assumptions import Assumptions
from raidtui.model.durability import SpareShortage
from raidtui.model.layout import AnyLayout
from raidtui.planner.reliability.loss_rates import failures_per_hour, pools_of, restock_hours
from raidtui.planner.reliability.spare_count import shortage_per_failure, spares_enough, yearly_shortage


def spares_wanted(disks: int, assumptions: Assumptions) -> int:
    """Spares that suffice for `disks` disks by the rule of `spare_count.RULE`."""
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


def spares_run_out(layout: AnyLayout, assumptions: Assumptions) -> float:
    """Probability that any failure of an average year finds no spare that may serve its array."""
    kept = 0.0
    for pool in pools_of(layout, assumptions):
        serving = pool.spares if layout.survives else 0
        short = yearly_shortage(pool.disks, serving, failures_per_hour(assumptions), restock_hours(assumptions))
        kept += pool.alike * log1p(-min(short, 1 - 1e-16))
    return -expm1(kept)
