"""Speed of thousands of layouts on one pool of disks: the results of `throughput` for evenly spread members.

Members of every layout are assumed to be spread over the links in proportion to the pool's disks, and every member
to be as slow as the pool's slowest disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from raidtui.model.assumptions import DEFAULTS, Assumptions
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import Layout
from raidtui.model.limit import DISK_LINK, MD_THREAD, MEMBERS, MEMORY_CHANNELS, Limit, LimitKind
from raidtui.model.machine_figures import NO_FIGURES
from raidtui.model.speed import DiskSpeed
from raidtui.planner.performance.disk_speed import disk_speed
from raidtui.planner.performance.md_limits import bytes_moved
from raidtui.planner.performance.own_figures import md_thread_bound, memory_rate
from raidtui.planner.performance.raid_level_rates import sequential_read, sequential_write, wire_share
from raidtui.planner.performance.rebuild_time import busy_members
from raidtui.planner.performance.shared_links import shared_links
from raidtui.planner.performance.throughput import WORKS, band_of, slowest_rates


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
        rates, arrays = self._member_rates, layout.arrays
        rotational = rates.rotational
        reads = [(arrays * sequential_read(layout, rates.read, rotational=rotational), MEMBERS)]
        writes = [(arrays * sequential_write(layout, rates.write, rotational=rotational), MEMBERS)]
        if rates.link is not None:
            reads.append((arrays * sequential_read(layout, rates.link, rotational=False), DISK_LINK))
            writes.append((arrays * sequential_write(layout, rates.link, rotational=False), DISK_LINK))
        if self._link is not None:
            allows, link = self._link
            reads.append((allows / wire_share(layout, "read"), link))
            writes.append((allows / wire_share(layout, "write"), link))
        thread = md_thread_bound(layout, WORKS["seq_write"], self._assumptions, self._figures)
        if thread is not None:
            writes.append((arrays * thread.belief.point, MD_THREAD))
        reads.append((self._memory / bytes_moved(layout, "read", buffered=False), MEMORY_CHANNELS))
        writes.append((self._memory / bytes_moved(layout, "write", buffered=False), MEMORY_CHANNELS))
        read, write = min(reads, key=_by_rate), min(writes, key=_by_rate)
        parity = layout.parity > 0
        return (
            round(self._bands["seq_read", parity] * read[0]),
            round(self._bands["seq_write", parity] * write[0]),
            read[1],
            write[1],
        )


def _by_rate(ceiling: tuple[float, Limit]) -> float:
    return ceiling[0]
