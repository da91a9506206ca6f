"""Speed of thousands of layouts on one pool of disks: the results of `throughput` for evenly spread members.

Members of every layout are assumed to be spread over the links in proportion to the pool's disks, and every member
to be as slow as the pool's slowest disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from operator import itemgetter
from typing import NamedTuple

from raidtui.model.assumptions import DEFAULTS, Assumptions
from raidtui.model.choices import Direction
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import Layout, Level, Spread
from raidtui.model.limit import DISK_LINK, MD_THREAD, MEMBERS, MEMORY_CHANNELS, Limit, LimitKind
from raidtui.model.machine_figures import NO_FIGURES
from raidtui.model.speed import DiskSpeed
from raidtui.planner.performance.disk_speed import speed_table
from raidtui.planner.performance.md_limits import bytes_moved
from raidtui.planner.performance.measured_overrides import md_thread_bound, memory_rate
from raidtui.planner.performance.operating_point import array_rate
from raidtui.planner.performance.raid_level_rates import copies_of, wire_share
from raidtui.planner.performance.rebuild_time import busy_members
from raidtui.planner.performance.shared_links import LinkTable, SharedLink, link_table
from raidtui.planner.performance.throughput import WORKS, band_of, slowest_rates

_RATE = itemgetter(0)


class FastThroughput:
    """Sequential multi-stream rates of layouts on `disks`, a few microseconds per layout."""

    def __init__(
        self,
        disks: Sequence[Disk],
        inventory: Inventory,
        assumptions: Assumptions = DEFAULTS,
        measured: Mapping[str, DiskSpeed] = {},
    ) -> None:
        """`disks` holds at least one disk; the other arguments are those of `throughput`."""
        table, links = speed_table(assumptions, measured), link_table(inventory, assumptions)
        self._member_rates = slowest_rates(links.attachments.each(disks), table.each(disks))
        found, _ = links.links([disks])
        self._shared = [
            (link.capacity.point, link.below[0] / len(disks), link.limit)
            for link in found
            if link.limit.kind != "stated link"
        ]
        tightest: dict[LimitKind, float] = {}
        for link in found:
            allows = len(disks) * link.capacity.point / link.below[0]
            kind = link.limit.kind
            if kind not in tightest or allows < tightest[kind] * (1 - 1e-9):
                tightest[kind] = allows
        self._link = min(tightest.values(), default=None)
        self._figures = inventory.figures or NO_FIGURES
        self._assumptions = assumptions
        self._memory = memory_rate(assumptions, self._figures).belief.point
        self._shapes: dict[tuple[Level, int, int, Spread], ShapeRates] = {}
        self._alike: dict[tuple[Direction, Level, int], tuple[float | None, float, float]] = {}

    def sync_link(self, layout: Layout) -> tuple[float, Limit] | None:
        """(bytes per second per member, limit) of the narrowest shared link while one array resyncs alone."""
        busy = busy_members(layout)
        shares = [
            (point / min(busy, max(1, ceil(layout.members * share - 1e-9))), limit)
            for point, share, limit in self._shared
        ]
        return min(shares, default=None)

    def of(self, layout: Layout) -> ShapeRates:
        """The rates of layouts of arrays shaped as those of `layout`."""
        shape = layout.level, layout.members, layout.copies, layout.spread
        found = self._shapes.get(shape)
        if found is None:
            found = self._shapes[shape] = ShapeRates(self._ceilings(layout, "read"), self._ceilings(layout, "write"))
        return found

    def _ceilings(self, layout: Layout, direction: Direction) -> Ceilings:
        """What bounds arrays of the shape of `layout`, from the disks up to memory."""
        members, work = self._member_rates, WORKS[f"seq_{direction}"]
        each = array_rate(layout, work, members.read if direction == "read" else members.write, members.rotational)
        if members.link is not None:
            each = min(each, array_rate(layout, work, members.link, False))
        alike = direction, layout.level, copies_of(layout)
        if alike not in self._alike:
            self._alike[alike] = self._whatever_width(layout, direction)
        thread, memory, band = self._alike[alike]
        if self._link is not None:
            memory = min(memory, self._link / wire_share(layout, direction))
        return Ceilings(each if thread is None else min(each, thread), memory, band)

    def _whatever_width(self, layout: Layout, direction: Direction) -> tuple[float | None, float, float]:
        """(md's thread for each array, memory for all, share of ceilings reached), alike for arrays of any width."""
        work, rotational = WORKS[f"seq_{direction}"], self._member_rates.rotational
        thread = md_thread_bound(layout, work, self._assumptions, self._figures)
        band = band_of(work, rotational=rotational, parity=layout.parity > 0, figures=self._figures)
        memory = self._memory / bytes_moved(layout, direction, buffered=False)
        return None if thread is None else thread.belief.point, memory, band.point


class Ceilings(NamedTuple):
    """What bounds arrays of one shape, bytes per second."""

    each: float
    """of every array"""
    all: float
    """of all arrays together"""
    reached: float
    """share of the lowest ceiling that is reached"""

    def rate(self, arrays: int) -> int:
        """Bytes per second of so many arrays; never less of more of them."""
        rate = arrays * self.each
        return round(self.reached * (rate if rate <= self.all else self.all))


class ShapeRates(NamedTuple):
    """Rates of any number of arrays of one shape."""

    read: Ceilings
    write: Ceilings


class AlikeThroughput:
    """Sequential multi-stream rates of equal arrays on disks that are all alike, to the digit those of `throughput`.

    To that end the operations are those of `ceilings.bounds`, in its order.
    """

    def __init__(self, disk: Disk, inventory: Inventory, links: LinkTable, assumptions: Assumptions, speed: DiskSpeed):
        """`disk` is any of them, with its `speed`; it is no LUN. `links` are those of `inventory`."""
        self._member_rates = slowest_rates([links.attachments.of(disk)], [speed])
        self._links = links.links([[disk]])[0]
        stages: dict[LimitKind, list[SharedLink]] = {}
        for link in self._links:
            stages.setdefault(link.limit.kind, []).append(link)
        self._stages = list(stages.values())
        self._figures = inventory.figures or NO_FIGURES
        self._assumptions = assumptions
        self._memory = memory_rate(assumptions, self._figures).belief.point
        self._shapes: dict[tuple[Level, int, int, Spread, Direction], _ShapeWork] = {}

    def rate(self, layout: Layout, direction: Direction, *, striped: bool) -> tuple[int, Limit]:
        """(bytes per second, limit); `striped`: data is striped over the arrays."""
        key = layout.level, layout.members, layout.copies, layout.spread, direction
        shape = self._shapes.get(key)
        if shape is None:
            shape = self._shapes[key] = self._shape_work(layout, direction)
        arrays, members = layout.arrays, layout.members
        found = [(sum([shape.rate] * arrays), MEMBERS)]
        if shape.link is not None:
            found.append((sum([shape.link] * arrays), DISK_LINK))
        for stage in self._stages:
            overloads = [shape.rate * (arrays * members) * shape.wire / members / link.capacity.point for link in stage]
            worst = max(overloads)
            if not worst:
                continue
            tight = next(link for link, over in zip(stage, overloads, strict=True) if over >= worst * (1 - 1e-9))
            if striped or arrays == 1 or worst <= 1:
                found.append((found[0][0] / worst, tight.limit))
            else:
                found.append((sum([shape.rate / worst] * arrays), tight.limit))
        if shape.thread is not None:
            found.append(((arrays if shape.rate > 0 else 0) * shape.thread, MD_THREAD))
        found.append((1 / (arrays * shape.moved / arrays) * self._memory, MEMORY_CHANNELS))
        point = min(found, key=_RATE)[0]
        return round(shape.band * point), min(found, key=lambda ceiling: round(ceiling[0]))[1]

    def sync_link(self, layout: Layout) -> tuple[float, Limit] | None:
        """`shared_links.sync_link` while one of the arrays resyncs alone."""
        most = min(layout.members, busy_members(layout))
        shares = [(link.capacity.point / most, link.limit) for link in self._links if link.limit.kind != "stated link"]
        return min(shares, default=None)

    def _shape_work(self, layout: Layout, direction: Direction) -> _ShapeWork:
        work, rates = WORKS[f"seq_{direction}"], self._member_rates
        thread = md_thread_bound(layout, work, self._assumptions, self._figures)
        parity = layout.parity > 0
        return _ShapeWork(
            rate=array_rate(layout, work, rates.read if direction == "read" else rates.write, rates.rotational),
            link=None if rates.link is None else array_rate(layout, work, rates.link / 1, False),
            wire=wire_share(layout, direction),
            thread=None if thread is None else thread.belief.point,
            moved=bytes_moved(layout, direction, buffered=False),
            band=band_of(work, rotational=rates.rotational, parity=parity, figures=self._figures).point,
        )


class _ShapeWork(NamedTuple):
    """What bounds sequential work on arrays of one shape; bytes per second of one array."""

    rate: float
    """of its members"""
    link: float | None
    """of its members' own links"""
    wire: float
    """bytes on the links per user byte"""
    thread: float | None
    """of md's thread"""
    moved: float
    """bytes in memory per user byte"""
    band: float
    """what is reached of the lowest of these"""
