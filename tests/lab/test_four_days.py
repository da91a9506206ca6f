"""Four days of an admin in a whole Debian, with raidtui and by hand: each day every file reads back.

Two mirrors with shared spares are built. A year later the arrays are checked and audited. A disk fails, its spare takes
over, and a new disk becomes the spare. A shelf joins the volume. After a reboot nothing is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from raidtui.values.units import MIB
from tests.lab.agent import Result
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.vm import Machine

pytestmark = [pytest.mark.lab, pytest.mark.long]

BYSTANDERS = ["BY0001", "BY0002"]
SHELF = ["SHELF0001", "SHELF0002", "SHELF0003"]
BY_HAND = (
    (
        "lsblk -o NAME,SIZE,SERIAL,FSTYPE,MOUNTPOINTS",
        "wipefs --no-act {LAB0001} {LAB0002} {LAB0003} {LAB0004} {LAB0005} {LAB0006}",
        "mdadm --create /dev/md/data-0 -l1 -n2 -x1 --bitmap=internal {LAB0001} {LAB0002} {LAB0005}",
        "mdadm --create /dev/md/data-1 -l1 -n2 -x1 --bitmap=internal {LAB0003} {LAB0004} {LAB0006}",
        "cat /proc/mdstat",
        "mdadm --wait /dev/md/data-0 /dev/md/data-1",
        "pvcreate /dev/md/data-0 /dev/md/data-1",
        "vgcreate data /dev/md/data-0 /dev/md/data-1",
        "lvcreate --yes --stripes=2 --stripesize=64k --extents=100%FREE --name=data data",
        "mkfs.xfs -d su=64k,sw=2 /dev/data/data",
        "mkdir -p /srv/data",
        "echo '/dev/data/data /srv/data xfs noatime,nofail 0 0' >> /etc/fstab",
        "systemctl daemon-reload",
        "mount /srv/data",
        "mdadm --detail --brief /dev/md/data-0 /dev/md/data-1 >> /etc/mdadm/mdadm.conf",
        "sed -i 's/^ARRAY.*/& spare-group=data/; s/^MAILADDR.*/MAILADDR a@example.org/' /etc/mdadm/mdadm.conf",
        "update-initramfs -u",
        "systemctl restart mdmonitor",
        "mdadm --monitor --scan --oneshot --test",
    ),
    (
        "cat /proc/mdstat",
        "cat /sys/block/md*/md/mismatch_cnt",
        "mdadm --detail /dev/md/data-0 /dev/md/data-1",
        "mdadm --detail --scan",
        "cat /etc/mdadm/mdadm.conf",
        "lsinitramfs /boot/initrd.img-$(uname -r) | grep mdadm.conf",
        "systemctl is-active mdmonitor",
        "xfs_info /srv/data",
        "lvs -o name,stripes,stripe_size,devices",
        "for disk in /dev/sd?; do smartctl -H -l scterc $disk; done; true",
        "grep . /sys/block/sd*/device/timeout",
    ),
    (
        "cat /proc/mdstat",
        "mdadm --detail /dev/md/data-0",
        "lsblk -o NAME,SIZE,SERIAL,FSTYPE",
        "wipefs --no-act {NEW0001}",
        "mdadm /dev/md/data-0 --add-spare {NEW0001}",
        "mdadm --detail /dev/md/data-0",
    ),
    (
        "lsblk -o NAME,SIZE,SERIAL,FSTYPE,MOUNTPOINTS",
        "wipefs --no-act {SHELF0001} {SHELF0002} {SHELF0003}",
        "mdadm --create /dev/md/shelf -l1 -n2 -x1 --bitmap=internal {SHELF0001} {SHELF0002} {SHELF0003}",
        "mdadm --wait /dev/md/shelf",
        "pvcreate /dev/md/shelf",
        "vgextend data /dev/md/shelf",
        "lvextend --stripes=1 --extents=+100%FREE data/data /dev/md/shelf",
        "xfs_growfs /srv/data",
        "df /srv/data",
        "mdadm --detail --brief /dev/md/shelf >> /etc/mdadm/mdadm.conf",
        "update-initramfs -u",
        "systemctl restart mdmonitor",
        "mdadm --monitor --scan --oneshot --test",
    ),
    ("cat /proc/mdstat", "findmnt /srv/data", "systemctl is-active mdmonitor"),
)
"""The same days without raidtui, as an admin types them who forgets nothing that an audit finds."""


@pytest.fixture
def server(lab_image: Image) -> Iterator[Machine]:
    disks = [
        *lab_disks(6, bytes=288 * MIB, controllers=2),
        *lab_disks(1, prefix="NEW", bytes=288 * MIB, unplugged=True),
        *lab_disks(3, prefix="SHELF", bytes=288 * MIB, unplugged=True),
        *lab_disks(2, prefix="BY", bytes=256 * MIB),
    ]
    with Machine(disks, using=lab_image, sync_limit_kib=None) as vm:
        install(vm)
        ext4, volume = vm.disk_paths(BYSTANDERS).values()
        vm.check(f"mkfs.ext4 -q {ext4} && mount {ext4} /mnt && cp -r /etc /mnt && umount /mnt")
        vm.check(f"pvcreate -q {volume} && vgcreate -q theirs {volume}; udevadm settle; sync")
        vm.put("/usr/sbin/sendmail", b"#!/bin/sh\ncat >> /run/mails\n", 0o755)
        yield vm


def test_with_raidtui(server: Machine) -> None:
    admin = Admin(server)
    _lived(server, [admin.builds_two_mirrors, admin.audits, admin.adds_a_spare, admin.adds_a_shelf, admin.looks])
    assert admin.typed == [4, 1, 4, 5, 1]


def test_by_hand(server: Machine) -> None:
    _lived(server, [lambda day=day: _typed(server, day) for day in BY_HAND])  # type: ignore[misc]
    assert [len(day) for day in BY_HAND] == [19, 11, 6, 13, 3]
    _nothing_wrong(server.run("raidtui audit --json", timeout=300))


def _lived(vm: Machine, acts: list[Callable[[], None]]) -> None:
    """What happens before each day, what the admin does then, and what must be true at its end."""
    others = vm.hash_disks(BYSTANDERS)
    size = 0
    for day, act in enumerate(acts, start=1):
        _happens(vm, day)
        if day > 1:
            vm.check("echo 3 > /proc/sys/vm/drop_caches; sha256sum --check --quiet /root/sums", timeout=300)
        act()
        vm.check(
            f"dd if=/dev/urandom of=/srv/data/f{day} bs=1M count=48 conv=fsync status=none && "
            f"sha256sum /srv/data/f{day} >> /root/sums && sync",
            timeout=300,
        )
        before, size = size, int(vm.check("blockdev --getsize64 /dev/data/data").stdout)
        assert size > before + 100 * MIB if day in (1, 4) else size == before
        assert "Spare Devices : 1" in vm.check("mdadm --detail /dev/md/data-0").stdout
    vm.check("echo 3 > /proc/sys/vm/drop_caches; sha256sum --check --quiet /root/sums", timeout=300)
    assert vm.hash_disks(BYSTANDERS) == others


def _happens(vm: Machine, day: int) -> None:
    """The second day: the distribution checks the arrays. Then a disk is pulled, a shelf comes, the machine boots."""
    match day:
        case 2:
            vm.check(
                "for array in /sys/block/md*/md; do echo check > $array/sync_action; done; sleep 1; "
                "mdadm --wait /dev/md/data-0 /dev/md/data-1; true",
                timeout=300,
            )
        case 3:
            member = "mdadm --detail /dev/md/data-0 | awk '/active sync/ { print $NF; exit }'"
            vm.unplug(vm.check(f"lsblk -ndo SERIAL $({member})").stdout.strip())
            mailed = "grep -q '^Subject: Fail event' /run/mails"
            vm.check(f"for second in $(seq 120); do {mailed} && break; sleep 1; done; {mailed}", timeout=300)
            vm.check("mdadm --wait /dev/md/data-0; sleep 1; grep -qx 0 /sys/block/md*/md/degraded", timeout=300)
            vm.plug("NEW0001")
        case 4:
            for serial in SHELF:
                vm.plug(serial)
        case 5:
            vm.reboot(permute=3)
            vm.check(
                "for second in $(seq 120); do findmnt /srv/data && break; sleep 1; done; udevadm settle", timeout=240
            )
        case _:
            pass


def _typed(vm: Machine, lines: tuple[str, ...]) -> None:
    """Each line by hand; where a program asks, the answer is yes."""
    path = vm.disk_paths(vm.serials)
    for line in lines:
        vm.check(line.format(**path), stdin="y\n", timeout=600)


def _nothing_wrong(audit: Result) -> None:
    """Exit code 0: only notes, if anything."""
    found = json.loads(audit.stdout)["findings"]
    assert [(each["rule"], each["severity"]) for each in found if each["severity"] != "note"] == []
    assert audit.exit == 0


class Admin:
    """Types commands of raidtui, counted by day."""

    def __init__(self, vm: Machine) -> None:
        self.vm, self.typed = vm, list[int]()

    def builds_two_mirrors(self) -> None:
        """The first day."""
        self.typed.append(0)
        only = " ".join(f"--only LAB{number:04d}" for number in range(1, 7))
        self._types(f"propose {only}")
        self._builds("/root/plan", f"'2x raid1(2)+2' --mail a@example.org {only}")
        _nothing_wrong(self._types("audit --json | tee /root/known.json"))

    def audits(self) -> None:
        """As a timer does."""
        self.typed.append(0)
        self._types("audit --baseline /root/known.json --metrics /run/raid.prom")
        assert self.vm.check("grep -c '^raidtui_array_state.*clean.* 1$' /run/raid.prom").stdout == "2\n"

    def adds_a_spare(self) -> None:
        """In the place of the one that took over."""
        self.typed.append(0)
        self._types("arrays")
        assert "Add the disk as a spare" in self._begins(f"extend {self._kernel('data-0')} spare NEW0001")
        _nothing_wrong(self._types("audit --json"))

    def adds_a_shelf(self) -> None:
        """A third mirror for the volume."""
        self.typed.append(0)
        only = " ".join(f"--only {serial}" for serial in SHELF)
        self._builds("/root/shelf", f"'raid1(2)+1' --stack separate --fs none --name shelf {only}")
        words = f"extend {self._kernel('data-0')} shelf {self._kernel('shelf')}"
        after = json.loads(self.vm.check(f"raidtui {words} --json", timeout=300).stdout)["after"]
        self._begins(words)
        assert int(self.vm.check("blockdev --getsize64 /dev/data/data").stdout) == after["volume_bytes"]
        _nothing_wrong(self._types("audit --json"))

    def looks(self) -> None:
        """After the reboot."""
        self.typed.append(0)
        _nothing_wrong(self._types("audit --json"))

    def _types(self, words: str) -> Result:
        self.typed[-1] += 1
        return self.vm.check(f"set -o pipefail; raidtui {words}", timeout=900)

    def _builds(self, plan: str, words: str) -> None:
        self._types(f"plan {words} --out {plan}")
        digest = json.loads(self.vm.get(f"{plan}/plan.json"))["digest"]
        self._types(f"build {plan}/plan.json --wait-for-sync --yes --confirm {digest}")

    def _begins(self, words: str) -> str:
        """What is shown first, then the same with --begin; a person types a phrase where the test has the digest."""
        digest = json.loads(self.vm.check(f"raidtui {words} --json", timeout=300).stdout)["digest"]
        self._types(words)
        return self._types(f"{words} --begin --yes --confirm {digest}").stderr

    def _kernel(self, name: str) -> str:
        return self.vm.check(f"basename $(readlink -f /dev/md/{name})").stdout.strip()
