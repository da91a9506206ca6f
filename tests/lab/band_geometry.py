"""Volumes over bands of disks of mixed size: random cases, and what real sfdisk, mdadm, LVM and mkfs make of them.

Where the disks are cut is worked out here once more, from the rule in words: a band ends at the last whole MiB before
the table at the end of the smallest disks that reach into it, disks within 1 % end together, and a band has more disks
than the failures that it survives.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from typing import Any, Literal

from tests.lab.geometry_cases import POOL, FileSystem
from tests.lab.geometry_measure import CLEAN
from tests.lab.geometry_parse import array, file_system, sections
from tests.lab.geometry_script import SHOW_ARRAY
from tests.lab.guest import Guest

_MIB = 1 << 20
_TABLE_AT_END = 33 * 512
_LARGE = 12 << 40
"""bytes of data above which the file system is XFS, since the guest has little memory"""
_BITMAP_FROM = 100 << 30


@dataclass(frozen=True)
class Piece:
    """A band: the numbers of its disks, and its place on them."""

    members: tuple[int, ...]
    start_bytes: int
    size_bytes: int


@dataclass(frozen=True)
class BandCase:
    """Disks of mixed size, the failed disks that every band survives, chunk and file system."""

    disk_bytes: tuple[int, ...]
    failures: int
    chunk_kib: int
    fs: Literal["xfs", "ext4"]

    @property
    def bands(self) -> list[Piece]:
        """Where the disks are cut."""
        ends = [(size - _TABLE_AT_END) // _MIB * _MIB for size in self.disk_bytes]
        found: list[Piece] = []
        start = _MIB
        for end in sorted(ends):
            if found and end * 0.99 <= start:
                continue
            members = tuple(number for number, other in enumerate(ends) if other >= end)
            if len(members) > self.failures:
                found.append(Piece(members, start, end - start))
                start = end
        return found

    def level(self, piece: Piece) -> int:
        """The md level of a band: a mirror of as few copies as survive, else RAID5 or RAID6."""
        return 1 if len(piece.members) == self.failures + 1 else 4 + self.failures

    def data(self, piece: Piece) -> int:
        """Members' worth of data in it."""
        return 1 if self.level(piece) == 1 else len(piece.members) - self.failures

    @property
    def stripe(self) -> int:
        """Data members of the band with a stripe that holds most; 0 if all are mirrors."""
        striped = [piece for piece in self.bands if self.level(piece) != 1]
        return self.data(max(striped, key=lambda each: each.size_bytes * self.data(each))) if striped else 0


def random_bands(seed: int, n: int) -> list[BandCase]:
    """`n` cases with two bands or more on disks of the pool; the same for the same seed."""
    draw = random.Random(seed)
    found: list[BandCase] = []
    while len(found) < n:
        failures = draw.choice([1, 1, 2])
        kinds = sorted(set(POOL))
        first = draw.randint(0, len(kinds) - 4)
        near = kinds[first : first + draw.choice([2, 3, 4])] if draw.random() < 0.6 else draw.sample(kinds, 3)
        disks = tuple(draw.choice(near) for _ in range(draw.randint(failures + 2, 8)))
        if Counter(disks) - Counter(POOL):
            continue
        case = BandCase(disks, failures, draw.choice([64, 128, 256, 512, 512, 1024]), "xfs")
        if len(case.bands) > 1:
            held = sum(piece.size_bytes * case.data(piece) for piece in case.bands)
            found.append(case if held > _LARGE or draw.random() < 0.5 else BandCase(*_but_fs(case), "ext4"))
    return found


def _but_fs(case: BandCase) -> tuple[tuple[int, ...], int, int]:
    return case.disk_bytes, case.failures, case.chunk_kib


def measure_bands(vm: Guest, case: BandCase) -> dict[str, Any]:
    """Makes the volume, reads it back, takes it down. A refusal is in `exit` and `stderr`."""
    free: dict[int, list[str]] = defaultdict(list)
    for serial in reversed(vm.serials):
        free[vm.backing(serial).bytes].append(serial)
    serials = [free[size].pop() for size in case.disk_bytes]
    paths = [vm.disk_paths(serials)[serial] for serial in serials]
    script, commands = _script(case, paths)
    done = vm.run(script, timeout=240)
    vm.check(CLEAN, timeout=120)
    vm.erase_disks(serials)
    vm.check("udevadm settle; for disk in " + " ".join(paths) + "; do blockdev --rereadpt $disk; done; udevadm settle")
    record = {
        **asdict(case),
        "disk_bytes": list(case.disk_bytes),
        "bands": [{**asdict(piece), "members": list(piece.members)} for piece in case.bands],
        "commands": commands,
        "exit": done.exit,
    }
    if done.exit != 0:
        return {**record, "stderr": done.stderr}
    found = sections(done.stdout)
    physical, _, rest = found["lvm"][0].partition("@volume\n")
    volume, _, segments = rest.partition("@segments\n")
    starts = [[int(word) for word in line.split()] for line in physical.splitlines()]
    size, count, stripes, stripe, extent = (int(word) for word in volume.split())
    return {
        **record,
        "arrays": [
            array(*parts)
            for parts in zip(*(found[name] for name in ("array", "sysfs", "examine", "bitmap")), strict=True)
        ],
        "volume": {
            "pe_start_bytes": [start for start, _ in starts],
            "extents": [number for _, number in starts],
            "lv_bytes": size,
            "segments": count,
            "stripes": stripes,
            "stripe_bytes": stripe,
            "extent_bytes": extent,
            "order": [line.split() for line in segments.splitlines()],
        },
        "filesystem": file_system(FileSystem(case.fs), found),
    }


def _script(case: BandCase, paths: list[str]) -> tuple[str, list[str]]:
    """The bash script, and its commands that make arrays, volume and file system, in order."""
    lines = ["set -e", SHOW_ARRAY]
    for number, path in enumerate(paths):
        parts = [piece for piece in case.bands if number in piece.members]
        table = "".join(f"start={part.start_bytes // 512}, size={part.size_bytes // 512}\\n" for part in parts)
        lines.append(f"printf 'label: gpt\\nunit: sectors\\n{table}' | sfdisk -q --wipe=never {path}")
    lines.append("udevadm settle")
    commands: list[str] = []
    devices = [f"/dev/md{100 + number}" for number in range(len(case.bands))]
    for number, (device, piece) in enumerate(zip(devices, case.bands, strict=True), start=1):
        members = [f"{paths[each]}-part{number}" for each in piece.members]
        chunk = "" if case.level(piece) == 1 else f"-c {case.chunk_kib} "
        bitmap = "internal" if piece.size_bytes - (140 << 20) > _BITMAP_FROM else "none"
        commands.append(
            f"mdadm --create {device} --run --level={case.level(piece)} -n {len(members)} {chunk}--metadata=1.2 "
            f"--bitmap={bitmap} --assume-clean {' '.join(members)}"
        )
        lines += [f"{commands[-1]} >&2", f"show_array {device} {members[0]}"]
    full = case.chunk_kib * max(case.stripe, 1)
    unit = math.lcm(full, 128)
    align, volume = unit * -(-1024 // unit), "/dev/vgm/lvm"
    made = [
        *(f"pvcreate -qq -y --dataalignment {align}k {device}" for device in devices),
        f"vgcreate -qq -s 4096k vgm {' '.join(devices)}",
        "lvcreate -qq -y -Wn -Zn --type linear -l 100%FREE -n lvm vgm",
    ]
    show = "--noheadings --units b --nosuffix --separator ' '"
    lines += [
        *(f"{command} >&2" for command in made),
        f"echo @@lvm; pvs {show} -O pv_name -o pe_start,pv_pe_count",
        f"echo @volume; lvs {show} -o lv_size,seg_count,stripes,stripe_size,vg_extent_size vgm | head -1",
        f"echo @segments; lvs --segments {show} -o seg_start_pe,seg_size_pe,seg_pe_ranges vgm",
    ]
    if case.fs == "xfs":
        mkfs = f"mkfs.xfs -f -K {f'-d su={case.chunk_kib}k,sw={case.stripe} ' if case.stripe else ''}{volume}"
        lines += ["echo @@mkfs", mkfs, f"mount {volume} /mnt/m"]
    else:
        stride = case.chunk_kib // 4
        stripe = f",stride={stride},stripe_width={stride * case.stripe}" if case.stripe else ""
        mkfs = f"mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=1,lazy_journal_init=1{stripe} {volume}"
        lines += ["echo @@mkfs", mkfs, f"dumpe2fs -h {volume} 2>/dev/null", f"mount -o noinit_itable {volume} /mnt/m"]
    lines += ["echo @@statfs", "stat -f -c '%b %f %a %S' /mnt/m"]
    return "\n".join(lines), [*commands, *made, mkfs]
