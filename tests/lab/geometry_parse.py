"""Reads the sections that the measuring script printed."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from tests.lab.geometry_cases import FileSystem


def sections(text: str) -> dict[str, list[str]]:
    """The bodies of the sections by name, in order; a name may come again."""
    found: dict[str, list[str]] = defaultdict(list)
    for part in re.split(r"^@@", text, flags=re.MULTILINE)[1:]:
        name, _, body = part.partition("\n")
        found[name].append(body)
    return found


def _number(pattern: str, text: str) -> int | None:
    match = re.search(pattern, text, re.MULTILINE)
    return int(match[1]) if match else None


def _word(pattern: str, text: str) -> str | None:
    match = re.search(pattern, text, re.MULTILINE)
    return match[1] if match else None


_BITMAP_UNIT = {"KB": 1, "MB": 1024, "GB": 1 << 20}


def array(detail: str, sysfs: str, examine: str, bitmap: str) -> dict[str, Any]:
    """One md array, from mdadm and sysfs."""
    sectors, io_min, io_opt, read_ahead, component = (int(word) for word in sysfs.split()[:5])
    chunk = re.search(r"Chunksize : (\d+) (\w\w)", bitmap)
    return {
        "array_sectors": sectors,
        "io_min_bytes": io_min,
        "io_opt_bytes": io_opt,
        "read_ahead_kib": read_ahead,
        "data_offset_sectors_first_member": _number(r"Data Offset : (\d+) sectors", examine),
        "avail_sectors_first_member": _number(r"Avail Dev Size : (\d+)", examine),
        "component_kib": component or None,
        "chunk": _word(r"Chunk Size : (\S+)", detail),
        "layout": _word(r"Layout : (\S+)", detail),
        "bitmap_chunk_kib": int(chunk[1]) * _BITMAP_UNIT[chunk[2]] if chunk else None,
        "bitmap_present": "Intent Bitmap : Internal" in detail,
        "consistency_policy": _word(r"Consistency Policy : (\S+)", detail) or "none",
    }


def volume(text: str) -> dict[str, Any]:
    """The logical volume and its physical volumes."""
    pvs, _, rest = text.partition("@volume\n")
    numbers = [int(word) for word in rest.split()]
    physical = [[int(word) for word in line.split()] for line in pvs.splitlines()]
    return {
        "pe_start_bytes": [start for start, _ in physical],
        "extents": [count for _, count in physical],
        "lv_bytes": numbers[0],
        "segments": numbers[1],
        "sectors": numbers[2],
        "io_min_bytes": numbers[3],
        "io_opt_bytes": numbers[4],
    }


_XFS = {
    "agcount": r"agcount=(\d+)",
    "agsize_blocks": r"agsize=(\d+)",
    "blocks": r"^data .*blocks=(\d+)",
    "sunit_blocks": r"^ .*sunit=(\d+) +swidth",
    "swidth_blocks": r"swidth=(\d+)",
    "log_blocks": r"^log .*blocks=(\d+)",
    "log_sunit_blocks": r"sunit=(\d+) blks, lazy",
    "imaxpct": r"imaxpct=(\d+)",
}
_EXT4 = {
    "blocks": r"^Block count: +(\d+)",
    "reserved_blocks": r"^Reserved block count: +(\d+)",
    "inodes": r"^Inode count: +(\d+)",
    "stride_blocks": r"^RAID stride: +(\d+)",
    "stripe_width_blocks": r"^RAID stripe width: +(\d+)",
    "block_bytes": r"^Block size: +(\d+)",
    "journal_blocks": r"^Total journal blocks: +(\d+)",
    "overhead_clusters": r"^Overhead clusters: +(\d+)",
}


def file_system(fs: FileSystem, found: dict[str, list[str]]) -> dict[str, Any]:
    """The file system, from mkfs.xfs or dumpe2fs and from stat -f."""
    report = found["mkfs"][0]
    fields = _XFS if fs.type == "xfs" else _EXT4
    total, free, available, size = (int(word) for word in found["statfs"][0].split())
    return {
        "type": fs.type,
        **{name: _number(pattern, report) for name, pattern in fields.items()},
        "statfs_blocks": total,
        "statfs_free": free,
        "statfs_available": available,
        "statfs_block_bytes": size,
    }
