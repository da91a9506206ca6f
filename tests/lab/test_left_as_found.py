"""On real md and systemd: sync limits are given back, and "finished" means that a boot would bring it up.

mdadm here is Debian 12's (4.2). What RHEL 9 and dracut do differently was only read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.values.plan import Plan
from raidtui.values.units import MIB
from tests.lab import guest_watch
from tests.lab.agent import Result
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import PLACE, install
from tests.lab.image import Image
from tests.lab.test_build import _confirmed, _planned, _taken_back, _why
from tests.lab.test_script import _skip_initramfs
from tests.lab.vm import Machine

pytestmark = [pytest.mark.lab, pytest.mark.long]

MEMBERS = [f"LAB{number:04d}" for number in range(1, 5)]
THEIRS = ["BY0001", "BY0002"]
KILL = (
    "import os, sys; sys.path.insert(0, '{0}'); import guest_watch\n"
    "for process in guest_watch.executors(): os.kill(process, 9)"
)
CONF = "/etc/mdadm/mdadm.conf"
UNIT = "/etc/systemd/system/srv-data.mount"


@pytest.fixture(scope="module")
def found(lab_image: Image) -> Iterator[Machine]:
    """Four disks for a build, and two of somebody who makes an array of them."""
    disks = [*lab_disks(4, bytes=320 * MIB), *lab_disks(2, prefix="BY", bytes=256 * MIB)]
    with Machine(disks, using=lab_image, sync_limit_kib=None) as vm:
        install(vm, Path(guest_watch.__file__))
        yield vm


def test_nothing_is_written_where_a_boot_would_not_bring_it_up(found: Machine) -> None:
    vm = found
    before = vm.hash_disks()
    plan = _planned(vm, "(2+1)+1", MEMBERS)
    vm.check(f"cp {CONF} /root/conf; echo 'DEVICE /dev/nvme* /dev/sdzz' >> {CONF}")
    line = vm.check(["grep", "-c", "", CONF]).stdout.strip()
    refused = _confirmed(vm, "build /root/plan/plan.json", plan)
    assert (refused.exit, "[device-line]" in refused.stderr) == (1, True), refused
    said = " ".join(refused.stderr.split())
    assert f"{CONF} line {line}: 'DEVICE /dev/nvme* /dev/sdzz' does not allow" in said, said
    vm.check(f"cp /root/conf {CONF}; mkdir -p {CONF}.d; echo 'DEV /dev/nvme*' > {CONF}.d/disks.conf")
    refused = _confirmed(vm, "build /root/plan/plan.json", plan)
    assert (refused.exit, f"{CONF}.d/disks.conf line 1" in " ".join(refused.stderr.split())) == (1, True), refused
    vm.check(f"rm {CONF}.d/disks.conf")

    unit = "[Mount]\nWhat=tmpfs\nWhere=/srv/data\nType=tmpfs\n"
    vm.put(UNIT, unit.encode())
    refused = _confirmed(vm, "build /root/plan/plan.json", plan)
    assert (refused.exit, "[mount-unit-foreign]" in refused.stderr, UNIT in refused.stderr) == (1, True, True), refused
    vm.check(["rm", UNIT])
    vm.check("mkdir -p /etc/udev/rules.d; ln -s /dev/null /etc/udev/rules.d/64-md-raid-assembly.rules")
    refused = _confirmed(vm, "build /root/plan/plan.json", plan)
    assert (refused.exit, "[udev-assembles-nothing]" in refused.stderr) == (1, True), refused
    vm.check("rm /etc/udev/rules.d/64-md-raid-assembly.rules")
    assert vm.run("ls -A /var/lib/raidtui").stdout == ""
    assert vm.hash_disks() == before


def test_limits_are_ours_alone_and_given_back_and_a_boot_sees_all(found: Machine) -> None:
    vm = found
    left, right = vm.disk_paths(THEIRS).values()
    vm.check("echo 1000 > /proc/sys/dev/raid/speed_limit_min; echo 2000 > /proc/sys/dev/raid/speed_limit_max")
    plan = _planned(vm, "(2+1)+1", MEMBERS)
    short = plan.run_id[:8]
    vm.check(f"raidtui build /root/plan/plan.json --wait-for-sync --yes --confirm {plan.digest} --detach", timeout=120)
    journal = f"/var/lib/raidtui/{plan.run_id}/journal"
    _until(vm, f"grep -aq 'waits until the arrays are in sync' {journal}")
    vm.check(f"mdadm --create /dev/md/theirs --run -l1 -n2 --bitmap=none --metadata=1.2 {left} {right}")
    own, theirs = (
        f"/sys/block/{vm.check(f'basename $(realpath {path})').stdout.strip()}/md/sync_speed_max"
        for path in ("/dev/md/data", "/dev/md/theirs")
    )
    watch = f"while :; do cat {theirs}; sleep 0.1; done > /run/theirs 2>&1"
    vm.check(f"systemd-run --unit=theirs sh -c '{watch}'")

    vm.check(f"raidtui control {short} limit=6000")
    _until(vm, f"grep -q '6000 (local)' {own}")
    vm.check(["python3", "-c", KILL.format(PLACE)])
    shown = " ".join(vm.check(f"raidtui status {short}").stdout.split())
    assert f"echo system > {own}" in shown, shown
    assert vm.check(["cat", own]).stdout == "6000 (local)\n"
    resumed = vm.run(f"raidtui resume {short}", timeout=800)
    assert resumed.exit == 0, _why(vm, resumed)
    assert vm.check(["cat", own]).stdout == "2000 (system)\n"
    assert "echo system" not in vm.check(f"raidtui status {short}").stdout
    assert vm.run(f"ls /var/lib/raidtui/{plan.run_id}/sync-limits.json").exit == 2
    vm.check("systemctl stop theirs")
    assert vm.check("sort -u /run/theirs").stdout == "2000 (system)\n"

    kernel = vm.check(["uname", "-r"]).stdout.strip()
    assert f"/boot/initrd.img-{kernel} names them" in " ".join(resumed.stdout.split()), resumed.stdout[-2000:]
    inside = vm.check(
        f"rm -rf /root/in; unmkinitramfs /boot/initrd.img-{kernel} /root/in; "
        "find /root/in -name mdadm.conf | xargs cat; rm -rf /root/in",
        timeout=300,
    )
    assert plan.arrays[0].uuid in inside.stdout
    _a_second_look_finds(vm, plan)
    vm.check("mdadm --stop /dev/md/theirs")
    vm.check("rm -rf /var/lib/raidtui/*/output/none")
    _taken_back(vm, plan)


def _a_second_look_finds(vm: Machine, plan: Plan) -> None:
    """What came after the build is found by the next one who reads everything back."""
    _skip_initramfs(vm)
    vm.check(f"cp {CONF} /root/conf; echo 'DEVICE /dev/nvme*' >> {CONF}")
    _stale(vm, plan, "'DEVICE /dev/nvme*' does not allow")
    uuid = vm.check("mdadm --detail --export /dev/md/theirs | sed -n s/MD_UUID=//p").stdout.strip()
    left = vm.disk_path(THEIRS[0])
    vm.check(f"cp /root/conf {CONF}; mdadm --detail --scan | grep {plan.arrays[0].uuid} >> {CONF}")
    _stale(vm, plan, "is a second match for /dev/md/data")
    # mdadm itself, on the array of others: with two lines for one UUID nothing is assembled
    vm.check(f"cp /root/conf {CONF}; mdadm --stop /dev/md/theirs; udevadm settle")
    twice = f"ARRAY /dev/md/theirs UUID={uuid}\\nARRAY /dev/md/theirs UUID={uuid}\\n"
    vm.check(f"printf '{twice}' > /root/twice")
    assembled = vm.run(f"mdadm --incremental --config=/root/twice {left}")
    assert assembled.exit != 0 and "cannot decide which to use" in assembled.stderr, assembled
    denied = vm.run(f"printf 'DEVICE /dev/nvme*\\n' > /root/denied; mdadm --incremental --config=/root/denied {left}")
    assert denied.exit != 0 and "not permitted by mdadm.conf" in denied.stderr, denied
    scanned = vm.run("mdadm --examine --scan --config=/root/denied")
    assert uuid not in scanned.stdout, scanned
    ignored = vm.run(
        f"printf 'AUTO -all\\nHOMEHOST other\\nARRAY <ignore> UUID={uuid}\\n' > /root/ignored; "
        f"mdadm --incremental --config=/root/ignored {left}"
    )
    assert ignored.exit != 0 and "explicitly ignored" in ignored.stderr, ignored
    # AUTO and HOMEHOST do not concern an array that an ARRAY line names
    vm.check(f"printf 'AUTO -all\\nHOMEHOST other\\nARRAY /dev/md/theirs UUID={uuid}\\n' > /root/named")
    for path in vm.disk_paths(THEIRS).values():
        vm.check(f"mdadm --incremental --config=/root/named {path}")
    assert vm.check("mdadm --detail --export /dev/md/theirs | sed -n s/MD_UUID=//p").stdout.strip() == uuid

    # of two configurations Debian's mdadm reads its own
    vm.check("printf 'DEVICE /dev/nvme*\\n' > /etc/mdadm.conf")
    assert plan.arrays[0].uuid in vm.check("mdadm --examine --scan").stdout
    vm.check(["rm", "/etc/mdadm.conf"])

    vm.put(UNIT, b"[Mount]\nWhat=tmpfs\nWhere=/srv/data\nType=tmpfs\n")
    _stale(vm, plan, UNIT)
    vm.check(["rm", UNIT])
    fine = vm.run(f"raidtui resume {plan.run_id[:8]}", timeout=300)
    assert fine.exit == 0, _why(vm, fine)


def _stale(vm: Machine, plan: Plan, words: str) -> None:
    again: Result = vm.run(f"raidtui resume {plan.run_id[:8]}", timeout=300)
    said = " ".join((again.stdout + again.stderr).split())
    assert (again.exit, words in said) == (4, True), (words, again)


def _until(vm: Machine, condition: str) -> None:
    vm.check(f"for i in $(seq 600); do {condition} && exit 0; sleep 0.2; done; exit 1", timeout=300)
