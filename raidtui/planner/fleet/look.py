"""A look at many hosts, folded and compared with the last one."""

from __future__ import annotations

from collections.abc import Mapping

from raidtui.model.fleet.fold import FleetLook
from raidtui.model.fleet.hosts import FleetInventory, HostLook
from raidtui.planner.fleet.changes import changes
from raidtui.planner.fleet.findings import remarks
from raidtui.planner.fleet.fold import fold_machines


def fleet_look(found: FleetInventory, last: Mapping[str, HostLook]) -> FleetLook:
    """Distinct machines, what changed since `last`, and remarks. `last`: earlier looks at any hosts, by name."""
    return FleetLook(
        inventory=found,
        machines=fold_machines(found.inventories),
        changes=changes(last, {look.host: look for look in found.hosts}),
        compared=tuple(host for host in found.inventories if host in last),
        findings=remarks(found.hosts),
    )
