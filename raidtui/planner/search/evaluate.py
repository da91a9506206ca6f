"""Every figure of one layout on one pool, cheap ones first: the exact annual loss is only worked out when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from raidtui.model.assumptions import Assumptions
from raidtui.model.inventory import Inventory
from raidtui.model.layout import Layout
from raidtui.model.limit import UNKNOWN, Limit
from raidtui.model.proposal import Constraints
from raidtui.model.speed import DiskSpeed
from raidtui.planner.performance.disk_speed import disk_speed
from raidtui.planner.performance.fast_throughput import FastThroughput
from raidtui.planner.performance.rebuild_time import rebuild
from raidtui.planner.reliability.loss_bounds import RiskTable
from raidtui.planner.search.disk_pool import DiskPool
from raidtui.planner.search.pareto import Vector
from raidtui.planner.search.scored_layout import ScoredLayout, vector
from raidtui.planner.search.usable_capacity import CapacityTable


class LayoutBounds(NamedTuple):
    """One layout with all figures except the loss, for which only bounds are known."""

    layout: Layout
    usable: int
    component: int
    read: int
    write: int
    read_limit: Limit
    write_limit: Limit
    hours: float
    rebuild_limit: Limit
    least_loss: float
    most_loss: float
    cost: float | None

    @property
    def best(self) -> Vector:
        """The objectives at the lower bound of the loss."""
        return vector(self.usable, self.read, self.write, self.least_loss, self.hours, self.cost)

    @property
    def worst(self) -> Vector:
        """The objectives at the upper bound of the loss."""
        return vector(self.usable, self.read, self.write, self.most_loss, self.hours, self.cost)


class Evaluator:
    """Evaluates layouts on one pool of at least one disk; caches what arrays of one shape share."""

    def __init__(
        self,
        inventory: Inventory,
        pool: DiskPool,
        constraints: Constraints,
        assumptions: Assumptions,
        measured: Mapping[str, DiskSpeed],
    ) -> None:
        self._capacities = CapacityTable(pool, constraints)
        self._throughput = FastThroughput(pool.disks, inventory, assumptions, measured)
        self._risk = RiskTable(assumptions)
        self._assumptions = assumptions
        self._price = constraints.price_per_disk
        speeds = {disk_speed(disk, assumptions, measured) for disk in pool.disks}
        self.slowest = min(speeds, key=lambda speed: (speed.read_bytes_per_s, speed.basis))
        self._rebuilds: dict[tuple[str, int, int, str, int], tuple[float, Limit]] = {}

    def bounds(self, layout: Layout) -> LayoutBounds | None:
        """`layout` with bounds of its loss; None if md, LVM or mkfs would refuse it."""
        capacity = self._capacities.of(layout)
        if capacity is None:
            return None
        read, write, read_limit, write_limit = self._throughput.rates(layout)
        hours, rebuild_limit = self._rebuild(layout, capacity.component)
        least, most = self._risk.bounds(layout, capacity.component, hours)
        cost = None if self._price is None else layout.disks * self._price
        return LayoutBounds(
            layout, capacity.usable, capacity.component, read, write, read_limit, write_limit,
            hours, rebuild_limit, least, most, cost,
        )  # fmt: skip

    def score(self, bounds: LayoutBounds) -> ScoredLayout:
        """The layout of `bounds` with the exact loss."""
        array_loss, sector_loss = self._risk.exact(bounds.layout, bounds.component, bounds.hours)
        return ScoredLayout(
            layout=bounds.layout,
            usable=bounds.usable,
            read=bounds.read,
            write=bounds.write,
            read_limit=bounds.read_limit,
            write_limit=bounds.write_limit,
            hours=bounds.hours,
            rebuild_limit=bounds.rebuild_limit,
            array_loss=array_loss,
            sector_loss=sector_loss,
            cost=bounds.cost,
        )

    def evaluate(self, layout: Layout) -> ScoredLayout | None:
        """All figures of any layout; None if md, LVM or mkfs would refuse it."""
        bounds = self.bounds(layout)
        return None if bounds is None else self.score(bounds)

    def _rebuild(self, layout: Layout, component: int) -> tuple[float, Limit]:
        """(rebuild hours, limit); (0, "") for a level without redundancy."""
        key = layout.level, layout.members, layout.copies, layout.spread, component
        if key not in self._rebuilds:
            link = self._throughput.sync_link(layout)
            found = rebuild(layout, component, self.slowest, self._assumptions, link=link)
            self._rebuilds[key] = (0.0, UNKNOWN) if found is None else (found.hours, found.limit)
        return self._rebuilds[key]
