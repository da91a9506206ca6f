"""The commands of `raidtui replace` on real md: copied or rebuilt, data whole, the old disk out, others untouched."""

from __future__ import annotations

import json
import shlex

import pytest

from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.quick import QuickMachine

pytestmark = pytest.mark.lab

MIB = 2**20


def test_copied_and_rebuilt_as_printed(lab_image: Image) -> None:
    disks = [*lab_disks(6, bytes=160 * MIB), *lab_disks(1, prefix="SMALL", bytes=64 * MIB)]
    with QuickMachine(disks, using=lab_image, sync_limit_kib=None) as vm:
        install(vm)
        path = {serial: vm.disk_path(serial) for serial in vm.serials}
        members = " ".join(path[f"LAB000{number}"] for number in range(1, 5))
        vm.check(
            f"mdadm --create /dev/md/data --level=5 -n4 -c64 --bitmap=none --run {members}; mdadm --wait /dev/md/data; "
            "mkfs.ext4 -q -E nodiscard /dev/md/data && mkdir -p /srv/d && mount /dev/md/data /srv/d && dd "
            "if=/dev/urandom of=/srv/d/f bs=1M count=64 status=none && sha256sum /srv/d/f > /root/sum && sync",
            timeout=200,
        )
        others = vm.hash_disks(["SMALL0001", "LAB0006"])
        refused = vm.run("raidtui replace data --member LAB0002 --with SMALL0001 --json")
        assert (refused.exit, json.loads(refused.stdout)["steps"]) == (1, [])
        for old, new, gone in (("LAB0002", "LAB0005", False), ("LAB0003", "LAB0002", True)):
            if gone:
                vm.check(f"mdadm --zero-superblock {path[new]}; mdadm /dev/md/data --fail {path[old]}; udevadm settle")
                vm.erase_disks([new])
            answer = json.loads(vm.check(f"raidtui replace data --member {old} --with {new} --json").stdout)
            assert answer["way"] == ("rebuild" if gone else "copy")
            if gone:  # the same by raidtui itself
                begun = vm.run(
                    f"raidtui replace data --member {old} --with {new} --begin --yes --confirm {answer['digest']}",
                    timeout=300,
                )
                assert begun.exit == 0, begun.stderr
                assert "Add the new disk as a spare" in begun.stderr
            for step in () if gone else answer["steps"]:
                if step["argv"]:
                    vm.check(shlex.join(step["argv"]), timeout=200)
            vm.check("mdadm --wait /dev/md/data; true", timeout=200)
            sysfs = "/sys/block/$(basename $(readlink -f /dev/md/data))/md"
            assert vm.check(f"cat {sysfs}/degraded {sysfs}/mismatch_cnt").stdout == "0\n0\n"
            listed = vm.check("mdadm --detail /dev/md/data").stdout
            assert "faulty" not in listed
            assert vm.run(f"mdadm --detail /dev/md/data | grep -q $(readlink -f {path[old]})").exit == 1
        answer = json.loads(vm.check("raidtui replace data --member LAB0001 --with LAB0003 --json; true").stdout)
        assert [each["code"] for each in answer["findings"]] == ["new-in-use"]
        vm.check(f"mdadm --zero-superblock {path['LAB0003']}")
        vm.erase_disks(["LAB0003"])
        answer = json.loads(vm.check("raidtui replace data --member LAB0001 --with LAB0003 --json").stdout)
        begun = vm.run(
            f"raidtui replace data --member LAB0001 --with LAB0003 --begin --yes --confirm {answer['digest']}",
            timeout=300,
        )
        assert begun.exit == 0, begun.stderr
        vm.check("mdadm --wait /dev/md/data; true", timeout=200)
        assert vm.run(f"mdadm --detail /dev/md/data | grep -q $(readlink -f {path['LAB0001']})").exit == 1
        vm.check("umount /srv/d; mount /dev/md/data /srv/d; sha256sum --check --quiet /root/sum")
        assert vm.hash_disks(["SMALL0001", "LAB0006"]) == others
