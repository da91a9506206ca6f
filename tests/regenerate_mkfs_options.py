"""Writes `real_geometry/mkfs_options.jsonl`: file systems with random options, made and mounted by real tools.

    python -m tests.regenerate_mkfs_options [CASES] [SEED]

One line a case: bytes of the device, the options, the `command`, how it was mounted, and what `xfs_db` or `dumpe2fs`
and `stat --file-system` then said. All of it runs in the virtual machine, on device-mapper devices of the wanted size
over sparse disks; `versions` has what the guest ran. The expected values come from there, none from raidtui.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "real_geometry" / "mkfs_options.jsonl"
MIB, TIB = 2**20, 2**40
DISK, DISKS = 14 * TIB, 9
LARGEST = DISK * DISKS
_KINDS = ("usr", "grp", "prj")
_EXT4_FEATURES = (
    "none", "has_journal", "ext_attr", "dir_index", "filetype", "extent", "64bit", "flex_bg", "sparse_super",
    "large_file", "huge_file", "dir_nlink", "extra_isize", "metadata_csum",
)  # fmt: skip


def cases(count: int, seed: int) -> list[dict[str, Any]]:
    """`count` random cases, every second one XFS."""
    draw = random.Random(seed)
    return [(_xfs if number % 2 else _ext4)(draw) for number in range(count)]


def _size(draw: random.Random, least: int, most: int) -> int:
    """Bytes, evenly over the orders of magnitude, a multiple of 512."""
    return int(least * (most / least) ** draw.random()) // 512 * 512


def _stripe(draw: random.Random) -> tuple[int, int]:
    """(KiB of a stripe unit, units in a stripe); (0, 0) for a quarter of the cases."""
    if draw.random() < 0.25:
        return 0, 0
    return draw.choice((16, 32, 64, 128, 256, 512, 1024)), draw.randint(1, 48)


def _xfs(draw: random.Random) -> dict[str, Any]:
    size, (unit, width) = _size(draw, 600 * MIB, LARGEST), _stripe(draw)
    reflink, rmapbt, bigtime = (draw.randint(0, 1) for _ in range(3))
    sector = draw.choice((512, 4096))
    quota = [kind for kind in _KINDS if draw.random() < 0.3]
    stripe = f"-d su={unit}k,sw={width}" if unit else "-d noalign"
    features = f"-m reflink={reflink},rmapbt={rmapbt},bigtime={bigtime}"
    return {
        "type": "xfs", "device_bytes": size, "su_kib": unit, "sw": width, "sector_bytes": sector,
        "reflink": bool(reflink), "rmapbt": bool(rmapbt), "bigtime": bool(bigtime), "quota": quota,
        "command": f"mkfs.xfs -f -K -b size=4096 -s size={sector} {features} {stripe} DEVICE",
        "mount": ",".join(("rw", *({"usr": "uquota", "grp": "gquota", "prj": "pquota"}[kind] for kind in quota))),
    }  # fmt: skip


def _ext4(draw: random.Random) -> dict[str, Any]:
    block = draw.choice((1024, 2048, 4096, 4096, 4096))
    size, (unit, width) = _size(draw, 600 * MIB, 48 * TIB if block == 4096 else 3 * TIB), _stripe(draw)
    reserved = draw.choice((0, 0.1, 0.25, 1, 2.5, 5, 5, 10))
    ratio = draw.choice((None, None, 4096, 8192, 16384, 65536, 1048576, 4194304))
    quota = [kind for kind in _KINDS if draw.random() < 0.4]
    project = "prj" in quota or draw.random() < 0.2
    lazy = draw.random() < 0.5 or size > 64 * 2**30  # what is written at once changes no figure, and takes hours
    blocks = size // block
    features = [*_EXT4_FEATURES, *(["resize_inode"] if blocks < 2**32 else [])]
    features += [*(["quota"] if quota else []), *(["project"] if project else [])]
    extended = [f"lazy_itable_init={lazy:d}", f"lazy_journal_init={lazy:d}", "nodiscard"]
    extended += [f"stride={unit * 1024 // block}", f"stripe_width={unit * 1024 // block * width}"] if unit else []
    extended += ["quotatype=" + ":".join(f"{kind}quota" for kind in quota)] if quota else []
    words = ["mkfs.ext4 -q -F -b", str(block), "-O", ",".join(features), "-I 256", "-m", f"{reserved:g}"]
    words += [f"-i {ratio}"] if ratio else []
    return {
        "type": "ext4", "device_bytes": size, "su_kib": unit, "sw": width, "block_bytes": block,
        "reserved_percent": reserved, "inode_ratio": ratio, "quota": quota, "project": project, "lazy_init": lazy,
        "command": " ".join((*words, "-E", ",".join(extended), "DEVICE")),
        "mount": ",".join(("rw,noinit_itable", *(f"{kind}quota" for kind in quota))),
    }  # fmt: skip


def _table(size: int, disks: Sequence[str]) -> str:
    """device-mapper's table of a device of `size` bytes: the disks one behind the other."""
    starts = range(0, size, DISK)
    return "\n".join(
        f"{start // 512} {min(DISK, size - start) // 512} linear {disk} 0"
        for start, disk in zip(starts, disks, strict=False)
    )


def script(number: int, case: dict[str, Any], disks: Sequence[str]) -> str:
    """Makes, reads, mounts and reads one case in the guest."""
    made = f"/dev/mapper/case{number}"
    fields = "blocksize dblocks agblocks agcount unit width logblocks logsunit imax_pct fdblocks icount ifree"
    xfs = f"xfs_db -r -c 'sb 0' -c 'print {fields}' {made}"
    shown = xfs if case["type"] == "xfs" else f"dumpe2fs -h {made} 2>/dev/null"
    return "\n".join(
        (
            "set -e",
            f"dmsetup create case{number} <<'E'\n{_table(case['device_bytes'], disks)}\nE",
            case["command"].replace("DEVICE", made) + " >&2",
            f"echo @@; {shown}",
            f"mount -o {case['mount']} {made} /mnt/m",
            "echo @@; stat --file-system --format='%b %f %a %S %c %d' /mnt/m",
            "umount /mnt/m",
            f"dmsetup remove --retry case{number}",
        )
    )


def result(kind: str, text: str) -> dict[str, int]:
    """The figures that `script` printed, by the names of the models of raidtui."""
    _, shown, space = text.split("@@\n")
    values = {match[1]: match[2] for match in re.finditer(r"^(.+?) *[=:] +(.*)$", shown, re.MULTILINE)}
    names = _XFS_NAMES if kind == "xfs" else _EXT4_NAMES
    statfs = dict(zip(_STATFS, map(int, space.split()), strict=True))
    return {**{name: int(values.get(key, "0").split()[0]) for name, key in names.items()}, **statfs}


_STATFS = (
    "statfs_blocks", "statfs_free", "statfs_available", "statfs_block_bytes", "statfs_inodes", "statfs_free_inodes",
)  # fmt: skip
_XFS_NAMES = {
    "blocks": "dblocks", "agsize_blocks": "agblocks", "agcount": "agcount", "sunit_blocks": "unit",
    "swidth_blocks": "width", "log_blocks": "logblocks", "log_sunit_bytes": "logsunit", "imaxpct": "imax_pct",
}  # fmt: skip
_EXT4_NAMES = {
    "block_bytes": "Block size", "blocks": "Block count", "reserved_blocks": "Reserved block count",
    "inodes": "Inode count", "free_inodes": "Free inodes", "journal_blocks": "Total journal blocks",
    "stride_blocks": "RAID stride", "stripe_width_blocks": "RAID stripe width", "free_blocks": "Free blocks",
}  # fmt: skip


def main(count: int, seed: int) -> None:
    """Runs the cases in one virtual machine and writes the file."""
    from tests.lab.disk import Disk
    from tests.lab.vm import Machine

    lines = []
    with Machine([Disk(f"PART{number}", bytes=DISK, physical_block=512) for number in range(DISKS)]) as vm:
        disks = [vm.disk_path(serial) for serial in vm.serials]
        vm.check("mkdir -p /mnt/m; modprobe dm-mod")
        asked = "uname -r; mkfs.xfs -V; mkfs.ext4 -V 2>&1 | head -1"
        kernel, xfsprogs, e2fsprogs = vm.check(asked).stdout.splitlines()
        versions = {"kernel": kernel, "xfsprogs": xfsprogs.split()[-1], "e2fsprogs": e2fsprogs.split()[1]}
        for number, case in enumerate(cases(count, seed)):
            text = vm.check(script(number, case, disks), timeout=300).stdout
            vm.erase_disks(vm.serials)
            lines.append(json.dumps({**case, "versions": versions, "result": result(case["type"], text)}))
            print(f"{number + 1} of {count}", file=sys.stderr)
    FILE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 160, int(sys.argv[2]) if len(sys.argv) > 2 else 13)
