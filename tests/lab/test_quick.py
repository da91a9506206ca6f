"""The quick machine itself: its disks and their names, what goes over its line, what survives what, and its end."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.lab.disk import Disk, lab_disks
from tests.lab.host import LabError
from tests.lab.image import Image
from tests.lab.quick import QuickMachine
from tests.lab.uml import watchdog

pytestmark = pytest.mark.lab

TWO_TB = 2_000_398_934_016


@pytest.fixture(scope="module")
def small(lab_image: Image) -> Iterator[QuickMachine]:
    """Three disks and one that comes later."""
    disks = [
        *lab_disks(1),
        Disk("NATIVE4K", wwn=0x5000C500_00000002, logical_block=4096, rotation=1),
        Disk("NAMELESS", bytes=1 << 30),
        Disk("LATER", bytes=1 << 30, unplugged=True),
    ]
    with QuickMachine(disks, using=lab_image) as vm:
        yield vm


def test_disks_are_what_they_were_asked_to_be(small: QuickMachine) -> None:
    shown = small.check(["lsblk", "-dbJo", "SERIAL,WWN,ROTA,SIZE,MODEL,LOG-SEC"]).json()["blockdevices"]
    assert {disk["serial"]: disk for disk in shown if disk["serial"] in small.serials} == {
        "LAB0001": {
            "serial": "LAB0001", "wwn": "0x5000c5004c410001", "rota": True, "size": TWO_TB, "model": "RAIDTUI-LAB",
            "log-sec": 512,
        },
        "NATIVE4K": {
            "serial": "NATIVE4K", "wwn": "0x5000c50000000002", "rota": False, "size": TWO_TB, "model": "RAIDTUI-LAB",
            "log-sec": 4096,
        },
        "NAMELESS": {
            "serial": "NAMELESS", "wwn": None, "rota": True, "size": 1 << 30, "model": "RAIDTUI-LAB", "log-sec": 512,
        },
    }  # fmt: skip
    assert small.disk_paths() == {
        "LAB0001": "/dev/disk/by-id/wwn-0x5000c5004c410001",
        "NATIVE4K": "/dev/disk/by-id/wwn-0x5000c50000000002",
        "NAMELESS": "/dev/disk/by-id/scsi-SRAIDTUI_RAIDTUI-LAB_NAMELESS",
    }
    path = small.disk_path("NAMELESS")
    small.check(f"echo ',1M' | sfdisk -q {path}; udevadm settle; test -b {path}-part1; wipefs -qa {path}")


def test_only_its_own_disks_are_named(small: QuickMachine) -> None:
    with pytest.raises(LabError, match="no disk of this machine"):
        small.disk_path("LATER")
    truth = small._disks["LAB0001"]
    small._disks["LAB0001"] = replace(truth, bytes=1 << 30)
    try:
        with pytest.raises(LabError, match="not proven"):
            small.disk_path("LAB0001")
    finally:
        small._disks["LAB0001"] = truth


def test_commands_and_files_of_any_size(small: QuickMachine, tmp_path: Path) -> None:
    assert small.run("cat; echo two >&2; exit 3", stdin="one").exit == 3
    slow = small.start_command("sleep 300", timeout=1)
    assert small.check("echo meanwhile").stdout == "meanwhile\n"
    assert slow.wait().timed_out
    for size in (700, 800, 4096, 5000, 3 << 20):
        data = os.urandom(size)
        small.put("/root/some", data)
        assert small.get("/root/some") == data
        assert small.check(["cat"], stdin=data).raw_stdout == data
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "f").write_text("shared")
    small.share(tmp_path, "/mnt/src")
    assert small.check("cat /mnt/src/d/f").stdout == "shared"
    assert small.run("touch /mnt/src/new").exit == 1
    assert small.check("systemctl --failed --no-legend; systemctl is-system-running").stdout == "running\n"


def test_the_host_is_out_of_the_guests_reach(small: QuickMachine, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("the host's")
    assert small.run(f"mount -t hostfs -o {tmp_path} none /mnt && cat /mnt/f").exit != 0


def test_unplug_and_plug_are_seen(small: QuickMachine) -> None:
    small.plug("LATER")
    path = small.disk_path("LATER")
    small.check(f"echo kept | dd of={path} oflag=direct conv=sync bs=4096 status=none")
    small.unplug("LATER")
    assert small.run(["test", "-e", path]).exit == 1
    assert "LATER" not in {disk.serial for disk in small.guest_disks()}
    small.plug("LATER")
    assert small.check(f"head -c4 {path}").stdout == "kept"
    small.unplug("LATER")


@pytest.mark.long
def test_arrays_files_and_bystanders_through_reboot_and_power_cut(lab_image: Image) -> None:
    disks = [*lab_disks(4), Disk("BYSTANDER", wwn=0x5000C500_00000099), Disk("BLANK")]
    with QuickMachine(disks, using=lab_image) as vm:
        bystander = vm.disk_path("BYSTANDER")
        vm.check(f"mkfs.ext4 -q -E nodiscard,lazy_itable_init=1 {bystander} 1G && udevadm settle")
        before = vm.hash_disks(["BYSTANDER", "BLANK"])
        members = " ".join(vm.disk_paths(vm.serials[:4]).values())
        vm.check(f"mdadm --create /dev/md/a --level=6 -n4 -c256 --assume-clean --bitmap=none --run {members}")
        vm.check("mkfs.ext4 -q -E nodiscard,lazy_itable_init=1 -L lab /dev/md/a 1G")
        vm.check("mkdir /data && mount /dev/md/a /data && echo kept > /data/f && sync && umount /data")
        vm.check("mdadm --detail --scan >> /etc/mdadm/mdadm.conf")
        vm.reboot(permute=1)
        vm.check("mount LABEL=lab /data && grep kept /data/f && grep md/a /etc/mdadm/mdadm.conf")
        vm.check("echo more > /data/g && sync")
        first = vm._running().process.pid
        vm.power_cut()
        with pytest.raises(ProcessLookupError):
            os.killpg(first, 0)
        with pytest.raises(LabError, match="off"):
            vm.run("true")
        assert vm.hash_disks(["BYSTANDER", "BLANK"]) == before
        vm.start(permute=2)
        vm.check("mount LABEL=lab /data && cat /data/f /data/g && umount /data && mdadm --stop /dev/md/a")
        assert vm.hash_disks(["BYSTANDER", "BLANK"]) == before
        assert vm.backing("BLANK").is_blank() and vm.backing("BLANK").allocated_bytes == 0
        assert not vm.backing("LAB0001").is_blank(0, 1 << 20)
        vm.erase_disks(vm.serials[:4])
        assert vm.check(f"wipefs {members}").stdout == ""
        work = vm._work
    assert vm.closed
    assert not work.exists()


def test_the_guest_ends_with_the_process_that_started_it() -> None:
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as guest:
        watchdog(guest.pid).communicate()
        assert guest.wait(10) == -signal.SIGKILL


@pytest.mark.long  # seldom, the crash of a user-mode kernel hangs instead
def test_a_dead_guest_is_told_with_its_console(lab_image: Image) -> None:
    with pytest.raises(LabError, match="Kernel panic"), QuickMachine(using=lab_image) as vm:
        vm.run("echo c > /proc/sysrq-trigger")
