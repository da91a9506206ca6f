"""The virtual machine that cases of the matrix run in, one after the other: its disks, its driver, its reset."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from raidtui.values.codec import from_json
from raidtui.values.inventory import Inventory
from raidtui.values.units import MIB
from tests.faults import guest_driver, guest_labels
from tests.lab import quick_initramfs
from tests.lab.disk import Disk, lab_disks
from tests.lab.guest import Guest
from tests.lab.guest_raidtui import PLACE, install
from tests.lab.host import LabError, seconds
from tests.lab.image import Image
from tests.lab.quick import QuickMachine
from tests.lab.vm import Machine

TARGETS = [f"LAB{number:04d}" for number in range(1, 13)]
BYSTANDERS = ["BY0001", "BY0002", "BY0003", "BY0004"]
DISK_BYTES = 320 * MIB
_SLOW_SYNC = 'SUBSYSTEM=="block", KERNEL=="md*", ATTR{md/level}=="raid[14-6]*", ATTR{md/sync_speed_min}="50"\n'
UNIT = "/etc/systemd/system/srv-data.mount"
"""a mount unit that somebody made"""
_CONFIGURATION = "/etc/fstab /etc/mdadm/mdadm.conf /etc/hostname /etc/machine-id"
_RESET = f"""
rm -f /run/faults/moves {UNIT}; pkill -x rawowner; pkill -x flock; pkill -x sleep; pkill -f '[O]_RDONLY'
for s in /sys/block/sd*/device/state; do read how < $s; [ $how = offline ] && echo running > $s; done
for s in /sys/block/sd*/ro; do read ro < $s; d=${{s%/ro}}; [ $ro = 0 ] || blockdev --setrw /dev/${{d##*/}}; done
umount /srv/data /mnt/other /var/lib/raidtui; swapoff -a;
for b in /sys/block/*/bcache/stop; do [ -e $b ] && echo 1 > $b; done
i=/sys/kernel/config/target/core/iblock_0/other; [ -d $i ] && rmdir $i
dmsetup remove other cache0 secret; vgremove -q -f data other users tank; losetup -D
for a in /sys/block/md*; do n=/dev/$(basename $a); mdadm --detail --export $n | grep -q theirs || mdadm --stop $n; done
for f in {_CONFIGURATION}; do cat /var/kept$f > $f; done; hostname raidlab
rm -rf /var/lib/elsewhere /etc/mdadm/mdadm.conf.d /run/loop /run/plan.kept /run/other.json
rm -rf /var/lib/raidtui /etc/udev/rules.d/*raidtui* /run/faults/up /run/mdadm/creating-* /run/raidtui.lock
udevadm control --reload; systemctl daemon-reload; systemctl stop mdmonitor
find /srv -mindepth 1 -depth -type d -empty -delete
[ $(ls -d /sys/block/sd* | wc -l) = 16 ] || for h in /sys/class/scsi_host/*/scan; do echo '- - -' > $h; done
udevadm settle; rm -f /dev/md/data*; true
"""
"""ends whatever a case left; the disks themselves are made blank from the host"""


_FAULTS = ("tests/__init__.py", "tests/simulated/__init__.py", "tests/simulated/fault_model.py")
"""what the guest's driver imports of the tests"""


class Lab:
    """The machine with twelve targets and four bystanders, used for one case after the other."""

    def __init__(self, vm: Guest) -> None:
        self.vm = vm
        self.called: Callable[[], None] = _nothing
        """what the guest's driver wants done to its machine when it calls"""
        self.later: tuple[float, Callable[[], None]] | None = None
        """what is to be done at a time of the monotonic clock, while an answer is waited for"""
        install(vm, Path(guest_driver.__file__), Path(guest_labels.__file__), tests=_FAULTS)
        vm.put("/usr/sbin/update-initramfs", quick_initramfs.UPDATE, 0o755)
        vm.put("/etc/udev/rules.d/99-slow-sync.rules", _SLOW_SYNC.encode())
        vm.check(f"udevadm control --reload; mkdir -p /var/kept/etc/mdadm; for f in {_CONFIGURATION}; do "
                 "cp -p $f /var/kept$f; done")  # fmt: skip
        ext4, left, right, volume = vm.disk_paths(BYSTANDERS).values()
        vm.check(f"mkfs.ext4 -q {ext4} && mount {ext4} /mnt && cp -r /etc /mnt && umount /mnt")
        vm.check(f"mdadm --create /dev/md/theirs -l1 -n2 --assume-clean --bitmap=none --metadata=1.2 {left} {right}")
        vm.check(f"mkfs.ext4 -q /dev/md/theirs; pvcreate -q {volume} && vgcreate -q theirs {volume}")
        vm.check("udevadm settle; mdadm --stop /dev/md/theirs; udevadm settle; sync")
        self.start_driver()
        self.others = vm.hash_disks(BYSTANDERS)

    @property
    def hardware(self) -> Machine:
        """The machine, whose disks can be made slow, bad, larger and others."""
        if not isinstance(self.vm, Machine):
            raise LabError("this takes a machine under QEMU")
        return self.vm

    def start_driver(self) -> None:
        """Starts the process that forks executors; again after every boot."""
        start = f"setsid python3 -I {PLACE}/guest_driver.py < /dev/null > /run/driver.log 2>&1 &"
        wait = (
            "for i in $(seq 900); do [ -e /run/faults/ready ] && exit 0; sleep 0.1; done; cat /run/driver.log; exit 1"
        )
        self.vm.check(f"rm -rf /run/faults; mkdir /run/faults; {start} {wait}", timeout=200)
        self.asked = 0

    def ask(self, op: str, **fields: Any) -> dict[str, Any]:
        """A request to that process. LabError when it fails or the machine goes down under it."""
        self.asked += 1
        self.vm.put(f"/run/faults/request-{self.asked}", f"{json.dumps({'op': op, **fields})}\n".encode())
        until = time.monotonic() + seconds(400)
        while time.monotonic() < until:
            try:
                text = self.vm.get(f"/run/faults/answer-{self.asked}")
            except LabError as problem:
                if "FileNotFoundError" not in str(problem):
                    raise
                self._serve()
                time.sleep(0.25)  # every look costs the emulated processor some milliseconds
                continue
            self._finish_later()
            said: dict[str, Any] = json.loads(text)
            if "error" in said:
                raise LabError(said["error"])
            return said
        raise LabError(f"no answer to {op}: {self.vm.run('cat /run/driver.log')}")

    def _serve(self) -> None:
        """Does what the driver called for, and what is due."""
        if self.called is not _nothing and self.vm.run("test -e /run/faults/call").exit == 0:
            self.called()
            self.called = _nothing
            self.vm.check("rm /run/faults/call")
        if self.later is not None and time.monotonic() > self.later[0]:
            self._finish_later()

    def _finish_later(self) -> None:
        if self.later is not None:
            self.later[1]()
            self.later = None

    def inventory(self) -> Inventory:
        """What a probe in the guest finds now."""
        return from_json(Inventory, json.dumps(self.ask("inventory")["inventory"]), source="the guest")

    def reset(self) -> None:
        """Blank targets, the files as they were, the right time."""
        self.called = _nothing
        self._finish_later()
        self.vm.set_clock()
        if isinstance(self.vm, Machine):
            for serial in self.vm.serials:
                if serial in TARGETS:
                    self.vm.heal(serial)
                elif serial not in BYSTANDERS:
                    self.vm.scrap(serial)
        for serial in TARGETS:
            if serial not in self.vm.serials:
                self.vm.plug(serial)
        self.vm.run(_RESET, timeout=200)
        used = [serial for serial in TARGETS if not self.vm.backing(serial).is_blank()]
        if used:
            self.vm.erase_disks(used)
        # not before the disks are blank: udev would assemble what is on them; it also puts links back that were moved
        self.vm.check("udevadm trigger --settle --subsystem-match=block --sysname-match='[sv]d*'")

    def reboot(self, order: int, *, without: Sequence[str] = ()) -> None:
        """Down in order, up with the disks in another one, without some of them."""
        self.vm.power_off()
        for serial in without:
            self.hardware.take_out(serial)
        self.vm.start(permute=order)
        self.start_driver()


@contextlib.contextmanager
def lab(image: Image | None = None) -> Iterator[Lab]:
    """A machine for all cases."""
    with Machine(_disks(), using=image, sync_limit_kib=200) as vm:
        yield Lab(vm)


@contextlib.contextmanager
def quick_lab(image: Image | None = None) -> Iterator[Lab]:
    """A machine for the cases that change nothing of its hardware."""
    with QuickMachine(_disks(), using=image, sync_limit_kib=200) as vm:
        yield Lab(vm)


def _disks() -> list[Disk]:
    return [*lab_disks(12, bytes=DISK_BYTES, controllers=2), *lab_disks(4, prefix="BY", bytes=DISK_BYTES)]


def _nothing() -> None:
    """Nobody calls."""
