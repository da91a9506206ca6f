"""A look at many hosts, folded and compared with the last one.

Hosts are folded to distinct machines: most have the same, few differ, and each difference is the smallest edit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from raidtui.model.by_key import by_key
from raidtui.model.fleet.fold import DiskGroup, FleetLook, MachineGroup
from raidtui.model.fleet.hosts import FleetInventory, HostLook
from raidtui.model.inventory import Disk, Inventory
from raidtui.planner.fleet.changes import changes
from raidtui.planner.fleet.differences import differences
from raidtui.planner.fleet.findings import remarks
from raidtui.planner.fleet.structure import structure_of


def fleet_look(found: FleetInventory, last: Mapping[str, HostLook]) -> FleetLook:
    """Distinct machines, what changed since `last`, and remarks. `last`: earlier looks at any hosts, by name."""
    return FleetLook(
        inventory=found,
        machines=fold_machines(found.inventories),
        changes=changes(last, {look.host: look for look in found.hosts}),
        compared=tuple(host for host in found.inventories if host in last),
        findings=remarks(found.hosts),
    )


def fold_machines(inventories: Mapping[str, Inventory]) -> tuple[MachineGroup, ...]:
    """Hosts that are alike as one group each, the largest first, compared with it; hosts keep their order."""
    structures = {host: structure_of(inventory) for host, inventory in inventories.items()}
    groups = by_key((structure.key, host) for host, structure in structures.items())
    ordered = sorted(groups.values(), key=len, reverse=True)
    return tuple(
        MachineGroup(
            hosts=tuple(hosts),
            disks=disk_groups(inventories[hosts[0]].disks),
            differences=differences(structures[ordered[0][0]], structures[hosts[0]]) if hosts is not ordered[0] else (),
        )
        for hosts in ordered
    )


def disk_groups(disks: tuple[Disk, ...]) -> tuple[DiskGroup, ...]:
    """Disks by size, model, firmware and transport, most first."""
    counts = Counter((disk.size_bytes, disk.model, disk.firmware, disk.transport) for disk in disks)
    return tuple(
        DiskGroup(count=count, size_bytes=size, model=model, firmware=firmware, transport=transport)
        for (size, model, firmware, transport), count in counts.most_common()
    )
