"""What each member reads and writes, counted by the kernel on real md, is what `model --ask` says of it."""

from __future__ import annotations

import json
import shlex

import pytest

from raidtui.values.units import KIB, MIB
from tests.cli.commands import called
from tests.lab.disk import lab_disks
from tests.lab.image import Image
from tests.lab.quick import QuickMachine

pytestmark = [pytest.mark.lab, pytest.mark.long]

SECTOR = 512
CHUNK = 64 * KIB
OTHER_WRITES = 128 * KIB
"""of superblocks, to a member"""
READ, WRITE = "read,streams=1,size=64K,depth=1", "write,streams=1,size={}K,depth=1"
CASES = (
    # layout, of mdadm, --ask, bytes that users move
    ("raid0(4)", "-l0 -n4", READ, 12 * MIB),
    ("raid10(4)", "-l10 -n4 -pn2", READ, 12 * MIB),
    ("raid10(3)", "-l10 -n3 -pn2", READ, 12 * MIB),
    ("raid10(3,o2)", "-l10 -n3 -po2", READ, 12 * MIB),
    ("raid10(4,f2)", "-l10 -n4 -pf2", READ, 12 * MIB),
    ("raid4(3+1)", "-l4 -n4", READ, 12 * MIB),
    ("raid5(3+1)", "-l5 -n4", READ, 12 * MIB),
    ("raid6(3+2)", "-l6 -n5", READ, 15 * MIB),
    ("raid10(3)", "-l10 -n3 -pn2", WRITE.format(64), 12 * MIB),
    ("raid10(4,f2)", "-l10 -n4 -pf2", WRITE.format(64), 12 * MIB),
    ("raid1(3)", "-l1 -n3", WRITE.format(64), 12 * MIB),
    ("raid5(3+1)", "-l5 -n4", WRITE.format(192), 12 * MIB),
    ("raid6(3+2)", "-l6 -n5", WRITE.format(192), 15 * MIB),
    ("raid4(3+1)", "-l4 -n4", WRITE.format(192), 12 * MIB),
)


def test_members_are_read_and_written_as_predicted(lab_image: Image) -> None:
    with QuickMachine(lab_disks(5, bytes=128 * MIB), using=lab_image, sync_limit_kib=None) as vm:
        vm.check("echo 'AUTO -all' > /etc/mdadm/mdadm.conf")
        for layout, level, ask, size in CASES:
            loads = _predicted(layout, ask, size)
            members = [vm.disk_path(f"LAB{number:04d}") for number in range(1, len(loads) + 1)]
            options = ("" if "raid1(" in layout else f"-c {CHUNK // KIB}") + (
                "" if "raid0" in layout else " --bitmap=none"
            )
            paths = shlex.join(members)
            vm.check(f"mdadm --create /dev/md9 --run --assume-clean {level} {options} {paths}")
            vm.check("udevadm settle; udevadm control --stop-exec-queue")
            block = int(ask.split("size=")[1].split("K")[0]) * KIB
            ends = (
                "if=/dev/md9 of=/dev/null iflag=direct"
                if ask.startswith("read")
                else "if=/dev/zero of=/dev/md9 oflag=direct"
            )
            before = _counted(vm, members)
            vm.check(f"dd {ends} bs={block} count={size // block} status=none")
            after = _counted(vm, members)
            seen = [(more[0] - less[0], more[1] - less[1]) for less, more in zip(before, after, strict=True)]
            vm.check("udevadm control --start-exec-queue; udevadm settle")  # a written array is probed, which reads it
            vm.check(f"mdadm --stop /dev/md9; mdadm --zero-superblock {paths}")
            for number, ((read, written), (low, high, write)) in enumerate(zip(seen, loads, strict=True)):
                assert low - block <= read <= high + block, (layout, ask, number, seen, loads)
                assert write - block <= written <= write + block + OTHER_WRITES, (layout, ask, number, seen, loads)


def _predicted(layout: str, ask: str, size: int) -> list[tuple[float, float, float]]:
    """(least read, most read, written) of each member for `size` bytes of users."""
    words = ("--disks", f"6x{128 * MIB}B", "--chunk", "64K", "--bitmap", "none", "--fs", "none", "--ask", ask, "--json")
    found = called("model", layout, *words)
    assert found.returncode == 0, found.stderr
    (answer,) = json.loads(found.stdout)["asked"]
    scale = size / answer["bytes_per_s"]
    return [
        (scale * each["read_low"], scale * each["read_high"], scale * each["write_bytes_per_s"])
        for each in answer["members"]
    ]


def _counted(vm: QuickMachine, members: list[str]) -> list[tuple[int, int]]:
    """(bytes read, bytes written) of each disk so far."""
    names = " ".join(f"/sys/class/block/$(basename $(readlink -f {shlex.quote(path)}))/stat" for path in members)
    lines = vm.check(f"cat {names}").stdout.splitlines()
    return [(SECTOR * int(line.split()[2]), SECTOR * int(line.split()[6])) for line in lines]
