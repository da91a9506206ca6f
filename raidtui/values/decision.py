"""What an admin decides: a design, the disks that it may use, and the names in the plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from raidtui.values.assumptions import DEFAULTS as ASSUMPTIONS_DEFAULTS
from raidtui.values.assumptions import Assumptions
from raidtui.values.choices import Initramfs, Purpose

if TYPE_CHECKING:
    from raidtui.values.proposal import Constraints
    from raidtui.values.speed import WorkloadQuestion
from raidtui.values.design import Alert, Design


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A design, the disks that it may use, and the names in the plan."""

    design: Design
    left_out: frozenset[str] = frozenset()
    """identities of free disks that the user excluded"""
    taken_over: frozenset[str] = frozenset()
    """identities of disks with old content that may be used anyway"""
    spread: bool = True
    """True: members are spread over enclosures, controllers and expanders; False: inventory order"""
    assumptions: Assumptions = ASSUMPTIONS_DEFAULTS
    """assumptions of the speed and risk models"""
    constraints: Constraints | None = None
    """constraints on the layouts to compare; None: all layouts"""
    purpose: Purpose = "streams"
    """what the file system is for: decides the chunk that is advised"""
    ask: WorkloadQuestion | None = None
    """workload whose rate is shown; None: none"""
    alert: Alert | None = None
    """who hears of a failed disk; None: root alone"""
    plan_name: str = "data"
    """base name of arrays, volume group and labels"""
    mount_point: str = "/srv/data"
    """mount point of the file system"""
    homehost: str | None = None
    """host name that the arrays are made for; None: that of the machine whose disks these are"""
    initramfs: Initramfs | None = None
    """initramfs tool of that host; None: as found on this machine"""
