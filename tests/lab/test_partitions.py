"""Members on partitions, on real md: built, read back, rebooted and taken back by raidtui and by the exported scripts.

What is asked of the guest is asked in other words than the plan's: sfdisk --json, lsblk and /sys in place of blkid.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.values.codec import from_json
from raidtui.values.plan import Plan
from raidtui.values.units import MIB
from tests.lab import guest_watch
from tests.lab.disk import lab_disks
from tests.lab.guest import Guest
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.quick import QuickMachine
from tests.lab.test_build import _confirmed, _why
from tests.lab.test_script import END, _skip_initramfs
from tests.lab.vm import Machine

pytestmark = pytest.mark.lab

LINUX_RAID = "A19D880F-05FC-4D3B-A006-743F0F84911E"


DISKS = [
    *lab_disks(4, bytes=384 * MIB + 77 * 512),
    *lab_disks(2, prefix="FOURK", bytes=512 * MIB, logical_block=4096),
    *lab_disks(1, prefix="BY", bytes=256 * MIB),
]
"""four with sectors of 512 bytes, two with sectors of 4096, and one of somebody"""


@pytest.fixture(scope="module")
def booting(lab_image: Image) -> Iterator[Machine]:
    """A machine that boots with its own initramfs."""
    with Machine(DISKS, using=lab_image, sync_limit_kib=None) as vm:
        _prepare(vm)
        yield vm


@pytest.fixture(scope="module")
def quick(lab_image: Image) -> Iterator[QuickMachine]:
    """A machine for the scripts."""
    with QuickMachine(DISKS, using=lab_image, sync_limit_kib=None) as vm:
        _prepare(vm)
        yield vm


def _prepare(vm: Guest) -> None:
    install(vm, Path(guest_watch.__file__), app=True)
    _skip_initramfs(vm)
    vm.check(f"mkfs.ext4 -q {vm.disk_path('BY0001')}; sync")


@pytest.mark.long
def test_built_by_raidtui_rebooted_and_taken_back(booting: Machine) -> None:
    """The first disk has a table of somebody with three partitions, which the plan erases."""
    vm = booting
    others = vm.hash_disks(["BY0001"])
    old = vm.disk_path("LAB0001")
    vm.check(
        f"printf 'label: gpt\\n,20M\\n,20M\\n,\\n' | sfdisk -q {old}; udevadm settle; mkfs.ext4 -q {old}-part2; sync"
    )
    serials = [f"LAB{number:04d}" for number in range(1, 5)]
    plan = _planned(vm, "raid5(2+1)+1 --members partitions --chunk 64K", serials)
    built = _confirmed(vm, "build /root/plan/plan.json --accept-content LAB0001", plan)
    assert built.exit == 0, _why(vm, built)
    _partitioned(vm, plan, sectors=383 * MIB // 512)
    vm.check("echo still here > /srv/data/marker; sync")

    vm.reboot(permute=3)
    vm.check("for second in $(seq 120); do findmnt /srv/data && break; sleep 1; done; udevadm settle", timeout=240)
    assert vm.check(["cat", "/srv/data/marker"]).stdout == "still here\n"
    _partitioned(vm, plan, sectors=383 * MIB // 512)
    _skip_initramfs(vm)

    stranger = vm.check(f"sfdisk --dump {plan.disks[0].path} | grep -c ' : start='").stdout
    assert stranger == "1\n"
    vm.check("umount /srv/data; mount /srv/data; rm /srv/data/marker")
    undone = _confirmed(vm, f"undo {plan.run_id[:8]}", plan)
    assert undone.exit == 0, _why(vm, undone)
    _blank(vm, plan)
    assert vm.hash_disks(["BY0001"]) == others


@pytest.mark.long
def test_the_scripts_on_disks_of_4096_byte_sectors(quick: QuickMachine) -> None:
    vm = quick
    plan = _planned(vm, "raid1(2) --partition-size 400MiB --fs ext4", ["FOURK0001", "FOURK0002"])
    built = vm.run(["bash", "/root/plan/build.sh", plan.digest[-8:]], timeout=900)
    assert built.exit == 0, f"{built.stdout[-3000:]}\n{built.stderr}"
    _partitioned(vm, plan, sectors=400 * MIB // 4096)
    undone = vm.run(["bash", "/root/plan/undo.sh", f"undo-{plan.digest[-8:]}"], timeout=900)
    assert undone.exit == 0, f"{undone.stdout[-3000:]}\n{undone.stderr}"
    _blank(vm, plan, MIB)
    assert vm.run(["bash", "/root/plan/build.sh"], timeout=300).exit == 0


@pytest.mark.long
def test_room_for_a_mirror_to_boot_from(quick: QuickMachine) -> None:
    """The commands of `raidtui help boot`, while the array runs; an undo waits until what they made is deleted."""
    vm = quick
    plan = _planned(vm, "raid1(2) --leave 100M --partition-size 300MiB --fs ext4", ["FOURK0001", "FOURK0002"])
    built = vm.run(["bash", "/root/plan/build.sh", plan.digest[-8:]], timeout=900)
    assert built.exit == 0, f"{built.stdout[-3000:]}\n{built.stderr}"
    _partitioned(vm, plan, sectors=300 * MIB // 4096, start=101 * MIB)
    paths = " ".join(disk.path for disk in plan.disks)
    new = 'start=1MiB, size=100MiB, type=raid, name="boot"'
    vm.check(
        f"for disk in {paths}; do echo '{new}' | sfdisk --append --no-reread --lock=yes $disk; partx --update $disk; "
        "done; udevadm settle"
    )
    vm.check(
        "mdadm --create /dev/md/boot --metadata=1.0 --level=1 --raid-devices=2 --bitmap=internal "
        f"{' '.join(f'{disk.path}-part2' for disk in plan.disks)} </dev/null; mkfs.ext4 -q -L boot /dev/md/boot"
    )
    for disk in plan.disks:  # firmware sees the file system at its start
        magic = vm.check(f"dd if={disk.path}-part2 bs=1 skip=1080 count=2 status=none | od -An -tx1").stdout
        assert magic.split() == ["53", "ef"]
    undo = ["bash", "/root/plan/undo.sh", f"undo-{plan.digest[-8:]}"]
    refused = vm.run(undo, timeout=900)
    assert refused.exit != 0 and "2 partitions in table" in refused.stdout + refused.stderr
    assert vm.check("findmnt /srv/data; cat /proc/mdstat").stdout.count("active raid1") == 2
    vm.check(
        f"mdadm --stop /dev/md/boot; udevadm settle; set -e; for disk in {paths}; do "
        "mdadm --zero-superblock $disk-part2; sfdisk --no-reread --delete $disk 2; "
        "partx --delete --nr 2 $disk; done; udevadm settle"
    )
    undone = vm.run(undo, timeout=900)
    assert undone.exit == 0, f"{undone.stdout[-3000:]}\n{undone.stderr}"
    _blank(vm, plan, MIB)
    kept = vm.check(f"dd if={plan.disks[0].path} bs=1 skip={MIB + 1080} count=2 status=none | od -An -tx1").stdout
    assert kept.split() == ["53", "ef"], "what was in the room stays"


def _planned(vm: Guest, words: str, serials: list[str]) -> Plan:
    only = " ".join(f"--only {serial}" for serial in serials)
    layout, _, options = words.partition(" ")
    vm.check(f"rm -rf /root/plan; raidtui plan '{layout}' {options} {only} --out /root/plan", timeout=300)
    return from_json(Plan, vm.get("/root/plan/plan.json"), source="the guest")


def _partitioned(vm: Guest, plan: Plan, *, sectors: int, start: int = MIB) -> None:
    """Each disk has one partition of `sectors` logical sectors at byte `start`, which is in the planned array."""
    for disk in plan.disks:
        assert disk.table is not None
        table = json.loads(vm.check(["sfdisk", "--json", disk.path]).stdout)["partitiontable"]
        (part,) = table["partitions"]
        assert (table["label"], table["id"].lower()) == ("gpt", disk.table.guid)
        assert part["start"] * disk.logical_sector_bytes == start
        assert (part["size"], part["type"], part["uuid"].lower(), part["name"]) == (
            sectors, LINUX_RAID, disk.table.partition_guid, disk.table.name,
        )  # fmt: skip
        node = vm.check(["readlink", "-f", f"{disk.path}-part1"]).stdout.strip().rpartition("/")[2]
        assert vm.check(f"ls /sys/class/block/{node}/holders").stdout.startswith("md")
    detail = vm.check(["mdadm", "--detail", plan.arrays[0].device]).stdout
    assert f"UUID : {plan.arrays[0].uuid}" in detail
    assert f"Working Devices : {len(plan.disks)}" in detail


def _blank(vm: Guest, plan: Plan, end: int = END) -> None:
    for disk in plan.disks:
        backing = vm.backing(disk.serial or "")
        assert backing.is_blank(0, end)
        assert backing.is_blank(disk.size_bytes - end, end)
        assert vm.check(["lsblk", "-rno", "TYPE", disk.path]).stdout == "disk\n"
        assert vm.check(["wipefs", disk.path]).stdout == ""
