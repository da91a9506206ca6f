"""Records the lab's machines anew: sets each up in the virtual machine and writes its capture.

    python -m tests.recorded_machines.record [NAME ...]

Afterwards expected.json of each has to be compared and corrected by hand.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from raidtui.programs.signatures import SPAN
from tests.lab import multipath as multipath_tools
from tests.lab.disk import Disk, lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.vm import Machine

HERE = Path(__file__).parent
ENDS = HERE.parent / "tools" / "ends"
GIB = 1024**3
_PROBE = """
import json, sys
from raidtui.machine.system.host import SystemHost
from raidtui.machine.inventory.probe import probe
from raidtui.machine.inventory.capture import RecordingHost
host = RecordingHost(SystemHost())
probe(host, smart=%r)
sys.stdout.write(json.dumps(host.capture()))
"""


def record(vm: Machine, name: str, *, smart: bool = False, user: str = "root") -> None:
    """Probe in the guest and keep what it answered."""
    vm.put("/opt/probe.py", (_PROBE % smart).encode())
    vm.check("udevadm settle")
    text = vm.check(["runuser", "-u", user, "--", "python3", "-B", "/opt/probe.py"], timeout=300).stdout
    directory = HERE / name
    directory.mkdir(exist_ok=True)
    compact = json.dumps(json.loads(text), separators=(",", ":"))
    (directory / "capture.json.gz").write_bytes(gzip.compress(compact.encode(), mtime=0))


def sixty() -> None:
    """Sixty blank 2 TB disks on two adapters; as root and as an ordinary user."""
    with Machine(disks=lab_disks(60, controllers=2)) as vm:
        install(vm)
        record(vm, "sixty", smart=True)
        record(vm, "sixty-as-nobody", user="nobody")


def stack() -> None:
    """512e, 4Kn and NVMe disks; RAID1 below LVM below XFS, mounted; swap; LUKS open."""
    disks = [
        *lab_disks(4, bytes=2 * GIB),
        *lab_disks(2, prefix="FK", bytes=2 * GIB, logical_block=4096),
        Disk(serial="NVME0001", kind="nvme", bytes=2 * GIB),
        Disk(serial="NVME0002", kind="nvme", bytes=2 * GIB),
        Disk(serial="NOWWN001", bytes=2 * GIB, rotation=1),
    ]
    with Machine(disks=disks) as vm:
        install(vm)
        at = vm.disk_paths()
        create(vm, "/dev/md/mirror", [at["LAB0001"], at["LAB0002"]], "-l1", "--bitmap=none")
        vm.check("pvcreate -q /dev/md/mirror && vgcreate -q data-vg /dev/md/mirror")
        vm.check("lvcreate -q -y -n files -L 600M data-vg && mkfs.xfs -q /dev/data-vg/files")
        vm.check("mkdir -p /srv/files /srv/notes && mount /dev/data-vg/files /srv/files")
        vm.check(f"mkswap -q {at['LAB0003']} && swapon {at['LAB0003']}")
        vm.check(f"sfdisk -q {at['NVME0001']} <<< 'label: gpt\n,1G\n,' && udevadm settle")
        vm.check(f"mkfs.ext4 -q -L notes {at['NVME0001']}-part1 && mount {at['NVME0001']}-part1 /srv/notes")
        luks(vm, at["LAB0004"])
        vm.check(f"echo secret | cryptsetup open {at['LAB0004']} vault")
        record(vm, "stack")


def leftovers() -> None:
    """Stopped arrays of each metadata version, a GPT with only its backup, an idle volume group and others."""
    names = (
        *("MD090A", "MD090B", "MD10A", "MD10B", "MD11A", "MD11B", "MD12A", "MD12B"),
        *("GPTBACK", "GPTBOTH", "LVMIDLE", "LVMBARE", "BTRFS", "EXT4", "XFS1", "SWAP", "LUKS"),
        *("DATA", "DATAEND", "DOSTABLE", "BLANK"),
    )
    disks = [Disk(serial=name, wwn=0x5000C500_11110000 + at, bytes=GIB) for at, name in enumerate(names)]
    with Machine(disks=disks) as vm:
        install(vm)
        at = vm.disk_paths()
        for version in ("0.90", "1.0", "1.1", "1.2"):
            kind = f"MD{version.replace('.', '')}"
            pair = [at[f"{kind}A"], at[f"{kind}B"]]
            create(vm, f"/dev/md/{kind}", pair, "-l1", f"--metadata={version}", "--assume-clean", "--bitmap=none")
            vm.check(f"mdadm --stop /dev/md/{kind} && udevadm settle")
        for serial in ("GPTBACK", "GPTBOTH"):
            vm.check(f"sfdisk -q {at[serial]} <<< 'label: gpt\n,100M\n,' && udevadm settle")
        vm.check(f"sfdisk -q --delete {at['GPTBACK']} && udevadm settle")
        vm.check(f"dd if=/dev/zero of={at['GPTBACK']} bs=1M count=1 conv=fsync")
        vm.check(f"sfdisk -q {at['DOSTABLE']} <<< 'label: dos\n,100M\n,' && udevadm settle")
        vm.check(f"mkfs.ext4 -q -L 'old data' {at['DOSTABLE']}-part1")
        vm.check(f"vgcreate -q idle {at['LVMIDLE']} && lvcreate -q -y -n lv -L 100M idle && vgchange -q -an idle")
        vm.check(f"pvcreate -q {at['LVMBARE']}")
        vm.check(
            f"mkfs.btrfs -q -L bt {at['BTRFS']} && mkfs.ext4 -q -L e4 {at['EXT4']} && mkfs.xfs -q -L xf {at['XFS1']}"
        )
        vm.check(f"mkswap -q -L sw {at['SWAP']}")
        luks(vm, at["LUKS"])
        vm.check(f"printf x | dd of={at['DATA']} bs=1 seek=777777 conv=fsync,notrunc")
        vm.check(f"printf x | dd of={at['DATAEND']} bs=1 seek={GIB - 9} conv=fsync,notrunc")
        vm.check("udevadm trigger --settle --subsystem-match=block")
        stop_all(vm)
        for serial in names:
            print(serial, vm.run(f"mdadm --examine {at[serial]} | grep UUID; lsblk -nrdo FSTYPE {at[serial]}").stdout)
        record(vm, "leftovers")
        for serial in names:
            keep_ends(vm, serial)


def held() -> None:
    """What holds a disk without showing: another mount namespace, locks, a loop, LIO, half a RAID0."""
    names = (
        *("NAMESPACE", "LOCKED", "EXCLUSIVE", "LOOP", "EXPORTED", "INACTIVE1", "INACTIVE2"),
        *("READONLY", "LINEAR", "FREE"),
    )
    disks = [Disk(serial=name, wwn=0x5000C500_22220000 + at, bytes=GIB) for at, name in enumerate(names)]
    with Machine(disks=disks) as vm:
        install(vm)
        at = vm.disk_paths()
        vm.check(f"mkfs.ext4 -q {at['NAMESPACE']}")
        away = f"mount {at['NAMESPACE']} /mnt && sleep 9999"
        vm.check(["systemd-run", "--quiet", "-p", "PrivateMounts=yes", "bash", "-c", away])
        vm.check(["systemd-run", "--quiet", "flock", "-x", at["LOCKED"], "sleep", "9999"])
        hold = "import os, sys, time; fd = os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL); time.sleep(9999)"
        vm.check(["systemd-run", "--quiet", "python3", "-c", hold, at["EXCLUSIVE"]])
        vm.check(f"losetup /dev/loop0 {at['LOOP']}")
        vm.check(
            "modprobe target_core_iblock; mountpoint -q /sys/kernel/config || mount -t configfs x /sys/kernel/config"
        )
        store = "/sys/kernel/config/target/core/iblock_0/shop"
        vm.check(f"mkdir -p {store} && printf udev_path={at['EXPORTED']} > {store}/control")
        vm.check(f"printf {at['EXPORTED']} > {store}/udev_path && echo 1 > {store}/enable")
        create(vm, "/dev/md/half", [at["INACTIVE1"], at["INACTIVE2"]], "-l0", "-c64")
        stop = f"mdadm --stop --scan; mdadm --zero-superblock {at['INACTIVE2']}"
        vm.check(f"for try in 1 2 3 4 5; do {stop} && exit; done; exit 1")  # udev assembles it in between
        vm.run(f"mdadm --incremental {at['INACTIVE1']}")
        vm.check(f"blockdev --setro {at['READONLY']}")
        vm.check(f"dmsetup create odd --table '0 204800 linear {at['LINEAR']} 0'")
        print(vm.check("sleep 2; cat /proc/mdstat").stdout)
        record(vm, "held")


def multipath() -> None:
    """Two disks with two paths each, without and with multipathd, then one path less; one ordinary disk."""
    disks = [
        Disk(serial="PATHS001", wwn=0x5000C500_33330001, bytes=GIB, paths=2),
        Disk(serial="PATHS002", wwn=0x5000C500_33330002, bytes=GIB, paths=2),
        Disk(serial="SINGLE01", wwn=0x5000C500_33330003, bytes=GIB),
    ]
    with Machine(disks=disks) as vm:
        install(vm)
        record(vm, "two-paths")
        multipath_tools.start(vm)
        vm.check("echo offline > /sys/class/scsi_device/1:0:1:0/device/state; sleep 8")  # a path of PATHS002
        print(vm.run("multipath -ll; lsblk").stdout)
        record(vm, "multipath")


def hostile() -> None:
    """Names made to break a terminal, a markup parser, a shell or a parser."""
    disks = [
        Disk(serial="$(reboot)`id`;'\"\\", wwn=0x5000C500_44440001, bytes=GIB),
        Disk(serial="[/bold]\x1b[2J\nx", wwn=0x5000C500_44440002, bytes=GIB, product="A\x1b]0;x\x07B\n[/]"),
        Disk(serial="../../sda", bytes=GIB, product="<b>&\"quote'"),
        Disk(serial="00000000", bytes=GIB),
        Disk(serial="none", bytes=GIB, product="-rf /"),
    ]
    with Machine(disks=disks) as vm:
        install(vm)
        first = "/dev/disk/by-id/wwn-0x5000c50044440001"
        vm.check(["mkfs.ext4", "-q", "-L", "\x1b[31m\n[/x]$()", first])
        vm.check("udevadm trigger --settle --subsystem-match=block")
        record(vm, "hostile")


def keep_ends(vm: Machine, serial: str) -> None:
    """Both ends of a disk as the tools left them, for the tests of signatures; random key material is cut off."""
    vm.check("sync")
    backing = vm.backing(serial)
    head, tail = backing.read(0, SPAN), backing.read(backing.bytes - SPAN, SPAN)
    if serial == "LUKS":
        head = head[:32768] + bytes(SPAN - 32768)
    ENDS.mkdir(parents=True, exist_ok=True)
    (ENDS / f"{serial}.gz").write_bytes(gzip.compress(head + tail, mtime=0))


def luks(vm: Machine, path: str) -> None:
    """An encrypted volume in the lab, with a quick key derivation."""
    vm.check(f"echo secret | cryptsetup luksFormat -q --pbkdf pbkdf2 --pbkdf-force-iterations 1000 {path}")


def stop_all(vm: Machine) -> None:
    """Stops the arrays that udev assembled again, until none is left."""
    vm.check("for try in 1 2 3; do mdadm --stop --scan; udevadm settle; done; ! grep -q ^md /proc/mdstat")


def create(vm: Machine, device: str, members: Sequence[str], *options: str) -> None:
    """An array in the lab; its member disks are the lab's own."""
    vm.check(["mdadm", "--create", device, "--run", "--quiet", f"-n{len(members)}", *options, *members])


SCENES: dict[str, Callable[[], None]] = {
    scene.__name__: scene for scene in (sixty, stack, leftovers, held, multipath, hostile)
}

if __name__ == "__main__":
    for name in sys.argv[1:] or SCENES:
        SCENES[name]()
