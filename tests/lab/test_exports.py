"""Exports on real md: what Ignition and curtin call with them, and the checks that run before an installation.

The calls are written down from ignition's internal/exec/stages/disks (raid.go, filesystems.go) and from CHECKED.md,
where curtin's own handlers ran.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.installers.plan_view import view_of
from raidtui.installers.render import export
from raidtui.installers.text import adoption_check, blank_check
from raidtui.values.plan import Plan
from raidtui.values.units import MIB
from tests.lab import guest_watch
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.test_partitions import _planned
from tests.lab.vm import Machine

pytestmark = [pytest.mark.lab, pytest.mark.long]


@pytest.fixture(scope="module")
def four(lab_image: Image) -> Iterator[Machine]:
    with Machine(lab_disks(4, bytes=512 * MIB), using=lab_image, sync_limit_kib=None) as vm:
        install(vm, Path(guest_watch.__file__), app=True)
        yield vm


def test_ignition_builds_the_plan_and_curtin_does_not(four: Machine) -> None:
    vm = four
    plan = _planned(vm, "raid5(2+1)+1 --chunk 64K --bitmap internal", [f"LAB{number:04d}" for number in range(1, 5)])
    view = view_of(plan)
    blank, ours = blank_check(view, serials=True), adoption_check(view)
    assert vm.run(["bash", "-uc", blank]).exit == 0

    document = json.loads(export(plan, "ignition", "native", None).files[0].text)
    (raid,), (made,) = document["storage"]["raid"], document["storage"]["filesystems"]
    members = len(raid["devices"]) - raid["spares"]
    vm.check([
        "mdadm", "--create", raid["name"], "--force", "--run", "--homehost", "any", "--level", raid["level"],
        "--raid-devices", str(members), "--spare-devices", str(raid["spares"]), *raid["options"], *raid["devices"],
    ])  # fmt: skip
    vm.check("udevadm settle")
    vm.check(["mkfs.xfs", "-f", "-m", f"uuid={made['uuid']}", *made["options"], made["device"]], timeout=300)
    found = _detail(vm, plan)
    geometry = plan.prediction.arrays[0]
    assert (found["UUID"], found["Chunk Size"], found["Layout"]) == (plan.arrays[0].uuid, "64K", "left-symmetric")
    assert found["Intent Bitmap"] == "Internal"
    assert vm.check(["blockdev", "--getsize64", "/dev/md/data"]).stdout.strip() == str(geometry.array_bytes)
    offset = vm.check(f"mdadm --examine {plan.disks[0].path} | sed -n 's/.*Data Offset : //p'").stdout.split()[0]
    assert int(offset) == geometry.data_offset_sectors
    adopted = vm.run(["bash", "-uc", ours])
    assert adopted.exit == 0, adopted.stderr

    held = vm.run(["bash", "-uc", blank])
    assert held.exit == 1 and f"{plan.disks[0].path} was blank when it was planned; it holds: " in held.stderr

    vm.check("mdadm --stop /dev/md/data")
    again = vm.run(["bash", "-uc", ours])  # it starts the arrays itself
    assert again.exit == 0, again.stderr

    vm.check("mdadm --stop /dev/md/data; udevadm settle")
    paths = [disk.path for disk in plan.disks]
    vm.check(["mdadm", "--zero-superblock", *paths])
    vm.check([
        "mdadm", "--create", "/dev/md/data", "--run", "--homehost=target", "--raid-devices=3", "--metadata=1.2",
        "--level=raid5", *paths[:3], "--spare-devices=1", *paths[3:],
    ])  # fmt: skip
    vm.check("udevadm settle")
    found = _detail(vm, plan)
    assert found["Chunk Size"] == "512K" and "Intent Bitmap" not in found and found["UUID"] != plan.arrays[0].uuid
    other = vm.run(["bash", "-uc", ours])
    assert other.exit == 1 and f"/dev/md/data: expected {plan.arrays[0].uuid}, found " in other.stderr


def _detail(vm: Machine, plan: Plan) -> dict[str, str]:
    """`mdadm --detail` of the plan's array by the names that it prints."""
    lines = vm.check(["mdadm", "--detail", plan.arrays[0].device]).stdout.splitlines()
    return dict((each.strip() for each in line.split(" : ", 1)) for line in lines if " : " in line)  # type: ignore[misc]
