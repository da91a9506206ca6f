"""Everything that is known of the hosts of a fleet at one moment."""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.model.fleet.check import FleetCheck
from raidtui.model.fleet.fold import FleetLook
from raidtui.model.fleet.rollout import FleetRun
from raidtui.model.fleet.sheet import Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetOverview:
    """What `fleet disks`, `plan`, `check` and `status` answer about the same hosts."""

    hosts: tuple[str, ...]
    """each host once, in the order of the node set or of the sheet"""
    look: FleetLook | None = None
    """disks of the hosts that were asked so far; None before the first answer"""
    sheet: Sheet | None = None
    """None where no sheet is named"""
    check: FleetCheck | None = None
    """None before the hosts were asked"""
    run: FleetRun | None = None
    """how far the build is; None before the hosts were asked"""
    simulated: bool = False
    """True if local processes stand in for the hosts, or their disks are simulated"""
