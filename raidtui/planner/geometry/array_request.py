"""Converts a design into the ArrayRequest of each array: the options of `mdadm --create`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import lcm

from raidtui.model.design import Design
from raidtui.model.geometry import ArrayGeometry
from raidtui.model.units import SECTOR, round_up
from raidtui.planner.geometry.md import ArrayRequest, data_offset
from raidtui.planner.members import ArrayDisks


def array_request(design: Design, share: ArrayDisks) -> ArrayRequest:
    """The `mdadm --create` options of the array on `share`."""
    devices = share.members + share.spares
    return ArrayRequest(
        level=design.layout.md_level,
        member_bytes=tuple(disk.size_bytes for disk in share.members),
        spare_bytes=tuple(disk.size_bytes for disk in share.spares),
        chunk_bytes=design.chunk_bytes,
        metadata=design.metadata,
        bitmap=design.bitmap,
        bitmap_chunk_bytes=design.bitmap_chunk_bytes,
        data_offset_sectors=None if design.data_offset_bytes is None else design.data_offset_bytes // SECTOR,
        ppl=design.ppl,
        copies=design.layout.copies,
        spread=design.layout.spread,
        device_bytes=design.member_bytes,
        most_bytes=design.trial.slice_bytes if design.trial else None,
        io_min_bytes=max(disk.physical_sector_bytes for disk in devices),
        io_opt_bytes=tuple(disk.optimal_io_bytes for disk in devices if disk.optimal_io_bytes),
    )


def outer_array_request(design: Design, arrays: Sequence[ArrayGeometry]) -> ArrayRequest:
    """The `mdadm --create` options of the RAID0 over `arrays`.

    Its chunk is the full stripe of the narrowest (for mirrors the design's chunk), and its data starts on a full stripe
    of every array: the 129 MiB that mdadm chooses by itself is a multiple of hardly any.
    """
    ask = ArrayRequest(
        level="raid0",
        member_bytes=tuple(array.array_bytes for array in arrays),
        chunk_bytes=min(full_stripes(design, arrays)),
        metadata=design.metadata,
        io_min_bytes=max(array.io_min_bytes for array in arrays),
        io_opt_bytes=tuple(array.io_opt_bytes for array in arrays if array.io_opt_bytes),
    )
    return replace(ask, data_offset_sectors=round_up(data_offset(ask), lcm(*full_stripes(design, arrays)) // SECTOR))


def full_stripes(design: Design, arrays: Sequence[ArrayGeometry]) -> set[int]:
    """Bytes of data in a full stripe of each array, the design's chunk for mirrors: one entry where all are equal."""
    return {array.full_stripe_bytes or design.chunk_bytes for array in arrays}
