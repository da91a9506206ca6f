"""What an audit says of the next boot is what the next boot does: real md, udev and systemd, a power cut."""

from __future__ import annotations

import json

import pytest

from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.quick import QuickMachine

pytestmark = pytest.mark.lab

MIB = 2**20
CONF, OTHER = "/etc/mdadm/mdadm.conf", "/etc/mdadm.conf"
OURS = ("device-line", "old-member-starts", "member-dropped", "mdadm-conf-twice", "array-line-conflict")
STARTED = "for n in $(seq 900); do [ -e /sys/block/md127/md/sync_action ] && break; sleep 0.1; done; udevadm settle"
"""a boot starts an array without all of its members after half a minute"""


def audited(vm: QuickMachine) -> dict[str, list[dict[str, str]]]:
    """Findings about the next boot, and about what an array lost, by their code."""
    found = json.loads(vm.run("raidtui audit --json", timeout=120).stdout)["findings"]
    return {code: those for code in OURS if (those := [each for each in found if each["code"] == code])}


def members(vm: QuickMachine) -> set[str]:
    """Serial numbers of what the array runs on."""
    arrays = json.loads(vm.check("raidtui arrays --json", timeout=120).stdout)["arrays"]
    return {each["serial"] for array in arrays for each in array["members"] if each["state"] == "in-sync"}


def test_a_boot_starts_what_the_audit_said(lab_image: Image) -> None:
    """The members were replaced past a DEVICE line; corrected, a second mdadm.conf; then each half ran alone."""
    with QuickMachine(lab_disks(4, bytes=96 * MIB), using=lab_image, sync_limit_kib=None) as vm:
        install(vm)
        first, second, third, fourth = (vm.disk_path(serial) for serial in vm.serials)
        vm.check(
            f"mdadm --create /dev/md/data --level=1 -n2 --bitmap=none --run {first} {second}; "
            f"mdadm --wait /dev/md/data; (echo DEVICE {first} {second}; mdadm --detail --brief /dev/md/data) > {CONF}; "
            "mkfs.ext4 -q /dev/md/data; mkdir -p /srv/d; mount /dev/md/data /srv/d; echo old > /srv/d/old; sync",
            timeout=120,
        )
        assert audited(vm) == {}
        for old, new in ((first, third), (second, fourth)):
            vm.check(
                f"mdadm /dev/md/data --add-spare {new}; mdadm /dev/md/data --replace {old} --with {new}; "
                f"mdadm --wait /dev/md/data; for n in $(seq 100); do mdadm /dev/md/data --remove {old} && break; "
                "sleep 0.1; done",
                timeout=120,
            )
        vm.check("echo new > /srv/d/new; sync")
        before = audited(vm)
        assert set(before) == {"device-line", "old-member-starts", "member-dropped"}
        assert {each["severity"] for code in ("device-line", "old-member-starts") for each in before[code]} == {"error"}
        assert (
            "a boot would start /dev/md/data from them, with what was on them then."
            in (before["old-member-starts"][0]["evidence"])
        )
        assert ["another disk took its place" in each["consequence"] for each in before["member-dropped"]] == [True] * 2

        vm.power_cut()
        vm.start()
        vm.check(STARTED, timeout=180)
        assert members(vm) <= {"LAB0001", "LAB0002"}
        vm.check("mount /dev/md/data /srv/d; test -e /srv/d/old; test ! -e /srv/d/new; echo since > /srv/d/since; sync")
        after = audited(vm)
        newer = [
            each for each in after["member-dropped"] if "LAB0003" in each["evidence"] or "LAB0004" in each["evidence"]
        ]
        assert [each["severity"] for each in newer] == ["error", "error"], after  # whatever both count by now
        assert not any("older than the array's" in each["consequence"] for each in newer)
        assert all(each["way_out"].startswith("keep both as they are; ") for each in newer)

        vm.check(
            f"umount /srv/d; mdadm --stop /dev/md/data; udevadm settle; mdadm --zero-superblock {first} {second}; "
            f"sed -i 's|^DEVICE .*|DEVICE {third} {fourth}|' {CONF}; mdadm --assemble /dev/md/data {third} {fourth}; "
            "udevadm settle"
        )
        assert audited(vm) == {}
        vm.check(f"echo DEVICE /dev/nothing > {OTHER}; sync")
        assert set(audited(vm)) == {"mdadm-conf-twice"}
        assert "reads only /etc/mdadm/mdadm.conf" in audited(vm)["mdadm-conf-twice"][0]["evidence"]
        assert "UUID=" in vm.check("mdadm --examine --scan").stdout  # it does not go by the other one
        vm.power_cut()
        vm.start()
        vm.check(STARTED, timeout=180)
        assert members(vm) == {"LAB0003", "LAB0004"}
        vm.check("mount /dev/md/data /srv/d; test -e /srv/d/old; test -e /srv/d/new; test ! -e /srv/d/since")

        vm.check(
            "umount /srv/d; mdadm --stop /dev/md/data; udevadm settle; mdadm --stop --scan; "
            f"for each in {third} {third} {fourth}; do mdadm --assemble --run /dev/md/data $each; mount /dev/md/data "
            "/srv/d; basename $each >> /srv/d/alone; umount /srv/d; mdadm --stop /dev/md/data; udevadm settle; "
            f"mdadm --stop --scan; done; mdadm --assemble --run /dev/md/data {fourth}; udevadm settle",
            timeout=120,
        )
        split = audited(vm)
        assert {code: [each["severity"] for each in those] for code, those in split.items()} == {
            "old-member-starts": ["error"], "member-dropped": ["error"], "mdadm-conf-twice": ["warning"],
        }  # fmt: skip
        assert split["member-dropped"][0]["consequence"] == (
            "Neither is the older one: each lists itself and not the other: both were written alone."
        )
        assert "mdadm takes the higher count for the newer" in split["old-member-starts"][0]["evidence"]
        vm.power_cut()
        vm.start()
        vm.check(STARTED, timeout=180)
        assert members(vm) == {"LAB0003"}  # not the one that ran last, as the audit said
