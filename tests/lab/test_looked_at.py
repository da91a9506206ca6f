"""On real md: nothing is concluded about what was not read, and no byte of others changes.

Data in the middle of an array and of a wiped disk, and lines of others beside the plan's where a mark is gone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from raidtui.scripts.undo_script import undo_script
from raidtui.values.plan import Plan
from raidtui.values.units import MIB
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.test_build import _confirmed, _planned, _why
from tests.lab.test_script import _skip_initramfs
from tests.lab.vm import Machine

pytestmark = [pytest.mark.lab, pytest.mark.long]

OTHERS = b"# Gr\xfc\xdfe\n/dev/vdz /home ext4 nofail 0 2\n"
SERIALS = ["LAB0001", "LAB0002"]
PROFILE = {
    "schema": "raidtui/profile/1", "name": "w", "title": "w", "purpose": "A write, for a test.",
    "jobs": [
        {"name": "w", "title": "w", "target": "array", "pattern": "write", "block_bytes": MIB, "streams": 1,
         "regions": 1, "depth": 4, "seconds": 2.0, "warm_up_seconds": 0.0, "repeats": 1},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def vm(lab_image: Image) -> Iterator[Machine]:
    """Two blank disks."""
    with Machine(lab_disks(2, bytes=600 * MIB), using=lab_image, sync_limit_kib=None) as vm:
        install(vm)
        _skip_initramfs(vm)
        vm.put("/root/w.json", json.dumps(PROFILE).encode())
        yield vm


def test_data_in_the_middle_of_an_array_is_neither_written_over_nor_undone_without_a_word(vm: Machine) -> None:
    plan = _planned(vm, "raid1(2)", SERIALS, "--fs none --stack separate")
    built = _confirmed(vm, "build /root/plan/plan.json", plan)
    assert built.exit == 0, _why(vm, built)
    _in_sync(vm)
    array = plan.arrays[0].device
    vm.check(f"dd if=/dev/urandom of={array} bs=1M seek=100 count=40 oflag=direct status=none")
    before = _hash(vm, array)
    run = plan.run_id[:8]
    refused = _confirmed(vm, f"bench {run} --raw write --profile /root/w.json", plan)
    print(refused)
    assert refused.exit != 0 and f"{array} holds data at byte 104857600" in f"{refused.stdout}{refused.stderr}"
    refused = _confirmed(vm, f"undo {run}", plan)
    print(refused)
    assert refused.exit != 0 and "lose unknown files" in f"{refused.stdout}{refused.stderr}"
    assert _hash(vm, array) == before
    done = _confirmed(vm, f"undo {run} --lose-files unknown", plan)
    assert done.exit == 0, _why(vm, done)
    vm.erase_disks(SERIALS)


def test_lines_of_others_stay_where_a_mark_of_the_plan_is_gone(vm: Machine) -> None:
    plan = _planned(vm, "raid1(2)", SERIALS, "--fs ext4")
    built = _confirmed(vm, "build /root/plan/plan.json", plan)
    assert built.exit == 0, _why(vm, built)
    run = plan.run_id[:8]
    vm.put("/root/others", OTHERS)
    vm.check(f"cp -p /etc/fstab /root/fstab; sed -i '/{plan.run_id} end$/d' /etc/fstab")
    vm.check("cat /root/others >> /etc/fstab")
    before = _hash(vm, "/etc/fstab")
    vm.put("/root/undo.sh", undo_script(plan).text.encode("ascii"), 0o755)
    refused = _confirmed(vm, f"undo {run}", plan)
    by_script = vm.run(["/root/undo.sh", f"undo-{plan.digest[-8:]}"], timeout=300)
    told = f"{refused.stdout}{refused.stderr}"
    assert refused.exit != 0 and "/etc/fstab does not have the plan's lines as they were written" in told
    assert f"expected <# raidtui {plan.run_id} begin data>" in told
    assert (by_script.exit, "/etc/fstab does not have the plan's lines as written: " in by_script.stderr) == (1, True)
    assert _hash(vm, "/etc/fstab") == before and vm.run("findmnt /srv/data").exit == 0
    vm.check("cat /root/fstab /root/others > /etc/fstab")
    done = _confirmed(vm, f"undo {run}", plan)
    assert done.exit == 0, _why(vm, done)
    assert vm.get("/etc/fstab").endswith(OTHERS) and plan.run_id.encode() not in vm.get("/etc/fstab")
    vm.erase_disks(SERIALS)


def test_data_on_a_disk_between_its_wipe_and_its_array_is_kept(vm: Machine) -> None:
    plan = _planned(vm, "raid1(2)", SERIALS, "--fs none --stack separate")
    _fails_to_create(vm, plan)
    disk = plan.disks[1].path
    vm.check(f"dd if=/dev/urandom of={disk} bs=1M seek=128 count=20 oflag=direct status=none")
    before = vm.hash_disks(SERIALS)
    resumed = _confirmed(vm, f"resume {plan.run_id[:8]}", plan)
    print(resumed)
    told = f"{resumed.stdout}{resumed.stderr}"
    assert resumed.exit != 0 and "holds data without a known signature, from byte 134217728 on" in told
    assert vm.hash_disks(SERIALS) == before


def _fails_to_create(vm: Machine, plan: Plan) -> None:
    """A build whose mdadm --create fails, so that the disks are wiped and no more."""
    vm.check("mv /usr/sbin/mdadm /usr/sbin/mdadm.kept")
    vm.put(
        "/usr/sbin/mdadm",
        b'#!/bin/bash\nif [[ $1 == --create && $2 != --help ]]; then exit 1; fi\nexec /usr/sbin/mdadm.kept "$@"\n',
        0o755,
    )
    failed = _confirmed(vm, "build /root/plan/plan.json", plan)
    assert failed.exit == 3, _why(vm, failed)
    vm.check("mv /usr/sbin/mdadm.kept /usr/sbin/mdadm")


def _in_sync(vm: Machine) -> None:
    vm.check("for s in $(seq 300); do grep -q resync /proc/mdstat || break; sleep 1; done", timeout=600)


def _hash(vm: Machine, path: str) -> str:
    return vm.check(f"sha256sum {path}").stdout
