"""Temperatures of disks with an hwmon sensor (drivetemp, nvme). Read rarely, and never of a disk that may sleep.

A reading is a command to the drive (Documentation/hwmon/drivetemp.rst: it may delay the spin-down of some), which a
busy SATA drive answers only after its queue has drained. So each drive is queried once a minute, only if it was busy
since, and a tick spends at most 20 ms on it; the next tick continues.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable

from raidtui.machine.gauges.open_files import KeptOpen

EVERY = 60.0
"""seconds between two readings of one disk"""
STALE = 600.0
"""seconds after which a reading is no longer shown"""
_PATIENCE = 0.02
_NAMESPACE = re.compile(r"(nvme\d+)(?:c\d+)?(n\d+)", re.ASCII)
_SENSORS = frozenset({"drivetemp", "nvme"})


class Temperatures:
    """The sensors of a machine, from tick to tick."""

    def __init__(self, root: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._root = root
        self._clock = clock
        self._sensors: dict[str, str] = {}
        self._asked: dict[str, float] = {}
        self._read: dict[str, tuple[float, int]] = {}

    def line_up(self) -> None:
        """Searches for sensors."""
        self._sensors = dict(_sensors(self._root))

    def take(self, at_work: Callable[[str], bool]) -> dict[str, int]:
        """Degrees Celsius of every disk with a recent reading; `at_work`: True if a disk was busy in this tick."""
        if not self._sensors:
            return {}
        now = self._clock()
        for name, path in self._sensors.items():
            if now - self._asked.get(name, -EVERY) < EVERY or not at_work(name):
                continue
            self._asked[name] = now
            text = KeptOpen(path).word()
            if text.removeprefix("-").isdecimal():
                self._read[name] = now, round(int(text) / 1000)
            if self._clock() - now > _PATIENCE:
                break
        return {name: degrees for name, (then, degrees) in self._read.items() if now - then < STALE}


def _sensors(root: str) -> list[tuple[str, str]]:
    """Disk and file of each sensor."""
    top = f"{root}/sys/class/hwmon"
    found = []
    for monitor in _names(top):
        kind = KeptOpen(f"{top}/{monitor}/name").word()
        if kind not in _SENSORS:
            continue
        device = f"{top}/{monitor}/device"
        if kind == "drivetemp":
            disks = _names(f"{device}/block")
        else:
            matches = (_NAMESPACE.fullmatch(name) for name in _names(device))
            disks = sorted({match[1] + match[2] for match in matches if match is not None})
        found += [(disk, f"{top}/{monitor}/temp1_input") for disk in disks]
    return found


def _names(path: str) -> list[str]:
    try:
        return sorted(os.listdir(path))  # noqa: PTH208
    except OSError:
        return []
