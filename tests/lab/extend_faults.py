"""Extensions on real md, each cut at a random point and called again, over files with checksums.

    python -m tests.lab.extend_faults [CUTS] [SEED] [WORD of the kinds]

Each kind is carried out once whole, which says how long it takes, and then CUTS times with a cut in it: the power, or
the call alone. What was cut is called again, after the sync that a power cut takes. At the end every file reads back,
the disks that have no part in it are as they were, the array is whole and its check finds no mismatch.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.quick import QuickMachine

MIB = 2**20
CONF = """
echo 'AUTO -all' > /etc/mdadm/mdadm.conf; mdadm --detail --brief /dev/md/data >> /etc/mdadm/mdadm.conf
for each in /dev/md/s[0-9]; do test ! -e $each || mdadm --detail --brief $each >> /etc/mdadm/mdadm.conf; done
"""
FILES = """
mkdir -p /srv/d && mount $DEV /srv/d
for n in 1 2 3 4 5 6; do dd if=/dev/urandom of=/srv/d/f$n bs=1M count=4 status=none; done
sha256sum /srv/d/f* > /root/sums; sync
"""
CREATE = "mdadm --create /dev/md/data --level={level} -n4 -c64 --bitmap={bitmap} {size} --assume-clean --run {members}"
EXT4 = "mkfs.ext4 -q -E nodiscard,lazy_itable_init=1 /dev/md/data; DEV=/dev/md/data;"
XFS = """
pvcreate -q /dev/md/data; vgcreate -q vg-a /dev/md/data; lvcreate -q -y -Wn -l100%FREE -n lv /dev/vg-a
mkfs.xfs -q -K /dev/vg-a/lv; DEV=/dev/vg-a/lv;
"""


@dataclass(frozen=True)
class Kind:
    """One kind of extension."""

    name: str
    words: str
    """behind `raidtui extend data`"""
    level: int
    bitmap: str
    size: str
    """of each member at creation"""
    top: str
    """makes the file system"""
    beside: str = ""
    """makes other arrays"""
    others: tuple[str, ...] = ("LAB0005",)
    """disks that have a part in it besides the members"""

    @property
    def device(self) -> str:
        """What the file system is on."""
        return "/dev/vg-a/lv" if "vg-a" in self.top else "/dev/md/data"


STRIPED = """
mdadm --create /dev/md/s0 --level=1 -n2 --bitmap=none --assume-clean --run {LAB0005} {LAB0006}
pvcreate -q /dev/md/data /dev/md/s0; vgcreate -q vg-a /dev/md/data /dev/md/s0
lvcreate -q -y -Wn -i2 -I64k -l100%FREE -n lv vg-a; mkfs.xfs -q -K /dev/vg-a/lv; DEV=/dev/vg-a/lv;
"""
MIRROR = "mdadm --create /dev/md/{name} --level=1 -n2 --bitmap=none --assume-clean --run {{{one}}} {{{two}}}; "
MIRRORS = MIRROR.format(name="s0", one="LAB0005", two="LAB0006")
MIRRORS += MIRROR.format(name="s1", one="LAB0007", two="LAB0008")
FURTHER = ("LAB0005", "LAB0006", "LAB0007", "LAB0008")
RAID5 = "mdadm --create /dev/md/s0 --level=5 -c64 -n3 --bitmap=none --assume-clean --run {LAB0005} {LAB0006} {LAB0007}"
KINDS = (
    Kind("spare", "spare LAB0005", 6, "internal", "", EXT4),
    Kind(
        "spare of another array", "spare LAB0008", 5, "none", "", EXT4,
        MIRROR.format(name="s0", one="LAB0006", two="LAB0007") + "mdadm /dev/md/s0 --add-spare {LAB0008}",
        FURTHER[1:],
    ),
    Kind("bitmap added", "bitmap internal", 6, "none", "", EXT4),
    Kind("bitmap removed", "bitmap none", 5, "internal", "", EXT4),
    Kind("bitmap changed", "bitmap 128M", 6, "internal", "", EXT4),
    Kind("larger members, ext4", "grow", 5, "internal", "--size=49152", EXT4),
    Kind("larger members, LVM and XFS", "grow", 6, "none", "--size=163840", XFS),
    Kind("shelf of two mirrors", "shelf s0 s1", 6, "none", "", XFS, MIRRORS, FURTHER),
    Kind(
        "shelf behind a stripe", "shelf s1", 5, "none", "--size=163840", STRIPED,
        MIRROR.format(name="s1", one="LAB0007", two="LAB0008"), FURTHER,
    ),
    Kind("shelf of one RAID5", "shelf s0", 5, "none", "", XFS, RAID5, FURTHER[:3]),
)  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """What a run came to."""

    kind: str
    cut: str
    at_s: float
    took_s: float
    """from the first call to the end of the last"""
    hours: float | None
    """that were predicted on idle disks"""
    before: int
    after: int
    """bytes of the file system by statfs, or of the array"""


def machine(using: Image | None = None) -> QuickMachine:
    """Eight disks and one of somebody."""
    return QuickMachine(
        [*lab_disks(8, bytes=256 * MIB), *lab_disks(1, prefix="BY", bytes=32 * MIB)], using=using, sync_limit_kib=None
    )


def one(vm: QuickMachine, kind: Kind, cut: str, at_s: float) -> Outcome:
    """Raises AssertionError where data or a bystander's byte is lost, or the array is not as asked in the end."""
    serials = [serial for serial in vm.serials if serial.startswith("LAB")]
    path = vm.disk_paths(serials)
    members = " ".join(path[serial] for serial in serials[:4])
    vm.check(
        CREATE.format(level=kind.level, bitmap=kind.bitmap, size=kind.size, members=members)
        + f"\necho {LIMIT} > /sys/block/$(basename $(readlink -f /dev/md/data))/md/sync_speed_max"
        + f"\n{kind.top.format(**path)}\n{FILES}",
        timeout=120,
    )
    if kind.beside:
        vm.check(kind.beside.format(**path))
    vm.check(f"{CONF}sync; udevadm settle")
    untouched = ["BY0001", *(each for each in serials[4:] if each not in kind.others)]
    before = vm.hash_disks(untouched)
    first, figures = _size(vm), _asked(vm, kind)
    assert figures["steps"], figures["findings"]
    begun = time.monotonic()
    call = vm.start_command(_line(kind, figures["digest"]), timeout=300)
    if cut:
        vm.check(f"sleep {at_s:.2f}")
    if cut == "power":
        vm.power_cut()
        vm.start()
        vm.check(
            f"udevadm settle; mdadm --assemble --scan; udevadm settle; vgchange -q -ay; udevadm settle; sleep 1; "
            f"mount {kind.device} /srv/d",
            timeout=120,
        )  # fmt: skip
    elif cut:
        vm.run("pkill -9 -f 'raidtui exten[d]'")
        call.wait()
    else:
        ended = call.wait()
        assert ended.exit == 0, ended.stderr
    if cut == "power":  # a sync after it comes first, which is what raidtui asks for
        vm.check("for each in /dev/md/*; do mdadm --readwrite $each; mdadm --wait $each; done; true", timeout=200)
    again = _asked(vm, kind)
    if again["steps"]:
        ended = vm.run(_line(kind, again["digest"]), timeout=300)
        assert ended.exit == 0, ended.stderr
    took = time.monotonic() - begun
    _whole(vm, kind, figures)
    assert vm.hash_disks(untouched) == before
    last = _size(vm)
    vm.check("umount /srv/d; vgchange -q -an 2> /dev/null; for each in /dev/md/*; do mdadm --stop $each; done; true")
    vm.erase_disks(serials)
    vm.check("udevadm trigger --settle --subsystem-match=block; rm -f /dev/md/*")
    return Outcome(kind.name, cut, at_s, took, figures.get("hours"), first, last)


LIMIT = 40960
"""KiB a second of each member"""


def _line(kind: Kind, digest: str) -> str:
    return f"raidtui extend data {kind.words} --begin --yes --confirm {digest}"


def _asked(vm: QuickMachine, kind: Kind) -> dict:  # type: ignore[type-arg]
    ran = vm.run(f"raidtui extend data {kind.words} --json")
    assert ran.exit == 0, ran.stdout + ran.stderr
    found: dict = json.loads(ran.stdout)  # type: ignore[type-arg]
    return found


def _size(vm: QuickMachine) -> int:
    blocks = vm.check("stat --file-system --format='%S %b' /srv/d").stdout.split()
    return int(blocks[0]) * int(blocks[1])


def _whole(vm: QuickMachine, kind: Kind, figures: dict) -> None:  # type: ignore[type-arg]
    vm.check("mdadm --wait /dev/md/data; true", timeout=200)
    md = "/sys/block/$(basename $(readlink -f /dev/md/data))/md"
    vm.check(f"echo 1000000 > {md}/sync_speed_max; echo check > {md}/sync_action; mdadm --wait /dev/md/data; true")
    assert vm.check(f"cat {md}/degraded {md}/mismatch_cnt").stdout == "0\n0\n"
    vm.check("umount /srv/d && echo 3 > /proc/sys/vm/drop_caches")
    top, xfs = kind.device, "mkfs.xfs" in kind.top
    check = f"xfs_repair -n {top}" if xfs else f"e2fsck -f -n {top}"
    ran = vm.run(check, timeout=120)
    assert ran.exit == 0, ran.stdout + ran.stderr
    vm.check(f"mount {top} /srv/d; sha256sum --check --quiet /root/sums", timeout=120)
    after = figures["after"]
    arrays = vm.check("blockdev --getsize64 /dev/md/data $(ls -d /dev/md/s[0-9] 2> /dev/null)").stdout.split()
    assert sum(map(int, arrays if "shelf" in kind.words else arrays[:1])) == after["array_bytes"]
    match kind.words.split():
        case ["grow"] | ["shelf", *_]:
            if xfs:
                geometry = vm.check(f"xfs_db -r -c 'sb 0' -c 'print dblocks' {top}").stdout
                assert int(geometry.split()[2]) * 4096 == after["filesystem_bytes"]
                assert int(vm.check(f"blockdev --getsize64 {top}").stdout) == after["volume_bytes"]
            else:
                count = vm.check(f"dumpe2fs -h {top} 2> /dev/null | sed -n 's/^Block count: *//p'").stdout
                size = vm.check(f"dumpe2fs -h {top} 2> /dev/null | sed -n 's/^Block size: *//p'").stdout
                assert int(count) * int(size) == after["filesystem_bytes"]
        case ["spare", serial]:
            shown = vm.check("mdadm --detail /dev/md/data").stdout
            assert "Spare Devices : 1" in shown, (serial, shown)
        case ["bitmap", word]:
            want = "resync" if word == "none" else "bitmap"
            assert vm.check(f"cat {md}/consistency_policy").stdout == f"{want}\n"
            if word == "128M":
                assert vm.check(f"cat {md}/bitmap/chunksize").stdout == "134217728\n"
        case _:
            raise AssertionError(kind)


def drawn(
    vm: QuickMachine, kind: Kind, cuts: int, draw: random.Random, tell: Callable[[Outcome], None]
) -> list[Outcome]:
    """The kind whole, then cut so many times somewhere in the time that it took."""
    found = [one(vm, kind, "", 0)]
    tell(found[0])
    for number in range(cuts):
        found.append(one(vm, kind, "power" if number % 2 else "call", draw.uniform(0, found[0].took_s)))
        tell(found[-1])
    return found


def main(cuts: int, seed: int, word: str) -> int:
    """Prints each run, then the counts."""
    draw, found = random.Random(seed), []
    with machine() as vm:
        install(vm)
        for kind in (each for each in KINDS if word in each.name):
            found += drawn(vm, kind, cuts, draw, lambda outcome: print(outcome, flush=True))
    print(f"{len(found)} extensions, {sum(bool(each.cut) for each in found)} of them cut: every file read back")
    return 0


if __name__ == "__main__":
    words = [*sys.argv[1:], *("20", "33", "")[len(sys.argv) - 1 :]]
    sys.exit(main(int(words[0]), int(words[1]), words[2]))
