"""The commands of `raidtui replace` on real md: copied or rebuilt, data whole, the old disk out, others untouched."""

from __future__ import annotations

import json
import re

import pytest

from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import PLACE, install
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
            words = f"raidtui replace data --member {old} --with {new}"
            answer = json.loads(vm.check(f"{words} --json").stdout)
            assert answer["way"] == ("rebuild" if gone else "copy")
            if gone:  # the same by raidtui itself
                begun = vm.run(f"{words} --begin --yes --confirm {answer['digest']}", timeout=300)
                assert begun.exit == 0, begun.stderr
                assert "Add the new disk as a spare" in begun.stderr
            else:
                typed = re.findall(r"^ +(mdadm .*)$", vm.check(words).stdout, re.MULTILINE)
                assert [re.findall(r" --([a-z-]+)", line)[-1] for line in typed] == [
                    "add-spare", "with", "wait", "remove", "zero-superblock", "action",
                ]  # fmt: skip
                for line in typed:  # mdadm --wait exits 1 where nothing is left to wait for when it looks
                    ran = vm.run(line, timeout=200)
                    assert ran.exit == 0 or (ran.exit, "--wait" in line) == (1, True), (line, ran)
            vm.check("mdadm --wait /dev/md/data; true", timeout=200)
            sysfs = "/sys/block/$(basename $(readlink -f /dev/md/data))/md"
            assert vm.check(f"cat {sysfs}/degraded {sysfs}/mismatch_cnt").stdout == "0\n0\n"
            listed = vm.check("mdadm --detail /dev/md/data").stdout
            assert "faulty" not in listed
            assert vm.run(f"mdadm --detail /dev/md/data | grep -q $(readlink -f {path[old]})").exit == 1
        answer = json.loads(vm.check("raidtui replace data --member LAB0001 --with LAB0003 --json; true").stdout)
        assert [each["code"] for each in answer["findings"]] == ["new-not-blank"]  # old data without a superblock
        assert vm.run(f"mdadm --examine {path['LAB0003']}").exit == 1
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


def test_a_write_journal_is_exchanged(lab_image: Image) -> None:
    with QuickMachine(lab_disks(6, bytes=160 * MIB), using=lab_image, sync_limit_kib=None) as vm:
        install(vm)
        path = {serial: vm.disk_path(serial) for serial in vm.serials}
        members = " ".join(path[f"LAB000{number}"] for number in range(1, 4))
        vm.check(
            f"mdadm --create /dev/md/data --level=5 -n3 -c64 --run --write-journal {path['LAB0004']} {members}; "
            "mdadm --wait /dev/md/data; mdadm --detail --brief /dev/md/data >> /etc/mdadm/mdadm.conf; "
            "mkfs.ext4 -q -E nodiscard /dev/md/data && mkdir -p /srv/d && mount /dev/md/data /srv/d && dd "
            "if=/dev/urandom of=/srv/d/f bs=4k count=4k status=none && sha256sum /srv/d/f > /root/sum && sync",
            timeout=200,
        )
        refused = json.loads(vm.run("raidtui replace data --member LAB0004 --with LAB0005 --json").stdout)
        assert [each["code"] for each in refused["findings"]] == ["journal-needs-read-only"]
        sysfs = "/sys/block/$(basename $(readlink -f /dev/md/data))/md"
        vm.check("umount /srv/d; mdadm --readonly /dev/md/data; udevadm settle")
        words = "raidtui replace data --member LAB0004 --with LAB0005"
        digest = json.loads(vm.check(f"{words} --json").stdout)["digest"]
        begun = vm.run(f"{words} --begin --yes --confirm {digest}", timeout=300)
        assert begun.exit == 0, begun.stderr
        kernel = vm.check(f"basename $(readlink -f {path['LAB0005']})").stdout.strip()
        assert vm.check(f"cat {sysfs}/dev-{kernel}/state").stdout == "journal\n"
        vm.check(f"mdadm --wait /dev/md/data; test $(cat {sysfs}/mismatch_cnt) = 0", timeout=200)
        vm.check("mount /dev/md/data /srv/d; sha256sum --check --quiet /root/sum; touch /srv/d/g; sync")
        assert vm.run(f"mdadm --examine {path['LAB0004']}").exit == 1
        again = json.loads(vm.check(f"{words} --json").stdout)
        assert [each["code"] for each in again["findings"]] == ["nothing-to-replace"]


def test_a_failed_disk_is_replaced_and_a_spare_added_in_the_app(lab_image: Image) -> None:
    with QuickMachine(lab_disks(7, bytes=160 * MIB), using=lab_image, sync_limit_kib=None) as vm:
        install(vm, app=True)
        path = {serial: vm.disk_path(serial) for serial in vm.serials}
        members = " ".join(path[f"LAB000{number}"] for number in range(1, 5))
        vm.check(
            f"mdadm --create /dev/md/data --level=5 -n4 -c64 --bitmap=none --run {members}; mdadm --wait /dev/md/data; "
            "mkfs.ext4 -q -E nodiscard /dev/md/data && mkdir -p /srv/d && mount /dev/md/data /srv/d && dd "
            "if=/dev/urandom of=/srv/d/f bs=1M count=64 status=none && sha256sum /srv/d/f > /root/sum && sync; "
            "mdadm --detail --brief /dev/md/data >> /etc/mdadm/mdadm.conf; "
            f"mdadm /dev/md/data --fail {path['LAB0002']}",
            timeout=200,
        )
        others = vm.hash_disks(["LAB0007"])
        for key, words in (("r", "LAB0005"), ("E", "spare LAB0006")):
            ran = vm.run(f"cd {PLACE} && python3 -m tests.lab.guest_pilot {key} '{words}'", timeout=600)
            assert ran.exit == 0, ran.stdout[-6000:] + ran.stderr[-3000:]
        sysfs = "/sys/block/$(basename $(readlink -f /dev/md/data))/md"
        assert vm.check(f"cat {sysfs}/degraded").stdout == "0\n"
        listed = vm.check("mdadm --detail /dev/md/data").stdout
        assert re.search(
            rf" spare +{vm.check(['readlink', '-f', path['LAB0006']]).stdout.strip()}$", listed, re.MULTILINE
        )
        assert "faulty" not in listed
        vm.check("umount /srv/d; mount /dev/md/data /srv/d; sha256sum --check --quiet /root/sum")
        assert vm.hash_disks(["LAB0007"]) == others


def test_partitions_of_two_arrays_in_turn(lab_image: Image) -> None:
    """Two disks have a second partition, as bands of mixed sizes do; the call is killed in the first array's copy."""
    disks = [*lab_disks(2, bytes=160 * MIB), *lab_disks(4, prefix="BIG", bytes=288 * MIB)]
    with QuickMachine(disks, using=lab_image, sync_limit_kib=None) as vm:
        install(vm)
        path = {serial: vm.disk_path(serial) for serial in vm.serials}
        first = "start=1MiB, size=128MiB, type=raid"
        for serial in ("LAB0001", "LAB0002", "BIG0001", "BIG0002"):
            second = "\\nstart=129MiB, size=128MiB, type=raid" if serial.startswith("BIG") else ""
            vm.check(f"printf 'label: gpt\\n{first}{second}\\n' | sfdisk -q {path[serial]}; udevadm settle")
        small = " ".join(f"{path[serial]}-part1" for serial in ("LAB0001", "LAB0002", "BIG0001", "BIG0002"))
        large = " ".join(f"{path[serial]}-part2" for serial in ("BIG0001", "BIG0002"))
        vm.check(
            f"mdadm --create /dev/md/a --level=5 -n4 -c64 --bitmap=none --run {small}; "
            f"mdadm --create /dev/md/b --level=1 -n2 --bitmap=none --run {large}; mdadm --wait /dev/md/a /dev/md/b; "
            "for each in a b; do mkfs.ext4 -q -E nodiscard /dev/md/$each && mkdir -p /srv/$each && mount /dev/md/$each "
            "/srv/$each && dd if=/dev/urandom of=/srv/$each/f bs=1M count=48 status=none; done; "
            "sha256sum /srv/?/f > /root/sum && sync",
            timeout=300,
        )
        others = vm.hash_disks(["BIG0004"])
        words = "raidtui replace a --member BIG0001 --with BIG0003"
        answer = json.loads(vm.check(f"{words} --json").stdout)
        acts = ["Add the new disk", "Copy the old member", "Wait until", "Take the old member", "Erase the superblock"]
        titles = ["Give the new disk the partitions", *acts, *acts, "Check all", "Check all", "Switch the light"]
        for step, title in zip(answer["steps"], titles, strict=True):
            assert step["title"].startswith(title)
        vm.limit_sync(4096)
        killed = vm.start_command(f"{words} --begin --yes --confirm {answer['digest']}", timeout=120)
        vm.check("for n in $(seq 300); do grep -q recovery /proc/mdstat && break; sleep 0.1; done")
        vm.run("pkill -9 -f 'raidtui (replac[e]|execut[e])'")
        killed.wait()
        vm.limit_sync(1_000_000)
        answer = json.loads(vm.check(f"{words} --json").stdout)
        begun = vm.run(f"{words} --begin --yes --confirm {answer['digest']}", timeout=300)
        assert begun.exit == 0, begun.stderr
        assert "mdadm finds all arrays by its configuration" in begun.stderr
        vm.check("mdadm --wait /dev/md/a /dev/md/b; true", timeout=200)
        for name, number in (("a", 1), ("b", 2)):
            listed = vm.check(f"mdadm --detail /dev/md/{name}").stdout
            node = vm.check(f"readlink -f {path['BIG0003']}-part{number}").stdout.strip()
            assert node in listed and "faulty" not in listed and "removed" not in listed, listed
        assert vm.run(f"cat /proc/mdstat | grep -e $(basename $(readlink -f {path['BIG0001']}))").exit == 1
        guids = [
            re.findall(r"(?:label-id: |uuid=)([0-9A-F-]{36})", vm.check(f"sfdisk --dump {path[serial]}").stdout)
            for serial in ("BIG0001", "BIG0003")
        ]
        assert [len(each) for each in guids] == [3, 3] and not set(guids[0]) & set(guids[1])
        vm.check("umount /srv/a /srv/b; mount /dev/md/a /srv/a; mount /dev/md/b /srv/b; sha256sum -c --quiet /root/sum")
        assert vm.hash_disks(["BIG0004"]) == others
