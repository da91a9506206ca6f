"""A design of the app, stored by name with the choices that belong to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.values.assumptions import Assumptions
from raidtui.values.choices import Initramfs, Purpose
from raidtui.values.codec_rules import Value
from raidtui.values.design import Alert, Design
from raidtui.values.proposal import Constraints
from raidtui.values.speed import WorkloadQuestion


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedDesign(Value):
    """A design, the disks that it may use, and the names in its plan."""

    schema: Literal["raidtui/saved-design/1"] = "raidtui/saved-design/1"
    """format of this document"""
    host: str
    """machine or chassis that it was made for"""
    design: Design
    """layout, chunk, stack, file system"""
    left_out: tuple[str, ...]
    """identities of free disks that are excluded"""
    taken_over: tuple[str, ...]
    """identities of disks with old content that may be used"""
    spread: bool
    """True: members are spread over enclosures, controllers and expanders; False: inventory order"""
    assumptions: Assumptions
    """assumptions of the speed and risk models"""
    constraints: Constraints | None = None
    """constraints on the layouts to compare; None: all layouts"""
    purpose: Purpose | None = None
    """what the file system is for; None: streams"""
    ask: WorkloadQuestion | None = None
    """workload whose rate is shown; None: none"""
    alert: Alert | None = None
    """who hears of a failed disk; None: root alone"""
    plan_name: str
    """base name of arrays, volume group and labels"""
    mount_point: str
    """mount point of the file system"""
    homehost: str | None = None
    """host name that the arrays are made for; None: `uname -n` of the machine"""
    initramfs: Initramfs | None = None
    """initramfs tool of that host; None: as found"""
