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
from raidtui.planner.performance.fast_throughput import Outlook
from raidtui.planner.performance.rebuild_time import rebuild
from raidtui.planner.reliability.loss_bounds import RiskTable
from raidtui.planner.search.disk_pool import Pool
from raidtui.planner.search.pareto import Vector
from raidtui.planner.search.scored_layout import Offer, vector
from raidtui.planner.search.usable_capacity import Rooms


class Sketch(NamedTuple):
    """One layout with every figure but the loss, of which only bounds are known."""

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
        """The objectives if the loss is the least it may be."""
        return vector(self.usable, self.read, self.write, self.least_loss, self.hours, self.cost)

    @property
    def worst(self) -> Vector:
        """The objectives if the loss is the most it may be."""
        return vector(self.usable, self.read, self.write, self.most_loss, self.hours, self.cost)


class Judge:
    """Judges layouts on one pool of at least one disk; what arrays of one shape share is worked out once."""

    def __init__(
        self,
        inventory: Inventory,
        pool: Pool,
        constraints: Constraints,
        assumptions: Assumptions,
        measured: Mapping[str, DiskSpeed],
    ) -> None:
        self._rooms = Rooms(pool, constraints)
        self._outlook = Outlook(pool.disks, inventory, assumptions, measured)
        self._risk = RiskTable(assumptions)
        self._assumptions = assumptions
        self._price = constraints.price_per_disk
        speeds = {disk_speed(disk, assumptions, measured) for disk in pool.disks}
        self.slowest = min(speeds, key=lambda speed: (speed.read_bytes_per_s, speed.basis))
        self._rebuilds: dict[tuple[str, int, int, str, int], tuple[float, Limit]] = {}

    def sketch(self, layout: Layout) -> Sketch | None:
        """The figures of `layout`; None where md, LVM or mkfs would refuse it."""
        room = self._rooms.of(layout)
        if room is None:
            return None
        read, write, read_limit, write_limit = self._outlook.rates(layout)
        hours, rebuild_limit = self._rebuild(layout, room.component)
        least, most = self._risk.bounds(layout, room.component, hours)
        cost = None if self._price is None else layout.disks * self._price
        return Sketch(
            layout, room.usable, room.component, read, write, read_limit, write_limit,
            hours, rebuild_limit, least, most, cost,
        )  # fmt: skip

    def offer(self, sketch: Sketch) -> Offer:
        """The same with the exact loss."""
        array_loss, sector_loss = self._risk.exact(sketch.layout, sketch.component, sketch.hours)
        return Offer(
            layout=sketch.layout,
            usable=sketch.usable,
            read=sketch.read,
            write=sketch.write,
            read_limit=sketch.read_limit,
            write_limit=sketch.write_limit,
            hours=sketch.hours,
            rebuild_limit=sketch.rebuild_limit,
            array_loss=array_loss,
            sector_loss=sector_loss,
            cost=sketch.cost,
        )

    def judge(self, layout: Layout) -> Offer | None:
        """Every figure of any layout; None where it would be refused."""
        sketch = self.sketch(layout)
        return None if sketch is None else self.offer(sketch)

    def _rebuild(self, layout: Layout, component: int) -> tuple[float, Limit]:
        """Hours and what sets the pace; 0 and nothing where the level rebuilds nothing."""
        key = layout.level, layout.members, layout.copies, layout.spread, component
        if key not in self._rebuilds:
            link = self._outlook.sync_link(layout)
            found = rebuild(layout, component, self.slowest, self._assumptions, link=link)
            self._rebuilds[key] = (0.0, UNKNOWN) if found is None else (found.hours, found.limit)
        return self._rebuilds[key]
