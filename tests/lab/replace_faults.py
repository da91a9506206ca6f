"""Replacements on real md with faults, under a load that checks what it wrote.

    python -m tests.lab.replace_faults [RUNS] [SEED]

Each run makes a RAID6 of four disks with a file system, writes files with checksums all the time, and has
`raidtui replace --begin` copy or rebuild a member while one fault strikes. At the end every file that was synced must
read back, the disks that have no part in it must be as they were, and md's own states over time are counted.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from dataclasses import dataclass

from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.quick import QuickMachine

MIB = 2**20
FAULTS = ("none", "wrong disk", "new disk pulled", "old disk pulled", "second failure", "power cut", "call killed")
BEGIN = """
set -e
mdadm --create /dev/md/data --level=6 -n4 -c64 --bitmap=internal --assume-clean --run {members}
mkfs.ext4 -q -E nodiscard,lazy_itable_init=1 /dev/md/data; mkdir -p /srv/d; mount /dev/md/data /srv/d
echo 'AUTO -all' > /etc/mdadm/mdadm.conf; mdadm --detail --brief /dev/md/data >> /etc/mdadm/mdadm.conf
: > /root/sums; sync
"""
LOAD = """
n=0
while [ -e /root/load ]; do
  n=$((n+1)); f=/srv/d/f$n
  dd if=/dev/urandom of=$f bs=64k count=4 status=none conv=fsync && sha256sum $f >> /root/sums && sync /root/sums
  [ $n -ge 60 ] && rm -f /root/load; sleep 0.1
done
"""
STATES = "cd /sys/block/$(basename $(readlink -f /dev/md/data))/md && cat degraded"


@dataclass(frozen=True)
class Outcome:
    """What a run came to."""

    fault: str
    way: str
    files: int
    """files that were synced, all of which read back"""
    lacking: int
    """looks at which the array lacked a member"""
    looks: int
    forced: bool
    """whether md refused the array after the power cut, and it was started by force"""


def one(vm: QuickMachine, draw: random.Random, fault: str) -> Outcome:
    """Raises AssertionError where data or a bystander's byte is lost, or the array is not whole in the end."""
    serials = [serial for serial in vm.serials if serial.startswith("LAB")]
    path = vm.disk_paths(serials)
    members, free = serials[:4], serials[4:]
    vm.check(BEGIN.format(members=" ".join(path[serial] for serial in members)), timeout=120)
    old, new, spare = draw.choice(members), free[0], free[1]
    way = "copy"
    if fault in ("none", "second failure", "power cut") and draw.random() < 0.4:
        way = "rebuild"
        vm.check(f"mdadm /dev/md/data --fail {path[old]} && mdadm /dev/md/data --remove {path[old]}; udevadm settle")
    untouched = ["BY0001", spare] if fault != "new disk pulled" else ["BY0001"]
    before = vm.hash_disks(untouched)
    vm.check("touch /root/load")
    load = vm.start_command(["sh", "-c", LOAD], timeout=300)
    if fault == "wrong disk":
        wrong = draw.choice([each for each in members if each != old])
        refused = vm.run(f"raidtui replace data --member {old} --with {wrong} --begin --yes --confirm {'0' * 64}")
        assert refused.exit == 1 and "Add the new disk" not in refused.stderr, refused.stderr
    begun = _begin(vm, way, old, new)
    if fault not in ("none", "wrong disk"):
        vm.check(f"sleep {draw.uniform(0.3, 3):.1f}")
    lacking, looks, forced = 0, 0, False
    match fault:
        case "new disk pulled":
            vm.unplug(new)
        case "old disk pulled":
            vm.unplug(old)
        case "second failure":
            other = draw.choice([each for each in members if each != old])
            vm.run(f"mdadm /dev/md/data --fail {path[other]}")
        case "power cut":
            vm.power_cut()
            vm.start()
            forced = _assembled(vm, [path[each] for each in members if each != old])
            vm.check("mount /dev/md/data /srv/d")
        case "call killed":
            vm.run("pkill -9 -f 'raidtui replac[e]'")
        case _:
            pass
    if fault == "power cut":
        vm.check("rm -f /root/load")
    else:
        looks, lacking = _watched(vm)
        begun.wait()
        vm.check("rm -f /root/load")
        load.wait()
    if fault in ("power cut", "call killed", "second failure"):  # goes on where it is
        _begin(vm, way, old, new).wait()
    if fault == "old disk pulled":  # it may have been pulled before the new one was added
        _begin(vm, "rebuild", old, new).wait()
    if fault == "new disk pulled":
        _begin(vm, way, old, spare).wait()
    vm.check("mdadm --wait /dev/md/data; true", timeout=200)
    state = vm.check("mdadm --detail /dev/md/data").stdout
    want = 1 if fault == "second failure" else 0
    assert vm.check(STATES).stdout == f"{want}\n", state
    vm.check("umount /srv/d && echo 3 > /proc/sys/vm/drop_caches && mount /dev/md/data /srv/d")
    vm.check("sha256sum --check --quiet /root/sums", timeout=120)
    files = int(vm.check("wc -l < /root/sums").stdout)
    assert vm.hash_disks(untouched) == before
    vm.check("umount /srv/d; mdadm --stop /dev/md/data; udevadm settle")
    for each in (old, new):
        if each not in {disk.serial for disk in vm.guest_disks()}:
            vm.plug(each)
    vm.check(
        "udevadm settle; for each in /dev/md[0-9]*; do mdadm --stop $each 2> /dev/null; done; udevadm settle; true"
    )
    vm.erase_disks(serials)
    vm.check("udevadm trigger --settle --subsystem-match=block")
    return Outcome(fault, way, files, lacking, looks, forced)


def _assembled(vm: QuickMachine, left: list[str]) -> bool:
    """Whether the array had to be started by force: in use when the power went and lacking a member, md refuses it."""
    vm.check("udevadm settle; mdadm --assemble --scan; udevadm settle; true", timeout=120)
    if vm.run("test -b /dev/md/data").exit == 0:
        return False
    shown = " ".join(vm.check("raidtui arrays").stdout.split())
    assert "was in use when it was last written and has a missing member" in shown, shown
    vm.check(f"mdadm --stop --scan; mdadm --assemble --force --run /dev/md/data {' '.join(left)}; udevadm settle")
    return True


def _begin(vm: QuickMachine, way: str, old: str, new: str):  # type: ignore[no-untyped-def]
    member = f"--member {old} " if way == "copy" else ""
    asked = vm.run(f"raidtui replace data {member}--with {new} --json")
    found = json.loads(asked.stdout) if asked.stdout else {"steps": [], "digest": "", "findings": asked.stderr}
    if not found["steps"]:
        print(f"  no steps: {found['findings']}", file=sys.stderr)
    line = f"raidtui replace data {member}--with {new} --begin --yes --confirm {found['digest'] or '0'}"
    return vm.start_command(line, timeout=240)


def _watched(vm: QuickMachine) -> tuple[int, int]:
    """(looks, looks at which a member lacked) until no call runs."""
    text = vm.check(
        "for n in $(seq 240); do pgrep -f 'raidtui replac[e]' > /dev/null || break; "
        f"({STATES}) 2>/dev/null || echo x; sleep 0.25; done",
        timeout=300,
    ).stdout.split()
    return len(text), sum(each not in ("0", "x") for each in text)


def machine() -> QuickMachine:
    """Six disks and one of somebody."""
    return QuickMachine(
        [*lab_disks(6, bytes=96 * MIB), *lab_disks(1, prefix="BY", bytes=32 * MIB)], sync_limit_kib=8192
    )


def main(runs: int, seed: int) -> int:
    """Prints each run, then the counts."""
    draw, found = random.Random(seed), []
    with machine() as vm:
        install(vm)
        for number in range(runs):
            fault = FAULTS[number % len(FAULTS)]
            outcome = one(vm, draw, fault)
            found.append(outcome)
            print(f"{number + 1}: {outcome}", flush=True)
    files = sum(each.files for each in found)
    whole = [each for each in found if each.fault in ("none", "wrong disk", "call killed") and each.way == "copy"]
    print(
        f"{runs} replacements ({dict(Counter(each.fault for each in found))}): {files} files of 256 KiB read back, 0 "
        f"lost; 0 disks written that have no part; of {len(whole)} copies without a failure "
        f"{sum(each.lacking == 0 for each in whole)} never lacked a member in {sum(each.looks for each in whole)} "
        f"looks; {sum(each.forced for each in found)} started by force (seed {seed})"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 50, int(sys.argv[2]) if len(sys.argv) > 2 else 26))
