"""What stands on real arrays before an undo: files, a second volume, a foreign disk and group, a mount namespace."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from raidtui.values.codec import from_json
from raidtui.values.plan import Plan
from raidtui.values.units import MIB
from tests.lab.agent import Result
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.test_script import _skip_initramfs
from tests.lab.vm import Machine

pytestmark = [pytest.mark.lab, pytest.mark.long]


@pytest.fixture(scope="module")
def small(lab_image: Image) -> Iterator[Machine]:
    """Six disks that sync in half a minute, one that is somebody's."""
    disks = [*lab_disks(6, bytes=256 * MIB, controllers=2), *lab_disks(1, prefix="BY", bytes=256 * MIB)]
    with Machine(disks, using=lab_image, sync_limit_kib=None) as vm:
        install(vm)
        _skip_initramfs(vm)
        yield vm


def test_files_are_given_up_by_their_count_and_a_second_volume_refuses(small: Machine) -> None:
    vm = small
    plan = _built(vm, "2x(2+1)", 6)
    folder = f"/var/lib/raidtui/{plan.run_id}"
    vm.check("cd /srv/data && mkdir letters && for n in $(seq 199); do echo $n > letters/$n; done; sync")
    kept = "cat /srv/data/letters/* | sha256sum; vgs --noheadings -o lv_count data"
    before = vm.check(kept).stdout

    alone = _refused(vm, plan, "", "the page above shows 200 files")
    assert "/srv/data, xfs, 200 files, " in alone.stdout and " used: letters" in alone.stdout
    assert "a second phrase gives it up: lose 200 files" in alone.stdout
    _refused(vm, plan, "--lose-files 199", "--lose-files 199")
    direct = vm.run(f"raidtui execute {folder} undo", timeout=300)
    assert (direct.exit, "holds 200 files now" in direct.stderr) == (1, True), direct

    theirs = vm.disk_path("BY0001")
    vm.check(f"vgextend -q -y data {theirs} && lvcreate -q -y -n second -l 4 data {theirs}")
    both = _refused(vm, plan, "--lose-files 200", "the logical volume data/second, which does not belong to the plan")
    node = vm.check(["readlink", "-f", theirs]).stdout.strip()
    assert f"a physical volume does not belong to the plan or to its volume group: {node}" in both.stdout
    vm.check(f"lvremove -q -y data/second && vgreduce -q data {theirs} && pvremove -q {theirs}")

    vm.check("systemd-run --unit=elsewhere unshare --mount --propagation=private sleep 1000; sleep 2")
    _refused(vm, plan, "--lose-files 200", "is mounted in another mount namespace: process ")
    vm.check("systemctl stop elsewhere; losetup /dev/loop0 /dev/md/data-1")
    _refused(vm, plan, "--lose-files 200", "is used by a loop device: loop0 on ")
    vm.check("losetup --detach /dev/loop0; truncate -s 32M /srv/data/image; losetup /dev/loop0 /srv/data/image")
    _refused(vm, plan, "--lose-files 201", "/srv/data is used by a loop device: loop0 on /srv/data/image")
    vm.check(
        "losetup --detach /dev/loop0; rm /srv/data/image; mkdir -p /mnt/two; mount --bind /srv/data/letters /mnt/two"
    )
    _refused(vm, plan, "--lose-files 200", "mounted at /mnt/two (its directory /letters)")
    vm.check("umount /mnt/two; umount /srv/data")
    closed = _refused(vm, plan, "--lose-files 199", "the page above shows 200 files")
    assert "not mounted; 200 files by its superblock" in closed.stdout
    vm.check("mount /srv/data")
    assert vm.check(kept).stdout == before
    undone = _undo(vm, plan, "--lose-files 200")
    assert undone.exit == 0, f"{undone.stdout[-3000:]}\n{undone.stderr}"
    assert vm.check(["stat", "--format=%a", f"{folder}/given-up.json"]).stdout == "600\n"


def test_a_dirty_log_is_counted_as_at_least(small: Machine) -> None:
    vm = small
    plan = _built(vm, "2x(2+1)", 6)
    vm.check("cd /srv/data && for n in $(seq 50); do echo $n > $n; done; sync; mkdir last")
    vm.check(
        'python3 -c \'import fcntl, os; fd = os.open("/srv/data", 0); fcntl.ioctl(fd, 0x8004587d, b"\\1\\0\\0\\0")\''
    )
    vm.check("umount /srv/data")
    shut = _refused(vm, plan, "", " files")
    assert "/dev/data/data, xfs, not mounted; at least " in shut.stdout
    vm.check("mount /srv/data")
    assert _undo(vm, plan, f"--lose-files {vm.check('find /srv/data -mindepth 1 | wc -l').stdout.strip()}").exit == 0


def test_ext4_is_counted_mounted_and_not(small: Machine) -> None:
    vm = small
    plan = _built(vm, "(2+1)", 3, "--fs ext4")
    fresh = vm.run(f"raidtui undo {plan.run_id[:8]}", timeout=300)
    assert "/srv/data, ext4, 0 files, " in fresh.stdout, fresh
    vm.check("touch /srv/data/one /srv/data/two; umount /srv/data")
    shut = _refused(vm, plan, "", "the page above shows 2 files")
    assert "/dev/md/data, ext4, not mounted; 2 files by its superblock" in shut.stdout
    assert _undo(vm, plan, "--lose-files 2").exit == 0


def test_a_group_of_somebody_on_an_array_without_a_file_system(small: Machine) -> None:
    vm = small
    plan = _built(vm, "(2+1)", 3, "--fs none")
    assert "nothing found: no signature, zeros at" in vm.run(f"raidtui undo {plan.run_id[:8]}").stdout
    vm.check("pvcreate -q /dev/md/data && vgcreate -q tank /dev/md/data && lvcreate -q -y -n theirs -l 4 tank")
    vm.check("echo precious > /dev/tank/theirs; sync; vgchange -q -an tank")
    _refused(vm, plan, "", "/dev/md/data holds the volume group tank, which does not belong to the plan")
    vm.check("vgchange -q -ay tank && head -c 8 /dev/tank/theirs | grep precious && vgremove -q -y tank")
    vm.check("pvremove -q /dev/md/data")
    _refused(vm, plan, "", "/dev/md/data holds data of an unknown kind")
    vm.check("blkdiscard --zeroout --length=1048576 /dev/md/data; mkswap /dev/md/data; swapon /dev/md/data")
    _refused(vm, plan, "", "in use as swap at /dev/md")
    vm.check("swapoff /dev/md/data; wipefs -q --all /dev/md/data; blkdiscard --zeroout --length=1048576 /dev/md/data")
    vm.check("echo 'label: gpt\nsize=64M' | sfdisk -q /dev/md/data; udevadm settle")
    parts = _refused(vm, plan, "", "/dev/md/data carries a partition or a partition table")
    assert "p1" in parts.stdout
    vm.check("wipefs -q --all /dev/md/data; udevadm settle; blkdiscard --zeroout --length=1048576 /dev/md/data")
    undone = _undo(vm, plan)
    assert undone.exit == 0, f"{undone.stdout[-3000:]}\n{undone.stderr}"


def _built(vm: Machine, layout: str, disks: int, more: str = "") -> Plan:
    only = " ".join(f"--only LAB{number:04d}" for number in range(1, disks + 1))
    vm.check(f"rm -rf /root/plan; raidtui plan '{layout}' --chunk 64K {only} {more} --out /root/plan", timeout=300)
    plan = from_json(Plan, vm.get("/root/plan/plan.json"), source="the guest")
    built = vm.run(f"raidtui build /root/plan/plan.json --yes --confirm {plan.digest}", timeout=900)
    assert built.exit == 0, f"{built.stdout[-3000:]}\n{built.stderr}"
    return plan


def _undo(vm: Machine, plan: Plan, more: str = "") -> Result:
    return vm.run(f"raidtui undo {plan.run_id[:8]} --yes --confirm {plan.digest} {more}", timeout=900)


def _refused(vm: Machine, plan: Plan, more: str, words: str) -> Result:
    """The undo ends with 1 before any command of it; page and refusal have `words`."""
    journal = f"/var/lib/raidtui/{plan.run_id}/journal"
    before = vm.check(["sha256sum", journal]).stdout
    ended = _undo(vm, plan, more)
    assert (ended.exit, words in ended.stdout + ended.stderr) == (1, True), ended
    assert vm.check(["sha256sum", journal]).stdout == before
    return ended
