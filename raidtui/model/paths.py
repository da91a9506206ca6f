"""Paths on a machine that its plans, their scripts and raidtui itself share."""

STATE_FOLDER = "/var/lib/raidtui"
"""what a run keeps: its log, saved signatures, configuration files as they were"""
BY_ID_LINKS = "/dev/disk/by-id/"
BY_PATH_LINKS = "/dev/disk/by-path/"
MAP_LINKS = f"{BY_ID_LINKS}dm-uuid-mpath-"
"""where udev links disks by their identity, by the place at which they are attached, and the maps of multipath disks"""
LOCK_FILE = "/run/raidtui.lock"
"""the lock of the one run at a time"""


def link_name(path: str) -> str:
    """Name of udev's link to a disk; another path as it is."""
    return path.removeprefix(BY_ID_LINKS).removeprefix(BY_PATH_LINKS)
