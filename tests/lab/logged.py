"""A quick machine whose disks, the root disk too, are in this process's memory, with a log of all that it writes.

User-mode Linux starts from the image as ever; its first program then has virtio serve a copy of the same root and goes
on there. So what the guest keeps on its root is in the same log as what it writes to the other disks.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from tests.lab.disk import Disk
from tests.lab.image import Image
from tests.lab.medium import Medium, MediumServer
from tests.lab.qemu import Attachment
from tests.lab.quick import QuickMachine
from tests.lab.uml import root_copy

ROOT = "ROOT0001"
_ROOT_BYTES = 4 << 30
_SWITCH = (
    "mount -t proc p /proc; mount -t sysfs s /sys; mountpoint -q /dev || mount -t devtmpfs d /dev; "
    "echo 0 > /sys/bus/virtio/drivers_autoprobe; modprobe virtio_blk; "
    "basename /sys/devices/virtio-uml-cmdline/virtio-uml.{place}/virtio* > /sys/bus/virtio/drivers/virtio_blk/bind; "
    "echo write back > /sys/block/vda/cache_type; echo 1024 > /sys/block/vda/queue/read_ahead_kb; "
    "mount /dev/vda /mnt && exec switch_root /mnt /sbin/init"
)
_CACHE = 'SUBSYSTEM=="block", KERNEL=="vd*", ENV{DEVTYPE}=="disk", ATTR{cache_type}="write back"\n'
"""the daemon's disks have a volatile cache and do not say so; without it the guest flushes nothing"""


class LoggedMachine(QuickMachine):
    """A quick machine with disks over zeroes; `server` has their media by serial number, and `ROOT`."""

    def __init__(
        self, disks: Sequence[Disk], *, sync_limit_kib: int, memory_mib: int = 1024, using: Image | None = None
    ) -> None:
        """Describe the machine; nothing is started yet."""
        words = ("init=/bin/bash", "--", "-c", f'"{_SWITCH.format(place=len(disks))}"')
        super().__init__(
            [*disks, Disk(ROOT, bytes=_ROOT_BYTES, unplugged=True)], using=using,
            sync_limit_kib=sync_limit_kib, memory_mib=memory_mib, kernel_words=words,
        )  # fmt: skip

    def _begin(self) -> None:
        below = {ROOT: root_copy(self._image)}
        media = {serial: Medium(disk.bytes, below.get(serial)) for serial, disk in self._disks.items()}
        self._backings.update(media)
        self.server = MediumServer(self._work / "nbd", media)
        for place, serial in enumerate(self._disks):
            node = {
                "driver": "nbd", "node-name": f"disk{place}", "export": serial, "discard": "unmap",
                "detect-zeroes": "unmap", "server": {"type": "unix", "path": str(self.server.path)},
            }  # fmt: skip
            self._nodes[serial] = Attachment(node, ())
        self._boot_up([serial for serial, disk in self._disks.items() if not disk.unplugged])

    def _bind(self, serials: Sequence[str]) -> None:
        self.put("/run/udev/rules.d/58-lab-cache.rules", _CACHE.encode())
        self.check("udevadm control --reload; udevadm trigger --settle /dev/vda")  # it was there before udev
        super()._bind(serials)

    def _kill(self) -> None:
        super()._kill()
        if hasattr(self, "server"):
            self.server.wait_closed()

    def close(self) -> None:
        """End the machine's processes at once and remove every file of it."""
        super().close()
        with contextlib.suppress(AttributeError):
            self.server.close()
