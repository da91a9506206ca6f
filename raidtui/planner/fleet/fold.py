"""Folds hosts to distinct machines: most have the same, few differ, and each difference is the smallest edit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from raidtui.model.fleet.fold import DiskGroup, MachineGroup
from raidtui.model.inventory import Disk, Inventory
from raidtui.planner.fleet.differences import differences
from raidtui.planner.fleet.structure import Structure, structure_of


def fold_machines(inventories: Mapping[str, Inventory]) -> tuple[MachineGroup, ...]:
    """Hosts that are alike as one group each, the largest first, compared with it; hosts keep their order."""
    groups: dict[object, list[str]] = {}
    structures: dict[object, Structure] = {}
    for host, inventory in inventories.items():
        structure = structure_of(inventory)
        key = structure.key
        groups.setdefault(key, []).append(host)
        structures.setdefault(key, structure)
    ordered = sorted(groups, key=lambda key: -len(groups[key]))
    return tuple(
        MachineGroup(
            hosts=tuple(groups[key]),
            disks=disk_groups(inventories[groups[key][0]].disks),
            differences=differences(structures[ordered[0]], structures[key]) if key is not ordered[0] else (),
        )
        for key in ordered
    )


def disk_groups(disks: tuple[Disk, ...]) -> tuple[DiskGroup, ...]:
    """Disks by size, model, firmware and transport, most first."""
    counts = Counter((disk.size_bytes, disk.model, disk.firmware, disk.transport) for disk in disks)
    return tuple(
        DiskGroup(count=count, size_bytes=size, model=model, firmware=firmware, transport=transport)
        for (size, model, firmware, transport), count in counts.most_common()
    )
