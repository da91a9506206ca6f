"""Disks as libvirt makes them by default: virtio, without a serial number, bound by their path on a real machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.values.codec import from_json
from raidtui.values.plan import Plan
from raidtui.values.units import MIB
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.qemu import Attachment, node_options
from tests.lab.test_script import _skip_initramfs
from tests.lab.vm import Machine

pytestmark = [pytest.mark.lab, pytest.mark.long]

BYSTANDERS = ["BY0001"]
SIZE = 320 * MIB


def _attach(vm: Machine, file: Path, port: int) -> None:
    """One more disk, of which the guest knows nothing but where it is."""
    with file.open("wb") as made:
        made.truncate(SIZE)
    name = f"unnamed{port}"
    options = {"driver": "file", "filename": str(file), "node-name": f"{name}-file"}
    node = node_options({"driver": "raw", "node-name": name, "file": node_options(options)})
    device = {"driver": "virtio-blk-pci", "id": f"{name}-0", "drive": name, "bus": f"port{port}"}
    vm._running().attach(Attachment(node, (device,)))


def test_four_disks_without_names_are_built_and_taken_back(lab_image: Image, tmp_path: Path) -> None:
    with Machine(lab_disks(1, prefix="BY", bytes=SIZE), using=lab_image, sync_limit_kib=None) as vm:
        install(vm)
        _skip_initramfs(vm)
        (theirs,) = vm.disk_paths(BYSTANDERS).values()
        vm.check(f"mkfs.ext4 -q {theirs}; sync")
        others = vm.hash_disks(BYSTANDERS)
        files = [tmp_path / f"disk{port}" for port in range(4)]
        for port, file in enumerate(files):
            _attach(vm, file, port)
        vm.check("for s in $(seq 60); do [ $(ls -d /sys/block/vd?/device | wc -l) -ge 5 ] && break; sleep 0.5; done")
        vm.check("udevadm settle")
        refused = vm.run("raidtui plan '(2+2)' --out /root/plan")
        assert refused.exit != 0 and "--bind-by-path" in vm.check("raidtui disks").stdout
        vm.check("raidtui plan '(2+2)' --chunk 64K --bind-by-path --out /root/plan", timeout=300)
        plan = from_json(Plan, vm.get("/root/plan/plan.json"), source="the guest")
        assert all(disk.path.startswith("/dev/disk/by-path/") for disk in plan.disks)
        built = vm.run(f"raidtui build /root/plan/plan.json --yes --confirm {plan.digest}", timeout=900)
        assert built.exit == 0, built
        assert "active raid6" in vm.check(["cat", "/proc/mdstat"]).stdout
        assert vm.check(["findmnt", "-no", "FSTYPE", "/srv/data"]).stdout == "xfs\n"
        undone = vm.run(f"raidtui undo {plan.run_id[:8]} --yes --confirm {plan.digest}", timeout=900)
        assert undone.exit == 0, undone

        built = vm.run(f"bash /root/plan/build.sh {plan.digest[-8:]}", timeout=600)
        assert built.exit == 0, built
        undone = vm.run(f"bash /root/plan/undo.sh undo-{plan.digest[-8:]}", timeout=600)
        assert undone.exit == 0, undone
        vm.check("sync; udevadm settle")
        for file in files:
            with file.open("rb") as kept:
                assert kept.read(MIB) == bytes(MIB)
        assert vm.hash_disks(BYSTANDERS) == others
