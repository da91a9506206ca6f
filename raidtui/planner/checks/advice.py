"""Advice on designs that md accepts: redundancy, width, spares."""

from __future__ import annotations

from collections.abc import Iterator

from raidtui.model.design import Design
from raidtui.model.finding import Finding
from raidtui.model.inventory import Lun
from raidtui.model.layout import Layout
from raidtui.planner.findings import note, warning

_WIDE = 24
"""data disks above which an array is called wide"""
_WIDE_RAID5 = 8
"""members above which RAID5 is called wide"""


def check_advice(design: Design, lun: Lun | None = None) -> Iterator[Finding]:
    """Findings about risk, width and spares; none of them is an error. `lun`: the geometry that all disks share."""
    layout = design.layout
    widest = max(layout.groups, key=lambda group: group.members)
    if layout.level == "raid0":
        together = widest.members if design.stack == "separate" else layout.member_disks
        yield warning(
            "raid0-no-redundancy",
            f"RAID0 over {together} disks: the first disk failure loses all data.",
            "use it only for data that can be recreated",
        )
    if layout.plain and lun is None:
        together = 1 if design.stack == "separate" else layout.arrays
        yield warning(
            "disk-no-redundancy",
            "A disk without md: its failure loses all data."
            if together == 1
            else f"A stripe over {together} disks without md: the first disk failure loses all data.",
            "use it only for data that can be recreated, or as the baseline of a benchmark",
        )
    if layout.level == "raid4":
        yield note(
            "raid4-parity-disk",
            "RAID4 writes all parity to one disk, which bounds small writes.",
            "use RAID5: the same capacity with distributed parity",
        )
    if layout.level == "raid5" and widest.members > _WIDE_RAID5:
        yield warning(
            "raid5-wide",
            f"RAID5 of {widest.members}: after one failure all sectors of {widest.members - 1} disks must be readable.",
            "use RAID6: one more disk, and it survives an unreadable sector",
        )
    if layout.level == "raid6" and min(group.members for group in layout.groups) == 4:
        yield note(
            "raid6-of-four",
            "RAID6 of four has the capacity of RAID10: slower small writes, but any two disks may fail.",
            "use raid10(4) if write speed matters more",
        )
    if widest.data > _WIDE and layout.level not in ("raid0", "raid1"):
        yield warning(
            "wide-array",
            f"{widest.data} data disks in one array: rebuilds are slow and full-stripe writes rare.",
            f"use several arrays of fewer disks, such as {_narrower(widest)}",
        )
    if 0 < layout.spares < layout.arrays:
        yield note(
            "spares-shared",
            f"Spares for {layout.spares} of {layout.arrays} arrays: the others rely on mdadm --monitor to move them.",
            "give every array its own spare, or keep the plan's spare-group and mdadm --monitor",
        )


def _narrower(layout: Layout) -> str:
    arrays = -(-layout.data // 12)
    return f"{arrays * layout.arrays} of about {-(-layout.members // arrays)} members"
