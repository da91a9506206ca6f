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
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import Layout, Level, Spread
from raidtui.model.limit import DISK_LINK, MD_THREAD, MEMBERS, MEMORY_CHANNELS, Limit, LimitKind
from raidtui.model.machine_figures import NO_FIGURES
from raidtui.model.speed import DiskSpeed
from raidtui.planner.performance.disk_speed import disk_speed
from raidtui.planner.performance.md_limits import bytes_moved
from raidtui.planner.performance.own_figures import md_thread_bound, memory_rate
from raidtui.planner.performance.raid_level_rates import Direction, sequential_read, sequential_write, wire_share
from raidtui.planner.performance.rebuild_time import busy_members
from raidtui.planner.performance.shared_links import shared_links
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
        controllers = {controller.pci: controller for controller in inventory.controllers}
        speeds = [disk_speed(disk, assumptions, measured) for disk in disks]
        self._member_rates = slowest_rates(disks, speeds, controllers)
        found, _ = shared_links([disks], inventory, assumptions)
        self._shared = [
            (link.capacity.point, link.below[0] / len(disks), link.limit)
            for link in found
            if link.limit.kind != "said link"
        ]
        tightest: dict[LimitKind, tuple[float, Limit]] = {}
        for link in found:
            allows = len(disks) * link.capacity.point / link.below[0]
            kind = link.limit.kind
            if kind not in tightest or allows < tightest[kind][0] * (1 - 1e-9):
                tightest[kind] = allows, link.limit
        self._link = min(tightest.values(), key=lambda link: link[0], default=None)
        self._figures = inventory.figures or NO_FIGURES
        self._assumptions = assumptions
        self._memory = memory_rate(assumptions, self._figures).belief.point
        self._shapes: dict[tuple[Level, int, int, Spread], tuple[list[_Ceiling], list[_Ceiling]]] = {}
        self._bands: dict[tuple[str, bool], float] = {}
        for work in ("seq_read", "seq_write"):
            for parity in (False, True):
                band = band_of(
                    WORKS[work], rotational=self._member_rates.rotational, parity=parity, figures=self._figures
                )
                self._bands[work, parity] = band.point

    def sync_link(self, layout: Layout) -> tuple[float, Limit] | None:
        """(bytes per second per member, limit) of the narrowest shared link while one array resyncs alone."""
        busy = busy_members(layout)
        shares = [
            (point / min(busy, max(1, ceil(layout.members * share - 1e-9))), limit)
            for point, share, limit in self._shared
        ]
        return min(shares, default=None)

    def rates(self, layout: Layout) -> tuple[int, int, Limit, Limit]:
        """Read and write rate in bytes per second, and the limits that binds each."""
        shape = layout.level, layout.members, layout.copies, layout.spread
        if shape not in self._shapes:
            self._shapes[shape] = self._ceilings(layout, "read"), self._ceilings(layout, "write")
        reads, writes = self._shapes[shape]
        read, write = _lowest(reads, layout.arrays), _lowest(writes, layout.arrays)
        parity = layout.parity > 0
        return (
            round(self._bands["seq_read", parity] * read[0]),
            round(self._bands["seq_write", parity] * write[0]),
            read[1],
            write[1],
        )

    def _ceilings(self, layout: Layout, work: Direction) -> list[_Ceiling]:
        """What bounds arrays of the shape of `layout`, ordered from the disks up to memory."""
        rates = self._member_rates
        rotational = rates.rotational

        def array_rate(speed: float, rotational: bool) -> float:
            if work == "read":
                return sequential_read(layout, speed, rotational=rotational)
            return sequential_write(layout, speed, rotational=rotational)

        found = [_Ceiling(array_rate(rates.read if work == "read" else rates.write, rotational), True, MEMBERS)]
        if rates.link is not None:
            found.append(_Ceiling(array_rate(rates.link, False), True, DISK_LINK))
        if self._link is not None:
            allows, link = self._link
            found.append(_Ceiling(allows / wire_share(layout, work), False, link))
        thread = md_thread_bound(layout, WORKS[f"seq_{work}"], self._assumptions, self._figures)
        if thread is not None:
            found.append(_Ceiling(thread.belief.point, True, MD_THREAD))
        moved = bytes_moved(layout, work, buffered=False)
        return [*found, _Ceiling(self._memory / moved, False, MEMORY_CHANNELS)]


class _Ceiling(NamedTuple):
    """A limit of arrays of one shape."""

    rate: float
    """bytes per second"""
    each: bool
    """True if every array adds as much"""
    limit: Limit


def _lowest(ceilings: Sequence[_Ceiling], arrays: int) -> tuple[float, Limit]:
    """(bytes per second, limit) of so many arrays."""
    return min([(arrays * rate if each else rate, limit) for rate, each, limit in ceilings], key=_RATE)
