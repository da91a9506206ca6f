"""Headroom for a replacement, on real md: a disk of the stated size joins, one a chunk smaller does not."""

from __future__ import annotations

import pytest

from raidtui.values.codec import from_json
from raidtui.values.plan import Plan
from tests.cli.commands import called
from tests.lab.disk import lab_disks
from tests.lab.image import Image
from tests.lab.quick import QuickMachine

pytestmark = pytest.mark.lab

MIB = 2**20
SIZE, LARGE = 120 * MIB, 128 * MIB
CASES = (
    ("(2+1)", "1.2", ()),
    ("raid6(2+2)", "1.0", ()),
    ("raid1(2)", "1.2", ("--data-offset", "1M")),
    ("raid10(4)", "1.2", ("--bitmap", "internal")),
)


def test_a_replacement_of_the_stated_size_fits(lab_image: Image) -> None:
    disks = [
        *lab_disks(4, bytes=LARGE),
        *lab_disks(1, prefix="FITS", bytes=SIZE),
        *lab_disks(1, prefix="SMALL", bytes=SIZE - MIB),
    ]
    with QuickMachine(disks, using=lab_image, sync_limit_kib=None) as vm:
        fits, small = vm.disk_path("FITS0001"), vm.disk_path("SMALL0001")
        vm.check("mkdir -p /run/udev/rules.d; echo 'AUTO -all' > /etc/mdadm/mdadm.conf")
        for layout, metadata, options in CASES:
            words = ("--member-size", str(SIZE), "--chunk", "64K", "--metadata", metadata, "--fs", "none", *options)
            planned = called("plan", layout, "--disks", f"4x{LARGE}B", *words, "--json")
            assert planned.returncode == 0, planned.stderr
            plan = from_json(Plan, planned.stdout, source="the plan")
            geometry = plan.prediction.arrays[0]
            count = geometry.members
            members = [vm.disk_path(f"LAB{number:04d}") for number in range(1, count + 1)]
            (argv,) = (
                command.argv
                for step in plan.steps
                for command in step.commands
                if command.argv[:2] == ("mdadm", "--create")
            )
            vm.check([*argv[:-count], *members])
            device = argv[2]
            vm.check(f"mdadm --wait {device}; test $(blockdev --getsize64 {device}) = {geometry.array_bytes}")
            vm.check(f"mdadm {device} --fail {members[0]} && mdadm {device} --remove {members[0]}")
            refused = vm.run(f"mdadm {device} --add {small}")
            assert refused.exit != 0 and "not large enough to join array" in refused.stderr, refused.stderr
            degraded = f"/sys/block/$(basename $(readlink -f {device}))/md/degraded"
            # `mdadm --wait` exits 1 where the recovery has ended, or not begun, before it looks.
            vm.check(f"mdadm {device} --add {fits}; timeout 60 sh -c 'until grep -qx 0 {degraded}; do sleep 0.1; done'")
            vm.check(f"mdadm --stop {device}; mdadm --zero-superblock {' '.join([*members, fits])}")
