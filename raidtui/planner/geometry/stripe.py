"""The true full stripe of a volume, which mkfs is told because the layers do not report it."""

from __future__ import annotations

from raidtui.model.design import Design
from raidtui.model.inventory import Lun
from raidtui.model.layout import HybridLayout, Layout


def true_stripe(design: Design, file_system: int = 0, lun: Lun | None = None) -> tuple[int, int]:
    """(bytes of a stripe unit, units in a full stripe) to pass to mkfs, regardless of the volume's reported topology.

    `file_system` is its number if each array has its own. (0, 0) for a single mirror or disk, which has no stripe. On a
    volume over arrays of unequal width it is a full stripe of the narrowest from every array: the most that fills one
    of each; on a linear volume over bands that of the array which holds most, since they have no stripe in common.
    `lun`: the geometry that all disks have behind their controllers. LVM over LUNs stripes by their chunk, so the unit
    is that chunk and the width all data drives; an md RAID0 keeps that where its chunk is a whole number of their full
    stripes, else the unit is md's chunk.
    """
    layout = design.layout
    if isinstance(layout, HybridLayout):
        widest = layout.widest_stripe
        return (design.chunk_bytes, widest.data) if widest.parity else (0, 0)
    joined = 1 if design.stack == "separate" else layout.arrays
    if isinstance(layout, Layout):
        narrowest = layout
    elif design.stack == "separate":
        narrowest = layout.shapes[file_system]
    else:
        narrowest = min(layout.groups, key=lambda group: group.data)
    return joined_stripe(narrowest, joined, design.chunk_bytes, lun)


def joined_stripe(shape: Layout, joined: int, chunk_bytes: int, lun: Lun | None = None) -> tuple[int, int]:
    """`true_stripe` of a volume over `joined` arrays, of which the narrowest is shaped as those of `shape`."""
    if shape.plain:
        unit, width = (lun.chunk_bytes, lun.data) if lun else (chunk_bytes, 1)
        return (unit, joined * width) if lun or joined > 1 else (0, 0)
    if shape.level == "raid1" and joined == 1:
        return (lun.chunk_bytes, lun.data) if lun else (0, 0)
    unit, width = chunk_bytes, 1
    if lun is not None and shape.level == "raid0" and chunk_bytes % lun.full_stripe_bytes == 0:
        unit, width = lun.chunk_bytes, lun.data
    return unit, width * joined * shape.data
