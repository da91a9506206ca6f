"""multipath-tools: what makes multipathd claim a disk at the next boot (multipath.conf(5), find_multipaths)."""

from __future__ import annotations

import re

PREFIX = "mpath-"
"""begins the device-mapper UUID of a map; the disk's WWID follows"""
UNIT = "multipathd.service"
WWIDS = "/etc/multipath/wwids"
"""the disks that multipathd has made maps of, a line /WWID/ each"""
BACK_TO_MAPS = (
    "name only the maps in a DEVICE line of mdadm.conf, rebuild the initramfs, then stop the array and run "
    "multipath -r, or reboot"
)
"""the way out where an array has single paths as members"""
_LINE = re.compile(r"/(.+)/")


def enabled_question() -> tuple[str, ...]:
    """Prints `enabled` if multipathd starts at boot."""
    return ("systemctl", "is-enabled", UNIT)


def remembered(text: str) -> frozenset[str]:
    """WWIDs in the text of `WWIDS`."""
    return frozenset(match[1] for line in text.splitlines() if (match := _LINE.fullmatch(line.strip())))
