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

The guest starts from a saved state in seconds (`cold=True` boots it); every reboot is a real boot
with the initramfs that the guest has in its /boot, and names may change: `permute` shuffles the order
that disks are found in. The guest's changes live in an overlay until the machine is closed. A power
cut loses what the guest had not written; what it wrote, flushed or not, is on its disks. Deadlines
are scaled by RAIDTUI_LAB_TIME_SCALE. A failure of the lab itself is a LabError with the console.
"""

from __future__ import annotations

import base64
import contextlib
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.lab.agent import GuestCommandError, Pending, Result
from tests.lab.attach import attach_disk, attach_share
from tests.lab.disk import Backing, Disk, Fault, backing_path
from tests.lab.guest_disks import GuestDisk, wait_for_disks
from tests.lab.host import LabError, accelerator
from tests.lab.image import Image, image
from tests.lab.network import Network
from tests.lab.qemu import HBAS, NVME_PORTS, SHARE_PORTS, Attachment, Hardware, Qemu
from tests.lab.scratch import Scratch
from tests.lab.share import Share, directory_image
from tests.lab.state import copy_sparse, extract_initrd, overlay, saved_state

_BOOT_DEADLINE = 240


class Machine:
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
        if len({disk.serial for disk in disks}) != len(disks):
            raise ValueError("serials must differ")
        if not 1 <= controllers <= HBAS or any(disk.controller >= controllers for disk in disks):
            raise ValueError(f"HBAs are 0 to {HBAS - 1}, disks sit on 0 to {controllers - 1}")
        self._image = using or image()
        self._hardware = Hardware(memory_mib, cpus, accelerator(self._image.kernel))
        self._cold = cold
        self._sync_limit_kib = sync_limit_kib
        self._disks: dict[str, Disk] = {disk.serial: disk for disk in disks}
        self._backings: dict[str, Backing] = {}
        self._attached: dict[str, Attachment] = {}
        self._ports: dict[str, int] = {}
        self._hurt: set[str] = set()
        self._shares: list[Share] = []
        self._network: Network | None = None
        self._count = 0
        self._qemu: Qemu | None = None
        self.closed = False

    # --- life and death ---

    def __enter__(self) -> Machine:
        self._scratch = Scratch()
        self._work = self._scratch.path
        try:
            for disk in self._disks.values():
                self._add(disk)
            state = None if self._cold else saved_state(self._image, self._hardware)
            source = state or self._image
            overlay(source.root, self._root)
            copy_sparse(source.boot, self._boot)
            self._boot_up(state.memory if state else None)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Kill QEMU and remove every file of the machine."""
        if self._qemu is not None:
            self._qemu.kill()
            self._qemu = None
        self._scratch.remove()
        self.closed = True

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
            limit = self._sync_limit_kib
            self.check(
                f"modprobe md_mod && echo {min(limit, 1000)} > /proc/sys/dev/raid/speed_limit_min && "
                f"echo {limit} > /proc/sys/dev/raid/speed_limit_max"
            )
        self._settle(self.serials)
        for share in self._shares:
            self._mount(share)
        if self._network is not None:
            self._connect(self._network)

    # --- programs and files in the guest ---

    def start_command(self, command: str | Sequence[str], **options: Any) -> Pending:
        """Start a command in the guest; options as of `run`."""
        return self._running().agent.start(command, **options)

    def run(
        self,
        command: str | Sequence[str],
        *,
        stdin: bytes | str = b"",
        timeout: float = 120,
        env: Mapping[str, str] | None = None,
        cwd: str = "/root",
    ) -> Result:
        """Run text (bash) or a sequence (argv) in the guest as root, whatever it comes to."""
        return self.start_command(command, stdin=stdin, timeout=timeout, env=env, cwd=cwd).wait()

    def check(self, command: str | Sequence[str], **options: Any) -> Result:
        """Like `run`; GuestCommandError with the whole output when it exits other than 0."""
        result = self.run(command, **options)
        if result.exit != 0:
            raise GuestCommandError(result)
        return result

    def put(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Write a file in the guest."""
        text = base64.b64encode(data).decode("ascii")
        self._running().agent.call("put", path=path, data=text, mode=mode)

    def get(self, path: str) -> bytes:
        """Read a file of the guest; LabError when it cannot be read."""
        return base64.b64decode(self._running().agent.call("get", path=path)["data"])

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

    @property
    def serials(self) -> list[str]:
        """Serials of the attached disks, in the order they were given."""
        return [serial for serial in self._disks if serial in self._attached]

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

    def set_clock(self) -> None:
        """Give the guest the host's time."""
        self._running().wake()

    def guest_disks(self) -> list[GuestDisk]:
        """All whole disks as the guest sees them now, the lab's own system disks too."""
        return [GuestDisk.of(found) for found in self._running().agent.call("disks")["disks"]]

    def disk_path(self, serial: str) -> str:
        """The /dev/disk/by-id path of one of this machine's disks; LabError when it is not proven to be."""
        return self.disk_paths([serial])[serial]

    def disk_paths(self, serials: Sequence[str] | None = None) -> dict[str, str]:
        """The by-id path of each serial (None: all), each proven by vendor, product, serial and size."""
        wanted = self.serials if serials is None else serials
        found = self.guest_disks()
        return {serial: self._proven(serial, found).path for serial in wanted}

    def _proven(self, serial: str, found: Sequence[GuestDisk]) -> GuestDisk:
        mine = self._disks.get(serial)
        if mine is None or serial not in self._attached:
            raise LabError(f"{serial} is no disk of this machine")
        paths = [disk for disk in found if disk.serial == serial]
        if len(paths) != mine.paths or not all(disk.is_lab_disk(mine) for disk in paths):
            raise LabError(f"not proven to be the lab's own disk: {serial} is {paths}")
        return next((disk for disk in paths if disk.by_id), paths[0])

    def backing(self, serial: str) -> Backing:
        """The sparse file below a disk, attached or not; `sync` in the guest before looking."""
        return self._backings[serial]

    def hash_disks(self, serials: Sequence[str] | None = None) -> dict[str, str]:
        """A digest of the full content of each disk, seen from the host; syncs a running guest first."""
        if self._qemu is not None:
            self.check("sync")
        return {s: self._backings[s].content_digest() for s in (self._disks if serials is None else serials)}

    def erase_disks(self, serials: Sequence[str]) -> None:
        """Make disks blank again in no time, from the host; nothing in the guest may hold them."""
        paths = " ".join(self.disk_paths(serials).values())
        for serial in serials:
            self._backings[serial].erase()
        self.check(f"blockdev --flushbufs {paths}")

    @property
    def host_bytes(self) -> int:
        """What the test disks take on the host."""
        return sum(backing.allocated_bytes for backing in self._backings.values())

    def console(self) -> str:
        """What the guest's console has shown, all boots."""
        with contextlib.suppress(OSError):
            return (self._work / "console.log").read_text(errors="replace")
        return ""

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
        self._backings[disk.serial] = Backing(backing_path(self._work, disk.serial), disk)
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
