"""What a plan states of each attribute, as text; empty where it has none."""

from __future__ import annotations

from collections.abc import Mapping

from raidtui.model.alert import NOBODY
from raidtui.model.counted import counted
from raidtui.model.design import Design
from raidtui.model.export import Attribute
from raidtui.model.units import exact_binary
from raidtui.planner.export.installers.plan_view import PlanView
from raidtui.planner.numbers import listed

MDADM_OWN = "mdadm's own"
_MINTED = "minted with the plan"


def planned_values(view: PlanView) -> Mapping[Attribute, str]:
    """The value of every attribute."""
    plan, design, geometry = view.plan, view.plan.design, view.arrays[0].geometry
    redundant = geometry.level != "raid0"
    disks = counted(len(plan.disks), "disk")
    lvm = view.volume
    return {
        "level": geometry.level,
        "members": f"{disks} by WWN or serial number",
        "member order": "copies spread over failure domains" if geometry.level == "raid10" else "",
        "member device": partitions_text(view) if view.on_partitions else "whole disks",
        "spares": str(len(plan.disks) - design.layout.member_disks) if design.layout.spares else "",
        "chunk": exact_binary(geometry.chunk_bytes) if geometry.chunk_bytes else "",
        "layout": geometry.md_layout or "" if redundant else "",
        "bitmap": bitmap_text(view) if redundant else "",
        "metadata version": design.metadata,
        "array UUID": _MINTED,
        "array name": listed([array.device for array in view.arrays]),
        "size and data offset": _size(design),
        "first sync": "none, zeroes on all members" if design.zeroes else "",
        "spare group": view.name if design.layout.spares and len(view.arrays) > 1 else "",
        "volume": _volume(view),
        "extent size": ""
        if lvm is None
        else f"{exact_binary(lvm.extent_bytes)}, from {exact_binary(lvm.pe_start_bytes)}",
        "mkfs options": _mkfs(view),
        "file system UUID": _MINTED if view.filesystems else "",
        "mount": ", ".join(made.mount_point for made in view.filesystems),
        "alert": ((plan.alert or NOBODY).mail or (plan.alert or NOBODY).program or "root") if redundant else "",
        "tuning": "read-ahead, stripe cache and least rebuild rate" if view.written("tune") else "",
        "content check": "only disks that are blank or were accepted",
    }


def _size(design: Design) -> str:
    stated = (("a stated size", design.member_bytes), ("a stated data offset", design.data_offset_bytes))
    texts = [text for text, size in stated if size is not None]
    return listed(texts) if texts else MDADM_OWN


def partitions_text(view: PlanView) -> str:
    """The partitions that the plan makes."""
    sizes = sorted({member.size_bytes for disk in view.plan.disks for member in disk.members})
    return f"partitions of {listed([exact_binary(size) for size in sizes])}"


def bitmap_text(view: PlanView) -> str:
    """`PPL`, `internal`, `internal, 256 MiB per bit` or `none`."""
    design = view.plan.design
    if design.ppl:
        return "PPL"
    if view.arrays[0].geometry.bitmap_chunk_bytes is None:
        return "none"
    stated = design.bitmap_chunk_bytes
    return "internal" if stated is None else f"internal, {exact_binary(stated)} per bit"


def _volume(view: PlanView) -> str:
    arrays = counted(len(view.arrays), "array")
    if view.outer is not None:
        return f"RAID0 over {arrays}, chunk {exact_binary(view.outer.geometry.chunk_bytes or 0)}"
    if view.volume is not None:
        return f"LVM stripe over {arrays}, {exact_binary(view.volume.stripe_bytes)}"
    return ""


def _mkfs(view: PlanView) -> str:
    return f"mkfs.{view.filesystems[0].type} with stripe, sizes and features" if view.filesystems else ""
