"""Rows of the layers between disks and files: arrays, volume, file systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from raidtui.model.geometry import ArrayGeometry, Ext4Geometry, LvmGeometry, Prediction, StripeGeometry, XfsGeometry
from raidtui.model.layout import Band
from raidtui.model.units import SECTOR, binary_size, df_size, exact_binary, grouped
from raidtui.planner.amounts import percent
from raidtui.planner.figures.row import FigureRow, signed_bytes
from raidtui.planner.geometry.lvm import free_extents
from raidtui.planner.numbers import spares_text

_ARRAY = "Size of the md device to the byte, as reported by blockdev --getsize64."


def layer_rows(prediction: Prediction) -> Iterator[FigureRow]:
    """The layers from the members up to the file systems, each under a line that names it."""
    if prediction.bands:
        for number, (band, array) in enumerate(zip(prediction.bands, prediction.arrays, strict=True), start=1):
            yield from _array(array, _band_title(number, band, array))
    else:
        alike = Counter(prediction.arrays)
        for array, count in alike.items():
            yield from _array(array, _array_title(array, count), alone=len(alike) == 1)
    match prediction.volume:
        case LvmGeometry() as lvm:
            yield from _lvm(lvm, prediction)
        case StripeGeometry(array=outer):
            yield from _array(outer, "md RAID0 over the arrays")
        case None:
            pass
    for filesystem, count in Counter(prediction.filesystems).items():
        yield from _file_system(filesystem, count)


def _row(title: str, value: str, *notes: str, about: str) -> FigureRow:
    return FigureRow(title=title, value=value, notes=notes, inner=True, about=about)


def _exact(title: str, count: int, about: str, *more: str, compared: bool = False) -> FigureRow:
    return FigureRow(
        title=title, value=f"{grouped(count)} bytes", notes=(binary_size(count), *more), inner=True, about=about,
        number=count if compared else None, delta=signed_bytes,
    )  # fmt: skip


def _array_title(array: ArrayGeometry, count: int) -> str:
    if array.level == "disk":
        return "a disk without md" if count == 1 else f"{count} disks without md"
    return f"{count} x {array.level} of {array.members} members{_spares(array)}"


def _band_title(number: int, band: Band, array: ArrayGeometry) -> str:
    parts = f"partitions of {grouped(band.size_bytes)} bytes from {binary_size(band.start_bytes)} on"
    return f"band {number}: {array.level} of {array.members}{_spares(array)}, {parts}"


def _spares(array: ArrayGeometry) -> str:
    return f" + {spares_text(array.spares)}" if array.spares else ""


def _array(array: ArrayGeometry, title: str, *, alone: bool = False) -> Iterator[FigureRow]:
    yield FigureRow(title=title, value="", about="What is below the volume, bottom first.")
    if array.level == "disk":
        yield _exact("size", array.array_bytes, "Size of the disk.", compared=alone)
    else:
        yield _exact("array", array.array_bytes, _ARRAY, compared=alone)
    if array.component_bytes is not None:
        size = array.component_bytes
        about = "Bytes used on each member, without superblock and data offset, in whole chunks."
        yield _row("component", f"{grouped(size // 1024)} KiB", binary_size(size), about=about)
    if array.level != "disk":
        offset = array.data_offset_sectors
        about = "Start of the data on each member, after superblock and bitmap."
        yield _row("data offset", f"{offset} sectors", exact_binary(offset * SECTOR), about=about)
    if array.chunk_bytes is not None:
        full = f"full stripe {exact_binary(array.full_stripe_bytes)}"
        layout = (f"layout {array.md_layout}",) if array.md_layout else ()
        title = "LUN's chunk" if array.level == "disk" else "chunk"
        yield _row(title, exact_binary(array.chunk_bytes), full, *layout, about="Bytes in order on one member.")
    yield _row(
        "I/O size", f"{_io(array.io_min_bytes)} least, {_io(array.io_opt_bytes)} best",
        about=f"minimum_io_size and optimal_io_size that the {'disk' if array.level == 'disk' else 'kernel'} reports.",
    )  # fmt: skip
    if array.level != "disk":
        bitmap = exact_binary(array.bitmap_chunk_bytes) + " per bit" if array.bitmap_chunk_bytes else "none"
        about = (
            "Member bytes that one bit of the write-intent bitmap stands for; a workload that writes shows its cost."
        )
        yield _row("bitmap", bitmap, about=about)


def _io(count: int) -> str:
    return exact_binary(count) if count else "none"


def _lvm(lvm: LvmGeometry, prediction: Prediction) -> Iterator[FigureRow]:
    linear, plain = lvm.stripes == 1, prediction.arrays[0].level == "disk"
    yield FigureRow(title="LVM, linear" if linear else "LVM stripe", value="", about="The volume over the arrays.")
    yield _exact("volume", prediction.volume_bytes, "Size of the logical volume.", compared=True)
    about = "Extents of the logical volume."
    yield _row("extents", grouped(lvm.extents), f"of {exact_binary(lvm.extent_bytes)}", about=about)
    if linear:
        count, how = f"{len(prediction.arrays)} arrays", "one after another, the largest first"
        yield _row("linear", count, how, about="How the volume joins the arrays.")
    else:
        unit = f"of {exact_binary(lvm.stripe_bytes)} each"
        yield _row("stripes", str(lvm.stripes), unit, about="How the volume joins the arrays.")
    where = "on each disk" if plain else "on each array"
    yield _row("starts", f"at {exact_binary(lvm.pe_start_bytes)}", where, about="Start of the first extent.")
    free = free_extents(lvm, [array.array_bytes for array in prediction.arrays])
    if free > 0:
        left = f"{grouped(free * lvm.extent_bytes)} bytes"
        where = "in the volume group, on the larger arrays"
        yield _row("left free", left, where, about="What the volume cannot use.")


def _file_system(filesystem: XfsGeometry | Ext4Geometry, count: int) -> Iterator[FigureRow]:
    yield FigureRow(title=f"{f'{count} x ' if count > 1 else ''}{filesystem.type}", value="", about="The file system.")
    for title, size, what in (
        ("df size", filesystem.total_bytes, "Size that df shows right after mkfs."),
        ("usable", filesystem.available_bytes, "What df shows as available right after mkfs."),
    ):
        yield _exact(title, size, f"{what} df -h rounds up.", f"{df_size(size)} in df -h")
    blocks = f"of {filesystem.block_bytes} bytes"
    yield _row("blocks", grouped(filesystem.blocks), blocks, about="Blocks of the file system.")
    match filesystem:
        case XfsGeometry() as xfs:
            stripe = f"sunit={xfs.sunit_blocks} swidth={xfs.swidth_blocks}"
            yield _row("stripe", stripe, "blocks", about="Stripe unit and width, passed to mkfs.xfs.")
            yield _row(
                "groups", f"agcount={xfs.agcount}", f"agsize={xfs.agsize_blocks} blocks",
                about="Allocation groups: parts of the file system that can be written in parallel.",
            )  # fmt: skip
            unit = f"stripe unit {xfs.log_sunit_blocks} blocks"
            yield _row("log", f"{xfs.log_blocks} blocks", unit, about="The journal inside the volume.")
            share = f"{percent(xfs.imaxpct / 100, 0)} of the space"
            yield _row("inodes", f"imaxpct={xfs.imaxpct}", share, about="The most that inodes may use.")
        case Ext4Geometry() as ext4:
            stripe = f"stride={ext4.stride_blocks} stripe_width={ext4.stripe_width_blocks}"
            yield _row("stripe", stripe, "blocks", about="RAID stride and stripe width.")
            reserved = f"{ext4.reserved_blocks} blocks"
            yield _row("reserved", reserved, "for root", about="Reserved for root; mkfs.ext4 -m changes it.")
            journal = f"journal {ext4.journal_blocks} blocks"
            yield _row("inodes", grouped(ext4.inodes), journal, about="Maximum number of files.")
