"""The exported scripts run, unedited, on real md, LVM and mkfs: built, read back, refused, rebooted, taken back.

The inventory is the guest's own, read by the probe in the guest. Everything that is compared with a plan is asked of
the guest again here, in other words than the script's.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from raidtui.predict.design import predict
from raidtui.scripts.build_script import build_script
from raidtui.scripts.undo_script import undo_script
from raidtui.steps.build import compile_plan
from raidtui.values.choices import Metadata
from raidtui.values.codec import from_json
from raidtui.values.design import Design
from raidtui.values.inventory import Disk as Found
from raidtui.values.inventory import Inventory
from raidtui.values.notation import parse, show
from raidtui.values.plan import Plan
from raidtui.values.prediction import XfsGeometry
from raidtui.values.units import KIB, MIB
from tests.lab import quick_initramfs
from tests.lab.agent import Result
from tests.lab.disk import Disk, lab_disks
from tests.lab.guest import Guest
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.quick import QuickMachine
from tests.lab.vm import Machine

pytestmark = pytest.mark.lab

PROBE = """
from raidtui.machine.system.host import SystemHost
from raidtui.machine.inventory.probe import probe
from raidtui.values.codec import to_json
print(to_json(probe(SystemHost())))
"""
SLOW_SYNC = 'SUBSYSTEM=="block", KERNEL=="md*", ATTR{md/level}=="raid[14-6]*", ATTR{md/sync_speed_min}="50"\n'
"""sorts after the plan's rule, so that sixty sparse disks are not filled while the test looks"""
END = 4 * MIB


@pytest.fixture(scope="module")
def sixty(lab_image: Image) -> Iterator[Machine]:
    """Sixty disks of 2 TB on four HBAs."""
    with Machine(lab_disks(60, controllers=4), using=lab_image, sync_limit_kib=200) as vm:
        _prepare(vm)
        yield vm


@pytest.fixture(scope="module")
def mixed(lab_image: Image) -> Iterator[QuickMachine]:
    """Small machines in one: eight NAS disks, a trio of unequal ones, flash, sectors of 4 KiB."""
    disks = [
        *lab_disks(8, prefix="NAS", bytes=3_960_778_588_160, rotation=5400),
        *lab_disks(1, prefix="SMALL", bytes=250_059_350_016),
        *lab_disks(2, prefix="BIG", bytes=1_000_204_886_016),
        *(Disk(f"FLASH{number}", bytes=480_103_981_056, rotation=1) for number in range(4)),
        *lab_disks(4, prefix="FOURK", bytes=1_000_204_886_016, logical_block=4096),
    ]
    with QuickMachine(disks, using=lab_image, sync_limit_kib=200) as vm:
        _prepare(vm)
        _skip_initramfs(vm)
        yield vm


def test_seven_disks_from_blank_to_blank_and_what_is_refused_on_the_way(mixed: QuickMachine) -> None:
    vm = mixed
    plan = _plan(vm, "(4+2)+1", _named(vm, "NAS")[:7])
    _put(vm, plan)
    before = vm.hash_disks()
    words = [plan.digest[-8:]]
    _refused(vm, "build", f"All is as planned. To erase the 7 disks and build: bash /root/build.sh {words[0]}", "wrong")
    conf = "/etc/mdadm/mdadm.conf"
    vm.check(f"mv {conf} {conf}.kept; ln -s /dev/null {conf}")
    _refused(vm, "build", f"not a file or directory that root alone can change: {conf}", *words)
    vm.check(f"mv {conf}.kept {conf}; echo 'ARRAY /dev/md/data UUID=0:0:0:0' >> {conf}")
    _refused(vm, "build", "these lines are in the way", *words)
    vm.check(f"sed -i '$d' {conf}")
    assert vm.hash_disks() == before
    assert vm.run(["test", "-e", "/var/lib/raidtui"]).exit == 1

    _build(vm, plan)
    _equals_plan(vm, plan)
    vm.check("echo still here > /srv/data/marker; sync")
    _refused(vm, "build", "/dev/md/data exists", *words)
    lost = [f"undo-{plan.digest[-8:]}", "lose-1-files"]
    _refused(vm, "undo", "7 members of it are here, 1 files. ", lost[0])
    vm.check("cp -p /etc/fstab /root/fstab; sed -i 's/noatime/relatime/' /etc/fstab")
    _refused(vm, "undo", "/etc/fstab does not have the plan's lines as written", *lost)
    vm.check("sed -i '/ end$/d' /etc/fstab; echo '# of others' >> /etc/fstab")
    _refused(vm, "undo", "/etc/fstab does not have the plan's lines as written", *lost)
    vm.check("mv /etc/fstab /root/changed; ln -s /root/fstab /etc/fstab")
    _refused(vm, "undo", "not a file or directory that root alone can change: /etc/fstab", *lost)
    vm.check("rm /etc/fstab; mv /root/fstab /etc/fstab; mount -t tmpfs none /srv/data")
    _refused(vm, "undo", "these mounts are in the way", *lost)
    vm.check("umount /srv/data")
    assert vm.check(["cat", "/srv/data/marker"]).stdout == "still here\n"
    _undo(vm, plan, "lose-1-files")
    assert _named_words(vm, "build") == words


def test_four_arrays_beside_a_volume_group_of_the_same_name(mixed: QuickMachine) -> None:
    """It stands on a disk that comes back after the build. A volume and a disk of others in the group are refused."""
    vm = mixed
    plan = _plan(vm, "4x raid1(2)", _named(vm, "NAS"))
    _put(vm, plan)
    theirs = vm.disk_path("FLASH0")
    ends = f"dd if={theirs} bs=1M count=2 status=none"
    vm.check(f"pvcreate -q {theirs}; vgcreate -q data {theirs}; lvcreate -q -y -an -Zn -L64M -n work data")
    _refused(vm, "build", "expected '', found 'data' (exit code 0): vgs ")
    vm.check(f"{ends} of=/root/ends; blkdiscard --zeroout --length=2M {theirs}; udevadm settle; pvscan --cache")
    _build(vm, plan)
    _equals_plan(vm, plan)
    vm.check("mkdir /srv/data/photos; echo kept > /srv/data/photos/one; sync")
    lost = [f"undo-{plan.digest[-8:]}", "lose-2-files"]
    extra = vm.disk_path("FLASH1")
    vm.check(f"pvcreate -q {extra}; vgextend -q data {extra}; lvcreate -q -y -L64M -n work data {extra}")
    _refused(vm, "undo", "others' volumes or disks: ", *lost)
    vm.check(f"lvremove -q -y data/work; vgreduce -q data {extra}; pvremove -q {extra}")
    vm.check(f"dd if=/root/ends of={theirs} conv=notrunc status=none; sync; udevadm settle; pvscan --cache {theirs}")
    assert len(vm.check("vgs --noheadings -o vg_name").stdout.split()) == 2
    before = vm.hash_disks(["FLASH0"])
    _undo(vm, plan, "lose-2-files")
    assert vm.hash_disks(["FLASH0"]) == before
    assert vm.check("lvs --noheadings -o vg_name,lv_name").stdout.split() == ["data", "work"]
    vm.check("vgremove -q -f data; udevadm settle")
    vm.erase_disks(["FLASH0", "FLASH1"])
    vm.check("udevadm trigger --settle --subsystem-match=block; pvscan --cache")


@pytest.mark.long
def test_md_stripe_over_mirrors(mixed: QuickMachine) -> None:
    """A file system that somebody makes on the stripe in place of the plan's is not undone."""
    vm = mixed
    plan = _plan(vm, "2x raid1(2)", _named(vm, "FLASH"), stack="md", fs="ext4")
    _put(vm, plan)
    _build(vm, plan)
    _equals_plan(vm, plan)
    device = plan.arrays[-1].device
    vm.check(f"umount /srv/data; mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=1 {device}; udevadm settle")
    _refused(vm, "undo", "this is not the plan's: ", f"undo-{plan.digest[-8:]}", "lose-uncounted-files")
    assert vm.check(["e2fsck", "-fn", device]).exit == 0
    vm.check(f"wipefs --all --quiet {device}; udevadm settle")
    vm.check(["mdadm", "--stop", device])
    _undo(vm, plan, "lose-uncounted-files")


@pytest.mark.long
def test_old_content_is_shown_and_erased_when_each_kind_of_it_is_named(mixed: QuickMachine) -> None:
    vm = mixed
    serials = _named(vm, "FLASH")
    path = vm.disk_paths(serials)
    blank = _plan(vm, "raid10(4)", serials, fs="ext4")
    vm.check(f"printf precious | dd of={path['FLASH1']} bs=1 seek=700000 conv=notrunc status=none; sync")
    vm.check(f"mkfs.ext4 -q -E nodiscard -L photos {path['FLASH2']}; sync; udevadm settle")
    _put(vm, blank)
    _refused(vm, "build", f"{path['FLASH1']} /dev/zero differ", blank.digest[-8:])
    plan = _plan(vm, "raid10(4)", serials, fs="ext4")
    assert [disk.content and disk.content[0].kind for disk in plan.disks] == [(), "data", "file-system", ()]
    _put(vm, plan)
    before = vm.hash_disks()
    looked = _run(vm, "build")
    assert "\nFLASH1:  data " in looked.stdout and "\nFLASH2:  file-system ext4 photos " in looked.stdout, looked
    assert _named_words(vm, "build") == [plan.digest[-8:], "data", "file-system"]
    _refused(vm, "build", "All is as planned. ", plan.digest[-8:], "data")
    vm.check(f"tune2fs -L holiday {path['FLASH2']} >/dev/null; sync; udevadm settle")
    _refused(vm, "build", "STOPPED: expected ", plan.digest[-8:], "data", "file-system")
    vm.check(f"tune2fs -L photos {path['FLASH2']} >/dev/null; sync; udevadm settle")
    assert vm.hash_disks(["FLASH0", "FLASH1", "FLASH3"]).items() <= before.items()
    plan = _plan(vm, "raid10(4)", serials, fs="ext4")
    _put(vm, plan)
    _build(vm, plan, "data", "file-system")
    _equals_plan(vm, plan)
    _undo(vm, plan)


@pytest.mark.long
def test_raid60_of_the_field_from_blank_disks_to_blank_disks(sixty: Machine) -> None:
    vm = sixty
    plan = _plan(vm, "4x(12+2)+4", vm.serials, chunk=256)
    assert plan.prediction.volume_bytes == 187524685824 * 512
    _put(vm, plan)
    before = vm.hash_disks()
    _refused(vm, "build", "All is as planned. ", "00000000")
    assert vm.hash_disks() == before
    assert vm.run(["test", "-e", "/var/lib/raidtui"]).exit == 1

    _build(vm, plan)
    _equals_plan(vm, plan)
    lvs = (
        "lvs --reportformat json --units b --nosuffix -o lv_size,stripes,stripe_size,vg_extent_size,lv_read_ahead data"
    )
    assert json.loads(vm.check(lvs).stdout)["report"][0]["lv"] == [
        {
            "lv_size": "96012639141888",
            "stripes": "4",
            "stripe_size": "262144",
            "vg_extent_size": "3145728",
            "lv_read_ahead": "25165824",
        }
    ]
    assert "spare-group=data" in vm.check(["cat", "/etc/mdadm/mdadm.conf"]).stdout
    assert vm.check("cat /sys/block/md*/md/stripe_cache_size").stdout.split() == ["1024"] * 4
    vm.check("echo still here > /srv/data/marker; sync")

    state = _state(vm)
    _refused(vm, "build", "/dev/md/data-0 exists", plan.digest[-8:])
    assert _state(vm) == state

    vm.reboot(permute=7)
    vm.check("for second in $(seq 120); do findmnt /srv/data && break; sleep 1; done; udevadm settle", timeout=240)
    assert vm.check(["cat", "/srv/data/marker"]).stdout == "still here\n"
    assert vm.check(["systemctl", "is-active", "mdmonitor.service"]).stdout == "active\n"
    assert vm.check("ls /dev/md").stdout.split() == ["data-0", "data-1", "data-2", "data-3"]
    assert vm.check("cat /sys/block/md*/md/stripe_cache_size").stdout.split() == ["1024"] * 4

    _spare_moves_between_arrays(vm, plan)
    _skip_initramfs(vm)
    _undo(vm, plan, "lose-1-files")


@pytest.mark.long
@pytest.mark.parametrize("layout", ["(43+2)", "(41+2)+2"])
def test_one_wide_raid6(sixty: Machine, layout: str) -> None:
    _there_and_back(sixty, layout, sixty.serials[:45], chunk=256)


@pytest.mark.long
def test_md_stripe_over_arrays_with_old_content_on_the_disks(sixty: Machine) -> None:
    vm, serials = sixty, sixty.serials[:14]
    path = vm.disk_paths(serials)
    vm.check(f"printf 'label: gpt\\n,1G\\n,2G\\n' | sfdisk --quiet {path[serials[0]]}; udevadm settle")
    vm.check(f"mkfs.ext4 -q {path[serials[0]]}-part1; mkswap {path[serials[0]]}-part2; udevadm settle")
    vm.check(["mkfs.xfs", "-K", "-q", path[serials[1]]])
    vm.check(["mkfs.ext4", "-q", "-E", "nodiscard,lazy_itable_init=1", path[serials[2]]])
    old = [path[serial] for serial in serials[3:5]]
    vm.check(["mdadm", "--create", "/dev/md/old", "-l1", "-n2", "-e1.0", "--run", "--bitmap=none", *old])
    vm.check("mdadm --stop /dev/md/old; udevadm settle; mdadm --stop /dev/md/old || true")
    plan = _plan(vm, "2x(4+2)+2", serials, chunk=64, stack="md")
    _put(vm, plan)
    before = vm.hash_disks(serials)
    _refused(vm, "build", "All is as planned. ", plan.digest[-8:])
    assert vm.hash_disks(serials) == before
    _build(vm, plan, "file-system", "md-member", "partition-table", "swap")
    _equals_plan(vm, plan)
    _undo(vm, plan)


@pytest.mark.long
def test_nas_of_four(mixed: QuickMachine) -> None:
    _there_and_back(mixed, "(3+1)", _named(mixed, "NAS")[:4], fs="ext4")


@pytest.mark.long
@pytest.mark.parametrize("layout", ["raid10(3,f2)", "raid5(2+1)"])
def test_trio_of_unequal_disks(mixed: QuickMachine, layout: str) -> None:
    _there_and_back(mixed, layout, [*_named(mixed, "SMALL"), *_named(mixed, "BIG")])


@pytest.mark.long
def test_flash(lab_image: Image) -> None:
    disks = [Disk(f"FLASH{number}", bytes=480_103_981_056, kind="nvme", physical_block=512) for number in range(4)]
    with Machine(disks, using=lab_image, sync_limit_kib=200) as vm:
        _prepare(vm)
        _skip_initramfs(vm)
        _there_and_back(vm, "raid10(4)", vm.serials)


@pytest.mark.long
def test_sectors_of_four_kib_and_separate_file_systems(mixed: QuickMachine) -> None:
    _there_and_back(mixed, "2x raid1(2)", _named(mixed, "FOURK"), fs="ext4", stack="separate")


@pytest.mark.long
@pytest.mark.parametrize("metadata", ["1.0", "0.90"])
def test_superblocks_at_the_end(mixed: QuickMachine, metadata: Metadata) -> None:
    _there_and_back(mixed, "raid1(2)", _named(mixed, "FLASH")[:2], metadata=metadata)


@pytest.mark.long
def test_wrong_disks_are_refused_before_anything_is_written(mixed: QuickMachine) -> None:
    vm = mixed
    plan = _plan(vm, "(3+1)", _named(vm, "NAS")[:4])
    inventory = _inventory(vm)
    mine = [disk for disk in inventory.disks if disk.id in plan.prediction.disks]
    mine[0] = replace(mine[0], serial="ANOTHER")
    other = _compiled(plan.design, replace(inventory, disks=tuple(mine)), mine)
    _put(vm, other)
    before = vm.hash_disks()
    _refused(vm, "build", "STOPPED: expected 'disk 3960778588160 512 0 ANOTHER', found ", other.digest[-8:])
    _put(vm, plan)
    with_swap = vm.disk_path("NAS0003")  # a swap area of 64 MiB: the kernel needs a byte a page of it
    vm.check(f"mkswap -q {with_swap} 65536; swapon {with_swap}")
    _refused(vm, "build", "swap [SWAP]' (exit code 0): lsblk ", plan.digest[-8:])
    vm.check(f"swapoff {with_swap}; wipefs --all --quiet {with_swap}")
    others = [serial for serial in vm.serials if serial != "NAS0003"]
    assert vm.hash_disks(others) == {serial: before[serial] for serial in others}


@pytest.mark.long
def test_a_build_that_stopped_half_way_is_taken_back(mixed: QuickMachine) -> None:
    """mkfs fails; then the array is left inactive, without a name, holding one member."""
    vm = mixed
    plan = _plan(vm, "raid10(4)", _named(vm, "FLASH"))
    _put(vm, plan)
    vm.check("mv /usr/sbin/mkfs.xfs /usr/sbin/mkfs.xfs.kept")
    vm.put("/usr/sbin/mkfs.xfs", b"#!/bin/sh\nexit 1\n", 0o755)
    stopped = _run(vm, "build", plan.digest[-8:])
    assert (stopped.exit, "STOPPED. undo.sh removes what was built." in stopped.stdout) == (1, True), stopped
    vm.check("mv /usr/sbin/mkfs.xfs.kept /usr/sbin/mkfs.xfs")
    vm.check(["mdadm", "--stop", "/dev/md/data"])
    vm.run(["mdadm", "--incremental", plan.disks[0].path])
    assert "inactive" in vm.check(["cat", "/proc/mdstat"]).stdout
    _undo(vm, plan, "lose-uncounted-files")


@pytest.mark.long
def test_undo_stops_at_a_disk_that_is_used_otherwise_and_goes_on_after_a_crash(mixed: QuickMachine) -> None:
    """A crash before the superblocks go leaves them to show the way."""
    vm = mixed
    serials = _named(vm, "FLASH")
    plan = _plan(vm, "raid1(3)+1", serials)
    _put(vm, plan)
    _build(vm, plan)
    spare = next(disk for disk in plan.disks if disk.role.startswith("spare"))
    vm.check(["mdadm", "--manage", plan.arrays[0].device, "--remove", spare.path])
    vm.check(["mdadm", "--zero-superblock", spare.path])
    vm.check(f"mkfs.ext4 -q -E nodiscard,lazy_itable_init=1 {spare.path}; sync; udevadm settle")
    before = vm.hash_disks([spare.serial or ""])
    word = f"undo-{plan.digest[-8:]}"
    _refused(vm, "undo", f"STOPPED: {spare.path} holds ext4", word)
    assert vm.hash_disks([spare.serial or ""]) == before
    vm.check(f"blkdiscard --zeroout --length=16M {spare.path}; udevadm settle")
    wrapper = b"#!/bin/bash\nkill -9 $PPID\nexit 1\n"
    vm.check("mv /usr/sbin/blkdiscard /usr/sbin/blkdiscard.kept")
    vm.put("/usr/sbin/blkdiscard", wrapper, 0o755)
    crashed = _run(vm, "undo", word)
    assert crashed.exit not in (0, 1), crashed
    vm.check("mv /usr/sbin/blkdiscard.kept /usr/sbin/blkdiscard")
    assert plan.arrays[0].uuid in vm.check(["mdadm", "--examine", "--export", plan.disks[0].path]).stdout
    vm.check("udevadm settle; for a in /dev/md?*; do [ -b $a ] && mdadm --stop $a; done; true")
    _undo(vm, plan, "lose-uncounted-files")


def _there_and_back(vm: Guest, layout: str, serials: Sequence[str], **design: Any) -> None:
    plan = _plan(vm, layout, serials, **design)
    _put(vm, plan)
    _build(vm, plan)
    _equals_plan(vm, plan)
    _undo(vm, plan)


def _prepare(vm: Guest) -> None:
    install(vm)
    vm.put("/etc/udev/rules.d/99-slow-sync.rules", SLOW_SYNC.encode())
    vm.check(["udevadm", "control", "--reload"])


def _skip_initramfs(vm: Guest) -> None:
    """Building an initramfs takes minutes in emulation; one real one and the boot with it are enough."""
    vm.put("/usr/sbin/update-initramfs", quick_initramfs.UPDATE, 0o755)


def _named(vm: Guest, prefix: str) -> list[str]:
    return [serial for serial in vm.serials if serial.startswith(prefix)]


def _inventory(vm: Guest) -> Inventory:
    return from_json(Inventory, vm.check(["python3", "-c", PROBE]).stdout, source="the guest")


def _plan(vm: Guest, layout: str, serials: Sequence[str], *, chunk: int = 512, **design: Any) -> Plan:
    inventory = _inventory(vm)
    by_serial = {disk.serial: disk for disk in inventory.disks}
    asked = Design(layout=parse(layout), chunk_bytes=chunk * KIB, **design)
    return _compiled(asked, inventory, [by_serial[serial] for serial in serials])


def _compiled(design: Design, inventory: Inventory, disks: Sequence[Found]) -> Plan:
    return compile_plan(
        design,
        inventory,
        disks,
        predict(design, disks),
        run_id=hashlib.md5(show(design.layout).encode()).hexdigest(),
        name="data",
        mount_point="/srv/data",
        host=inventory.name,
    )


def _put(vm: Guest, plan: Plan) -> None:
    for script in (build_script(plan), undo_script(plan)):
        vm.put(f"/root/{script.file}", script.text.encode("ascii"), 0o755)


def _run(vm: Guest, which: str, *words: str) -> Result:
    return vm.run(["bash", f"/root/{which}.sh", *words], timeout=900)


def _named_words(vm: Guest, which: str) -> list[str]:
    """The words that begin it, as it names them when it is called without any."""
    looked = _run(vm, which)
    assert looked.exit == 0, looked
    return looked.stdout.splitlines()[-1].partition(f"bash /root/{which}.sh ")[2].split()


def _refused(vm: Guest, which: str, said: str, *words: str) -> None:
    told = _run(vm, which, *words)
    assert (told.exit, said in told.stdout + told.stderr) == (1, True), told


def _build(vm: Guest, plan: Plan, *content: str) -> None:
    """Built; `content`: the kinds that it must ask for."""
    words = _named_words(vm, "build")
    assert words == [plan.digest[-8:], *content]
    built = _run(vm, "build", *words)
    assert built.exit == 0, f"{built.stdout[-5000:]}\n{built.stderr}"
    assert "\nBuilt and read back." in built.stdout


def _undo(vm: Guest, plan: Plan, *lost: str) -> None:
    """Undone, every disk blank at both ends as the host sees it; a second time there is nothing to undo.

    `lost`: the word that it must ask for.
    """
    words = _named_words(vm, "undo")
    assert words == [f"undo-{plan.digest[-8:]}", *lost]
    undone = _run(vm, "undo", *words)
    assert undone.exit == 0, f"{undone.stdout[-5000:]}\n{undone.stderr}"
    vm.check("sync; udevadm settle")
    assert vm.check(["cat", "/proc/mdstat"]).stdout.splitlines()[1:] == ["unused devices: <none>"]
    assert vm.run("grep -r raidtui /etc/fstab /etc/mdadm /etc/udev/rules.d").exit == 1
    seen = {disk.id: disk for disk in _inventory(vm).disks}
    for disk in plan.disks:
        assert seen[disk.id].unsigned  # what the file system wrote is still between the ends
        backing = vm.backing(seen[disk.id].serial or "")
        assert backing.is_blank(0, MIB) and backing.is_blank(disk.size_bytes - MIB)
    again = _run(vm, "undo")
    assert (again.exit, "\n0 " in f"\n{again.stdout}", " 0 files. " in again.stdout) == (0, True, True), again
    vm.erase_disks([disk.serial or "" for disk in plan.disks])  # blank for the next test
    vm.check("find /srv -mindepth 1 -depth -type d -empty -delete")  # an undo leaves the directories mounted on


def _state(vm: Guest) -> str:
    """Everything a second run could have changed, without what a sync counts up."""
    asked = (
        "for a in /dev/md/*; do mdadm --detail --export $a; done; vgs -o+vg_seqno,vg_uuid; pvs -o+pv_uuid; "
        "lsblk --bytes -o NAME,TYPE,SIZE,UUID,MOUNTPOINT; cat /etc/fstab /etc/mdadm/mdadm.conf; "
        "sha256sum /etc/udev/rules.d/* /srv/data/marker; cat /proc/mounts"
    )
    return vm.check(asked).stdout


def _equals_plan(vm: Guest, plan: Plan) -> None:
    """Arrays, members, spares, file systems and configuration as sysfs, the tools and the files show them."""
    detail = {array.name: _exported(vm, array.device) for array in plan.arrays}
    for array, geometry in zip(plan.arrays, plan.prediction.arrays, strict=False):
        assert detail[array.name]["MD_UUID"] == array.uuid
        folder = f"/sys/class/block/$(basename $(readlink -f {array.device}))"
        wanted = {"raid_disks": geometry.members, "chunk_size": geometry.chunk_bytes or 0}
        if geometry.component_bytes is not None:
            wanted["component_size"] = geometry.component_bytes // KIB
        for name, value in wanted.items():
            assert int(vm.check(f"cat {folder}/md/{name}").stdout.split()[0]) == value, (array.name, name)
        assert int(vm.check(f"cat {folder}/size").stdout) == geometry.sectors
        offsets = vm.check(f"cat {folder}/md/dev-*/offset").stdout.split()
        assert offsets == [str(geometry.data_offset_sectors)] * (geometry.members + geometry.spares)
        assert int(vm.check(f"cat {folder}/queue/minimum_io_size").stdout) == geometry.io_min_bytes
        members = vm.check(f"ls -d {folder}/md/dev-*").stdout.split()
        held = {line.rsplit("dev-", 1)[1] for line in members}
        paths = [disk.path for disk in plan.disks if disk.id in array.members + array.spares]
        assert held == {vm.check(["readlink", "-f", path]).stdout.strip().removeprefix("/dev/") for path in paths}
    for made, fs in zip(plan.filesystems, plan.prediction.filesystems, strict=True):
        found = json.loads(vm.check(["findmnt", "--json", "-o", "UUID,FSTYPE,OPTIONS", made.mount_point]).stdout)
        mounted = found["filesystems"][0]
        assert (mounted["uuid"], mounted["fstype"]) == (made.uuid, fs.type)
        free = vm.check(["stat", "-f", "-c", "%b %a", made.mount_point]).stdout.split()
        assert [int(each) for each in free] == [fs.statfs_blocks, fs.statfs_available_blocks]
        if isinstance(fs, XfsGeometry):
            shown = vm.check(["xfs_info", made.mount_point]).stdout
            assert re.search(rf"sunit={fs.sunit_blocks} +swidth={fs.swidth_blocks} blks", shown)
            assert f"agcount={fs.agcount}, agsize={fs.agsize_blocks} blks" in shown
            assert f"blocks={fs.log_blocks}, version=2" in shown
    conf = vm.check(["cat", {"debian": "/etc/mdadm/mdadm.conf", "dracut": "/etc/mdadm.conf"}[plan.initramfs]]).stdout
    for array in plan.arrays:
        assert f"ARRAY {array.device} metadata={plan.design.metadata} UUID={array.uuid}" in conf


def _exported(vm: Guest, device: str) -> dict[str, str]:
    lines = vm.check(["mdadm", "--detail", "--export", device]).stdout.splitlines()
    return dict(line.split("=", 1) for line in lines)


def _spare_moves_between_arrays(vm: Guest, plan: Plan) -> None:
    """A member fails in an array whose own spare is gone: the monitor brings one of another array.

    While a spare of its own is left, even a rebuilding one, mdadm's monitor brings none (Monitor.c).
    """
    first = plan.arrays[0]
    path = {disk.id: disk.path for disk in plan.disks}
    counts = "for a in /dev/md/data-[0-3]; do mdadm --detail --export $a | grep -c _ROLE; done"
    assert vm.check(counts).stdout.split() == ["15", "15", "15", "15"]
    vm.check(["mdadm", "--manage", first.device, "--remove", path[first.spares[0]]])
    vm.check(["mdadm", "--manage", first.device, "--fail", path[first.members[3]]])
    moved = "[ $(mdadm --detail --export /dev/md/data-0 | grep -c _ROLE) = 15 ]"
    vm.check(f"for second in $(seq 90); do {moved} && break; sleep 1; done", timeout=180)
    assert sorted(vm.check(counts).stdout.split()) == ["14", "15", "15", "15"]
