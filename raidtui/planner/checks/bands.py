"""Findings about the bands of a hybrid layout: what it cannot be combined with, spares, room that stays unused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.model.design import Design
from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk
from raidtui.model.layout import Band, HybridLayout
from raidtui.model.units import MIB, binary_size, decimal_size
from raidtui.planner.findings import error, name, note
from raidtui.planner.geometry.bands import partition_end
from raidtui.planner.geometry.gpt import START_BYTES

_LITTLE = 0.01
"""share of the disks below which unused room is not mentioned"""


def check_bands(design: Design, disks: Sequence[Disk]) -> Iterator[Finding]:
    """Findings about the bands that `design` cuts `disks` into; none for other layouts, or too few disks."""
    layout = design.layout
    if not isinstance(layout, HybridLayout) or len(disks) < layout.disks:
        return
    yield from _options(design)
    if layout.bands is None:
        least = min(disks[: layout.hybrid_disks], key=lambda disk: disk.size_bytes)
        yield error(
            "band-too-small",
            f"{name(least)} of {decimal_size(least.size_bytes)} has no room for a partition.",
            "leave the disk out",
            least.id,
        )
        return
    unused = list(_unused(layout, disks))
    yield from _places(layout.bands, disks)
    yield from _spares(layout, disks)
    if layout.arrays == 1 and not unused:
        yield note(
            "one-band",
            "The disks differ by less than 1 %, so there is one band: one array on partitions, without LVM.",
            f"use {layout.shapes[0].level} on whole disks unless larger disks may follow",
        )
    yield from unused
    yield note(
        "band-replacement",
        "A disk that fails degrades every band that it reaches. A replacement needs the same partitions before mdadm "
        "can take them, and must be at least as large.",
        "copy them from a member: sfdisk --dump MEMBER | sed -e '/label-id/d' -e '/lba/d' -e 's/ uuid=[^,]*,//' | "
        "sfdisk NEW; then mdadm --manage ARRAY --add-spare NEW-partN for each band",
    )


def _options(design: Design) -> Iterator[Finding]:
    if design.stack != "lvm":
        yield error(
            "band-stack",
            f"The bands of a hybrid layout become one volume by LVM; they are of unequal width, and the stack is "
            f"{design.stack}.",
            "use --stack lvm",
            "stack",
        )
    if design.partitions is not None and design.partitions.size_bytes is not None:
        yield error(
            "band-partition-size",
            "The sizes of the disks give the partitions of a hybrid layout.",
            "leave out --partition-size",
        )


def _places(bands: Sequence[Band], disks: Sequence[Disk]) -> Iterator[Finding]:
    """Bands of a plan that was changed: they overlap, or end behind what a disk has room for."""
    free = START_BYTES
    for number, band in enumerate(bands, start=1):
        end = band.start_bytes + band.size_bytes
        short = [disks[each] for each in band.members if partition_end(disks[each]) < end]
        if band.start_bytes != free or end % MIB or short:
            yield error(
                "band-place",
                f"Band {number} from byte {band.start_bytes} to {end} does not follow the one before it, does not end "
                f"at a whole MiB, or is longer than {len(short)} of its disks.",
                "plan again",
            )
            return
        free = end


def _spares(layout: HybridLayout, disks: Sequence[Disk]) -> Iterator[Finding]:
    """A spare takes the place of any disk, so it needs every partition that the largest member has."""
    bands = layout.bands or ()
    end = bands[-1].start_bytes + bands[-1].size_bytes
    for disk in disks[layout.hybrid_disks :]:
        if partition_end(disk) < end:
            yield error(
                "band-spare-too-small",
                f"The spare {name(disk)} of {decimal_size(disk.size_bytes)} cannot hold the partitions of the largest "
                f"member, which end at {binary_size(end)}.",
                "make the largest disk the spare, or use no spare",
                disk.id,
            )


def _unused(layout: HybridLayout, disks: Sequence[Disk]) -> Iterator[Finding]:
    """Room behind the last band of each disk."""
    left: dict[str, int] = {}
    bands = layout.bands or ()
    for number, disk in enumerate(disks[: layout.hybrid_disks]):
        last = next(band for band in reversed(bands) if number in band.members)
        left[disk.id] = max(0, partition_end(disk) - last.start_bytes - last.size_bytes)
    lost = sum(left.values())
    if lost < MIB or lost < _LITTLE * sum(disk.size_bytes for disk in disks[: layout.hybrid_disks]):
        return
    most = max(disks[: layout.hybrid_disks], key=lambda disk: left[disk.id])
    yield note(
        "band-unused",
        f"{binary_size(lost)} behind the last band stay unused, most of it on {name(most)}: fewer than"
        f" {layout.failures + 1} disks have room there.",
        "use another disk of that size as a member",
        most.id,
    )
