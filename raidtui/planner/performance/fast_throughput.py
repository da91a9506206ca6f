"""The speed of very many layouts on one pool of disks: what `throughput` says when members are spread evenly.

Members of every layout are taken as spread over the pool's links in the pool's own proportion, and every member as
slow as the pool's slowest disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from raidtui.model.assumptions import DEFAULTS, Assumptions
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import Layout
from raidtui.model.limit import DISK_LINK, MD_THREAD, MEMBERS, MEMORY_CHANNELS, Limit, LimitKind
from raidtui.model.speed import DiskSpeed
from raidtui.planner.performance.disk_speed import disk_speed
from raidtui.planner.performance.md_limits import MEMORY, bytes_moved, md_thread
from raidtui.planner.performance.raid_level_rates import sequential_read, sequential_write, wire_share
from raidtui.planner.performance.rebuild_time import busy_members
from raidtui.planner.performance.shared_links import ways
from raidtui.planner.performance.throughput import WORKS, band_of, pace_of


class Outlook:
    """Sequential rates of layouts on `disks`, many streams, each in a few microseconds."""

    def __init__(
        self,
        disks: Sequence[Disk],
        inventory: Inventory,
        assumptions: Assumptions = DEFAULTS,
        measured: Mapping[str, DiskSpeed] = {},
    ) -> None:
        """`disks` are at least one; the other arguments are those of `throughput`."""
        controllers = {controller.pci: controller for controller in inventory.controllers}
        speeds = [disk_speed(disk, assumptions, measured) for disk in disks]
        self._pace = pace_of(disks, speeds, controllers)
        found, _ = ways([disks], inventory, assumptions)
        self._shared = [
            (way.capacity.point, way.below[0] / len(disks), way.limit) for way in found if way.limit.kind != "said link"
        ]
        tightest: dict[LimitKind, tuple[float, Limit]] = {}
        for way in found:
            allows = len(disks) * way.capacity.point / way.below[0]
            kind = way.limit.kind
            if kind not in tightest or allows < tightest[kind][0] * (1 - 1e-9):
                tightest[kind] = allows, way.limit
        self._link = min(tightest.values(), key=lambda link: link[0], default=None)
        self._memory = float(assumptions.memory_bytes_per_s or MEMORY)
        self._threads = assumptions.parity_threads

    def sync_link(self, layout: Layout) -> tuple[float, Limit] | None:
        """Bytes per second that the narrowest link leaves each member while one array syncs alone, and that link."""
        busy = busy_members(layout)
        shares = [
            (point / min(busy, max(1, ceil(layout.members * share - 1e-9))), limit)
            for point, share, limit in self._shared
        ]
        return min(shares, default=None)

    def rates(self, layout: Layout) -> tuple[int, int, Limit, Limit]:
        """Bytes per second read and written, and the limits that bind reading and writing."""
        pace, arrays = self._pace, layout.arrays
        rotational = pace.rotational
        reads = [(arrays * sequential_read(layout, pace.read, rotational=rotational), MEMBERS)]
        writes = [(arrays * sequential_write(layout, pace.write, rotational=rotational), MEMBERS)]
        if pace.link is not None:
            reads.append((arrays * sequential_read(layout, pace.link, rotational=False), DISK_LINK))
            writes.append((arrays * sequential_write(layout, pace.link, rotational=False), DISK_LINK))
        if self._link is not None:
            allows, link = self._link
            reads.append((allows / wire_share(layout, "read"), link))
            writes.append((allows / wire_share(layout, "write"), link))
        thread = md_thread(layout, WORKS["seq_write"], self._threads)
        if thread is not None:
            writes.append((arrays * thread, MD_THREAD))
        reads.append((self._memory / bytes_moved(layout, "read", buffered=False), MEMORY_CHANNELS))
        writes.append((self._memory / bytes_moved(layout, "write", buffered=False), MEMORY_CHANNELS))
        read, write = min(reads, key=_by_rate), min(writes, key=_by_rate)
        parity = layout.parity > 0
        return (
            round(band_of(WORKS["seq_read"], rotational=rotational, parity=parity).point * read[0]),
            round(band_of(WORKS["seq_write"], rotational=rotational, parity=parity).point * write[0]),
            read[1],
            write[1],
        )


def _by_rate(ceiling: tuple[float, Limit]) -> float:
    return ceiling[0]
