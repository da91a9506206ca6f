"""Hosts folded to distinct machines, what differs between them, and what changed since the last look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import Value
from raidtui.model.finding import Finding
from raidtui.model.fleet.hosts import FleetInventory

DifferenceKind = Literal["missing", "added", "disk", "controller", "link"]
"""`missing`: a bay that is empty here; `added`: a disk where most machines have none; `disk`, `controller`, `link`: one
property of it differs, or the whole of it is missing or added"""
LOOK_SCHEMA = "raidtui/fleet-look/1"
ChangeKind = Literal["disk-gone", "disk-new", "disk-moved", "disk", "content", "version"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskGroup(Value):
    """Disks of one machine that are alike."""

    count: int
    """how many"""
    size_bytes: int
    """capacity of one"""
    model: str | None = None
    """model string, raw"""
    firmware: str | None = None
    """firmware revision, raw"""
    transport: str | None = None
    """sas, sata, nvme, ..."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostDifference(Value):
    """One edit that makes the most common machine this one."""

    kind: DifferenceKind
    """what is edited"""
    places: tuple[str, ...] = ()
    """bays, controllers or links where it is so, raw text of the machine; empty where every disk is meant"""
    property: str | None = None
    """what differs there, such as firmware; None where the whole is missing or added"""
    value: str | None = None
    """its value here; the disk that is added or missing"""
    usual: str | None = None
    """its value on the most common machine"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineGroup(Value):
    """Hosts that are alike in all but serial numbers, content and versions."""

    hosts: tuple[str, ...]
    """in the order of the node set"""
    disks: tuple[DiskGroup, ...]
    """what one of them has, most first"""
    differences: tuple[HostDifference, ...] = ()
    """smallest edit from the most common machine; empty for that one"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(Value):
    """One thing that is not as it was at the last look, on one or more hosts, of one or more disks."""

    hosts: tuple[str, ...]
    """where it is so"""
    since: str
    """time of the last look at them, as 2026-01-31T12:00:00Z"""
    kind: ChangeKind
    """what changed"""
    places: tuple[str, ...] = ()
    """bays of the disks on each of these hosts, raw; empty for a version"""
    disks: tuple[str, ...] = ()
    """identities of the disks, of all hosts in turn; empty for a version"""
    property: str | None = None
    """what changed of it, or the program whose version changed; None for a whole disk"""
    before: str | None = None
    """value at the last look; None where there was none"""
    after: str | None = None
    """value now; None where there is none"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetLook(Value):
    """What `raidtui fleet disks` found."""

    schema: Literal["raidtui/fleet-look/1"] = "raidtui/fleet-look/1"
    """format of this document"""
    inventory: FleetInventory
    """every host that was asked"""
    machines: tuple[MachineGroup, ...]
    """distinct machines, the most common first"""
    changes: tuple[Change, ...] = ()
    """compared with the last look at each host"""
    compared: tuple[str, ...] = ()
    """hosts that were looked at before"""
    findings: tuple[Finding, ...] = ()
    """versions and clocks that differ, disks that two hosts see, what could not be read"""
