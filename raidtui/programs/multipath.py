"""multipath-tools: what makes multipathd claim a disk at the next boot (multipath.conf(5), find_multipaths)."""

from __future__ import annotations

import re
from collections.abc import Iterator

PREFIX = "mpath-"
"""begins the device-mapper UUID of a map; the disk's WWID follows"""
UNIT = "multipathd.service"
WWIDS = "/etc/multipath/wwids"
"""the disks that multipathd has made maps of, a line /WWID/ each"""
BACK_TO_MAPS = (
    "name only the maps in a DEVICE line of mdadm.conf; rebuild the initramfs; then stop the array and run "
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


# dmsetup: the paths of every multipath map, as device-mapper itself uses them (kernel drivers/md/dm-mpath.c).
# `dmsetup table --target multipath`: features, hardware handler, groups, then for each group its path selector and
# paths
# mpatha: 0 589824 multipath 1 queue_if_no_path 0 1 1 round-robin 0 2 1 8:16 1 8:0 1
# `dmsetup status --target multipath`: the group that is used, then for each group its state and paths, A or F (failed)
# mpatha: 0 589824 multipath 2 0 0 0 2 1 A 0 1 2 8:16 A 0 0 1 E 0 1 2 8:0 F 1 0 1


TABLE = ("dmsetup", "table", "--target", "multipath")
STATUS = ("dmsetup", "status", "--noflush", "--target", "multipath")


def policies(text: str) -> dict[str, str]:
    """Path selector of each path, by its major:minor, in the output of `TABLE`."""
    return {path: selector for _, selector, path, _ in _paths(text, status=False)}


def states(text: str) -> dict[str, tuple[bool, bool]]:
    """(works, is in the group that is used) of each path, by its major:minor, in the output of `STATUS`."""
    return {path: (state == "A", used) for used, _, path, state in _paths(text, status=True)}


def _paths(text: str, *, status: bool) -> Iterator[tuple[bool, str, str, str]]:
    """(in the used group, first word of the group, major:minor, next word) of each path; lines of other forms end."""
    for line in text.splitlines():
        words = iter(line.partition(" multipath ")[2].split())
        try:
            for _ in range(2):  # features, hardware handler
                _skip(words, int(next(words)))
            groups, used = int(next(words)), int(next(words))
            for group in range(1, groups + 1):
                first = next(words)
                _skip(words, int(next(words)))
                paths, values = int(next(words)), int(next(words))
                for _ in range(paths):
                    path = next(words)
                    state = next(words) if status or values else ""
                    yield group == used, first, path, state
                    _skip(words, values + 1 if status else max(values - 1, 0))
        except (StopIteration, ValueError):
            continue


def _skip(words: Iterator[str], count: int) -> None:
    for _ in range(count):
        next(words)


def uuid_question(device: str) -> tuple[str, ...]:
    """Prints the device-mapper UUID, by which multipathd knows a map: `mpath-` and the disk's own name."""
    return ("dmsetup", "info", "--columns", "--noheadings", "--options=uuid", device)
