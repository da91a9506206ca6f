"""The field's array on sixty disks, built by a person at the screens and by the command line: real md, a real sync.

The disks are small, so that every array is synced for real before the volume stands on it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from raidtui.values.codec import from_json
from raidtui.values.plan import Plan
from raidtui.values.units import MIB
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.test_build import BYSTANDERS, PILOT, _blank_again, _confirmed, _planned, _taken_back, _whole_again, _why
from tests.lab.test_script import _equals_plan, _skip_initramfs
from tests.lab.vm import Machine

pytestmark = [pytest.mark.lab, pytest.mark.long]

LAYOUT = "4x(12+2)+4"


@pytest.fixture
def sixty(lab_image: Image) -> Iterator[Machine]:
    """Sixty disks, and four that belong to somebody."""
    disks = [*lab_disks(60, bytes=192 * MIB, controllers=2), *lab_disks(4, prefix="BY", bytes=192 * MIB)]
    with Machine(disks, using=lab_image, sync_limit_kib=None) as vm:
        install(vm, app=True)
        for number, path in enumerate(vm.disk_paths(BYSTANDERS).values()):
            vm.check(f"mkfs.ext4 -q -L theirs{number} {path}")
        vm.check("udevadm settle; sync")
        yield vm


@pytest.mark.parametrize("way", ["screens", "command line"])
def test_built_rebooted_healed_and_taken_back(sixty: Machine, way: str) -> None:
    vm = sixty
    others = vm.hash_disks(BYSTANDERS)
    plan = _built_at_the_screens(vm) if way == "screens" else _built_by_command(vm)
    assert "resync" not in vm.check(["cat", "/proc/mdstat"]).stdout
    _equals_plan(vm, plan)
    vm.check("echo still here > /srv/data/marker; sync")

    vm.reboot(permute=7)
    vm.check("for second in $(seq 120); do findmnt /srv/data && break; sleep 1; done; udevadm settle", timeout=300)
    assert vm.check(["cat", "/srv/data/marker"]).stdout == "still here\n"
    _skip_initramfs(vm)

    serial = {disk.id: disk.serial or "" for disk in plan.disks}
    pulled = [serial[plan.arrays[0].members[at]] for at in (1, 8)]
    vm.unplug(pulled[0])
    _whole_again(vm, "its own spare", "14 14 14 14", "0 1 1 1")
    vm.unplug(pulled[1])
    _whole_again(vm, "another array's spare", "14 14 14 14", _lent(vm))
    assert vm.check(["cat", "/srv/data/marker"]).stdout == "still here\n"
    for each in pulled:
        vm.plug(each)

    if way == "screens":
        undone = vm.run(f"{PILOT} undo", timeout=1800)
        print(undone.stdout)
        assert undone.exit == 0, _why(vm, undone)
        _blank_again(vm, plan)
    else:
        _taken_back(vm, plan, "--lose-files 1")
    assert vm.hash_disks(BYSTANDERS) == others


def _built_at_the_screens(vm: Machine) -> Plan:
    built = vm.run(f"{PILOT} build '{LAYOUT}'", timeout=2400)
    print(built.stdout)
    assert built.exit == 0, _why(vm, built)
    assert "erase 60 " in built.stdout
    return from_json(Plan, vm.check("cat /var/lib/raidtui/*/plan.json").stdout, source="the guest")


def _built_by_command(vm: Machine) -> Plan:
    plan = _planned(vm, LAYOUT, [f"LAB{number:04d}" for number in range(1, 61)])
    built = _confirmed(vm, "build /root/plan/plan.json", plan)
    assert built.exit == 0, _why(vm, built)
    return plan


def _lent(vm: Machine) -> str:
    """Which of the three others lends its spare is the monitor's choice; it is used up once it is rebuilt."""
    counted = "for a in /dev/md/data-*; do mdadm --detail $a; done | sed -n 's/ *Spare Devices : //p' | xargs"
    used = f"n=$({counted}); case $n in '0 0 1 1'|'0 1 0 1'|'0 1 1 0') exit 0;; esac"
    vm.check(f"for s in $(seq 900); do {used}; sleep 1; done", timeout=1800)
    return vm.check(counted).stdout.strip()
