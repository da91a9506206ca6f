"""Health of every drive (smartctl), a few queries in parallel."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from raidtui.machine.inventory.reading_log import unforeseen
from raidtui.machine.ports.host import Denied, Host
from raidtui.model.errors import MachineFailed
from raidtui.model.inventory import Disk
from raidtui.tools import nvme, smartctl

AT_ONCE = 8
"""parallel queries"""


def with_health(host: Host, disks: tuple[Disk, ...]) -> tuple[tuple[Disk, ...], tuple[str, ...]]:
    """The disks with their health, and sentences about those without."""
    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        answers = tuple(pool.map(lambda disk: _answer(host, disk), disks))
    without_health = [disk.kernel_name for disk, why in answers if why]
    reasons = sorted({why for _, why in answers if why})
    trouble = (
        (f"health of {len(without_health)} of {len(disks)} disks: {'; '.join(reasons)}",) if without_health else ()
    )
    return tuple(disk for disk, _ in answers), trouble


def _answer(host: Host, disk: Disk) -> tuple[Disk, str]:
    """The disk with its health, or why there is none, whatever its drive answers."""
    try:
        return _asked(host, disk)
    except Denied:
        return disk, "permission denied"
    except MachineFailed as problem:
        return disk, str(problem)
    except Exception as problem:
        return disk, unforeseen(problem)


def _asked(host: Host, disk: Disk) -> tuple[Disk, str]:
    """The disk with its health, or why there is none."""
    working = disk.multipath.working if disk.multipath else ()
    if disk.multipath and not working:
        return disk, "no path to it works"
    device = f"/dev/{working[0].kernel_name if working else disk.kernel_name}"
    ran = host.run(smartctl.argv(device))
    if ran is None and disk.transport == "nvme":
        logged = host.run(nvme.argv(device))
        smart = nvme.parse(logged.stdout) if logged else None
        return (replace(disk, smart=smart), "") if smart else (disk, "install smartmontools")
    if ran is None:
        return disk, "install smartmontools"
    if ran.exit == smartctl.ASLEEP:
        return disk, "asleep, not woken"
    smart, rpm = smartctl.parse(ran.stdout)
    if smart is None:
        return replace(
            disk, rpm=disk.rpm or rpm
        ), "the drive reports no health" if ran.exit == 0 else "smartctl got no answer"
    return replace(disk, smart=smart, rpm=disk.rpm or rpm), ""
