"""Multipath disks: detection, and the reason and hint of their refusal."""

from __future__ import annotations

from raidtui.model.inventory import Disk

MAP = "mpath-"
"""prefix of a map's identity (its device-mapper UUID, multipath-tools libmultipath/devmapper.c)"""
REASON = "multipath maps are not supported yet"
WAY_OUT = (
    "if no other host uses the disk, flush the map (multipath -f NAME), exclude the disk from multipathd "
    "(blacklist in /etc/multipath.conf), leave one path connected, then plan again"
)


def is_map(disk: Disk) -> bool:
    """True if `disk` is a multipath map."""
    return disk.id.startswith(MAP)


def is_multipath(disk: Disk) -> bool:
    """True if `disk` is a multipath map or a path of one."""
    return is_map(disk) or any(use.kind == "multipath" for use in disk.uses)
