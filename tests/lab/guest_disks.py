"""Disks as the guest sees them, and waiting until it sees them all."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.lab.disk import Disk
from tests.lab.host import LabError, seconds
from tests.lab.process import GuestProcess

_NVME_MODEL = "QEMU NVMe Ctrl"


@dataclass(frozen=True)
class GuestDisk:
    """A whole disk in the guest; `name` is good until the next reboot, `by_id` longer."""

    name: str
    serial: str
    vendor: str
    model: str
    bytes: int
    by_id: tuple[str, ...]

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> GuestDisk:
        """From the agent's answer."""
        return cls(**{**found, "by_id": tuple(found["by_id"])})

    def is_lab_disk(self, disk: Disk) -> bool:
        """Whether this is, by what the disk itself says, the lab's `disk`."""
        identity = (self.serial, self.bytes) == (disk.serial, disk.bytes)
        if disk.kind == "nvme":
            return identity and self.model == _NVME_MODEL
        return identity and (self.vendor, self.model) == (disk.vendor, disk.product)

    @property
    def path(self) -> str:
        """A by-id path: the one with the WWN when there is one; LabError when there is none."""
        for start in ("wwn-", "nvme-eui", "scsi-", "nvme-"):
            for link in self.by_id:
                if link.rsplit("/", 1)[-1].startswith(start):
                    return link
        raise LabError(f"udev made no by-id link to {self}")


def wait_for_disks(guest: GuestProcess, paths: Mapping[str, int], *, deadline: float = 120) -> None:
    """Wait until every serial has all its paths, its size, a by-id link, and udev is idle."""
    until = time.monotonic() + seconds(deadline)
    rescanned = False
    while True:
        guest.agent.start(["udevadm", "settle", "--timeout=60"]).wait()
        found = [GuestDisk.of(item) for item in guest.agent.call("disks")["disks"]]
        seen = Counter(disk.serial for disk in found)
        linked = {disk.serial for disk in found if disk.by_id and disk.bytes}
        missing = [serial for serial, count in paths.items() if seen[serial] != count or serial not in linked]
        if not missing:
            return
        guest.watch(f"disks not seen by the guest: {missing}", time.monotonic() > until)
        if not rescanned:  # a burst of hot-plugs overruns the HBA's event queue, or a size is read too early as 0
            rescan = (
                "for host in /sys/class/scsi_host/host*/scan; do echo - - - > $host; done; "
                "for disk in /sys/class/scsi_device/*/device/rescan; do echo 1 > $disk; done"
            )
            guest.agent.start(rescan).wait()
            rescanned = True
        time.sleep(0.1)
