"""Disks behind real multipathd: two adapters reach the same disks; a path is lost and comes back while they work.

Each machine takes some minutes of an emulated processor, so they run in `long`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from raidtui.engine import journal
from raidtui.values.units import MIB
from tests.lab import multipath
from tests.lab.disk import lab_disks
from tests.lab.guest import Guest
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.test_build import _confirmed, _planned, _taken_back, _why
from tests.lab.test_script import _equals_plan, _inventory, _skip_initramfs, _there_and_back
from tests.lab.vm import Machine

pytestmark = [pytest.mark.lab, pytest.mark.long]

SERIALS = [f"MP{number:04d}" for number in range(1, 5)]
NEW = "MP0005"
BYSTANDERS = ["BY0001", "BY0002"]
SHORT = {
    "schema": "raidtui/profile/1", "name": "short", "title": "One job", "purpose": "A rate while a path is lost.",
    "jobs": [
        {"name": "read", "title": "read", "target": "array", "pattern": "read", "block_bytes": MIB, "depth": 4,
         "streams": 1, "seconds": 10.0, "warm_up_seconds": 1.0, "repeats": 1, "predicted": "seq_read"}
    ],
}  # fmt: skip


MARKED = "echo still here > /srv/data/marker; sync"
MAPS_ALONE = "DEVICE /dev/disk/by-id/dm-uuid-mpath-*"
UDEV_FIRST = b"""#!/bin/bash
came=/run/udev-came/${*//[^a-z0-9=]/-}
if [[ $1 == --zeroout && ! -e $came ]]; then
  mkdir --parents "${came%/*}" && touch "$came"
  udevadm trigger --settle "$(readlink --canonicalize "${!#}")"
fi
exec /usr/sbin/blkdiscard.kept "$@"
"""
"""before each zeroing runs for the first time, udev sees the device and assembles a member whose superblock is left"""


@pytest.fixture(scope="module")
def joined(lab_image: Image) -> Iterator[Machine]:
    """Four disks with two paths and one more to replace one of them, and two that belong to somebody."""
    disks = lab_disks(5, prefix="MP", bytes=200 * MIB, paths=2)
    theirs = lab_disks(2, prefix="BY", bytes=128 * MIB, paths=2)
    with Machine([*disks, *theirs], using=lab_image, sync_limit_kib=8192) as vm:
        multipath.start(vm)
        install(vm)
        _skip_initramfs(vm)
        first, second = (f"/dev/disk/by-id/dm-uuid-mpath-3{disk.wwn:x}" for disk in theirs)
        vm.check(f"mkfs.ext4 -q {first} && pvcreate -q {second} && vgcreate -q theirs {second}")
        vm.check("udevadm settle; sync")
        yield vm


def test_built_measured_and_taken_back_over_maps_whose_paths_come_and_go(joined: Machine) -> None:
    vm = joined
    others = vm.hash_disks(BYSTANDERS)
    before = _states(vm)
    assert {serial: sorted(states.values()) for serial, states in before.items() if serial in SERIALS} == {
        serial: ["active", "active"] for serial in SERIALS
    }
    path = next(iter(before["MP0002"]))
    single = vm.run(f"raidtui plan disk --only {path} --out /root/single")
    assert (single.exit, f"{path} is a path of the multipath map" in single.stderr) == (2, True), single

    plan = _planned(vm, "(3+1)", SERIALS)
    assert all(disk.path.startswith("/dev/disk/by-id/dm-uuid-mpath-") for disk in plan.disks)
    refused = _confirmed(vm, "build /root/plan/plan.json", plan)
    assert (refused.exit, "[initramfs-without-multipath]" in refused.stderr) == (1, True), refused
    vm.check(f"echo '{MAPS_ALONE}' >> /etc/mdadm/mdadm.conf")

    building = vm.start_command(
        f"raidtui build /root/plan/plan.json --yes --confirm {plan.digest} --wait-for-sync", timeout=1800
    )
    vm.check("until grep -Eq 'resync|recovery' /proc/mdstat; do sleep 0.2; done", timeout=900)
    used = _used_path(vm, "MP0001")
    vm.check(f"echo offline > /sys/block/{used}/device/state")
    vm.check("until dmsetup status --target multipath | grep -q ' F '; do sleep 0.2; done", timeout=300)
    assert _states(vm)["MP0001"][used] == "offline"
    assert "1 of 2 paths" in vm.check("raidtui disks").stdout
    vm.check(f"echo running > /sys/block/{used}/device/state")
    built = building.wait()
    assert built.exit == 0, _why(vm, built)
    _equals_plan(vm, plan)
    assert "[4/4] [UUUU]" in vm.check(["cat", "/proc/mdstat"]).stdout
    vm.check("until ! dmsetup status --target multipath | grep -q ' F '; do sleep 1; done", timeout=300)

    vm.put("/root/short.json", json.dumps(SHORT).encode())
    measuring = vm.start_command(
        f"raidtui bench {plan.run_id[:8]} --profile /root/short.json --yes --out /root/bench", timeout=1800
    )
    vm.check("until pgrep -x fio; do sleep 0.2; done; sleep 2", timeout=900)
    vm.check(f"echo 1 > /sys/block/{_used_path(vm, 'MP0003')}/device/delete")
    measured = measuring.wait()
    assert measured.exit in (0, 1), measured
    assert len(_states(vm)["MP0003"]) == 1
    vm.check("for host in /sys/class/scsi_host/host*; do echo '- - -' > $host/scan; done; udevadm settle")
    vm.check("until [ $(multipath -ll | grep -c 'active ready running') -ge 14 ]; do sleep 1; done", timeout=300)
    assert sorted(_states(vm)["MP0003"].values()) == ["active", "active"]
    assert "[4/4] [UUUU]" in vm.check(["cat", "/proc/mdstat"]).stdout

    _replaced(vm, "MP0002", NEW)
    _replaced(vm, NEW, "MP0002")
    _let_udev_come_first(vm)
    _taken_back(vm, plan, "--lose-files 1")
    records, _, _ = journal.read(vm.get(f"/var/lib/raidtui/{plan.run_id}/journal"), source="the guest")
    zeroed: dict[tuple[str, ...], list[int | None]] = {}
    for record in records:
        if record.purpose == "undo" and record.kind == "result" and record.argv[:2] == ("blkdiscard", "--zeroout"):
            zeroed.setdefault(record.argv, []).append(record.exit)
    assert len(zeroed) == 4 * len(SERIALS)
    assert {(exits[0], exits[-1]) for exits in zeroed.values()} == {(1, 0)}, zeroed  # busy first, each time
    assert vm.hash_disks(BYSTANDERS) == others


def test_the_scripts_build_on_maps_and_undo(joined: Machine) -> None:
    vm = joined
    others = vm.hash_disks(BYSTANDERS)
    vm.check("test ! -e /usr/sbin/blkdiscard.kept || mv /usr/sbin/blkdiscard{.kept,}")
    _there_and_back(vm, "(3+1)", SERIALS, chunk=64)
    assert vm.hash_disks(BYSTANDERS) == others


def test_rebooted_the_array_is_made_of_maps_and_mounted(lab_image: Image) -> None:
    """A DEVICE line keeps mdadm in the initramfs from single paths; without it multipath in there is of no help."""
    serials = SERIALS[:3]
    with Machine(lab_disks(3, prefix="MP", bytes=200 * MIB, paths=2), using=lab_image, sync_limit_kib=None) as vm:
        multipath.start(vm, in_initramfs=False)
        install(vm)
        plan = _planned(vm, "(2+1)", serials, "--fs ext4")
        refused = _confirmed(vm, "build /root/plan/plan.json", plan)
        said = " ".join(refused.stderr.split())
        assert refused.exit == 1, refused
        assert "has mdadm and no multipathd that claims paths before it" in said, refused
        assert f"write '{MAPS_ALONE}' into /etc/mdadm/mdadm.conf" in said, refused

        vm.check(f"echo '{MAPS_ALONE}' >> /etc/mdadm/mdadm.conf")
        built = _confirmed(vm, "build /root/plan/plan.json --wait-for-sync", plan)
        assert built.exit == 0, _why(vm, built)
        vm.check(MARKED)
        assert _in_image(vm) == {"mdadm"}
        _rebooted(vm, permute=3)
        assert {tuple(states.values()) for states in _states(vm).values()} == {("active", "active")}
        vm.check("rm /srv/data/marker; sync")  # it takes a block
        _equals_plan(vm, plan)
        vm.check(MARKED)
        (array,) = json.loads(vm.check("raidtui arrays --json", timeout=300).stdout)["arrays"]
        known = [array[place]["answer"] for place in ("in_conf", "in_initramfs", "in_fstab", "monitored")]
        assert (array["states"], known) == (["clean"], ["yes"] * 4)
        audited = json.loads(vm.run("raidtui audit --json", timeout=300).stdout)["findings"]
        assert [each["code"] for each in audited] == ["alerts-unheard"]  # a bare Debian has nothing that takes mail

        vm.check(f"sed --in-place '\\|^{MAPS_ALONE[:-1]}|d' /etc/mdadm/mdadm.conf")
        multipath.into_initramfs(vm)
        vm.check("update-initramfs -u", timeout=900)
        assert _in_image(vm) == {"mdadm", "multipath"}
        _rebooted(vm, permute=7)
        members = vm.check("ls /sys/block/md127/slaves").stdout.split()
        assert len(members) == 3 and all(name.startswith("sd") for name in members)  # why a build refuses
        audited = json.loads(vm.run("raidtui audit --json", timeout=300).stdout)["findings"]
        assert {each["subject"] for each in audited if each["code"] == "path-lost"} == set(members)


def _in_image(vm: Guest) -> set[str]:
    """Which of the two programs the initramfs has."""
    listed = vm.check("lsinitramfs /boot/initrd.img-$(uname -r)", timeout=300).stdout
    return {name for name in ("mdadm", "multipath") if re.search(rf"^(usr/)?sbin/{name}$", listed, re.MULTILINE)}


def _rebooted(vm: Machine, permute: int) -> None:
    """With its own initramfs: the array has all members, and fstab's file system on it is mounted."""
    vm.reboot(permute=permute)
    vm.check("for second in $(seq 120); do findmnt /srv/data && break; sleep 1; done; udevadm settle", timeout=600)
    assert vm.check(["cat", "/srv/data/marker"]).stdout == "still here\n"
    assert "[3/3] [UUU]" in vm.check(["cat", "/proc/mdstat"]).stdout


def _let_udev_come_first(vm: Guest) -> None:
    """From now on udev looks at a device right before it is zeroed."""
    vm.check("rm -rf /run/udev-came; test -e /usr/sbin/blkdiscard.kept || mv /usr/sbin/blkdiscard{,.kept}")
    vm.put("/usr/sbin/blkdiscard", UDEV_FIRST, 0o755)


def _replaced(vm: Guest, old: str, new: str) -> None:
    """Another disk takes the place of a member, each through its map, and the member is blank again."""
    sum_of = "sha256sum /srv/data/f"
    vm.check("test -e /srv/data/f || dd if=/dev/urandom of=/srv/data/f bs=1M count=64 status=none; sync")
    before = vm.check(sum_of).stdout
    path = _states(vm)[new]
    words = f"raidtui replace data --member {old} --with"
    single = vm.run(f"{words} {next(iter(path))} --json")
    assert (single.exit, single.stdout) == (2, ""), single  # a path is no disk
    answer = json.loads(vm.check(f"{words} {new} --json").stdout)
    actions = [action for step in answer["steps"] for action in step["actions"]]
    assert {word for action in actions for word in action["argv"] if "/by-id/" in word} == {
        f"/dev/disk/by-id/dm-uuid-mpath-{_map(vm, serial)}" for serial in (old, new)
    }
    begun = vm.run(f"{words} {new} --begin --yes --confirm {answer['digest']}", timeout=900)
    assert begun.exit == 0, begun
    assert "[4/4] [UUUU]" in vm.check(["cat", "/proc/mdstat"]).stdout
    assert vm.check(sum_of).stdout == before
    left = f"/dev/disk/by-id/dm-uuid-mpath-{_map(vm, old)}"
    vm.check(f"blkdiscard --zeroout {left}; udevadm trigger --settle $(readlink -f {left})", timeout=300)


def _states(vm: Guest) -> dict[str, dict[str, str]]:
    """State of each path, by its kernel name, of each multipath disk by serial number."""
    return {
        disk.serial or "": {path.kernel_name: path.state or "unknown" for path in disk.multipath.paths}
        for disk in _inventory(vm).disks
        if disk.multipath
    }


def _used_path(vm: Guest, serial: str) -> str:
    """Kernel name of the path that requests go to, as multipathd shows it."""
    shown = vm.check(f"multipath -ll {_map(vm, serial)}").stdout.partition("status=active")[2]
    found = re.search(r"\d+:\d+:\d+:\d+ (sd[a-z]+)", shown)
    assert found, shown
    return found[1]


def _map(vm: Guest, serial: str) -> str:
    wwn = next(disk.wwn for disk in _inventory(vm).disks if disk.serial == serial)
    return f"3{(wwn or '').removeprefix('0x')}"
