"""Writes `real_geometry/mkfs_options.jsonl`: file systems with random options, made and mounted by real tools.

    python -m tests.regenerate_mkfs_options CASES SEED [FILE]

One line a case: bytes of the device, the options as words of --mkfs, the `command`, how it was mounted, and what
`xfs_db` or `dumpe2fs` and `stat --file-system` then said, or the start of what mkfs (`made`: the kernel) refused it
with. All of it runs in the virtual machine, on device-mapper devices of the wanted size over sparse disks; `versions`
has what the guest ran. The expected values come from there, none from raidtui. The first cases of a seed are the same
however many are made.
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
_QUOTA_WORDS = {"usr": "user", "grp": "group", "prj": "project"}
_EXTENDED = ("lazy_itable_init", "lazy_journal_init", "packed_meta_blocks")
_FEATURES = (
    "ea_inode", "encrypt", "inline_data", "large_dir", "metadata_csum_seed", "mmp", "orphan_file",
    "stable_inodes", "verity",
)  # fmt: skip
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


def _some(draw: random.Random, choices: dict[str, Sequence[Any]]) -> dict[str, Any]:
    """A value for some of the words: mostly for two or three of them."""
    share = draw.choice((0.1, 0.25, 0.25, 0.6))
    return {word: draw.choice(values) for word, values in choices.items() if draw.random() < share}


def _xfs(draw: random.Random) -> dict[str, Any]:
    size, (unit, width) = _size(draw, 400 * MIB, LARGEST), _stripe(draw)
    words = _some(draw, {
        "block": ("1K", "2K", "4K", "4K"), "sector": ("512", "512", "1K", "2K", "4K"),
        "inode": ("512", "512", "1K", "1K", "2K", "2K", "256"),
        "reflink": "01", "rmapbt": "01", "bigtime": "01", "finobt": "01", "inobtcount": "01", "sparse": "01",
        "nrext64": "01", "maxpct": (1, 10, 50, 100), "log": ("32M", "64M", "128M", "512M", "1G", "2000M", "2G"),
        "log_su": ("2K", "4K", "32K", "64K", "256K"), "directory": ("2K", "4K", "8K", "16K", "64K"),
        "cowextsize": (1, 32, 256, 2048), "extszinherit": (1, 16, 256, 1024, 3000000),
    })  # fmt: skip
    groups = draw.random()
    if groups < 0.2:
        words["agcount"] = draw.choice((1, 2, 2, 3, 4, 7, 8, 16, 16, 32, 33, 64, 100, 200))
    elif groups < 0.4:
        words["agsize"] = f"{max(draw.choice((8, 16, 100, 512, 1024, 10000, 262144)), size // MIB // 200)}M"
    sector = draw.choice((512, 512, 4096))
    quota = [kind for kind in _KINDS if draw.random() < 0.3]
    stripe = [f"su={unit}k,sw={width}" if unit else "noalign"]
    block = _bytes(words.get("block", "4K"))
    sections: dict[str, list[str]] = {"-b": [f"size={block}"], "-d": stripe, "-l": [], "-m": [], "-i": [], "-n": []}
    sections["-s"] = [f"size={_bytes(words.get('sector', min(sector, block)))}"]
    places = {
        "agcount": "-d agcount", "agsize": "-d agsize", "cowextsize": "-d cowextsize",
        "extszinherit": "-d extszinherit", "log": "-l size", "log_su": "-l su",
        "inode": "-i size", "maxpct": "-i maxpct", "sparse": "-i sparse", "nrext64": "-i nrext64",
        "directory": "-n size", **{name: f"-m {name}" for name in
                                   ("reflink", "rmapbt", "bigtime", "finobt", "inobtcount")},
    }  # fmt: skip
    for word, value in words.items():
        if word in places:
            section, _, name = places[word].partition(" ")
            sections[section].append(f"{name}={_bytes(value)}")
    text = " ".join(f"{section} {','.join(options)}" for section, options in sections.items() if options)
    return {
        "type": "xfs", "device_bytes": size, "su_kib": unit, "sw": width, "sector_bytes": sector, "quota": quota,
        "mkfs": ",".join(f"{word}={value}" for word, value in words.items()),
        "command": f"mkfs.xfs -f -K {text} DEVICE",
        "mount": ",".join(("rw", *({"usr": "uquota", "grp": "gquota", "prj": "pquota"}[kind] for kind in quota))),
    }  # fmt: skip


def _bytes(text: Any) -> int:
    """The number of bytes in `512` or `4K`."""
    word = str(text)
    unit = {"K": 2**10, "M": 2**20, "G": 2**30}.get(word[-1])
    return int(word[:-1]) * unit if unit else int(word)


def _ext4(draw: random.Random) -> dict[str, Any]:
    words = _some(draw, {
        "block": ("1K", "2K", "4K"),
        "reserved": ("0%", "0.1%", "0.25%", "0.5%", "1%", "3%", "7.5%", "2.5%", "10%", "50%", "60%"),
        "inode": (128, 256, 512, 512, 1024, 1024, 2048, 4096),
        "journal": ("3M", "4M", "8M", "64M", "129M", "500M", "513M", "1G", "4G", "10G", "40G"),
        "flex_bg": (2, 4, 8, 8, 12, 32, 64, 256, 1024), "packed_meta_blocks": "01",
        "lazy_itable_init": "01", "lazy_journal_init": "01",
    })  # fmt: skip
    block = _bytes(words.get("block", "4K"))
    size, (unit, width) = _size(draw, 600 * MIB, 48 * TIB if block == 4096 else 3 * TIB), _stripe(draw)
    count = draw.random()
    if count < 0.3:
        words["inode_ratio"] = draw.choice((f"{block // 1024}K", "4K", "8K", "16K", "64K", "1M", "4M", "64M"))
    elif count < 0.5:
        words["inodes"] = int(1000 * (size / 4096 / 1000 * 2) ** draw.random())
    named = [name for name in _FEATURES if draw.random() < 0.15]
    quota = [kind for kind in _KINDS if draw.random() < 0.25]
    if named:
        words["features"] = ":".join(named)
    if quota:
        words["quota"] = ":".join(_QUOTA_WORDS[kind] for kind in quota)
    if size > 64 * 2**30:  # what is written at once changes no figure, and takes hours
        words |= dict.fromkeys(("lazy_itable_init", "lazy_journal_init"), "1")
    blocks = size // block
    features = [*_EXT4_FEATURES, *(["resize_inode"] if blocks < 2**32 else []), *named]
    features += [*(["quota"] if quota else []), *(["project"] if "prj" in quota else [])]
    extended = ["nodiscard", *(f"{name}={words[name]}" for name in _EXTENDED if name in words)]
    extended += [f"stride={unit * 1024 // block}", f"stripe_width={unit * 1024 // block * width}"] if unit else []
    extended += ["quotatype=" + ":".join(f"{kind}quota" for kind in quota)] if quota else []
    command = ["mkfs.ext4 -q -F -b", str(block), "-O", ",".join(features), "-I", str(words.get("inode", 256))]
    command += ["-m", str(words.get("reserved", "5%")).removesuffix("%")]
    for word, letter in (("inodes", "-N"), ("flex_bg", "-G")):
        command += [letter, str(words[word])] if word in words else []
    command += ["-i", str(_bytes(words["inode_ratio"]))] if "inode_ratio" in words else []
    command += ["-J", f"size={_bytes(words['journal']) // MIB}"] if "journal" in words else []
    return {
        "type": "ext4", "device_bytes": size, "su_kib": unit, "sw": width, "quota": quota,
        "mkfs": ",".join(f"{word}={value}" for word, value in words.items()),
        "command": " ".join((*command, "-E", ",".join(extended), "DEVICE")),
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
            f"end() {{ dmsetup remove --retry case{number}; exit; }}",
            case["command"].replace("DEVICE", made) + " > /tmp/said 2>&1 || { echo @@; cat /tmp/said; end; }",
            f"echo @@; {shown}",
            f"echo @@; mount -o {case['mount']} {made} /mnt/m 2>&1 || {{ dmesg | tail -3; end; }}",
            "stat --file-system --format='%b %f %a %S %c %d' /mnt/m",
            "umount /mnt/m",
            "end",
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


def main(drawn: Sequence[dict[str, Any]], file: Path) -> None:
    """Runs the cases in one virtual machine and writes the file."""
    from tests.lab.disk import Disk
    from tests.lab.quick import QuickMachine

    disks = [Disk(f"PART{number}", bytes=DISK, physical_block=512) for number in range(DISKS)]
    with QuickMachine(disks) as vm, file.open("w") as out:
        paths = [vm.disk_path(serial) for serial in vm.serials]
        vm.check("mkdir -p /mnt/m; modprobe -a dm-mod ext4 xfs || true")
        asked = "uname -r; mkfs.xfs -V; mkfs.ext4 -V 2>&1 | head -1"
        kernel, xfsprogs, e2fsprogs = vm.check(asked).stdout.splitlines()
        versions = {"kernel": kernel, "xfsprogs": xfsprogs.split()[-1], "e2fsprogs": e2fsprogs.split()[1]}
        for number, case in enumerate(drawn):
            text = vm.check(script(number, case, paths), timeout=300).stdout
            vm.erase_disks(vm.serials)
            parts = text.split("@@\n")
            if len(parts) == 3 and re.fullmatch(r"[0-9 ]+", parts[2].strip()):
                found: dict[str, Any] = {"result": result(case["type"], text)}
            else:
                found = {"refused": " ".join(parts[-1].split())[:160], "made": len(parts) == 3}
            out.write(json.dumps({**case, "versions": versions, **found}) + "\n")
            out.flush()
            print(f"{number + 1} of {len(drawn)}", file=sys.stderr)


if __name__ == "__main__":
    main(cases(int(sys.argv[1]), int(sys.argv[2])), Path(sys.argv[3]) if len(sys.argv) > 3 else FILE)
