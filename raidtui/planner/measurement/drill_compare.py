"""Compares the figures of a drill with the model's."""

from __future__ import annotations

from collections.abc import Mapping

from raidtui.model.assumptions import defaults_for
from raidtui.model.bench import Pattern
from raidtui.model.drill import DrillCompared, DrillResult
from raidtui.model.inventory import Inventory
from raidtui.model.plan import Plan
from raidtui.planner.amounts import percent, stated_percent
from raidtui.planner.design.assess import risk, speed

_READS: tuple[Pattern, ...] = ("read", "randread")
BAND = (0.59, 1.22)
"""measured over predicted rebuild rates of a member: the 12 validation reports of tests/validation without unknown
load range from 0.69 to 1.06; the ends are 15 % further out, as with the throughput bands"""


def compare_drill(
    plan: Plan, inventory: Inventory, result: DrillResult, patterns: Mapping[str, Pattern]
) -> tuple[DrillCompared, ...]:
    """Rebuild rate, hours, and read rate during the rebuild; figures that model or drill lack are omitted.

    `patterns`: of each job of the profile, by its name.
    """
    known = {disk.id: disk for disk in inventory.disks}
    if any(disk not in known for disk in plan.prediction.disks):
        return ()
    disks = [known[disk] for disk in plan.prediction.disks]
    assumptions = defaults_for(disks)
    found: list[DrillCompared] = []
    lost = risk(plan.design, disks, plan.prediction, inventory, assumptions)
    done = next((each for each in result.passes if each.stage == "rebuild"), None)
    model = lost.rebuild if lost is not None else None
    if done is not None and model is not None and done.bytes_per_s and model.bytes_per_s:
        note = f"predicted limit: {model.limit}"
        if done.watched_share < 0.9:
            note += f"; measured over {percent(done.watched_share)} of the rebuild, which starts in the outer zone"
        found.append(_row("rebuild rate of a member, idle array", "B/s", done.bytes_per_s, model.bytes_per_s, note))
    if done is not None and model is not None and done.loaded_bytes_per_s and model.bytes_per_s:
        predicted = model.bytes_per_s * assumptions.rebuild_share
        share = stated_percent(assumptions.rebuild_share)
        note = f"the model assumes {share} of the members' time for a rebuild under load"
        found.append(_row("rebuild rate of a member under load", "B/s", done.loaded_bytes_per_s, predicted, note))
    rates = speed(plan.design, disks, plan.prediction, inventory, assumptions)
    reading = rates.rebuilding_seq_read if rates is not None else None
    for each in () if result.simulated else result.workloads:  # simulated ones come from the same model
        rebuilding = "syncing" in each.figure.labels  # a short rebuild may have ended before
        if reading is not None and rebuilding and each.figure.unit == "B/s" and patterns.get(each.job) in _READS:
            found.append(
                DrillCompared(
                    name=f"{each.job} during the rebuild", unit="B/s", measured=each.figure.median,
                    predicted=reading.bytes_per_s, low=reading.low, high=reading.high,
                    ratio=each.figure.median / reading.bytes_per_s,
                    note="the model assumes many streams of whole stripes" + _one_of(plan),
                )
            )  # fmt: skip
    return tuple(found)


def _one_of(plan: Plan) -> str:
    arrays = plan.design.layout.arrays
    return f", one member of each of the {arrays} arrays rebuilding; here one array did" if arrays > 1 else ""


def _row(name: str, unit: str, measured: float, predicted: float, note: str) -> DrillCompared:
    low, high = BAND
    return DrillCompared(
        name=name, unit="B/s" if unit == "B/s" else "h", measured=measured, predicted=predicted, low=predicted * low,
        high=predicted * high, ratio=measured / predicted, note=note,
    )  # fmt: skip
