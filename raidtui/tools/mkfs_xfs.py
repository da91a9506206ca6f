"""mkfs.xfs: every value explicit, so that neither detection nor a version's default applies (xfsprogs 5.10 to 6.13).

No -f: on a clean device it is not needed, and without it mkfs refuses one that is not. An explicit agsize and log
size leave nothing to the concurrency rules of xfsprogs 6.8; rmapbt, on by default since 6.5, is explicit too.
"""

from __future__ import annotations

from raidtui.model.geometry import XfsGeometry
from raidtui.model.plan import Command

FIELDS = ("blocksize", "dblocks", "agblocks", "agcount", "unit", "width", "logblocks", "sectsize", "inprogress")
"""superblock fields that `geometry_question` prints; mkfs.xfs clears the last one when all else is written"""


def mkfs(device: str, uuid: str, geometry: XfsGeometry) -> Command:
    """Makes the file system that was predicted; nothing is discarded (-K)."""
    block = geometry.block_bytes
    if geometry.sunit_blocks:
        stripe = f"su={geometry.sunit_blocks * block},sw={geometry.swidth_blocks // geometry.sunit_blocks}"
    else:
        stripe = "noalign"
    log = f"size={geometry.log_blocks}b"
    if geometry.log_sunit_blocks:
        log += f",su={geometry.log_sunit_blocks * block}"
    argv = (
        "mkfs.xfs", "-K", "-b", f"size={block}", "-s", f"size={geometry.sector_bytes}",
        "-m", f"uuid={uuid},rmapbt=0,reflink=1", "-d", f"agsize={geometry.agsize_blocks}b,{stripe}",
        "-l", log, "-i", f"maxpct={geometry.imaxpct}", device,
    )  # fmt: skip
    return Command(argv=argv, effect="destroy", devices=(device,))


def geometry_question(device: str) -> tuple[str, ...]:
    """The primary superblock's fields as `name = value` lines; the device is opened read-only."""
    return ("xfs_db", "-r", "-c", "sb 0", "-c", f"print {' '.join(FIELDS)}", device)


def geometry_answers(geometry: XfsGeometry) -> tuple[tuple[str, str], ...]:
    """Expected output of `geometry_question` for this geometry."""
    values = (
        geometry.block_bytes,
        geometry.blocks,
        geometry.agsize_blocks,
        geometry.agcount,
        geometry.sunit_blocks,
        geometry.swidth_blocks,
        geometry.log_blocks,
        geometry.sector_bytes,
        0,
    )
    return tuple((field, str(value)) for field, value in zip(FIELDS, values, strict=True))
