"""Disks without md on real devices: an LVM stripe over LUNs of a stated geometry, and a file system on one disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.values.units import MIB
from tests.lab import guest_watch
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.quick import QuickMachine
from tests.lab.test_build import _confirmed, _planned, _taken_back, _why
from tests.lab.test_script import END, _inventory, _skip_initramfs

pytestmark = pytest.mark.lab

BYSTANDER = ["BY0001"]


@pytest.fixture(scope="module")
def plain(lab_image: Image) -> Iterator[QuickMachine]:
    """Four disks, and one that belongs to somebody."""
    disks = [*lab_disks(4, bytes=1024 * MIB), *lab_disks(1, prefix="BY", bytes=256 * MIB)]
    with QuickMachine(disks, using=lab_image, sync_limit_kib=None) as vm:
        install(vm, Path(guest_watch.__file__), app=True)
        (theirs,) = vm.disk_paths(BYSTANDER).values()
        vm.check(f"mkfs.ext4 -q {theirs} && mount {theirs} /mnt && cp -r /etc /mnt && umount /mnt; sync")
        _skip_initramfs(vm)
        yield vm


@pytest.mark.long
def test_a_stripe_over_luns_is_built_and_taken_back(plain: QuickMachine) -> None:
    """The full stripe of 3 x 4+2 drives with 64 KiB chunks is what LVM and XFS have; a foreign disk keeps its bytes."""
    vm = plain
    others = vm.hash_disks(BYSTANDER)
    plan = _planned(vm, "3x disk", ["LAB0001", "LAB0002", "LAB0003"], "--lun 4+2,64K")
    built = _confirmed(vm, "build /root/plan/plan.json", plan)
    assert built.exit == 0, _why(vm, built)
    assert "FINISHED: every step is done and verified" in built.stdout
    lvs = "lvs --noheadings --nosuffix --units=k --options=stripes,stripe_size,vg_extent_size --separator=, data/data"
    assert vm.check(lvs).stdout.strip() == "3,64.00,1024.00"
    starts = vm.check("pvs --noheadings --nosuffix --units=k --options=pe_start --select vg_name=data").stdout.split()
    assert starts == ["1024.00"] * 3
    shown = vm.check("xfs_info /srv/data").stdout
    assert "sunit=16" in shown and "swidth=192 blks" in shown
    assert vm.check("ls /dev/md; cat /proc/mdstat").stdout.count("active") == 0
    vm.check("echo still here > /srv/data/marker; sync")

    alone = _confirmed(vm, f"undo {plan.run_id[:8]}", plan)
    assert (alone.exit, "/srv/data, xfs, 1 file, " in alone.stdout) == (1, True), alone
    assert vm.check(["cat", "/srv/data/marker"]).stdout == "still here\n"
    _taken_back(vm, plan, "--lose-files 1")
    assert vm.hash_disks(BYSTANDER) == others


@pytest.mark.long
def test_a_file_system_on_one_disk_is_built_and_taken_back_by_the_scripts(plain: QuickMachine) -> None:
    vm = plain
    others = vm.hash_disks(BYSTANDER)
    plan = _planned(vm, "disk", ["LAB0004"], "--fs ext4")
    built = vm.run(f"bash /root/plan/build.sh {plan.digest[-8:]}", timeout=600)
    assert built.exit == 0, built
    (disk,) = plan.disks
    assert vm.check(["findmnt", "-no", "SOURCE,FSTYPE,UUID", "/srv/data"]).stdout.split() == [
        vm.check(["readlink", "-f", disk.path]).stdout.strip(), "ext4", plan.filesystems[0].uuid,
    ]  # fmt: skip
    made = plan.prediction.filesystem
    assert made is not None
    assert vm.check("df --block-size=1 --output=size /srv/data").stdout.split()[1] == str(made.total_bytes)
    vm.check("echo still here > /srv/data/marker; sync")

    tail = plan.digest[-8:]
    alone = vm.run(f"bash /root/plan/undo.sh undo-{tail}", timeout=600)
    assert (alone.exit, f" undo.sh undo-{tail} lose-1-files" in alone.stdout.replace("/root/plan/", "")) == (1, True)
    undone = vm.run(f"bash /root/plan/undo.sh undo-{tail} lose-1-files", timeout=600)
    assert undone.exit == 0, undone
    vm.check("sync; udevadm settle")
    assert vm.run("grep -r raidtui /etc/fstab").exit == 1
    (seen,) = [each for each in _inventory(vm).disks if each.id == disk.id]
    assert seen.unsigned
    backing = vm.backing("LAB0004")
    assert backing.is_blank(0, END) and backing.is_blank(disk.size_bytes - END)
    assert vm.hash_disks(BYSTANDER) == others
