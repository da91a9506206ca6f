"""I/O scheduler and queue depth by real udev: set, kept over a boot that renames disks, and restored by an undo.

By raidtui; the scripts of a plan set them, and take back the rule alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from raidtui.values.plan import Plan
from raidtui.values.units import MIB
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.test_build import _confirmed, _planned, _taken_back, _why
from tests.lab.test_script import _skip_initramfs
from tests.lab.vm import Machine

pytestmark = [pytest.mark.lab, pytest.mark.long]

SERIALS = [f"LAB{number:04d}" for number in range(1, 4)]
OWN = ["[none]", "5"]
"""scheduler and depth that somebody set on the second disk before the plan"""


@pytest.fixture(scope="module")
def few(lab_image: Image) -> Iterator[Machine]:
    """Five disks, three of which get a plan."""
    with Machine(lab_disks(5, bytes=400 * MIB), using=lab_image, sync_limit_kib=None) as vm:
        install(vm)
        _skip_initramfs(vm)
        yield vm


def test_set_kept_over_a_boot_and_restored(few: Machine) -> None:
    vm = few
    plan = _planned(vm, "raid1(2)+1", SERIALS, "--fs ext4 --io-scheduler bfq --queue-depth 3")
    _set_by_hand(vm, plan)
    before = _shown(vm, plan)
    assert all(each not in ("[bfq]", "3") for disk in before for each in disk), before
    built = _confirmed(vm, "build /root/plan/plan.json", plan)
    assert built.exit == 0, _why(vm, built)
    _all_set(vm, plan, "bfq", "3")
    vm.reboot(permute=5)
    vm.check("for s in $(seq 60); do findmnt /srv/data && break; sleep 1; done; udevadm settle", timeout=240)
    _all_set(vm, plan, "bfq", "3")
    others = vm.check("cat /sys/block/sd*/device/queue_depth").stdout.split()
    assert others.count("3") == 3, others
    _taken_back(vm, plan)
    assert _shown(vm, plan) == before


def test_scripts_set_them(few: Machine) -> None:
    vm = few
    plan = _planned(vm, "raid1(2)+1", SERIALS, "--fs xfs --mkfs reflink=0 --io-scheduler kyber --queue-depth 4")
    tail = plan.digest[-8:]
    built = vm.run(["bash", "/root/plan/build.sh", tail], timeout=900)
    assert built.exit == 0, built
    _all_set(vm, plan, "kyber", "4")
    undone = vm.run(["bash", "/root/plan/undo.sh", f"undo-{tail}"], timeout=900)
    assert undone.exit == 0, undone
    _all_set(vm, plan, "kyber", "4")  # until the next boot
    assert vm.run("ls /etc/udev/rules.d | grep raidtui").exit == 1
    for disk in plan.disks:
        backing = vm.backing(disk.serial or "")
        assert backing.is_blank(0, MIB) and backing.is_blank(disk.size_bytes - MIB)


def _set_by_hand(vm: Machine, plan: Plan) -> None:
    folder = _folder(vm, plan.disks[1].path)
    vm.check(f"echo none > {folder}/queue/scheduler; echo {OWN[1]} > {folder}/device/queue_depth")
    line, depth = _shown(vm, plan)[1]
    assert (OWN[0] in line, depth) == (True, OWN[1])


def _folder(vm: Machine, path: str) -> str:
    return vm.check(f"readlink -f {path}").stdout.strip().replace("/dev/", "/sys/block/")


def _shown(vm: Machine, plan: Plan) -> list[tuple[str, str]]:
    """Active scheduler in brackets, and queue depth, of each disk of the plan, from sysfs."""
    found = []
    for disk in plan.disks:
        folder = _folder(vm, disk.path)
        line, depth = vm.check(f"cat {folder}/queue/scheduler {folder}/device/queue_depth").stdout.splitlines()
        active = next(word for word in line.split() if word.startswith("["))
        found.append((active, depth))
    return found


def _all_set(vm: Machine, plan: Plan, scheduler: str, depth: str) -> None:
    assert _shown(vm, plan) == [(f"[{scheduler}]", depth)] * 3
