"""The kernel's I/O cost model of throttled disks: coefficients as throttled, disks blank again, others kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from raidtui.model.units import MIB
from tests.lab.agent import Result
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.vm import Machine

pytestmark = [pytest.mark.lab, pytest.mark.steady, pytest.mark.long]

SIZE = 128 * MIB
REQUESTS = {"LAB0001": (8_000_000, 400), "LAB0002": (5_000_000, 5_000_000 / 4096)}
"""bytes and 4 KiB requests a second that each disk is held at, both ways together"""
NEAR = 0.15
HELD, BYSTANDERS = "LAB0003", ["BY0001", "BY0002"]
MODEL = "/sys/fs/cgroup/io.cost.model"


@pytest.fixture(scope="module")
def vm(lab_image: Image) -> Iterator[Machine]:
    """Two blank disks of known speed, one of them flash, one with a file system, and two that belong to somebody."""
    disks = [
        *lab_disks(1, bytes=SIZE, rotation=1, bps=8_000_000, iops=400),
        *lab_disks(2, bytes=SIZE, rotation=7200, bps=5_000_000)[1:],
        *lab_disks(3, bytes=SIZE)[2:],
        *lab_disks(2, prefix="BY", bytes=SIZE),
    ]
    with Machine(disks, using=lab_image, sync_limit_kib=None) as vm:
        install(vm)
        for number, path in enumerate(vm.disk_paths([HELD, *BYSTANDERS]).values()):
            vm.check(f"mkfs.ext4 -q -L theirs{number} {path}")
        vm.check("udevadm settle; sync")
        yield vm


def asked(vm: Machine, words: str = "") -> Result:
    return vm.run(f"raidtui disks --measure --iocost {words}", timeout=3600)


def test_coefficients_of_throttled_disks(vm: Machine) -> None:
    others, blank = vm.hash_disks([HELD, *BYSTANDERS]), vm.hash_disks(list(REQUESTS))
    refused = asked(vm, f"--only {HELD}")
    assert refused.exit == 1 and "only blank disks are written to" in refused.stderr, refused
    shown = asked(vm)
    assert shown.exit == 1 and "confirmation needs a terminal" in shown.stderr, shown
    print(shown.stdout)
    found = re.search(r"Digest of the plan:\s+([0-9a-f]{64})", shown.stdout)
    assert found is not None
    path = vm.disk_paths(["LAB0002"])["LAB0002"]
    vm.check(f"mkfs.ext4 -q {path}; udevadm settle; sync")
    before = vm.hash_disks()
    late = asked(vm, f"--yes --confirm {found[1]}")
    assert late.exit == 1 and "not the digest of this plan" in late.stderr, late
    assert vm.hash_disks() == before
    vm.erase_disks(["LAB0002"])
    vm.check(f"udevadm trigger --settle {path}")

    scheduler = vm.check("lsblk -dno NAME,SERIAL,SCHED").stdout
    for line in scheduler.splitlines():
        if "LAB0001" in line:  # as iocost_coef_gen.py sets it: requests are counted, not merged ones
            name = line.split()[0]
            vm.check(f"echo none > /sys/block/{name}/queue/scheduler; echo 1 > /sys/block/{name}/queue/nomerges")
    done = asked(vm, f"--yes --confirm {found[1]}")
    print(done.stdout, done.stderr)
    assert done.exit == 0, done
    assert vm.hash_disks([HELD, *BYSTANDERS]) == others
    assert vm.hash_disks(list(REQUESTS)) == blank
    for serial in REQUESTS:
        assert vm.backing(serial).is_blank()

    disks = {disk["serial"]: disk for disk in json.loads(vm.check("raidtui disks --json").stdout)["disks"]}
    numbers = dict(line.split() for line in vm.check("lsblk -dno SERIAL,MAJ:MIN | grep LAB").stdout.splitlines())
    for serial, (rate, requests) in REQUESTS.items():
        cost = disks[serial]["measured"]["iocost"]
        for name, wanted in (("bps", rate), ("seqiops", requests), ("randiops", requests)):
            for way in "rw":
                assert cost[way + name] == pytest.approx(wanted, rel=NEAR), (serial, way + name, cost)
        words = " ".join(f"{name}={cost[name]}" for name in cost if name[1:] in ("bps", "seqiops", "randiops"))
        assert f"'{numbers[serial]} ctrl=user model=linear {words}' > {MODEL}" in done.stdout
    assert "mq-deadline merges" in done.stdout or "mq-deadline" not in scheduler

    if vm.run(f"test -e {MODEL}").exit == 0:
        pasted = [line.strip() for line in done.stdout.splitlines() if line.strip().startswith("echo '")]
        vm.check("\n".join(pasted))
        taken = vm.check(f"cat {MODEL}").stdout
        for line in pasted:
            assert line.removeprefix("echo '").partition("'")[0] in taken
