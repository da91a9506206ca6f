"""The exported scripts run, unedited, on real md, LVM and mkfs: built, read back, refused twice, rebooted, taken back.

The inventory is the guest's own, read by the probe in the guest. Everything that is compared with a plan is asked of
the guest again here, in other words than the script's.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from raidtui.model.choices import FileSystem, Stack
from raidtui.model.codec import from_json
from raidtui.model.design import Design
from raidtui.model.geometry import XfsGeometry
from raidtui.model.inventory import Disk as Found
from raidtui.model.inventory import Inventory
from raidtui.model.notation import parse, show
from raidtui.model.plan import Plan
from raidtui.model.units import KIB, MIB
from raidtui.planner.compile.plan import compile_plan
from raidtui.planner.design.predict import predict
from raidtui.planner.export.bash_script import script
from raidtui.planner.export.undo_script import undo_script
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
from raidtui.model.codec import to_json
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
    """Small machines in one: four NAS disks, a trio of unequal ones, flash, sectors of 4 KiB."""
    disks = [
        *lab_disks(4, prefix="NAS", bytes=3_960_778_588_160, rotation=5400),
        *lab_disks(1, prefix="SMALL", bytes=250_059_350_016),
        *lab_disks(2, prefix="BIG", bytes=1_000_204_886_016),
        *(Disk(f"FLASH{number}", bytes=480_103_981_056, rotation=1) for number in range(4)),
        *lab_disks(4, prefix="FOURK", bytes=1_000_204_886_016, logical_block=4096),
    ]
    with QuickMachine(disks, using=lab_image, sync_limit_kib=200) as vm:
        _prepare(vm)
        _skip_initramfs(vm)
        yield vm


@pytest.mark.long
def test_raid60_of_the_field_from_blank_disks_to_blank_disks(sixty: Machine) -> None:
    vm = sixty
    plan = _plan(vm, "4x(12+2)+4", vm.serials, chunk=256)
    assert plan.prediction.volume_bytes == 187524685824 * 512
    _put(vm, plan)
    before = vm.hash_disks()

    checked = vm.run(["/root/build.sh", "--check"])
    assert (checked.exit, "All checks passed; nothing was written." in checked.stdout) == (0, True), checked.stdout
    unconfirmed = vm.run(["/root/build.sh"])
    assert (unconfirmed.exit, "no terminal to confirm on" in unconfirmed.stdout) == (1, True)
    wrong = vm.run(["/root/build.sh", "--yes-erase", "00000000"])
    assert (wrong.exit, "does not match this plan" in wrong.stdout) == (1, True)
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
    again = _run(vm, "build", plan)
    assert (again.exit, "nothing was written" in again.stdout) == (4, True)
    assert _state(vm) == state

    vm.reboot(permute=7)
    vm.check("for second in $(seq 120); do findmnt /srv/data && break; sleep 1; done; udevadm settle", timeout=240)
    assert vm.check(["cat", "/srv/data/marker"]).stdout == "still here\n"
    assert vm.check(["systemctl", "is-active", "mdmonitor.service"]).stdout == "active\n"
    assert vm.check("ls /dev/md").stdout.split() == ["data-0", "data-1", "data-2", "data-3"]
    assert vm.check("cat /sys/block/md*/md/stripe_cache_size").stdout.split() == ["1024"] * 4

    _spare_moves_between_arrays(vm, plan)
    _skip_initramfs(vm)
    kept = _run(vm, "undo", plan)
    assert (kept.exit, "add --lose-files 1 to accept that; nothing was written" in kept.stdout) == (1, True), (
        kept.stdout
    )
    assert "1 files and directories" in kept.stdout and "first names: marker" in kept.stdout
    assert vm.check(["cat", "/srv/data/marker"]).stdout == "still here\n"
    _undo(vm, plan, "--lose-files", "1")


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
    kinds = ["partition-table", "file-system", "swap", "md-member"]
    accept = [word for kind in kinds for word in ("--accept-content", kind)]
    plan = _plan(vm, "2x(4+2)+2", serials, chunk=64, stack="md")
    _put(vm, plan)
    before = vm.hash_disks(serials)
    refused = _run(vm, "build", plan)
    assert (refused.exit, "needs consent: add --accept-content" in refused.stdout) == (1, True), refused.stdout
    assert vm.hash_disks(serials) == before
    _build(vm, plan, *accept)
    _equals_plan(vm, plan)
    _undo(vm, plan)


@pytest.mark.long
def test_nas_of_four(mixed: QuickMachine) -> None:
    _there_and_back(mixed, "(3+1)", _named(mixed, "NAS"), fs="ext4")


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


def test_wrong_disks_are_refused_before_anything_is_written(mixed: QuickMachine) -> None:
    vm = mixed
    plan = _plan(vm, "(3+1)", _named(vm, "NAS"))
    inventory = _inventory(vm)
    mine = [disk for disk in inventory.disks if disk.id in plan.prediction.disks]
    mine[0] = replace(mine[0], serial="ANOTHER")
    other = _compiled(plan.design, replace(inventory, disks=tuple(mine)), mine)
    _put(vm, other)
    before = vm.hash_disks()
    refused = _run(vm, "build", other)
    assert (refused.exit, "it is not the planned disk" in refused.stdout) == (4, True)
    _put(vm, plan)
    with_swap = vm.disk_path("NAS0003")  # a swap area of 64 MiB: the kernel needs a byte a page of it
    vm.check(f"mkswap -q {with_swap} 65536; swapon {with_swap}")
    held = _run(vm, "build", plan)
    assert (held.exit, "it is in use: mounted at [SWAP]" in held.stdout) == (4, True), held.stdout
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
    vm.put("/usr/sbin/mkfs.xfs", b"#!/bin/sh\n[ $# = 0 ] && exec /usr/sbin/mkfs.xfs.kept\nexit 1\n", 0o755)
    stopped = _run(vm, "build", plan)
    assert (stopped.exit, "STOPPED: exit code 1 of: mkfs.xfs" in stopped.stdout) == (3, True), stopped.stdout
    assert "run the undo script of this plan" in stopped.stdout
    vm.check("mv /usr/sbin/mkfs.xfs.kept /usr/sbin/mkfs.xfs")
    vm.check(["mdadm", "--stop", "/dev/md/data"])
    vm.run(["mdadm", "--incremental", plan.disks[0].path])
    assert "inactive" in vm.check(["cat", "/proc/mdstat"]).stdout
    unseen = _run(vm, "undo", plan)
    assert (unseen.exit, "add --lose-files unknown to accept that" in unseen.stdout) == (1, True), unseen.stdout
    _undo(vm, plan, "--lose-files", "unknown")


def test_content_that_appeared_after_planning_is_refused_and_kept(mixed: QuickMachine) -> None:
    """An inactive volume group with data, and raw bytes, at an end and between: neither option erases them."""
    vm = mixed
    serials = _named(vm, "FLASH")
    plan = _plan(vm, "raid10(4)", serials)
    _put(vm, plan)
    path = vm.disk_paths(serials)
    vm.check(f"pvcreate -q {path['FLASH0']}; vgcreate -q theirs {path['FLASH0']}; lvcreate -q -y -L64M -n work theirs")
    vm.check("head -c 1M /dev/urandom | dd of=/dev/theirs/work bs=1M status=none; sync; vgchange -q -an theirs")
    vm.check(f"printf precious | dd of={path['FLASH1']} bs=1 seek=700000 conv=notrunc status=none; sync")
    vm.check(f"printf precious | dd of={path['FLASH2']} bs=4096 seek=33024 conv=notrunc status=none; sync")
    before = vm.hash_disks()
    for options in (["--check"], ["--yes-erase", plan.digest[-8:]]):
        refused = vm.run(["/root/build.sh", *options], timeout=300)
        assert (refused.exit, "3 checks failed; nothing was written" in refused.stdout) == (4, True), refused.stdout
        for serial in serials[:3]:
            assert f"serial {serial}): its content changed since the plan was made" in refused.stdout
        assert "LVM2_member" in refused.stdout
    assert vm.hash_disks() == before
    assert vm.check("vgs --noheadings -o vg_name theirs").stdout.strip() == "theirs"

    vm.check(f"vgremove -q -f theirs; pvremove -q {path['FLASH0']}")
    vm.check("; ".join(f"blkdiscard --zeroout --length=256M {path[serial]}" for serial in serials[:3]))
    vm.check("udevadm settle")


@pytest.mark.long
def test_content_is_erased_with_consent_alone(mixed: QuickMachine) -> None:
    vm = mixed
    serials = _named(vm, "FLASH")
    path = vm.disk_paths(serials)
    vm.check(f"printf precious | dd of={path['FLASH1']} bs=1 seek=700000 conv=notrunc status=none; sync")
    vm.check(f"mkfs.ext4 -q -E nodiscard {path['FLASH2']}; sync; udevadm settle")
    late = _plan(vm, "raid10(4)", serials)
    assert [disk.content and disk.content[0].kind for disk in late.disks] == [(), "data", "file-system", ()]
    _put(vm, late)
    before = vm.hash_disks()
    for options in ([], ["--accept-content", "data"], ["--accept-content", "FLASH2"]):
        lost = _run(vm, "build", late, *options)
        assert (lost.exit, "needs consent: add --accept-content" in lost.stdout) == (1, True), lost.stdout
    assert vm.hash_disks() == before
    _build(vm, late, "--accept-content", "FLASH1", "--accept-content", "file-system")
    _undo(vm, late)


@pytest.mark.long
def test_a_process_that_has_a_disk_open_is_named(mixed: QuickMachine) -> None:
    vm = mixed
    serials = _named(vm, "FLASH")
    plan = _plan(vm, "raid10(4)", serials)
    _put(vm, plan)
    path = vm.disk_paths(serials)["FLASH3"]
    vm.check(f"mknod /root/another b $(stat -L -c '0x%t 0x%T' {path}); ls -l /root/another")
    vm.check("nohup sleep 600 <>/root/another >/dev/null 2>&1 & echo $! >/root/holder")
    refused = vm.run(["/root/build.sh", "--check"], timeout=300)
    assert (refused.exit, "(sleep) has it open" in refused.stdout) == (4, True), refused.stdout
    vm.check("kill $(cat /root/holder); rm /root/another")
    assert vm.run(["/root/build.sh", "--check"], timeout=300).exit == 0


@pytest.mark.long
def test_undo_refuses_for_what_others_put_on_the_arrays(mixed: QuickMachine) -> None:
    """A foreign volume in our group, files: nothing is removed before both are settled."""
    vm = mixed
    plan = _plan(vm, "2x raid1(2)", _named(vm, "FLASH"))
    _put(vm, plan)
    _build(vm, plan)
    extra = vm.disk_path(_named(vm, "NAS")[0])
    vm.check("mkdir /srv/data/photos; echo kept > /srv/data/photos/one; sync")
    vm.check(f"pvcreate -q {extra}; vgextend -q data {extra}; lvcreate -q -y -L64M -n theirs data {extra}")
    for _ in range(2):
        refused = _run(vm, "undo", plan, "--lose-files", "2")
        assert (refused.exit, "do not belong to the plan; nothing was written" in refused.stdout) == (1, True), (
            refused.stdout
        )
        assert "IN THE WAY: logical volume data/theirs" in refused.stdout
        assert "also has the physical volume" in refused.stdout
    vm.check(f"lvremove -q -y data/theirs; vgreduce -q data {extra}; pvremove -q {extra}")
    files = _run(vm, "undo", plan)
    assert (files.exit, "add --lose-files 2 to accept that" in files.stdout) == (1, True), files.stdout
    assert "2 files and directories" in files.stdout and "first names: photos" in files.stdout
    wrong = vm.run(["/root/undo.sh", "--yes-erase", plan.digest[-8:]])
    assert wrong.exit == 2
    busy = vm.check("cd /srv/data/photos; nohup sleep 600 >/dev/null 2>&1 & echo $! >/root/holder; sleep 1")
    assert busy.exit == 0
    used = _run(vm, "undo", plan, "--lose-files", "2")
    assert (used.exit, "(sleep) has it open" in used.stdout) == (1, True), used.stdout
    vm.check("kill $(cat /root/holder)")
    assert vm.check(["cat", "/srv/data/photos/one"]).stdout == "kept\n"
    vm.check(["umount", "/srv/data"])
    unmounted = _run(vm, "undo", plan)
    assert (unmounted.exit, "(not mounted): 2 files and directories" in unmounted.stdout) == (1, True), unmounted.stdout
    _undo(vm, plan, "--lose-files", "2")


def test_undo_keeps_what_is_foreign_and_goes_on_after_a_crash(mixed: QuickMachine) -> None:
    """A spare that was taken out and reused is kept; a crash before the superblocks go leaves them to show the way."""
    vm = mixed
    serials = _named(vm, "FLASH")
    plan = _plan(vm, "raid1(3)+1", serials)
    _put(vm, plan)
    _build(vm, plan)
    spare = next(disk for disk in plan.disks if disk.role.startswith("spare"))
    vm.check(["mdadm", "--manage", plan.arrays[0].device, "--remove", spare.path])
    vm.check(["mdadm", "--zero-superblock", spare.path])
    vm.check(f"head -c 8M /dev/urandom | dd of={spare.path} bs=1M status=none conv=notrunc; sync")
    before = vm.hash_disks([spare.serial or ""])
    wrapper = (
        b'#!/bin/bash\ncase $* in *--offset=4096*) kill -9 $PPID; exit 1;; esac\nexec /usr/sbin/blkdiscard.kept "$@"\n'
    )
    vm.check("mv /usr/sbin/blkdiscard /usr/sbin/blkdiscard.kept")
    vm.put("/usr/sbin/blkdiscard", wrapper, 0o755)
    crashed = _run(vm, "undo", plan)
    assert crashed.exit not in (0, 1), crashed.stdout
    vm.check("mv /usr/sbin/blkdiscard.kept /usr/sbin/blkdiscard")
    first = plan.disks[0].path
    assert plan.arrays[0].uuid in vm.check(["mdadm", "--examine", "--export", first]).stdout
    vm.check("udevadm settle; for a in /dev/md?*; do [ -b $a ] && mdadm --stop $a; done; true")
    done = _run(vm, "undo", plan, "--lose-files", "unknown")
    assert done.exit == 0, f"{done.stdout}\n{done.stderr}"
    (kept,) = [line for line in done.stdout.splitlines() if line.startswith("KEPT: ")]
    assert spare.path in kept and f"serial {spare.serial}" in kept
    assert "3 disks are zero at both ends" in done.stdout
    assert vm.hash_disks([spare.serial or ""]) == before
    vm.check(f"blkdiscard --zeroout --length=16M {spare.path}")
    for disk in plan.disks[:3]:
        assert vm.backing(disk.serial or "").is_blank(0, END)


def test_undo_keeps_what_came_onto_an_array_after_its_start(mixed: QuickMachine) -> None:
    """Somebody makes a file system on the second array right after the script has stopped the first."""
    vm = mixed
    plan = _plan(vm, "2x raid1(2)", _named(vm, "FLASH"))
    _put(vm, plan)
    _build(vm, plan)
    wrapper = (
        b'#!/bin/bash\n/usr/sbin/mdadm.kept "$@" || exit\n'
        b'[[ $* != "--stop /dev/md/data-0" ]] || mkfs.ext4 -q -E nodiscard,lazy_itable_init=1 /dev/md/data-1\n'
    )
    vm.check("mv /usr/sbin/mdadm /usr/sbin/mdadm.kept")
    vm.put("/usr/sbin/mdadm", wrapper, 0o755)
    stopped = _run(vm, "undo", plan)
    vm.check("mv /usr/sbin/mdadm.kept /usr/sbin/mdadm")
    print(stopped)
    assert (stopped.exit, "; nothing further was removed" in stopped.stdout) == (4, True)
    (found,) = [line for line in stopped.stdout.splitlines() if "IN THE WAY: " in line]
    assert re.fullmatch(r"  IN THE WAY: /dev/md\d+ holds ext4 [0-9a-f]{32}, which is not the plan's: .*", found)
    assert "$ mdadm --stop /dev/md/data-1" not in stopped.stdout and "blkdiscard" not in stopped.stdout
    assert vm.check(["e2fsck", "-fn", "/dev/md/data-1"]).exit == 0
    vm.check("wipefs --all --quiet /dev/md/data-1; mdadm --stop /dev/md/data-1; udevadm settle")
    _undo(vm, plan, "--lose-files", "unknown")


def _there_and_back(
    vm: Guest,
    layout: str,
    serials: Sequence[str],
    *,
    chunk: int = 512,
    stack: Stack = "lvm",
    fs: FileSystem = "xfs",
) -> None:
    plan = _plan(vm, layout, serials, chunk=chunk, stack=stack, fs=fs)
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


def _plan(
    vm: Guest,
    layout: str,
    serials: Sequence[str],
    *,
    chunk: int = 512,
    stack: Stack = "lvm",
    fs: FileSystem = "xfs",
) -> Plan:
    inventory = _inventory(vm)
    by_serial = {disk.serial: disk for disk in inventory.disks}
    design = Design(layout=parse(layout), chunk_bytes=chunk * KIB, stack=stack, fs=fs)
    return _compiled(design, inventory, [by_serial[serial] for serial in serials])


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
    vm.put("/root/build.sh", script(plan).encode("ascii"), 0o755)
    vm.put("/root/undo.sh", undo_script(plan).encode("ascii"), 0o755)


def _run(vm: Guest, which: str, plan: Plan, *more: str) -> Result:
    word = {"build": "--yes-erase", "undo": "--yes-undo"}[which]
    return vm.run([f"/root/{which}.sh", word, plan.digest[-8:], *more], timeout=900)


def _build(vm: Guest, plan: Plan, *more: str) -> None:
    built = _run(vm, "build", plan, *more)
    log = vm.run(["tail", "-n40", f"/var/lib/raidtui/{plan.run_id}/log"]).stdout
    assert built.exit == 0, f"{built.stdout[-3000:]}\n{built.stderr}\n{log}"


def _undo(vm: Guest, plan: Plan, *more: str) -> None:
    """Undone, every disk blank at both ends as the host sees it; a second time there is nothing to undo."""
    undone = _run(vm, "undo", plan, *more)
    log = vm.run(["tail", "-n40", f"/var/lib/raidtui/{plan.run_id}/log"]).stdout
    assert undone.exit == 0, f"{undone.stdout[-3000:]}\n{undone.stderr}\n{log}"
    vm.check("sync; udevadm settle")
    assert vm.check(["cat", "/proc/mdstat"]).stdout.splitlines()[1:] == ["unused devices: <none>"]
    assert vm.run("grep -r raidtui /etc/fstab /etc/mdadm /etc/udev/rules.d").exit == 1
    seen = {disk.id: disk for disk in _inventory(vm).disks}
    for disk in plan.disks:
        assert seen[disk.id].unsigned  # what the file system wrote is still between the ends
        backing = vm.backing(seen[disk.id].serial or "")
        assert backing.is_blank(0, END) and backing.is_blank(disk.size_bytes - END)
    again = _run(vm, "undo", plan)
    assert (again.exit, "nothing of this plan is here; nothing was written" in again.stdout) == (1, True)
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
    assert all(f"ARRAY {array.device} metadata=1.2 UUID={array.uuid}" in conf for array in plan.arrays)


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
