"""Arrays created over zeroes in place of a first sync, on real md: a check finds no mismatch, and a planted block.

The disks held random bytes in the middle of their data areas, which parity would not fit if they were still there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.values.codec import from_json
from raidtui.values.plan import Plan
from raidtui.values.units import MIB
from tests.lab import guest_watch
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.quick import QuickMachine
from tests.lab.test_build import WATCH, _confirmed, _why
from tests.lab.test_script import _skip_initramfs

pytestmark = pytest.mark.lab

SERIALS = [f"LAB{number:04d}" for number in range(1, 5)]
DIRTY = 256 * MIB
CHECKED = (
    "cd /sys/block/$(basename $(realpath /dev/md/data))/md; cat sync_action; echo check > sync_action; "
    "until grep -q idle sync_action; do sleep 0.2; done; cat mismatch_cnt"
)


@pytest.fixture
def quick(lab_image: Image) -> Iterator[QuickMachine]:
    """Four disks with Write Zeroes, and one of somebody."""
    disks = [*lab_disks(4, bytes=512 * MIB, rotation=1), *lab_disks(1, prefix="BY", bytes=256 * MIB)]
    with QuickMachine(disks, using=lab_image, sync_limit_kib=None) as vm:
        install(vm, Path(guest_watch.__file__))
        _skip_initramfs(vm)
        vm.check(f"mkfs.ext4 -q {vm.disk_path('BY0001')}; sync")
        yield vm


def test_a_cut_in_the_middle_of_the_zeroing_leads_to_an_array_that_a_check_finds_whole(quick: QuickMachine) -> None:
    vm = quick
    others = vm.hash_disks(["BY0001"])
    plan = _planned(vm)
    rest = next(step for step in plan.steps if step.title.startswith("Zero the data areas"))
    words = " ".join(rest.commands[0].argv[:4])
    sniper = vm.start_command(f"{WATCH} kill result '{words}'", timeout=300)
    assert _confirmed(vm, "build /root/plan/plan.json --accept-content data", plan).exit != 0
    assert sniper.wait().exit == 0
    vm.power_cut()
    vm.start(permute=3)
    assert "md" not in vm.check("lsblk -rno TYPE,NAME").stdout

    resumed = vm.run(f"raidtui resume {plan.run_id[:8]}", timeout=600)
    assert resumed.exit == 0, _why(vm, resumed)
    assert vm.check("grep -c recovery /proc/mdstat; grep -c resync /proc/mdstat; true").stdout == "0\n0\n"
    vm.check("dd if=/dev/urandom of=/srv/data/random bs=1M count=20 conv=fsync status=none; sync")
    assert vm.check(CHECKED, timeout=300).stdout == "idle\n0\n"
    _plant(vm, plan)
    idle, mismatches = vm.check(CHECKED, timeout=300).stdout.split()
    assert (idle, int(mismatches) > 0) == ("idle", True)
    assert vm.hash_disks(["BY0001"]) == others


@pytest.mark.long
def test_the_script_creates_over_zeroes_too(quick: QuickMachine) -> None:
    vm = quick
    plan = _planned(vm)
    built = vm.run(["bash", "/root/plan/build.sh", plan.digest[-8:], "data"], timeout=900)
    assert built.exit == 0, f"{built.stdout[-3000:]}\n{built.stderr}"
    assert vm.check(CHECKED, timeout=300).stdout == "idle\n0\n"
    _plant(vm, plan)
    idle, mismatches = vm.check(CHECKED, timeout=300).stdout.split()
    assert (idle, int(mismatches) > 0) == ("idle", True)


def _planned(vm: QuickMachine) -> Plan:
    for serial in SERIALS:
        path = vm.disk_path(serial)
        vm.check(f"dd if=/dev/urandom of={path} bs=1M seek={DIRTY // MIB} count=8 oflag=direct status=none")
    only = " ".join(f"--only {serial}" for serial in SERIALS)
    vm.check(f"raidtui plan '(2+2)' --chunk 64K --fs ext4 --first-sync zeroes {only} --out /root/plan", timeout=300)
    return from_json(Plan, vm.get("/root/plan/plan.json"), source="the guest")


def _plant(vm: QuickMachine, plan: Plan) -> None:
    """A block that is not zero, below the array, where nothing was written since its members were zeroed."""
    block = f"dd if=/dev/urandom of={plan.disks[2].path} bs=4096 count=1 oflag=direct conv=notrunc status=none"
    vm.check(f"{block} seek={(plan.disks[2].size_bytes - 16 * MIB) // 4096}")
