"""A machine for md, LVM and file systems: `QuickMachine`, to a test the same as `Machine`, at a fraction of its cost.

User-mode Linux runs the guest's programs on this machine's own processor, where QEMU emulates one. What it has not: an
initramfs of the guest's, a boot loader, SCSI (`sd` names, `device/state`, enclosures), a second processor, a network
card, new disks while it runs, limits that change. Disks are `vd`; one rule of udev says which identity each has, so
that `/dev/disk/by-id`, lsblk and raidtui see vendor, product, serial number and WWN. Sectors are as large physically
as logically.
"""

from __future__ import annotations

import random
import shlex
import shutil
from collections.abc import Collection, Sequence
from pathlib import Path

from tests.lab.attach import attach_disk
from tests.lab.disk import Disk
from tests.lab.guest import Guest
from tests.lab.guest_disks import wait_for_disks
from tests.lab.host import LabError
from tests.lab.image import Image, image
from tests.lab.qemu import Attachment
from tests.lab.storage import Storage
from tests.lab.uml import Uml

_BOOT_DEADLINE = 60
_BOOTS = 3
"""on a busy machine user-mode Linux now and then stands still at its start, before it runs anything of the guest's"""
_DRIVER = "/sys/bus/virtio/drivers/virtio_blk"
_LINKS = "60-persistent-storage.rules"
_BOOTED = f"""
sed '/disk.by-id.virtio-/d' /usr/lib/udev/rules.d/{_LINKS} > /run/udev/rules.d/{_LINKS}
echo 0 > /sys/bus/virtio/drivers_autoprobe
modprobe -a virtio_blk md_mod
udevadm control --reload
"""


class QuickMachine(Guest):
    """One guest under user-mode Linux, from `with` to the end of its block."""

    def __init__(
        self,
        disks: Sequence[Disk] = (),
        *,
        memory_mib: int = 1024,
        sync_limit_kib: int | None = 4096,
        using: Image | None = None,
        kernel_words: Sequence[str] = (),
        modules: Path | None = None,
    ) -> None:
        """Describe the machine; nothing is started yet. `sync_limit_kib` as of `Machine`.

        `kernel_words`: more of its kernel's command line. `modules`: those of a kernel that the image has none for.
        """
        super().__init__(disks)
        if any(disk.paths > 1 or disk.kind != "scsi" for disk in disks):
            raise ValueError("a quick machine has no NVMe disks, and no second paths")
        self._image = using or image()
        self._memory_mib = memory_mib
        self._kernel_words = kernel_words
        self._sync_limit_kib = sync_limit_kib
        self._nodes: dict[str, Attachment] = {}
        self._modules = modules
        self._shares: list[str] = []
        self._storage: Storage | None = None
        self._uml: Uml | None = None

    def _begin(self) -> None:
        if self._modules is not None:
            self._show(self._modules, f"/usr/lib/modules/{self._modules.name}")
        for place, disk in enumerate(self._disks.values()):
            self._make_backing(disk)
            first = not any(other.shared == disk.shared for other in list(self._disks.values())[:place])
            path = self._backings[disk.serial].path
            self._nodes[disk.serial] = attach_disk(disk, path, place, place, first_of_group=first)
        self._boot_up([serial for serial, disk in self._disks.items() if not disk.unplugged])

    def _kill(self) -> None:
        if self._uml is not None:
            self._uml.kill()
            self._uml = None
        if self._storage is not None:
            self._storage.kill()
            self._storage = None

    @property
    def running(self) -> bool:
        """Whether the machine is on."""
        return self._uml is not None

    def _running(self) -> Uml:
        if self._uml is None:
            raise LabError("the machine is off")
        return self._uml

    def start(self, *, permute: int | None = None, using: Image | None = None, without: Collection[str] = ()) -> None:
        """Boot the machine after `power_cut` or `power_off`; `permute` seeds another disk order.

        `using`: the same image with another kernel, from now on; `without`: disks that were pulled while it was off.
        """
        if self.running:
            raise LabError("the machine is running")
        self._image = using or self._image
        for serial in without:
            self._attached.pop(serial)
        serials = self.serials
        if permute is not None:
            random.Random(permute).shuffle(serials)
        self._boot_up(serials)

    def power_cut(self) -> None:
        """Take the power away: SIGKILL, no warning to the guest."""
        self._running()
        self._kill()

    def power_off(self, *, deadline: float = 120) -> None:
        """Shut the guest down in order."""
        uml = self._running()
        uml.agent.start(["systemctl", "--no-block", "poweroff"])
        uml.wait_end(deadline)
        self._kill()

    def reboot(self, *, deadline: float = 120, permute: int | None = None) -> None:
        """A clean reboot of the guest: down in order, up again from its own disks."""
        self.power_off(deadline=deadline)
        self.start(permute=permute)

    def _boot_up(self, serials: Sequence[str]) -> None:
        disks = list(self._disks.values())
        for attempt in range(_BOOTS):
            self._storage = Storage(self._work, [(disk, self._nodes[disk.serial]) for disk in disks])
            self._uml = Uml(
                self._work, self._image, memory_mib=self._memory_mib, disks=len(disks), words=self._kernel_words
            )
            try:
                self._uml.wait_agent(_BOOT_DEADLINE)
                break
            except LabError:
                self._kill()
                if attempt == _BOOTS - 1:
                    raise
        self.put("/run/udev/rules.d/59-lab.rules", "".join(map(_identity, range(len(disks)), disks)).encode())
        for place in range(len(self._shares)):
            self._mount(place)
        self.check(_BOOTED)
        if self._sync_limit_kib is not None:
            self.limit_sync(self._sync_limit_kib)
        for serial in serials:
            self._attached[serial] = self._nodes[serial]
        self._bind(serials)

    def share(self, directory: Path, mount_point: str) -> None:
        """Show the guest a copy of a host directory, read-only; mounted again after a reboot."""
        self._show(directory, mount_point)
        self._mount(len(self._shares) - 1)

    def _show(self, directory: Path, mount_point: str) -> None:
        shutil.copytree(directory, self._work / f"share{len(self._shares)}", symlinks=True)
        self._shares.append(mount_point)

    def _mount(self, place: int) -> None:
        point = shlex.quote(self._shares[place])
        mount = f"mount -t hostfs -o ro,share{place} none {point}"
        newer = mount.replace("share", "hostfs=share", 1)  # see guest_agent.opened
        self.check(f"mkdir -p {point} && {{ {mount} 2> /dev/null || {newer}; }}")

    def plug(self, disk: str) -> None:
        """Plug a disk in that was unplugged; waits for udev."""
        self._attached[disk] = self._nodes[disk]
        self._bind([disk])

    def unplug(self, serial: str) -> None:
        """Pull a disk; its content stays."""
        self._attached.pop(serial)
        self.check(f"{self._device(serial)} > {_DRIVER}/unbind; udevadm settle")

    def _bind(self, serials: Sequence[str]) -> None:
        if serials:
            self.check("; ".join(f"{self._device(serial)} > {_DRIVER}/bind" for serial in serials), timeout=240)
        wait_for_disks(self._running(), dict.fromkeys(serials, 1))

    def _device(self, serial: str) -> str:
        """A command that says which virtio device a disk is."""
        return f"basename /sys/devices/virtio-uml-cmdline/virtio-uml.{list(self._disks).index(serial)}/virtio*"


def _identity(place: int, disk: Disk) -> str:
    """What udev is to say of a disk and of partitions on it; the storage daemon says the same of all."""
    said = {
        "ID_VENDOR": disk.vendor, "ID_MODEL": disk.product, "ID_SERIAL": f"{disk.vendor}_{disk.product}_{disk.serial}",
        "ID_SERIAL_SHORT": disk.serial, "ID_SCSI_SERIAL": disk.serial, "ID_BUS": "scsi", "ID_TYPE": "disk",
        "ID_REVISION": disk.firmware or "1.0",
    }  # fmt: skip
    if disk.wwn is not None:  # Debian's own rules make the link
        said |= dict.fromkeys(("ID_WWN", "ID_WWN_WITH_EXTENSION"), f"0x{disk.wwn:016x}")
    keys = [f'ENV{{{name}}}="{value}"' for name, value in said.items()]
    link = f'SYMLINK+="disk/by-id/scsi-S{disk.vendor}_{disk.product}_{disk.serial}'
    turns = f'ATTR{{queue/rotational}}="{int(disk.rotation > 1)}"'
    return _rule(place, "disk", *keys, turns, f'{link}"') + _rule(place, "partition", *keys, f'{link}-part%n"')


def _rule(place: int, kind: str, *keys: str) -> str:
    where = f'SUBSYSTEM=="block", DEVPATH=="*/virtio-uml.{place}/*", ENV{{DEVTYPE}}=="{kind}"'
    return f"{', '.join((where, *keys))}\n"
