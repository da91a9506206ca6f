"""Counters of simulated disks as /proc/diskstats prints them: a steady load since the machine started."""

from __future__ import annotations

import zlib

from raidtui.model.gauges import Scene

_SPINNING, _FLASH = 180e6, 2e9
"""bytes per second that a disk reads"""
_REQUEST = 512 * 1024
_SECTOR = 512
_SPREAD = 0.03
"""by which disks differ"""
_SLOWER = 0.6
"""rate of the slow disk, of the others' """


def steady_diskstats(scene: Scene, host: str, seconds: float) -> str:
    """Lines of `host` after `seconds` of reading; of more than four disks, one is slower than the others."""
    slow = scene.disks[len(scene.disks) // 3].name if len(scene.disks) > 4 else ""
    lines = []
    for number, disk in enumerate(scene.disks):
        spread = 1 - _SPREAD * (zlib.crc32(f"{host} {disk.name}".encode("utf-8", "replace")) % 1000) / 1000
        rate = (_FLASH if disk.rotational is False else _SPINNING) * (_SLOWER if disk.name == slow else spread)
        read, busy = int(rate * seconds), int(seconds * 1000)
        counters = (read // _REQUEST, 0, read // _SECTOR, busy, 0, 0, 0, 0, 1, busy, busy, 0, 0, 0, 0, 0, 0)
        lines.append(f"   8 {16 * number:7d} {disk.name} {' '.join(map(str, counters))}")
    return "\n".join(lines)
