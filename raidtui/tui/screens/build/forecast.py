"""Forecast of the first sync of a plan's arrays, and the members that slow an array down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

from raidtui.machine.run.living import LivingAct
from raidtui.model.assumptions import Assumptions
from raidtui.model.inventory import Inventory
from raidtui.model.plan import Plan
from raidtui.model.replacement import Replacement
from raidtui.planner.performance.disk_speed import disk_speed

_SLOWER = 0.95
"""a member below this share of its array's median counts as slow"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """Predicted duration of the first sync, and the speeds of the members."""

    hours: float = 0.0
    """of the first sync, see `Plan.first_sync_hours`; 0 if unknown"""
    paces: Mapping[str, int] = field(default_factory=dict)
    """bytes per second of each known disk at its outer zone, by identity"""
    slow: Mapping[str, float] = field(default_factory=dict)
    """slow members: how far they are below their array's median, 0 to 1"""


def forecast(plan: Plan | LivingAct, inventory: Inventory, assumptions: Assumptions) -> Forecast:
    """The forecast from the plan's disks in `inventory`; empty if some are unknown. Of a replacement its own hours."""
    if not isinstance(plan, Plan):
        return Forecast(hours=(plan.hours or 0.0) if isinstance(plan, Replacement) else 0.0)
    known = {disk.id: disk for disk in inventory.disks}
    if not plan.arrays or any(disk.id not in known for disk in plan.disks):
        return Forecast()
    speeds = {disk.id: disk_speed(known[disk.id], assumptions) for disk in plan.disks}
    paces = {name: min(speed.read_bytes_per_s, speed.write_bytes_per_s) for name, speed in speeds.items()}
    return Forecast(hours=plan.first_sync_hours or 0.0, paces=paces, slow=_slow(plan, paces))


def _slow(plan: Plan, paces: Mapping[str, int]) -> dict[str, float]:
    found: dict[str, float] = {}
    for array in plan.arrays:
        rates = {name: paces[name] for name in array.members if name in paces}
        usual = median(rates.values()) if rates else 0
        found |= {name: 1 - rate / usual for name, rate in rates.items() if rate < _SLOWER * usual}
    return found
