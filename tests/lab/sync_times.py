"""Predicted and measured time of what a replacement and an extension wait for, on real md over disks of known rate.

    python -m tests.lab.sync_times [WORD of the cases]     half an hour; appends to sync_times.jsonl

The disks are held to a rate by QEMU, raidtui measures them while they are unused, and the time that it prints for a
replacement or a growth is held against that from the first to the last moment at which md synced.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.quick import QuickMachine

MIB = 2**20
RATE = 8_000_000
"""bytes a second of each disk, reads and writes together"""
DISK_BYTES = 352 * MIB
FILE = Path(__file__).with_suffix(".jsonl")
SMALL_KIB = 96 * 1024
"""of each member before it grows"""
BEGIN = """
mkfs.ext4 -q -E nodiscard,lazy_itable_init=0 /dev/md/data && mkdir -p /srv/d && mount /dev/md/data /srv/d &&
dd if=/dev/urandom of=/srv/d/f bs=1M count=32 status=none && sync &&
mdadm --detail --brief /dev/md/data > /etc/mdadm/mdadm.conf; udevadm settle
"""
WATCH = """
cd /sys/block/$(basename $(readlink -f /dev/md/data))/md
while [ -e /run/watch ]; do
  read up rest < /proc/uptime; read action < sync_action; echo $up $action; sleep 0.1
done > /run/seen
"""
LOAD = "while [ -e /run/load ]; do dd if=/srv/d/f of=/dev/null bs=1M iflag=direct status=none; done"


@dataclass(frozen=True)
class Case:
    """An array, and what is done with it."""

    name: str
    deed: str
    """grow, copy or rebuild"""
    level: str
    members: int
    old_data: bool = False
    """whether disks hold old data, so that parity that was never computed is wrong"""
    load: bool = False
    """whether a file is read all the time"""
    limit_kib: int = 0
    """the array's own sync_speed_max; 0: the system's"""


CASES = (
    Case("RAID5 of 4 grows", "grow", "5", 4),
    Case("RAID6 of 4 grows over zeroes", "grow", "6", 4),
    Case("RAID6 of 4 grows over old data", "grow", "6", 4, old_data=True),
    Case("RAID1 of 2 grows", "grow", "1", 2),
    Case("RAID10 of 4 grows", "grow", "10", 4),
    Case("RAID5 of 4 grows with a sync_speed_max of 4000 KiB/s", "grow", "5", 4, limit_kib=4000),
    Case("a member of RAID6 is copied", "copy", "6", 4),
    Case("a member of RAID6 is copied while a file is read", "copy", "6", 4, load=True),
    Case("a member of RAID5 is rebuilt", "rebuild", "5", 4),
    Case("a member of RAID6 is rebuilt", "rebuild", "6", 4),
    Case("a member of RAID1 is rebuilt", "rebuild", "1", 2),
    Case("a member of RAID10 is rebuilt", "rebuild", "10", 4),
)


@dataclass(frozen=True)
class Timed:
    """What a case came to; seconds."""

    case: str
    idle: float
    """predicted on idle disks"""
    busy: float
    """the upper end of the band"""
    measured: float
    """between the first and the last look at which md synced"""

    @property
    def ratio(self) -> float:
        """Measured over predicted on idle disks."""
        return self.measured / self.idle


def machine(using: Image | None = None) -> QuickMachine:
    """Five disks of a known rate."""
    return QuickMachine(lab_disks(5, bytes=DISK_BYTES, bps=RATE, rotation=1), using=using, sync_limit_kib=None)


def timed(vm: QuickMachine, case: Case) -> Timed:
    """One case, from blank disks to blank disks."""
    path = vm.disk_paths(vm.serials)
    members, new = list(path)[: case.members], list(path)[4]
    if case.old_data:
        fill = "dd if=/dev/urandom of={} bs=1M oflag=direct status=none & "
        vm.check("".join(fill.format(path[each]) for each in members) + "wait", timeout=600)
    size = f"--size={SMALL_KIB}" if case.deed == "grow" else ""
    chunk = "" if case.level == "1" else "-c64"
    vm.check(
        f"mdadm --create /dev/md/data -l{case.level} -n{case.members} {chunk} --bitmap=none {size} --assume-clean "
        f"--run {' '.join(path[each] for each in members)}{BEGIN}",
        timeout=300,
    )
    if case.limit_kib:
        vm.check(f"echo {case.limit_kib} > /sys/block/$(basename $(readlink -f /dev/md/data))/md/sync_speed_max")
    words = "extend data grow"
    if case.deed != "grow":
        words = f"replace data --member {members[1]} --with {new}"
    if case.deed == "rebuild":
        old = path[members[1]]
        vm.check(
            f"mdadm /dev/md/data --fail {old} && mdadm /dev/md/data --remove {old} && mdadm --zero-superblock {old}"
        )
        words = f"replace data --with {new}"
    shown = json.loads(vm.check(f"raidtui {words} --json", timeout=120).stdout)
    idle = shown["least_hours"] if "least_hours" in shown else shown["hours"]
    vm.check("touch /run/watch" + (" /run/load" if case.load else ""))
    watch = vm.start_command(WATCH, timeout=900)
    load = vm.start_command(LOAD, timeout=900) if case.load else None
    vm.check(f"raidtui {words} --begin --yes --confirm {shown['digest']}", timeout=900)
    vm.check("rm -f /run/load /run/watch")
    watch.wait()
    if load is not None:
        load.wait()
    looks = [line.split() for line in vm.check("cat /run/seen").stdout.splitlines()]
    seen = [float(at) for at, action in looks if action in ("resync", "recover")]
    vm.check("umount /srv/d; mdadm --stop /dev/md/data; udevadm settle")
    vm.erase_disks(vm.serials)
    vm.check("udevadm trigger --settle --subsystem-match=block; rm -f /dev/md/*")
    return Timed(case.name, idle * 3600, shown["most_hours"] * 3600, seen[-1] - seen[0])


def recorded() -> list[Timed]:
    """What was measured last of each case."""
    lines = FILE.read_text().splitlines() if FILE.exists() else []
    return list({found.case: found for found in (Timed(**json.loads(line)) for line in lines)}.values())


def main(word: str) -> int:
    """Measures, prints and records each case."""
    with machine() as vm:
        install(vm)
        print(vm.check("raidtui disks --measure", timeout=600).stdout)
        for case in (each for each in CASES if word in each.name):
            found = timed(vm, case)
            print(f"{found} {found.ratio:.2f}", flush=True)
            with FILE.open("a") as file:
                file.write(json.dumps(asdict(found)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:])))
