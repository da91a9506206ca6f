"""Bands over disks of mixed size, on real md: built over old content, read back, rebooted and taken back.

The guest is asked in other words than the plan asks: sfdisk --json, lsblk, /sys and lvs in place of blkid.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.values.plan import Plan
from raidtui.values.units import MIB
from tests.lab import guest_watch
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.test_build import _confirmed, _why
from tests.lab.test_partitions import LINUX_RAID, _blank, _planned
from tests.lab.test_script import _skip_initramfs
from tests.lab.vm import Machine

pytestmark = [pytest.mark.lab, pytest.mark.long]

SMALL, LARGE = 384 * MIB + 77 * 512, 768 * MIB + 33 * 512
SERIALS = [*(f"LAB{number:04d}" for number in range(1, 4)), *(f"BIG{number:04d}" for number in range(1, 4))]


@pytest.fixture(scope="module")
def mixed(lab_image: Image) -> Iterator[Machine]:
    """Three small disks, three large ones, and one of somebody."""
    disks = [
        *lab_disks(3, bytes=SMALL),
        *lab_disks(3, prefix="BIG", bytes=LARGE),
        *lab_disks(1, prefix="BY", bytes=256 * MIB),
    ]
    with Machine(disks, using=lab_image, sync_limit_kib=None) as vm:
        install(vm, Path(guest_watch.__file__), app=True)
        _skip_initramfs(vm)
        vm.check(f"mkfs.ext4 -q {vm.disk_path('BY0001')}; sync")
        yield vm


def test_built_by_raidtui_over_old_content_rebooted_and_taken_back(mixed: Machine) -> None:
    """Two disks have content of somebody: a table with file systems, and a whole-disk ext4."""
    vm = mixed
    others = vm.hash_disks(["BY0001"])
    old = vm.disk_path("BIG0001")
    vm.check(
        f"printf 'label: gpt\\n,20M\\n,20M\\n,\\n' | sfdisk -q {old}; udevadm settle; mkfs.ext4 -q {old}-part3; "
        f"mkfs.ext4 -q {vm.disk_path('LAB0002')}; sync"
    )
    plan = _planned(vm, "hybrid(5)+1 --chunk 64K", SERIALS)
    assert [array.members for array in plan.arrays] == [plan.prediction.disks[:5], plan.prediction.disks[:2]]
    assert plan.disks[5].serial == "BIG0003"
    built = _confirmed(vm, "build /root/plan/plan.json --accept-content BIG0001 --accept-content LAB0002", plan)
    assert built.exit == 0, _why(vm, built)
    _in_bands(vm, plan)
    vm.check("echo still here > /srv/data/marker; sync")
    available = vm.check("stat -f -c '%a %S' /srv/data").stdout.split()
    made = plan.prediction.filesystem
    assert made is not None
    assert int(available[0]) <= made.available_bytes // int(available[1])
    assert int(available[0]) > made.available_bytes // int(available[1]) - 100

    vm.reboot(permute=3)
    vm.check("for second in $(seq 120); do findmnt /srv/data && break; sleep 1; done; udevadm settle", timeout=240)
    assert vm.check(["cat", "/srv/data/marker"]).stdout == "still here\n"
    _in_bands(vm, plan)
    status = vm.check(f"raidtui status {plan.run_id[:8]}", timeout=120).stdout
    assert "build of plan" in status
    assert "finished" in status
    _skip_initramfs(vm)

    vm.check("rm /srv/data/marker")
    undone = _confirmed(vm, f"undo {plan.run_id[:8]}", plan)
    assert undone.exit == 0, _why(vm, undone)
    _blank(vm, plan)
    assert vm.hash_disks(["BY0001"]) == others


def test_the_scripts_and_a_failed_disk(mixed: Machine) -> None:
    """A disk in both bands fails: the spare's partitions take over in both arrays, one after the other."""
    vm = mixed
    vm.erase_disks(SERIALS)
    plan = _planned(vm, "hybrid(5)+1 --chunk 64K --fs ext4", SERIALS)
    built = vm.run(["bash", "/root/plan/build.sh", plan.digest[-8:]], timeout=1200)
    assert built.exit == 0, f"{built.stdout[-3000:]}\n{built.stderr}"
    _in_bands(vm, plan)
    vm.check("mdadm --wait /dev/md/data-0 /dev/md/data-1 || true", timeout=600)
    failing, spare = plan.disks[0], plan.disks[5]
    for array in plan.arrays:
        vm.check(["mdadm", "--manage", array.device, "--fail", failing.member_of(array).path])
    vm.check("sleep 2; mdadm --wait /dev/md/data-0 /dev/md/data-1 || true", timeout=600)
    for array in plan.arrays:
        detail = vm.check(["mdadm", "--detail", array.device]).stdout
        assert "State : clean \n" in detail or "State : active \n" in detail, detail
        role = vm.check(["mdadm", "--examine", spare.member_of(array).path]).stdout
        assert "Device Role : Active device 0" in role
    undone = vm.run(["bash", "/root/plan/undo.sh", f"undo-{plan.digest[-8:]}"], timeout=1200)
    assert undone.exit == 0, f"{undone.stdout[-3000:]}\n{undone.stderr}"
    assert vm.run(["bash", "/root/plan/build.sh"], timeout=300).exit == 0


def _in_bands(vm: Machine, plan: Plan) -> None:
    """Small disks have the first partition, large ones both, each in the array of its band."""
    first, whole = 383 * MIB // 512, 767 * MIB // 512
    for disk in plan.disks:
        assert disk.table is not None
        table = json.loads(vm.check(["sfdisk", "--json", disk.path]).stdout)["partitiontable"]
        assert (table["label"], table["id"].lower()) == ("gpt", disk.table.guid)
        parts = [(part["start"], part["size"], part["type"]) for part in table["partitions"]]
        wanted = [(2048, first, LINUX_RAID), (2048 + first, whole - first, LINUX_RAID)]
        assert parts == wanted[: 2 if (disk.serial or "").startswith("BIG") else 1]
        for number, array in zip(range(1, len(parts) + 1), plan.arrays, strict=False):
            node = vm.check(["readlink", "-f", f"{disk.path}-part{number}"]).stdout.strip().rpartition("/")[2]
            target = vm.check(["readlink", "-f", array.device]).stdout.strip().rpartition("/")[2]
            assert vm.check(f"ls /sys/class/block/{node}/holders").stdout == f"{target}\n"
    for array, level, members in zip(plan.arrays, ("raid5", "raid1"), (5, 2), strict=True):
        detail = vm.check(["mdadm", "--detail", array.device]).stdout
        assert f"Raid Level : {level}\n" in detail
        assert f"Raid Devices : {members}\n" in detail
        assert f"Working Devices : {members + 1}\n" in detail
        assert f"UUID : {array.uuid}" in detail
    assert vm.check("lvs --noheadings -o segtype data/data").stdout.split() == ["linear", "linear"]
