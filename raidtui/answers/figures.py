"""The answer about a design as rows: what `raidtui model` prints, and what the screen Design shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from raidtui.answers.risk import cause_rows, domain_row, loss_in_a_year, risk_rows
from raidtui.answers.speed import asked_rows, read_and_write, speed_rows
from raidtui.predict.placement.disk_pool import kind_of
from raidtui.sizes.lvm import free_extents, joined_bytes
from raidtui.values.amounts import any_failures, percent, spares_text
from raidtui.values.assumptions import Assumptions
from raidtui.values.blocks import FigureRow, signed_bytes, signed_count, signed_permille
from raidtui.values.inventory import Disk
from raidtui.values.layout import Band, Layout
from raidtui.values.prediction import (
    ArrayGeometry,
    CryptGeometry,
    Ext4Geometry,
    LvmGeometry,
    Prediction,
    StripeGeometry,
    XfsGeometry,
)
from raidtui.values.units import SECTOR, binary_size, decimal_size, df_size, exact_binary, grouped

# Capacity rows: usable size, failures survived, efficiency, disks used, full stripe.


def usable(prediction: Prediction) -> FigureRow:
    """Usable size."""
    size = prediction.usable_bytes
    about = "what df reports as available right after mkfs"
    return FigureRow(
        title="Usable", value=binary_size(size), large=binary_size(size).partition(" ")[0],
        notes=(f"{grouped(size)} bytes",), number=size, delta=signed_bytes,
        better="more",
        about=f"Usable size: {about if prediction.filesystems else 'that of the volume, without a file system'}.",
        derive=lambda: (f"{grouped(size)} bytes, {decimal_size(size, 4)} in the decimal units of disk labels.",),
    )  # fmt: skip


def survives(layout: Layout) -> FigureRow:
    """Member failures that every array survives."""
    return FigureRow(
        title="Survives", value=any_failures(layout.survives), large=str(layout.survives or ""),
        notes=("of each array" if layout.arrays > 1 else "of the array",), number=layout.survives,
        delta=signed_count("disk"), better="more",
        about="Member failures at once that every array survives, whichever they are. After a rebuild "
        "onto a spare the array survives as many again.",
    )  # fmt: skip


def capacity_rows(prediction: Prediction, disks: Sequence[Disk] | None = None) -> tuple[FigureRow, ...]:
    """Efficiency and disks used, of an accepted design with `disks` available."""
    raw = _raw(prediction, disks or ())
    permille = round(1000 * prediction.usable_bytes / raw) if raw else 0
    of = "of raw" if raw == prediction.raw_bytes else f"of {decimal_size(raw)} here"
    return (
        FigureRow(
            title="Efficiency", value=percent(permille / 1000, 1), notes=(of,), number=permille,
            delta=signed_permille, better="more",
            about="Usable size as a share of the raw size of all disks of the kind used, those left over included.",
            derive=lambda: (f"{grouped(prediction.usable_bytes)} of {grouped(raw)} bytes.",),
        ),
        taken(prediction, None if disks is None else len(disks)),
    )  # fmt: skip


def _raw(prediction: Prediction, disks: Sequence[Disk]) -> int:
    """Bytes of all of `disks` that are of a kind which the design uses; of those used where these are not known."""
    used = set(prediction.disks)
    kinds = {kind_of(disk) for disk in disks if disk.id in used}
    return max(sum(disk.size_bytes for disk in disks if kind_of(disk) in kinds), prediction.raw_bytes)


def taken(prediction: Prediction, disks: int | None = None) -> FigureRow:
    """Number of disks that the design uses of `disks`; the only row of a refused design."""
    used = len(prediction.disks)
    return FigureRow(
        title="Disks", value=f"{used} used", notes=() if disks is None else (f"{disks - used} left",), number=used,
        delta=signed_count("disk"), about="Disks that the design uses, spares included, and those left over.",
    )  # fmt: skip


def full_stripe(prediction: Prediction) -> FigureRow:
    """The stripe over all joined arrays, which mkfs gets."""
    unit, width = prediction.true_sunit_bytes, prediction.true_stripe_width
    if not unit:
        return FigureRow(title="Full stripe", value="none", about="A single mirror has no stripe.")
    return FigureRow(
        title="Full stripe", value=exact_binary(unit * width), notes=(f"{width} x {exact_binary(unit)}",),
        number=unit * width, delta=signed_bytes,
        about="One chunk on every data disk of all joined arrays. Writes of whole stripes need no read first. mkfs "
        "gets these values.",
    )  # fmt: skip


# Rows of the layers between disks and files: arrays, volume, file systems.


_ARRAY = "Size of the md device to the byte, as reported by blockdev --getsize64."


class DesignLayer(NamedTuple):
    """A layer between disks and files."""

    title: str
    """`MD`, `LVM`, `XFS`, in capitals"""
    result: tuple[str, ...]
    """what it comes to"""
    rows: tuple[FigureRow, ...]
    """each of its parts under a line that names it"""


def layers(prediction: Prediction) -> tuple[DesignLayer, ...]:
    """The layers from the members up to the file systems."""
    plain = all(array.level == "disk" for array in prediction.arrays)
    arrays, systems = tuple(_arrays(prediction)), Counter(prediction.filesystems)
    names = tuple(row.title for row in arrays if not row.value)
    if len(names) > 1:
        names = (f"{len(prediction.arrays)} arrays", *names)
    found = [DesignLayer("DISKS" if plain else "MD", names, (full_stripe(prediction), *arrays))]
    crypts = [
        DesignLayer("LUKS2", (binary_size(crypt.size_bytes),), tuple(_crypt(crypt, count)))
        for crypt, count in Counter(prediction.crypts or ()).items()
    ]
    below = _encrypted_arrays(prediction) is not None
    found += crypts if below else []
    match prediction.volume:
        case LvmGeometry() as lvm:
            joined = "linear" if lvm.stripes == 1 else f"{lvm.stripes} stripes of {exact_binary(lvm.stripe_bytes)}"
            found.append(
                DesignLayer("LVM", (joined, binary_size(prediction.volume_bytes)), tuple(_lvm(lvm, prediction)))
            )
        case StripeGeometry(array=outer):
            rows = tuple(_array(outer, "md RAID0 over the arrays"))
            found.append(DesignLayer("RAID0", (binary_size(outer.array_bytes),), rows))
        case None:
            pass
    found += [] if below else crypts
    for system, count in systems.items():
        size = f"{count} x {binary_size(system.available_bytes)}" if count > 1 else binary_size(system.available_bytes)
        found.append(DesignLayer(system.type.upper(), (size, _stripe(system)), tuple(_file_system(system, count))))
    return tuple(found)


def _arrays(prediction: Prediction) -> Iterator[FigureRow]:
    if prediction.bands:
        for number, (band, array) in enumerate(zip(prediction.bands, prediction.arrays, strict=True), start=1):
            yield from _array(array, _band_title(number, band, array))
    else:
        alike = Counter(prediction.arrays)
        for array, count in alike.items():
            yield from _array(array, _array_title(array, count), alone=len(alike) == 1)


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
    free = free_extents(lvm, joined_bytes(prediction.arrays, _encrypted_arrays(prediction)))
    if free > 0:
        left = f"{grouped(free * lvm.extent_bytes)} bytes"
        where = "in the volume group, on the larger arrays"
        yield _row("left free", left, where, about="What the volume cannot use.")


def _encrypted_arrays(prediction: Prediction) -> tuple[CryptGeometry, ...] | None:
    """The encryption of each array below the volume; None where the volume, or nothing, is encrypted."""
    return prediction.crypts if len(prediction.crypts or ()) > 1 and prediction.volume is not None else None


def _crypt(crypt: CryptGeometry, count: int) -> Iterator[FigureRow]:
    yield FigureRow(
        title=f"{f'{count} x ' if count > 1 else ''}LUKS2", value="", about="Encryption of the device below."
    )
    yield _exact("opened", crypt.size_bytes, "Size of what is opened, to the byte.")
    start = f"{exact_binary(crypt.offset_bytes)}"
    yield _row("data", f"from {start}", "on a full stripe", about="Start of the encrypted data, after the header.")
    yield _row("sector", f"{crypt.sector_bytes} bytes", about="Bytes that are encrypted as one.")


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
            yield _row("stripe", _stripe(xfs), "blocks", about="Stripe unit and width, passed to mkfs.xfs.")
            yield _row(
                "groups", f"agcount={xfs.agcount}", f"agsize={xfs.agsize_blocks} blocks",
                about="Allocation groups: parts of the file system that can be written in parallel.",
            )  # fmt: skip
            unit = f"stripe unit {xfs.log_sunit_blocks} blocks"
            yield _row("log", f"{xfs.log_blocks} blocks", unit, about="The journal inside the volume.")
            share = f"{percent(xfs.imaxpct / 100, 0)} of the space"
            yield _row("inodes", f"imaxpct={xfs.imaxpct}", share, about="The most that inodes may use.")
        case Ext4Geometry() as ext4:
            yield _row("stripe", _stripe(ext4), "blocks", about="RAID stride and stripe width.")
            reserved = f"{ext4.reserved_blocks} blocks"
            yield _row("reserved", reserved, "for root", about="Reserved for root; mkfs.ext4 -m changes it.")
            journal = f"journal {ext4.journal_blocks} blocks"
            yield _row("inodes", grouped(ext4.inodes), journal, about="Maximum number of files.")


def _stripe(filesystem: XfsGeometry | Ext4Geometry) -> str:
    match filesystem:
        case XfsGeometry():
            return f"sunit={filesystem.sunit_blocks} swidth={filesystem.swidth_blocks}"
        case Ext4Geometry():
            return f"stride={filesystem.stride_blocks} stripe_width={filesystem.stripe_width_blocks}"


class FigureGroups(NamedTuple):
    """The rows of an accepted design, by what they are about."""

    capacity: tuple[FigureRow, ...]
    speed: tuple[FigureRow, ...]
    risk: tuple[FigureRow, ...]
    causes: tuple[FigureRow, ...]
    """the loss within a year by its causes"""
    layers: tuple[DesignLayer, ...]
    asked: tuple[FigureRow, ...]


def figure_groups(
    prediction: Prediction, assumptions: Assumptions, disks: Sequence[Disk] | None = None
) -> FigureGroups:
    """All rows, as far as speed, risk and placement are predicted; `disks`: those available."""
    speed, risk, layout = prediction.throughput, prediction.durability, prediction.layout.layout
    return FigureGroups(
        capacity=capacity_rows(prediction, disks),
        speed=speed_rows(speed) if speed else (),
        risk=(
            *(risk_rows(layout, risk, assumptions) if risk else ()),
            *((domain_row(prediction.placement),) if prediction.placement else ()),
        ),
        causes=cause_rows(risk, assumptions) if risk else (),
        layers=layers(prediction),
        asked=tuple(row for answer in prediction.asked or () for row in asked_rows(answer)),
    )


def headline(prediction: Prediction, assumptions: Assumptions) -> tuple[FigureRow, ...]:
    """Usable size, failures survived, reading and writing, loss within a year, as far as they are predicted."""
    speed, risk = prediction.throughput, prediction.durability
    return (
        usable(prediction),
        survives(prediction.layout.layout),
        *((read_and_write(speed),) if speed else ()),
        *((loss_in_a_year(risk, assumptions),) if risk else ()),
    )
