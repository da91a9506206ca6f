"""Findings about LUNs of hardware controllers: what their geometry does to alignment, and what is not known of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.model.design import Design
from raidtui.model.finding import Finding
from raidtui.model.geometry import ArrayGeometry
from raidtui.model.inventory import Lun
from raidtui.model.units import SECTOR, binary_size, exact_binary, round_up
from raidtui.planner.findings import error, names, note, subject, warning
from raidtui.planner.geometry.plain import common_lun
from raidtui.planner.members import ArrayDisks


def check_luns(design: Design, shares: Sequence[ArrayDisks], arrays: Sequence[ArrayGeometry]) -> Iterator[Finding]:
    """Findings about stated geometries of LUNs; none where no disk is a LUN."""
    disks = [disk for share in shares for disk in share.members]
    stated = [disk for disk in disks if disk.lun is not None]
    if not stated:
        return
    yield note(
        "lun-hidden",
        f"{len(stated)} LUNs of hardware controllers: their drives, spares, caches and rebuilds are not visible here, "
        "so rebuild time and risk are not predicted.",
        "see the controllers' own tool, which also reports failed drives",
    )
    lun = common_lun(disks)
    if lun is None:
        others = [disk for disk in disks if disk.lun is None]
        odd = others or [disk for disk in disks if disk.lun and disk.lun.shape != stated[0].lun.shape]  # type: ignore[union-attr]
        yield warning(
            "luns-differ",
            f"The LUNs have no one geometry, so the file system cannot follow it: {names(odd)} "
            + ("have none stated." if others else "have another."),
            "state the geometry of every LUN with --lun, and use LUNs of one geometry in a volume",
            subject(odd),
        )
        return
    if design.layout.plain:
        yield from _stripe_of_lvm(design, lun)
    else:
        yield from _md_over(design, lun, arrays)


def _stripe_of_lvm(design: Design, lun: Lun) -> Iterator[Finding]:
    """LVM stripes by the LUNs' chunk, which LVM needs as a power of two of at least 4 KiB."""
    chunk = lun.chunk_bytes
    joined = design.layout.arrays > 1 and design.stack == "lvm"
    if joined and (chunk & (chunk - 1) or chunk < 4096):
        yield error(
            "chunk-not-power-of-two",
            f"The LUNs' chunk of {exact_binary(chunk)} is also the LVM stripe size, which must be a power of two.",
            "use separate file systems, or make the LUNs with another chunk",
        )


def _md_over(design: Design, lun: Lun, arrays: Sequence[ArrayGeometry]) -> Iterator[Finding]:
    """An md array over LUNs writes whole LUN stripes only if its chunk and its data offset are multiples of them."""
    full = lun.full_stripe_bytes
    if design.layout.level != "raid1" and design.chunk_bytes % full:
        way = f"use --chunk {exact_binary(full).replace(' ', '')}" if design.layout.level == "raid0" else ""
        yield warning(
            "lun-stripe-split",
            f"md's chunk of {exact_binary(design.chunk_bytes)} is not a whole number of the LUNs' full stripes of "
            f"{exact_binary(full)}: the controllers read before they write.",
            way or f"use {design.layout.member_disks}x disk, an LVM stripe that follows the LUNs",
            "chunk",
        )
    start = arrays[0].data_offset_sectors * SECTOR
    if start % full:
        yield warning(
            "lun-data-offset",
            f"md's data starts at {binary_size(start)}, which is not a multiple of the LUNs' full stripe of "
            f"{exact_binary(full)}.",
            f"use --data-offset {exact_binary(round_up(start, full)).replace(' ', '')}, or "
            f"{design.layout.member_disks}x disk, whose data starts on a full stripe",
            "data-offset",
        )
