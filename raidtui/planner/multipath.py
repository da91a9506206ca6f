"""Disks that are reached by several paths: raidtui does not build on them yet, and says what can be done."""

from __future__ import annotations

from raidtui.model.inventory import Disk

MAP = "mpath-"
"""beginning of a map's identity (device-mapper's UUID of it, multipath-tools libmultipath/devmapper.c)"""
REASON = "raidtui does not build on multipath maps yet"
WAY_OUT = (
    "where all paths lead to one disk of this machine alone, flush the map (multipath -f NAME), keep multipathd from "
    "taking the disk (blacklist in /etc/multipath.conf), leave one path connected, then plan again"
)


def is_map(disk: Disk) -> bool:
    """True for the map over several paths to a disk."""
    return disk.id.startswith(MAP)


def is_multipath(disk: Disk) -> bool:
    """True for such a map, and for each path that one holds."""
    return is_map(disk) or any(use.kind == "multipath" for use in disk.uses)
