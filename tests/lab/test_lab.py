"""The harness itself: what it shows the guest, what survives what, and that it cleans up."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.lab.agent import GuestCommandError
from tests.lab.disk import Backing, Disk, Fault, lab_disks
from tests.lab.host import LabError
from tests.lab.image import Image
from tests.lab.vm import Machine

pytestmark = pytest.mark.lab

TWO_TB = 2_000_398_934_016


@pytest.fixture(scope="module")
def small(lab_image: Image) -> Iterator[Machine]:
    """A machine with one disk of each kind, for the tests that leave no traces."""
    disks = [
        Disk("E512", wwn=0x5000C500_00000001, physical_block=4096),
        Disk("NATIVE4K", wwn=0x5000C500_00000002, logical_block=4096, rotation=1),
        Disk("P512", wwn=0x5000C500_00000003, physical_block=512, rotation=5400, controller=1),
        Disk("FLASH1", kind="nvme", physical_block=512),
        Disk("PAIR", wwn=0x5000C500_00000005, paths=2),
        Disk("SLOW", bytes=1 << 30, bps=4 << 20),
        Disk("FAULTY", bytes=1 << 30, faults=(Fault("write", sector=8), Fault("read", sector=800))),
        Disk("LATER", bytes=1 << 30, unplugged=True),
    ]
    with Machine(disks, using=lab_image) as vm:
        yield vm


@pytest.mark.long
def test_sixty_disks_are_what_they_were_asked_to_be(lab_image: Image) -> None:
    disks = lab_disks(60, controllers=4)
    with Machine(disks, using=lab_image) as vm:
        columns = "NAME,SERIAL,WWN,ROTA,SIZE,VENDOR,MODEL,LOG-SEC,PHY-SEC"
        shown = vm.check(["lsblk", "-dbJo", columns]).json()["blockdevices"]
        found = {disk["serial"]: disk for disk in shown if disk["serial"] in vm.serials}
        assert len(found) == 60
        for disk in disks:
            assert disk.wwn is not None
            seen = found[disk.serial]
            assert (seen["wwn"], seen["size"], seen["rota"]) == (f"0x{disk.wwn:016x}", TWO_TB, True)
            assert (seen["log-sec"], seen["phy-sec"]) == (512, 4096)
            assert (seen["vendor"].strip(), seen["model"]) == ("RAIDTUI", "RAIDTUI-LAB")
        paths = vm.disk_paths()
        assert len(set(paths.values())) == 60
        assert all(path.startswith("/dev/disk/by-id/wwn-0x") for path in paths.values())
        assert vm.host_bytes < 1 << 20


def test_kinds_of_disk(small: Machine) -> None:
    shown = small.check(["lsblk", "-dbJo", "SERIAL,ROTA,LOG-SEC,PHY-SEC,TRAN,MODEL,HCTL"]).json()["blockdevices"]
    seen = {disk["serial"]: disk for disk in shown}
    assert {s: (seen[s]["log-sec"], seen[s]["phy-sec"]) for s in ("E512", "NATIVE4K", "P512", "FLASH1")} == {
        "E512": (512, 4096),
        "NATIVE4K": (4096, 4096),
        "P512": (512, 512),
        "FLASH1": (512, 512),
    }
    assert {s: seen[s]["rota"] for s in ("E512", "NATIVE4K", "FLASH1")} == {
        "E512": True,
        "NATIVE4K": False,
        "FLASH1": False,
    }
    assert seen["FLASH1"]["tran"] == "nvme"
    assert seen["E512"]["hctl"].split(":")[0] != seen["P512"]["hctl"].split(":")[0]
    rates = {s: small.check(["smartctl", "-i", small.disk_path(s)]).stdout for s in ("E512", "P512", "NATIVE4K")}
    assert "7200 rpm" in rates["E512"]
    assert "5400 rpm" in rates["P512"]
    assert "Solid State" in rates["NATIVE4K"]


def test_two_paths_are_one_disk(small: Machine) -> None:
    names = [disk.name for disk in small.guest_disks() if disk.serial == "PAIR"]
    assert len(names) == 2
    hosts = {small.check(f"readlink -f /sys/block/{name}/device").stdout.split("/host")[1][0] for name in names}
    assert len(hosts) == 2
    small.check(f"echo through one path | dd of=/dev/{names[0]} oflag=direct conv=sync bs=4096 status=none")
    read = small.check(f"dd if=/dev/{names[1]} iflag=direct bs=4096 count=1 status=none").stdout
    assert read.startswith("through one path")


def test_a_throttled_disk_has_a_known_speed(small: Machine) -> None:
    begin = time.monotonic()
    small.check(f"dd if=/dev/urandom of={small.disk_path('SLOW')} oflag=direct bs=1M count=16 status=none")
    assert 2.5 < time.monotonic() - begin < 12


def test_an_injected_error_reaches_the_guest(small: Machine) -> None:
    bad = small.disk_path("FAULTY")
    assert small.run(f"dd if=/dev/urandom of={bad} oflag=direct bs=4096 count=2").exit == 1
    assert "Input/output error" in small.run(f"dd if={bad} of=/dev/null iflag=direct bs=1M count=1").stderr
    small.check(f"dd if={bad} of=/dev/null iflag=direct bs=1M count=1 skip=1 status=none")


def test_unplug_and_plug_are_seen(small: Machine) -> None:
    small.plug("LATER")
    path = small.disk_path("LATER")
    small.check(f"echo kept | dd of={path} oflag=direct conv=sync bs=4096 status=none")
    small.unplug("LATER")
    small.check("udevadm settle")
    assert "LATER" not in {disk.serial for disk in small.guest_disks()}
    assert small.run(["test", "-e", path]).exit == 1
    small.plug("LATER")
    assert small.check(f"head -c4 {small.disk_path('LATER')}").stdout == "kept"
    small.unplug("FLASH1")
    assert "FLASH1" not in {disk.serial for disk in small.guest_disks()}
    small.plug("FLASH1")
    assert small.disk_path("FLASH1").startswith("/dev/disk/by-id/nvme-")


def test_only_its_own_disks_are_named(small: Machine) -> None:
    with pytest.raises(LabError, match="no disk of this machine"):
        small.disk_path("lab-root")
    truth = small._disks["E512"]
    small._disks["E512"] = replace(truth, product="ANOTHER")
    try:
        with pytest.raises(LabError, match="not proven"):
            small.disk_path("E512")
    finally:
        small._disks["E512"] = truth


def test_commands_and_files(small: Machine, tmp_path: Path) -> None:
    assert small.run("cat; echo two >&2; exit 3", stdin="one").exit == 3
    both = small.run(["cat"], stdin=b"\0\xff")
    assert both.raw_stdout == b"\0\xff"
    with pytest.raises(GuestCommandError, match="no such array"):
        small.check("echo no such array >&2; false")
    slow = small.start_command("sleep 300", timeout=1)
    assert small.check("echo meanwhile").stdout == "meanwhile\n"
    assert slow.wait().timed_out
    small.put("/root/x.sh", b"#!/bin/sh\necho ran\n", mode=0o755)
    assert small.check(["/root/x.sh"]).stdout == "ran\n"
    big = os.urandom(3 << 20)
    small.put("/root/big", big)
    assert small.get("/root/big") == big
    with pytest.raises(LabError, match="No such file"):
        small.get("/root/none")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "f").write_text("shared")
    small.share(tmp_path, "/mnt/src")
    assert small.check("cat /mnt/src/d/f").stdout == "shared"
    assert small.run("touch /mnt/src/new").exit == 1


def test_the_guest_is_sane(small: Machine) -> None:
    assert abs(float(small.check("date +%s.%N").stdout) - time.time()) < 10
    assert small.check("systemctl --failed --no-legend").stdout == ""
    assert small.check("cat /proc/sys/dev/raid/speed_limit_max").stdout == "4096\n"


def test_two_machines_draw_different_random_numbers(small: Machine, lab_image: Image) -> None:
    ours = small.check("cat /proc/sys/kernel/random/uuid").stdout
    with Machine(using=lab_image) as other:
        assert other.check("cat /proc/sys/kernel/random/uuid").stdout != ours


@pytest.mark.long
def test_arrays_files_and_bystanders_through_reboot_and_power_cut(lab_image: Image) -> None:
    disks = [*lab_disks(6, controllers=2), Disk("BYSTANDER", wwn=0x5000C500_00000099), Disk("BLANK")]
    with Machine(disks, using=lab_image) as vm:
        bystander = vm.disk_path("BYSTANDER")
        vm.check(f"mkfs.ext4 -q -E nodiscard,lazy_itable_init=1 {bystander} 1G && udevadm settle")
        before = vm.hash_disks(["BYSTANDER", "BLANK"])
        members = " ".join(vm.disk_paths(vm.serials[:6]).values())
        vm.check(f"mdadm --create /dev/md/a --level=6 -n6 -c256 --assume-clean --bitmap=none --run {members}")
        vm.check(
            "mkfs.xfs -q -K -L lab /dev/md/a && mkdir /data && mount /dev/md/a /data && echo kept > /data/f && sync"
        )
        vm.check("mdadm --detail --scan >> /etc/mdadm/mdadm.conf && umount /data")
        hook = "mkdir -p conf/conf.d && echo 'echo our-own-initramfs > /dev/kmsg' > conf/conf.d/lab"
        vm.check(f"mkdir /tmp/x && cd /tmp/x && {hook} && find conf | cpio -o -H newc | gzip >> /boot/initrd.img")
        vm.reboot(permute=1)  # its initramfs knows no name for the array: it is md127, so go by the label
        vm.check("dmesg | grep our-own-initramfs")
        vm.check("mount LABEL=lab /data && grep kept /data/f && grep md/a /etc/mdadm/mdadm.conf")
        vm.check("echo more > /data/g && sync")
        vm.power_cut()
        assert vm.hash_disks(["BYSTANDER", "BLANK"]) == before
        vm.start(permute=2)
        vm.check("mount LABEL=lab /data && cat /data/f /data/g")
        assert vm.hash_disks(["BYSTANDER", "BLANK"]) == before
        assert vm.backing("BLANK").is_blank()
        assert vm.backing("BLANK").allocated_bytes == 0
        assert not vm.backing("BYSTANDER").is_blank()
        assert not vm.backing("LAB0001").is_blank(0, 1 << 20)
        work = vm._work
    assert vm.closed
    assert not work.exists()


def test_a_power_cut_machine_is_off(lab_image: Image) -> None:
    with Machine(using=lab_image) as vm:
        vm.power_cut()
        with pytest.raises(LabError, match="off"):
            vm.run("true")


def test_a_dead_guest_is_told_with_its_console(lab_image: Image) -> None:
    with pytest.raises(LabError, match=r"sysrq|Kernel panic|ended with"), Machine(using=lab_image) as vm:
        vm.run("echo c > /proc/sysrq-trigger")


def test_content_is_seen_wherever_it_lies(tmp_path: Path) -> None:
    backing = Backing(tmp_path / "disk", Disk("DATA"))
    blank = backing.content_digest()
    assert backing.is_blank()
    with backing.path.open("r+b") as file:
        file.seek(TWO_TB - 1)
        file.write(b"x")
    assert backing.content_digest() != blank
    assert not backing.is_blank()
    assert backing.is_blank(0, TWO_TB - 1)
    with backing.path.open("r+b") as file:
        file.seek(TWO_TB - 1)
        file.write(b"\0")
    assert backing.allocated_bytes > 0
    assert backing.content_digest() == blank
    copy = Backing(tmp_path / "copy", Disk("COPY", content=backing.path))
    assert copy.content_digest() == blank
