"""A throw-away Debian machine with any disks: how to write a lab test.

    import pytest
    from tests.lab.disk import Disk, lab_disks
    from tests.lab.vm import Machine

    pytestmark = pytest.mark.lab

    def test_raid6_survives_a_reboot(lab_image: Image) -> None:      # the fixture builds the image once
        with Machine(disks=lab_disks(6, controllers=2)) as vm:        # 6 x 2 TB, LAB0001..LAB0006
            members = [vm.disk_path(s) for s in vm.serials]           # /dev/disk/by-id/..., never a letter
            vm.check(["mdadm", "--create", "/dev/md/a", "-l6", "-n6", "--assume-clean", "--bitmap=none", *members])
            vm.reboot()
            assert "raid6" in vm.check("cat /proc/mdstat").stdout
        assert vm.closed                                              # QEMU and all files are gone

`run` and `check` take text (bash) or a sequence (argv), and `stdin`, `timeout` in seconds; `check`
raises GuestCommandError with everything the program said. `start` returns at once, `.wait()` later.
`put`, `get`, `share` (a host directory, read-only) move files. `reboot`, `power_cut` + `start`,
`plug`, `unplug` are what happens to a machine. `backing(serial)` is the disk's sparse file on the
host (`content_digest`, `is_blank`, `allocated_bytes`), `hash_disks()` all of them.

`QuickMachine` (`lab/quick.py`) has the same methods and costs less: take it unless a test boots with the guest's own
initramfs, or needs SCSI, NVMe, two paths, a new disk, limits or errors that change, a network card.

The guest starts from a saved state in seconds (`cold=True` boots it); every reboot is a real boot
with the initramfs that the guest has in its /boot, and names may change: `permute` shuffles the order
that disks are found in. The guest's changes live in an overlay until the machine is closed. A power
cut loses what the guest had not written; what it wrote, flushed or not, is on its disks. Deadlines
are scaled by RAIDTUI_LAB_TIME_SCALE. A failure of the lab itself is a LabError with the console.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from tests.lab.attach import attach_disk, attach_share
from tests.lab.disk import Disk, Fault
from tests.lab.guest import Guest
from tests.lab.guest_disks import wait_for_disks
from tests.lab.host import LabError, accelerator
from tests.lab.image import Image, image
from tests.lab.network import Network
from tests.lab.qemu import HBAS, NVME_PORTS, SHARE_PORTS, Hardware, Qemu
from tests.lab.share import Share, directory_image
from tests.lab.state import copy_sparse, extract_initrd, overlay, saved_state

_BOOT_DEADLINE = 240


class Machine(Guest):
    """One virtual machine, from `with` to the end of its block."""

    def __init__(
        self,
        disks: Sequence[Disk] = (),
        *,
        controllers: int = HBAS,
        memory_mib: int = 2048,
        cpus: int = 2,
        cold: bool = False,
        sync_limit_kib: int | None = 4096,
        using: Image | None = None,
    ) -> None:
        """Describe the machine; nothing is started yet.

        `sync_limit_kib` holds md's resync to so many KiB/s a member (None: the kernel's own limit).
        """
        super().__init__(disks)
        if not 1 <= controllers <= HBAS or any(disk.controller >= controllers for disk in disks):
            raise ValueError(f"HBAs are 0 to {HBAS - 1}, disks sit on 0 to {controllers - 1}")
        self._image = using or image()
        self._hardware = Hardware(memory_mib, cpus, accelerator(self._image.kernel))
        self._cold = cold
        self._sync_limit_kib = sync_limit_kib
        self._ports: dict[str, int] = {}
        self._hurt: set[str] = set()
        self._shares: list[Share] = []
        self._network: Network | None = None
        self._count = 0
        self._qemu: Qemu | None = None

    # --- life and death ---

    def _begin(self) -> None:
        for disk in self._disks.values():
            self._add(disk)
        state = None if self._cold else saved_state(self._image, self._hardware)
        source = state or self._image
        overlay(source.root, self._root)
        copy_sparse(source.boot, self._boot)
        self._boot_up(state.memory if state else None)

    def _kill(self) -> None:
        if self._qemu is not None:
            self._qemu.kill()
            self._qemu = None

    @property
    def running(self) -> bool:
        """Whether the machine is on."""
        return self._qemu is not None

    def start(self, *, permute: int | None = None) -> None:
        """Boot the machine after `power_cut` or `power_off`; `permute` seeds another disk order."""
        if self._qemu is not None:
            raise LabError("the machine is running")
        self._boot_up(None, permute)

    def power_cut(self) -> None:
        """Take the power away: SIGKILL to QEMU, no warning to the guest."""
        self._running().kill()
        self._qemu = None

    def power_off(self, *, deadline: float = 120) -> None:
        """Shut the guest down in order."""
        self._go_down("poweroff", deadline)

    def reboot(self, *, deadline: float = 120, permute: int | None = None) -> None:
        """A clean reboot of the guest: down in order, up again from its own disks."""
        self._go_down("reboot", deadline)
        self._boot_up(None, permute)

    def _go_down(self, how: str, deadline: float) -> None:
        qemu = self._running()
        qemu.agent.start(["systemctl", "--no-block", how])  # the guest may be gone before it answers
        qemu.wait_end(deadline)
        self._qemu = None

    def _boot_up(self, memory: Path | None, permute: int | None = None) -> None:
        initrd = self._work / "initrd"
        attached = list(self._attached.values())
        if permute is not None:
            random.Random(permute).shuffle(attached)
        if memory is None:
            initrd = extract_initrd(self._boot, self._work)
        else:  # the saved guest is past its initramfs
            initrd.touch()
        self._qemu = qemu = Qemu(
            self._work,
            self._hardware,
            root=self._root,
            boot=self._boot,
            kernel=self._image.kernel,
            initrd=initrd,
            attachments=() if memory else attached,
            incoming=memory,
        )
        if memory is not None:
            qemu.resume()
        qemu.wait_agent(_BOOT_DEADLINE)
        if memory is not None:
            for attachment in attached:
                qemu.attach(attachment)
        if self._sync_limit_kib is not None:
            self.limit_sync(self._sync_limit_kib)
        self._settle(self.serials)
        for share in self._shares:
            self._mount(share)
        if self._network is not None:
            self._connect(self._network)

    # --- what is attached ---

    def share(self, directory: Path, mount_point: str) -> None:
        """Show the guest a copy of a host directory, read-only; mounted again after a reboot."""
        port = self._free_port()
        file = directory_image(directory, self._work / f"share{port}.img")
        share = Share(f"share{port}", mount_point, attach_share(file, f"share{port}", port))
        self._running().attach(share.attachment)
        self._attached[share.serial] = share.attachment
        self._shares.append(share)
        self._mount(share)

    def _mount(self, share: Share) -> None:
        self.check(share.mount_script())

    def forward(self, guest_port: int) -> int:
        """Connect a free port of this host's loopback to a port of the guest, after reboots too; returns it.

        The guest reaches nothing through its network card.
        """
        if self._network is not None:
            raise LabError("one network card, one port")
        self._network = Network.new(guest_port, self._free_port())
        self._connect(self._network)
        return self._network.host_port

    def _connect(self, network: Network) -> None:
        network.attach(self._running().qmp)
        self.check(network.guest_script())

    def _free_port(self) -> int:
        """A PCIe port for a shared directory or the network card."""
        used = len(self._shares) + (self._network is not None)
        if used == SHARE_PORTS:
            raise LabError(f"at most {SHARE_PORTS} shared directories and network cards")
        return NVME_PORTS + used

    # --- disks ---

    def plug(self, disk: Disk | str) -> None:
        """Hot-plug a new disk, or by its serial one that was unplugged; waits for udev."""
        if isinstance(disk, Disk):
            if disk.serial in self._disks:
                raise ValueError(f"there is a disk {disk.serial} already")
            self._disks[disk.serial] = disk
            self._add(disk, attach=True)
        else:
            self._attach(self._disks[disk])
        serial = disk.serial if isinstance(disk, Disk) else disk
        self._running().attach(self._attached[serial])
        self._settle([serial])

    def unplug(self, serial: str) -> None:
        """Pull a disk with all its paths; its content stays."""
        self._running().detach(self._attached.pop(serial))
        self._ports.pop(serial, None)

    def scrap(self, serial: str) -> None:
        """Pull a disk for good: another one may have its serial."""
        self.unplug(serial)
        del self._disks[serial]

    def take_out(self, serial: str) -> None:
        """Take a disk out of the machine while it is off."""
        if self._qemu is not None:
            raise LabError("the machine is running")
        self._attached.pop(serial)

    def type(self, text: str) -> None:
        """Type on the console."""
        self._running().type(text)

    def throttle(self, serial: str, *, bytes_per_s: int = 0, requests_per_s: int = 0) -> None:
        """Slow an attached disk down from now on; nothing said: it is as quick as ever."""
        self._running().throttle(self._attached[serial], bytes_per_s, requests_per_s)
        self._hurt.add(serial)

    def resize(self, serial: str, size: int) -> None:
        """Give an attached disk another size; it is no proven disk of the lab until it has its own again."""
        self._running().resize(self._attached[serial], size)
        self._hurt.add(serial)

    def inject(self, serial: str, *faults: Fault) -> None:
        """Let requests to an attached disk without limits fail; no fault: as before."""
        self._running().inject(self._attached[serial], [fault.rule() for fault in faults])
        self._hurt.add(serial)

    def heal(self, serial: str) -> None:
        """Undo `throttle`, `resize` and `inject` of an attached disk."""
        if serial in self._hurt:
            self._running().heal(self._attached[serial], self._disks[serial].bytes)
            self._hurt.remove(serial)

    @property
    def _root(self) -> Path:
        return self._work / "root.qcow2"

    @property
    def _boot(self) -> Path:
        return self._work / "boot.img"

    def _running(self) -> Qemu:
        if self._qemu is None:
            raise LabError("the machine is off")
        return self._qemu

    def _add(self, disk: Disk, *, attach: bool = False) -> None:
        self._make_backing(disk)
        if attach or not disk.unplugged:
            self._attach(disk)

    def _attach(self, disk: Disk) -> None:
        port = None
        if disk.kind == "nvme":
            free = sorted(set(range(NVME_PORTS)) - set(self._ports.values()))
            if not free:
                raise LabError(f"at most {NVME_PORTS} NVMe disks")
            self._ports[disk.serial] = port = free[0]
        self._count += 1
        first = not any(self._disks[serial].shared == disk.shared for serial in self.serials)
        path = self._backings[disk.serial].path
        self._attached[disk.serial] = attach_disk(disk, path, self._count, port, first_of_group=first)

    def _settle(self, serials: Sequence[str]) -> None:
        wait_for_disks(self._running(), {s: self._disks[s].paths for s in serials})
