"""Every state of an array, made by mdadm on real md, as `raidtui arrays` shows it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from raidtui.values.arrays import ObservedArray, ObservedArrays
from raidtui.values.codec import from_json
from raidtui.values.units import MIB
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.quick import QuickMachine

pytestmark = pytest.mark.lab

ARRAYS = {
    "clean": "raid1 2", "active": "raid1 2", "degraded": "raid5 3", "dropped": "raid6 4", "rebuilding": "raid5 4",
    "incomplete": "raid5 4", "inactive": "raid1 2", "readauto": "raid1 2", "pending": "raid1 2", "stopped": "raid1 2",
    "foreign": "raid1 2", "dirty": "raid5 3", "stripe": "raid0 2",
}  # fmt: skip
"""level and members of each, by the name that says what becomes of it"""


@pytest.fixture(scope="module")
def machine(lab_image: Image) -> Iterator[QuickMachine]:
    disks = lab_disks(sum(int(each.split()[1]) for each in ARRAYS.values()), bytes=64 * MIB)
    with QuickMachine(disks, using=lab_image, sync_limit_kib=None) as vm:
        install(vm)
        yield vm


def made(vm: QuickMachine) -> dict[str, list[str]]:
    """The arrays, all whole and clean; paths of the members of each."""
    paths = list(vm.disk_paths().values())
    members: dict[str, list[str]] = {}
    for name, shape in ARRAYS.items():
        level, count = shape.split()
        members[name] = [paths.pop(0) for _ in range(int(count))]
        spare = 1 if name == "rebuilding" else 0
        host = " --homehost=elsewhere" if name == "foreign" else ""
        vm.check(
            f"mdadm --create /dev/md/{name} --name={name}{host} --level={level.removeprefix('raid')} --metadata=1.2 "
            f"--raid-devices={int(count) - spare} {'--spare-devices=1' if spare else ''} "
            f"{'' if level == 'raid0' else '--assume-clean --bitmap=internal'} {' '.join(members[name])} </dev/null"
        )
    vm.check("udevadm settle")
    return members


def arrays(vm: QuickMachine) -> dict[str, ObservedArray]:
    seen = from_json(ObservedArrays, vm.check(["raidtui", "arrays", "--json"]).stdout, source="raidtui arrays")
    return {array.label.rpartition(":")[2]: array for array in seen.arrays}


def brought_about(vm: QuickMachine, members: dict[str, list[str]]) -> None:
    """Makes of each array what its name says."""
    vm.check("echo 0 > /sys/module/md_mod/parameters/start_ro")
    vm.limit_sync(200)
    vm.check("mkfs.ext4 -q /dev/md/clean && mkdir -p /srv/clean && mount /dev/md/clean /srv/clean")
    vm.check("mdadm --detail --brief /dev/md/clean >> /etc/mdadm/mdadm.conf")
    vm.check("echo UUID=$(blkid -s UUID -o value /dev/md/clean) /srv/clean ext4 nofail 0 0 >> /etc/fstab")
    vm.check("pvcreate -q /dev/md/active && vgcreate -q theirs /dev/md/active && lvcreate -q -l1 -n one theirs")
    vm.check("mkswap -q /dev/theirs/one && swapon /dev/theirs/one")
    for name, faulty in (("degraded", 1), ("dropped", 2), ("rebuilding", 0), ("dirty", 1)):
        vm.check(f"mdadm /dev/md/{name} --fail {members[name][faulty]}")
    vm.check(f"udevadm settle; mdadm /dev/md/dropped --remove {members['dropped'][2]}")
    vm.check("dd if=/dev/zero of=/dev/md/dropped bs=1M count=1 oflag=direct status=none")
    vm.check(f"mdadm --stop /dev/md/incomplete; udevadm settle; mdadm -I {members['incomplete'][0]}")
    vm.check(f"mdadm -I {members['incomplete'][3]}")
    vm.check("echo inactive > /sys/block/$(basename $(readlink -f /dev/md/inactive))/md/array_state")
    vm.check("mdadm --stop /dev/md/stopped; udevadm settle")
    vm.check("echo 1 > /sys/module/md_mod/parameters/start_ro")
    vm.check(f"mdadm --stop /dev/md/readauto; mdadm --assemble /dev/md/readauto {' '.join(members['readauto'])}")
    vm.check(
        "mdadm --stop /dev/md/pending; mdadm --assemble /dev/md/pending --update=resync "
        f"{' '.join(members['pending'])}; udevadm settle"
    )


EXPECTED = {
    "clean": (("clean",), 0, ("in-sync", "in-sync")),
    "active": (("clean",), 0, ("in-sync", "in-sync")),
    "degraded": (("degraded", "clean"), 1, ("in-sync", "missing", "in-sync", "faulty")),
    "dropped": (("degraded", "clean"), 1, ("in-sync", "in-sync", "missing", "in-sync", "dropped")),
    "rebuilding": (("degraded", "clean"), 1, ("rebuilding", "in-sync", "in-sync", "faulty")),
    "incomplete": (("incomplete", "inactive"), 2, ("idle", "idle", "dropped", "dropped")),
    "inactive": (("inactive",), 0, ("idle", "idle")),
    "readauto": (("auto-read-only",), 0, ("in-sync", "in-sync")),
    "pending": (("pending", "auto-read-only"), 0, ("in-sync", "in-sync")),
    "stopped": (("stopped",), 0, ("idle", "idle")),
    "foreign": (("foreign", "clean"), 0, ("in-sync", "in-sync")),
    "dirty": (("degraded", "clean"), 1, ("in-sync", "missing", "in-sync", "faulty")),
    "stripe": (("clean",), None, ("in-sync", "in-sync")),
}


def at_rest(array: ObservedArray) -> tuple[str, ...]:
    """Its states; one that was written a moment ago is active, and clean soon."""
    return tuple("clean" if state == "active" else state for state in array.states)


def test_each_state_is_told_apart_by_root_and_by_others(machine: QuickMachine) -> None:
    vm = machine
    members = made(vm)
    brought_about(vm, members)
    found = arrays(vm)
    assert {
        name: (at_rest(array), array.lacks, tuple(member.state for member in array.members))
        for name, array in found.items()
    } == EXPECTED
    assert found["rebuilding"].sync is not None and found["rebuilding"].sync.action == "recover"
    assert found["foreign"].made_for == "elsewhere"
    (dropped,) = found["dropped"].dropped
    assert (dropped.slot, dropped.serial) == (2, "LAB0010")
    counts = {member.state: member.superblock.events for member in found["dropped"].members if member.superblock}
    assert (counts["dropped"] or 0) < (counts["in-sync"] or 0)

    clean, group = found["clean"], found["active"]
    assert clean.stands_on_it[0].mount_points == ("/srv/clean",)
    assert (clean.in_conf.answer, clean.in_fstab.answer, clean.monitored.answer) == ("yes", "yes", "yes")
    assert (clean.bitmap.kind, clean.bitmap.chunk_bytes) == ("internal", 64 * MIB)
    assert [(each.content, each.group, each.mount_points) for each in group.stands_on_it] == [
        ("LVM2_member", "theirs", ()), ("swap", "", ("[SWAP]",)),
    ]  # fmt: skip
    assert (group.in_conf.answer, group.in_fstab.answer) == ("no", "no")
    assert found["stripe"].monitored.answer == "not-needed"

    text = vm.check("su nobody -s /bin/sh -c 'raidtui arrays'").stdout
    shown = vm.check("su nobody -s /bin/sh -c 'raidtui arrays --json'").stdout
    others = {each.label.rpartition(":")[2]: each for each in from_json(ObservedArrays, shown, source="nobody").arrays}
    running = {name for name, (states, _, _) in EXPECTED.items() if not {"inactive", "stopped"} & set(states)}
    assert {name: at_rest(others[name]) for name in running} == {name: EXPECTED[name][0] for name in running}
    assert "were not read: mdadm: cannot open" in text
    assert others["stopped"].devices is None  # not zero: only a superblock says it


AFTER_THE_CUT = {
    "dirty": ("incomplete", "inactive"),
    "rebuilding": ("degraded", "pending", "auto-read-only"),
    "pending": ("pending", "auto-read-only"),
    "foreign": ("foreign", "auto-read-only"),
    "incomplete": ("auto-read-only",),
    "stripe": ("clean",),
}
"""udev has assembled what it could"""


def test_after_a_power_cut_what_does_not_start_is_explained(machine: QuickMachine) -> None:
    """The array `dirty` is written when the power goes: md does not start a RAID5 that is dirty and lacks a member."""
    vm = machine
    vm.check(["systemd-run", "--quiet", "dd", "if=/dev/zero", "of=/dev/md/dirty", "bs=64K", "oflag=direct"])
    state = "/sys/block/$(basename $(readlink -f /dev/md/dirty))/md/array_state"
    vm.check(f"timeout 20 sh -c 'until grep -q active {state}; do :; done'")
    vm.power_cut()
    vm.start()
    vm.check("udevadm settle")
    found = arrays(vm)
    assert {name: found[name].states for name in AFTER_THE_CUT} == AFTER_THE_CUT
    blocks = {member.serial: member.superblock for member in found["dirty"].members}
    failed, whole = blocks["LAB0031"], blocks["LAB0030"]
    assert failed is not None and whole is not None and (failed.events or 0) < (whole.events or 0)
    assert (failed.clean, whole.clean) == (True, False)
    shown = vm.check(["raidtui", "arrays"]).stdout
    assert "was in use when it was last written and has a missing member" in shown
    assert "(serial LAB0031) missed what was written to " in shown
