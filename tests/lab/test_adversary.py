"""What an adversary tried on real md: an owner acts between the steps of a run, and not one byte of his may change.

Each test states what a careful operator may ask for. Disks of owners and four bystanders are hashed in full.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from raidtui.scripts.build_script import build_script
from raidtui.values.codec import to_json
from raidtui.values.plan import WriteFile
from raidtui.values.units import MIB
from tests.faults.lab_machine import TARGETS, Lab, lab, quick_lab
from tests.lab.guest_raidtui import PLACE
from tests.lab.image import Image
from tests.lab.story import Story
from tests.simulated.fault_model import Fault

pytestmark = pytest.mark.lab

OWNER = "rawowner"
"""name of the process that has a disk open"""
OPENER = (
    "setsid python3 -c \"import os, time; open('/proc/self/comm', 'w').write('rawowner'); "
    "os.open('DISK', os.O_RDWR); open('/run/faults/up', 'w'); time.sleep(600)\" < /dev/null > /dev/null 2>&1 & "
    "for i in $(seq 200); do [ -e /run/faults/up ] && break; sleep 0.1; done"
)
"""holds DISK open for writing, without O_EXCL, as QEMU and databases do"""


WRITE = {
    "schema": "raidtui/profile/1", "name": "w", "title": "w", "purpose": "A write, for a test.",
    "jobs": [
        {"name": "w", "title": "w", "target": "array", "pattern": "write", "block_bytes": MIB, "streams": 1,
         "regions": 1, "depth": 4, "seconds": 8.0, "warm_up_seconds": 0.0, "repeats": 1},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def whole(lab_image: Image) -> Iterator[Lab]:
    """Twelve targets and four bystanders."""
    with lab(lab_image) as made:
        yield made


@pytest.fixture(scope="module")
def quick(lab_image: Image) -> Iterator[Lab]:
    """The same at less cost, for the test of every push."""
    with quick_lab(lab_image) as made:
        yield made


@pytest.fixture
def machine(request: pytest.FixtureRequest) -> Iterator[Lab]:
    """The machine with blank targets; afterwards the bystanders are as they were."""
    one_machine: Lab = request.getfixturevalue("whole" if request.node.get_closest_marker("long") else "quick")
    one_machine.vm.run(
        "pkill -x rawowner; umount /mnt/users; vgchange -q -an users second; losetup -D; "
        "rm -f /etc/systemd/system/srv-data.mount /root/pv; udevadm trigger --settle --subsystem-match=block"
    )
    one_machine.reset()
    yield one_machine
    one_machine.vm.run("pkill -x rawowner")
    assert one_machine.vm.hash_disks(list(one_machine.others)) == one_machine.others


# Ownership.


@pytest.mark.long
def test_undo_of_a_build_that_stopped_before_the_wipe_changes_no_byte(machine: Lab) -> None:
    """Three disks had unsigned data when they were planned, three got it after that."""
    vm = machine.vm
    before_planning, after_planning = TARGETS[:3], TARGETS[3:6]
    for serial in before_planning:
        vm.check(f"yes content | head -c 200M | dd of={vm.disk_path(serial)} bs=1M iflag=fullblock conv=fsync")
    story = Story(machine, "1a", "(4+2)")
    assert [bool(disk.content) for disk in story.plan.disks] == [True] * 3 + [False] * 3
    write = "; ".join(story.raw(serial) for serial in after_planning)
    save = story.step("save").number
    hooks = [("before", "proven", save, 0, f"shell {write}"), ("after", "proven", save, 0, "kill")]
    began = story.execute("build", accepted=True, hooks=hooks)
    assert began["code"] is None and len(began["fired"]) == 2, began
    before = story.hashes(story.serials)

    undone = story.execute("undo")
    assert story.hashes(story.serials) == before
    assert undone["code"] in (0, 1, 4)
    for serial in story.serials:
        assert serial in undone["outcome"], "a disk with content that was kept is not named"


@pytest.mark.long
def test_undo_keeps_a_spare_that_its_owner_took_out_and_used(machine: Lab) -> None:
    story = Story(machine, "1b", "(4+2)+1")
    built = story.execute("build")
    assert built["code"] == 0, built
    array = story.plan.arrays[0]
    serial = next(disk.serial or "" for disk in story.plan.disks if disk.id == array.spares[0])
    path = story.path(serial)
    machine.vm.check(f"mdadm --manage {array.device} --remove {path} && mdadm --zero-superblock {path}")
    machine.vm.check(story.raw(serial), timeout=200)
    before = story.hashes([serial])

    undone = story.execute("undo")
    assert story.hashes([serial]) == before
    assert undone["code"] == 0, undone
    assert serial in undone["outcome"]
    for other in set(story.serials) - {serial}:
        assert machine.vm.backing(other).is_blank(0, 4 << 20)


@pytest.mark.long
def test_resume_does_not_write_over_what_an_owner_wrote_after_the_wipe(machine: Lab) -> None:
    story = Story(machine, "1c", "(4+2)")
    failed = story.execute("build", faults=[Fault(kind="fail", words=("mdadm", "--create"))])
    assert failed["code"] == 3 and failed["fired"], failed
    serial = story.serials[2]
    machine.vm.check(story.raw(serial), timeout=200)
    before = story.hashes([serial])

    resumed = story.execute("resume")
    assert story.hashes([serial]) == before
    assert resumed["code"] in (1, 4), resumed
    assert serial in resumed["outcome"] and story.place(serial) in resumed["outcome"]

    undone = story.execute("undo")
    assert story.hashes([serial]) == before
    assert serial in undone["outcome"]


# The exported script.

ENDS = (
    "for at in 0 $((SIZE - 1048576)); do "
    "dd if={source} of={target} bs=1M count=1 skip=$at seek=$at iflag=skip_bytes oflag=seek_bytes conv=notrunc "
    "status=none; done"
)
"""copies both ends of SIZE bytes"""


@pytest.mark.long
def test_the_script_refuses_a_disk_that_got_content_since_planning(machine: Lab) -> None:
    """First an inactive volume group where an old file system was and raw bytes on a blank disk, then these alone."""
    vm = machine.vm
    group, raw = TARGETS[1], TARGETS[4]
    path = vm.disk_path(group)
    vm.check(f"mkfs.ext4 -q -E nodiscard {path}; udevadm settle")
    size = vm.check(["blockdev", "--getsize64", path]).stdout.strip()
    ends = ENDS.replace("SIZE", size)
    vm.check(f"truncate --size={size} /root/old; {ends.format(source=path, target='/root/old')}")
    story = Story(machine, "2", "(4+2)")
    assert [bool(disk.content) for disk in story.plan.disks] == [False, True, False, False, False, False]
    vm.put("/root/build.sh", build_script(story.plan).text.encode(), 0o700)
    vm.check(
        f"wipefs -q --all {path} && pvcreate -q {path} && vgcreate -q users {path} && "
        "lvcreate -q -n kept -l 20 users && "
        "mkfs.ext4 -q -E nodiscard /dev/users/kept && mkdir -p /mnt/users && mount /dev/users/kept /mnt/users && "
        "cp -r /etc /mnt/users && umount /mnt/users && vgchange -q -an users"
    )
    vm.check(f"{story.raw(raw)}; udevadm settle", timeout=200)
    for expected in (path, vm.disk_path(raw)):
        before = story.hashes(story.serials)
        for words in ("", f" {story.plan.digest[-8:]} file-system"):
            said = vm.run(f"bash /root/build.sh{words}", timeout=400)
            assert story.hashes(story.serials) == before, words
            assert (said.exit, expected in said.stderr) == (1, True), (words, said)
        vm.check(f"{ends.format(source='/root/old', target=path)}; udevadm settle")


# Users without O_EXCL.


@pytest.mark.long
def test_a_process_that_has_a_disk_open_is_shown_and_named_and_refuses_the_build(machine: Lab) -> None:
    story = Story(machine, "3", "(4+2)")
    serial = story.serials[3]
    machine.vm.check(OPENER.replace("DISK", story.path(serial)))
    shown = json.loads(machine.vm.check("raidtui disks --json").stdout)
    disk = next(disk for disk in shown["disks"] if disk["serial"] == serial)
    assert disk["not_selectable"] is not None and OWNER in disk["not_selectable"], disk

    before = story.hashes(story.serials)
    refused = story.execute("build", first_check=True)
    assert refused["code"] in (1, 4), refused
    assert story.hashes(story.serials) == before
    assert serial in refused["outcome"] and OWNER in refused["outcome"]


def test_a_process_that_opens_a_disk_before_the_wipe_stops_it(machine: Lab) -> None:
    story = Story(machine, "3 late", "(4+2)")
    serial = story.serials[3]
    save, wipe = story.step("save").number, story.step("wipe").number
    before = story.hashes(story.serials)
    shell = f"shell {OPENER.replace('DISK', story.path(serial))}"
    stopped = story.execute("build", hooks=[("after", "proven", save, 0, shell)])
    assert stopped["fired"] and stopped["code"] in (1, 3, 4), stopped
    assert OWNER in stopped["outcome"] and serial in stopped["outcome"]
    assert story.hashes(story.serials) == before
    journal = machine.vm.check(f"tr -d '\\0' < {story.folder}/journal").stdout.splitlines()
    records = [json.loads(line.partition(" ")[2]) for line in journal]
    assert not [record for record in records if record["kind"] == "intent" and record["step"] >= wipe]


# What stands on the arrays.


@pytest.mark.long
def test_undo_refuses_an_array_that_carries_the_volume_group_of_its_user(machine: Lab) -> None:
    vm = machine.vm
    story = Story(machine, "4a", "(4+2)", fs="none")
    assert story.execute("build")["code"] == 0
    device = story.plan.arrays[0].device
    vm.check(
        f"pvcreate -q {device} && vgcreate -q users {device} && lvcreate -q -n kept -L 64M users && "
        "mkfs.ext4 -q -E nodiscard /dev/users/kept && mkdir -p /mnt/users && mount /dev/users/kept /mnt/users && "
        "for i in $(seq 200); do echo $i > /mnt/users/$i; done && umount /mnt/users && vgchange -q -an users; sync"
    )
    intents = story.intents()

    refused = story.undo_by_command()
    assert refused.exit in (1, 4), refused
    assert "users" in refused.stderr + refused.stdout
    assert story.intents() == intents
    vm.check("vgchange -q -ay users && mount -r /dev/users/kept /mnt/users")
    files = vm.check("ls /mnt/users | wc -l; cat /mnt/users/200").stdout
    vm.check("umount /mnt/users && vgchange -q -an users")
    assert files.split() == ["201", "200"]


@pytest.mark.long
def test_undo_refuses_a_volume_group_that_got_a_second_volume_before_it_removes_anything(machine: Lab) -> None:
    vm = machine.vm
    story = Story(machine, "4b", "2x(2+1)")
    assert story.execute("build")["code"] == 0
    vm.check("for i in $(seq 200); do echo $i > /srv/data/$i; done; sync")
    vm.check("truncate -s 64M /root/pv && pvcreate -q $(losetup -f --show /root/pv) && vgextend -q data /dev/loop0")
    vm.check("lvcreate -q -n second -l 8 data /dev/loop0 && mkfs.ext4 -q /dev/data/second")
    intents = story.intents()

    refused = story.undo_by_command()
    files = vm.run("ls /srv/data | wc -l; cat /srv/data/200; lvs --noheadings -o lv_name data").stdout.split()
    # the second volume lies on a file of this machine: without it the reset can take everything down
    vm.run("umount /srv/data; vgremove -q -f data; pvremove -q /dev/loop0; losetup -D; rm /root/pv")
    assert refused.exit in (1, 4), refused
    assert "second" in refused.stderr + refused.stdout
    assert files[:2] == ["200", "200"] and "second" in files and len(files) == 4
    assert story.intents() == intents


@pytest.mark.long
def test_what_is_made_on_an_array_between_two_steps_of_an_undo_is_kept(machine: Lab) -> None:
    """The plan's volume is gone by then, and its array not yet; an inactive volume group has no user that tells."""
    vm = machine.vm
    story = Story(machine, "4c", "2x(2+1)")
    assert story.execute("build")["code"] == 0
    device, volume = story.plan.arrays[0].device, story.step("volume").number
    users = (
        f"pvcreate -q {device} && vgcreate -q users {device} && lvcreate -q -y -Wy -n kept -L 64M users && "
        "mkfs.ext4 -q /dev/users/kept && mkdir -p /mnt/users && mount /dev/users/kept /mnt/users && "
        "for i in $(seq 200); do echo $i > /mnt/users/$i; done && umount /mnt/users && vgchange -q -an users && sync"
    )
    stopped = story.execute("undo", hooks=[("after", "proven", volume, 0, f"shell {users}")])
    assert (stopped["code"], len(stopped["fired"])) == (4, 1), stopped
    assert "users" in stopped["problem"] and stopped["hint"].endswith("; then undo again")
    vm.check("vgchange -q -ay users && mount -r /dev/users/kept /mnt/users")
    files = vm.check("ls /mnt/users | wc -l; cat /mnt/users/200; umount /mnt/users").stdout
    assert files.split() == ["201", "200"]
    vm.check(f"vgremove -q -f users && pvremove -q {device}; blkdiscard -z -l 1048576 {device}; udevadm settle")
    assert story.execute("undo")["code"] == 0


# Benchmarks.


@pytest.mark.long
def test_a_file_system_cannot_be_made_on_an_array_while_zeros_are_written_to_it(machine: Lab) -> None:
    vm = machine.vm
    story = Story(machine, "5", "(4+2)", fs="none")
    assert story.execute("build")["code"] == 0
    device = story.plan.arrays[0].device
    vm.put("/root/w.json", json.dumps(WRITE).encode())
    waits = "for i in $(seq 600); do pgrep -f rw=write > /dev/null && break; sleep 0.1; done; sleep 1"
    vm.put("/root/user", f"{waits}; mkfs.ext4 -q -F {device}; echo $? > /root/user.exit; pgrep -x fio".encode(), 0o700)
    vm.check("rm -f /root/user.exit; setsid bash /root/user > /root/user.out 2>&1 < /dev/null &")
    words = f"bench {story.run_id[:8]} --raw write --profile /root/w.json --during-sync --yes"
    said = vm.run(f"raidtui {words} --confirm {story.plan.digest}", timeout=400)
    assert said.exit == 0, said
    refused = vm.check("cat /root/user.exit /root/user.out").stdout
    assert refused.startswith("1\n") and "is apparently in use by the system" in refused, refused
    assert refused.split()[-1].isdecimal(), "fio had ended already"


# Links.


@pytest.mark.long
def test_a_link_that_moves_right_before_the_creation_leads_to_no_byte_on_a_foreign_disk(machine: Lab) -> None:
    vm = machine.vm
    story = Story(machine, "6", "(4+2)")
    foreign = TARGETS[11]
    vm.check(
        f"yes foreign | head -c 100M | dd of={vm.disk_path(foreign)} bs=1M seek=64 iflag=fullblock conv=fsync "
        "status=none"
    )
    node = vm.check(["readlink", "-f", vm.disk_path(foreign)]).stdout.strip()
    before = story.hashes([foreign])
    step, action = story.action("create", "mdadm", "--create")
    link = story.plan.disks[2].path
    # again and again: udev, which has events of this disk to work off, puts it back
    moves = f"while [ -e /run/faults/moves ]; do ln -sfn {node} {link}.new; mv -T {link}.new {link}; sleep 0.02; done"
    shell = f"shell touch /run/faults/moves; setsid sh -c '{moves}' < /dev/null > /dev/null 2>&1 & sleep 0.5"
    built = story.execute("build", hooks=[("after", "intent", step, action, shell)])
    assert built["fired"], built
    # a foreign disk that was written to is named, and what was written is taken back
    assert story.hashes([foreign]) == before or foreign in built["outcome"]
    vm.check("rm /run/faults/moves; sleep 0.5; udevadm trigger --settle --subsystem-match=block")
    if built["code"] != 0:
        undone = story.execute("undo")
        assert undone["code"] == 0, undone
    assert story.hashes([foreign]) == before


# Left as found.


@pytest.mark.long
def test_a_sync_limit_ends_with_the_build_and_touches_no_array_of_others(machine: Lab) -> None:
    vm = machine.vm
    story = Story(machine, "7", "(4+2)")
    left, right = vm.disk_paths(TARGETS[10:12]).values()
    vm.check(f"mdadm --create /dev/md/others -l1 -n2 --bitmap=none --metadata=1.2 --run {left} {right}")
    limit_of = "cat /sys/block/$(basename $(readlink -f {}))/md/sync_speed_max"
    others, ours = limit_of.format("/dev/md/others"), limit_of.format(story.plan.arrays[0].device)
    vm.check(f"echo 777 > {others.removeprefix('cat ')}")
    step, action = story.action("create", "mdadm", "--create")
    synced = (
        f"shell {ours} > /run/faults/limit; {others} > /run/faults/others; "
        "for i in $(seq 900); do grep -A2 $(basename $(readlink -f "
        f"{story.plan.arrays[0].device})) /proc/mdstat | grep -q resync || exit 0; sleep 0.2; done; exit 1"
    )
    built = story.execute(
        "build",
        hooks=[
            ("after", "intent", step, action, f"shell raidtui control {story.run_id[:8]} limit=60000"),
            ("before", "proven", story.step("format").number, 0, synced),
        ],
    )
    assert built["code"] == 0 and len(built["fired"]) == 2, built
    assert vm.check("cat /run/faults/limit").stdout.split() == ["60000", "(local)"]
    assert vm.check("cat /run/faults/others").stdout.split() == ["777", "(local)"]
    assert vm.check(ours).stdout.split() == ["200", "(system)"]
    assert vm.check(others).stdout.split() == ["777", "(local)"]


# What a boot will see.


@pytest.mark.long
def test_a_device_line_that_does_not_cover_the_disks_is_found(machine: Lab) -> None:
    story = Story(machine, "8 device", "(4+2)")
    machine.vm.check("sed -i '1i DEVICE /dev/disk/by-path/nowhere-*' /etc/mdadm/mdadm.conf")
    before = story.hashes(story.serials)
    built = story.execute("build", first_check=True)
    assert built["code"] in (1, 3, 4), built
    assert "DEVICE" in built["outcome"] and "mdadm.conf" in built["outcome"]
    if not story.intents():
        assert story.hashes(story.serials) == before


@pytest.mark.long
def test_a_foreign_mount_unit_for_the_same_place_is_found(machine: Lab) -> None:
    vm = machine.vm
    story = Story(machine, "8 unit", "(4+2)")
    unit = "[Mount]\nWhat=tmpfs\nWhere=/srv/data\nType=tmpfs\n"
    vm.put("/etc/systemd/system/srv-data.mount", unit.encode())
    vm.check("systemctl daemon-reload")
    before = story.hashes(story.serials)
    built = story.execute("build", first_check=True)
    vm.check("rm /etc/systemd/system/srv-data.mount; systemctl daemon-reload")
    assert built["code"] in (1, 3, 4), built
    assert "srv-data.mount" in built["outcome"]
    if not story.intents():
        assert story.hashes(story.serials) == before


# Whose directory it is.


@pytest.mark.long
def test_a_state_directory_of_another_user_is_refused(machine: Lab) -> None:
    """He could put another plan into it after the confirmation."""
    story = Story(machine, "9", "(4+2)")
    machine.vm.check("install -d -m 755 -o nobody /var/lib/raidtui")
    before = story.hashes(story.serials)
    built = story.execute("build", first_check=True)
    assert built["code"] in (1, 3, 4), built
    assert "/var/lib/raidtui belongs to user 65534" in built["outcome"]
    assert story.hashes(story.serials) == before


# Files and mount points of root.


def test_a_link_in_the_place_of_a_file_leads_no_byte_elsewhere(machine: Lab) -> None:
    """/dev/null became a file with mode 0666 that mdadm.conf led to."""
    vm = machine.vm
    story = Story(machine, "files", "raid1(2)")
    conf, aside = "/etc/mdadm/mdadm.conf", "/run/conf.aside"
    linked = f"mv {conf} {aside}; ln -s /dev/null {conf}"
    back = f"mv -f {aside} {conf}"
    device = "stat --format='%F %t:%T %a' /dev/null"
    null, before = vm.check(device).stdout, story.hashes(story.serials)
    assert null.startswith("character special file 1:3")

    vm.check(linked)
    refused = story.execute("build")
    assert (refused["code"], story.intents()) == (1, 0), refused
    assert f"The build writes {conf}, but {conf} is a symbolic link to /dev/null" in refused["outcome"]
    assert (vm.check(device).stdout, story.hashes(story.serials)) == (null, before)
    vm.check(back)

    step = story.step("configure")
    during = [("before", "intent", step.number, 1, f"shell {linked}")]
    stopped = story.execute("resume", hooks=during)
    assert stopped["fired"] and stopped["code"] == 1, stopped
    assert f"{conf} is a symbolic link to /dev/null, not a regular file" in stopped["outcome"]
    assert (vm.check(device).stdout, vm.check(f"ls {conf}*").stdout) == (null, f"{conf}\n")
    vm.check(back)
    resumed = story.execute("resume")
    assert resumed["code"] == 0, resumed

    vm.check(f"mv /etc/fstab {aside}; mkfifo /etc/fstab")
    before_undo = story.intents()
    undone = story.execute("undo")
    assert (undone["code"], story.intents()) == (1, before_undo), undone
    assert "root does not change /etc/fstab: /etc/fstab is a pipe, not a regular file" in undone["outcome"]
    vm.check(f"mv -f {aside} /etc/fstab")
    undone = story.execute("undo")
    assert undone["code"] == 0, undone


def test_root_mounts_and_unmounts_by_what_is_there(machine: Lab) -> None:
    """A directory of a user, a link that is swapped in, a tmpfs over the plan's file system; build, drill and undo."""
    vm = machine.vm
    place = "/home/u/data"
    vm.check("rm -rf /home/u /home/aside; mkdir -p /home/u /etc/ssh/data; chown 1000 /home/u")
    story = Story(machine, "mounts", "(2+1)+1", mount_point=place)
    before = story.hashes(story.serials)
    refused = story.execute("build")
    assert (refused["code"], story.intents()) == (1, 0), refused
    assert f"The build mounts on {place}, but /home/u belongs to user 1000" in refused["outcome"]
    assert story.hashes(story.serials) == before
    vm.check("chown root /home/u")

    mount = story.step("mount")
    write = next(number for number, action in enumerate(mount.actions, 1) if isinstance(action, WriteFile))
    swap = "mv /home/u /home/aside; ln -s /etc/ssh /home/u"
    swapped = story.execute("resume", hooks=[("before", "intent", mount.number, write, f"shell {swap}")])
    assert swapped["fired"] and swapped["code"] == 1, swapped
    assert f"root mounts nothing on {place}: /home/u is a symbolic link to /etc/ssh" in swapped["outcome"]
    assert vm.run("findmnt --noheadings /etc/ssh/data").exit == 1
    vm.check("rm /home/u; mv /home/aside /home/u")

    number, action = story.action("mount", "mount", place)
    cover = f"mount -t tmpfs over {place}"
    covered = story.execute("resume", hooks=[("before", "result", number, action, f"shell {cover}")])
    assert covered["fired"] and covered["code"] == 4, covered
    assert f" is mounted on {place}, not 9:" in covered["outcome"]
    vm.check(f"umount {place}")
    resumed = story.execute("resume")
    assert resumed["code"] == 0, resumed

    # what the kernel says of a mount, a cover, a part and a link
    uuid = story.plan.filesystems[0].uuid
    asks = (
        "python3 -IBc 'import sys; sys.path.insert(0, sys.argv[1]); from raidtui.machine.system.runner import "
        "SystemReader as R; print(R().mount_at(sys.argv[2]), R().pin(sys.argv[3]).number)' "
        f"{PLACE} {{}} {story.plan.filesystems[0].device}"
    )
    seen = vm.check(asks.format(place)).stdout
    assert re.fullmatch(r"Mounted\(number='(9:\d+)', mount_id=\d+, root='/', link=''\) \1\n", seen), seen
    vm.check(f"mkdir -p {place}/part /mnt/part; mount --bind {place}/part /mnt/part")
    part = vm.check(asks.format("/mnt/part")).stdout
    assert re.fullmatch(r"Mounted\(number='(9:\d+)', mount_id=\d+, root='/part', link=''\) \1\n", part), part
    vm.check(f"umount /mnt/part; rmdir {place}/part; touch {place}/file; {cover}")
    assert vm.check(f"findmnt --noheadings --first-only --output=UUID --mountpoint {place}").stdout == f"{uuid}\n"
    assert "number='0:" in vm.check(asks.format(place)).stdout

    hurry = "for d in /sys/block/md*/md; do echo 100000 > $d/sync_speed_min; echo 200000 > $d/sync_speed_max; done; "
    vm.check(f"{hurry} for i in $(seq 900); do grep -q resync /proc/mdstat || exit 0; sleep 0.2; done; exit 1")
    drilled = vm.run(f"raidtui drill {story.run_id[:8]} --array 0 --yes --confirm {story.plan.digest}", timeout=200)
    assert drilled.exit == 1, drilled
    assert f" is mounted on {place}, not 9:" in drilled.stderr, drilled
    vm.check(f"umount {place}; rm {place}/file")

    first = next(step for step in reversed(story.plan.steps) if step.undo)
    undone = story.execute("undo", hooks=[("after", "step", first.number, 0, f"shell {cover}")])
    assert undone["fired"] and undone["code"] == 4, undone
    assert f" is mounted on {place}, not 9:" in undone["outcome"]
    assert vm.check(f"findmnt --noheadings --output=FSTYPE --mountpoint {place}").stdout.split().count("tmpfs") == 1
    vm.check(f"umount {place}")
    undone = story.execute("undo")
    assert undone["code"] == 0, undone
    vm.check("rm -rf /home/u /etc/ssh/data; rmdir --ignore-fail-on-non-empty /etc/ssh /mnt/part")


# Crash and bad runs.


@pytest.mark.long
def test_a_pause_while_the_first_sync_is_waited_for_leaves_the_list_of_runs_readable(machine: Lab) -> None:
    vm = machine.vm
    story = Story(machine, "10", "(4+2)")
    vm.put("/root/plan.json", (to_json(story.plan) + "\n").encode())
    run, journal = story.run_id[:8], f"{story.folder}/journal"
    build = f"raidtui build /root/plan.json --wait-for-sync --yes --confirm {story.plan.digest} --detach"
    vm.check(build, timeout=300)
    waits = f"grep -aq 'waits until the arrays are in sync' {journal}"
    vm.check(f"for i in $(seq 900); do {waits} && exit 0; sleep 0.2; done; exit 1", timeout=300)
    vm.check(f"raidtui control {run} pause")
    hurry = "for d in /sys/block/md*/md; do echo 100000 > $d/sync_speed_min; echo 200000 > $d/sync_speed_max; done; "
    idle = "for i in $(seq 900); do grep -q resync /proc/mdstat || exit 0; sleep 0.2; done; exit 1"
    vm.check(hurry + idle, timeout=300)
    vm.check("sleep 5")  # the executor looks once a second
    paused = vm.run("raidtui status --json")
    assert paused.exit == 0, paused
    assert [found["run_id"] for found in json.loads(paused.stdout)["runs"]] == [story.run_id]
    vm.check(f"raidtui control {run} go")
    followed = vm.run(f"raidtui build --attach {run}", timeout=400)
    assert followed.exit == 0, followed
    [ended] = json.loads(vm.check("raidtui status --json").stdout)["runs"]
    assert ended["outcome"] == "finished"
