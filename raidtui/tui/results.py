"""What a design becomes, as lines of figures with their difference to a saved one. Nothing here draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from raidtui.model.design import Design
from raidtui.model.geometry import ArrayGeometry, Ext4Geometry, LvmGeometry, Prediction, StripeGeometry, XfsGeometry
from raidtui.model.units import GIB, SECTOR, TIB, binary_size, decimal_size, exact_binary, grouped


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One line of the answer."""

    title: str
    value: str
    """empty for a heading line"""
    number: int | None = None
    """what a saved design's is compared with; None where there is nothing to compare"""
    delta: Callable[[int], str] = str
    """a difference in words"""
    strong: bool = False
    """the figures people come for"""
    about: str
    """what it means, for F1"""


def results(design: Design, prediction: Prediction, disks: int) -> tuple[Result, ...]:
    """The answer for `design` where `disks` disks may be taken; only what disks it takes when it is refused."""
    taken = Result(
        title="Disks", value=f"{len(prediction.disks)} used, {disks - len(prediction.disks)} left",
        number=len(prediction.disks), delta=signed_count,
        about="Disks the design takes, spares included, and those it leaves.",
    )  # fmt: skip
    if not prediction.arrays:
        return (taken,)
    return (
        *_room(prediction),
        _survives(design),
        taken,
        *_stripe(prediction),
        *_volume(prediction),
        *_arrays(prediction),
        *_file_systems(prediction),
    )


def usable_bytes(prediction: Prediction) -> int:
    """What `df` calls available on all file systems together; the bare volume where there is none."""
    if prediction.filesystems:
        return sum(filesystem.available_bytes for filesystem in prediction.filesystems)
    return prediction.volume_bytes


def short_bytes(count: int) -> str:
    """Bytes in figures an admin compares: TiB with two decimals, smaller ones as they come."""
    return f"{count / TIB:,.2f} TiB".replace(",", " ") if count >= TIB else binary_size(count)


def signed_bytes(difference: int) -> str:
    """A difference of sizes; `=` when there is none."""
    if difference == 0:
        return "="
    size = abs(difference)
    return ("+" if difference > 0 else "-") + (exact_binary(size) if size < GIB else short_bytes(size))


def signed_count(difference: int) -> str:
    """A difference of counts; `=` when there is none."""
    return f"{difference:+d}" if difference else "="


def signed_permille(difference: int) -> str:
    """A difference of shares held in thousandths, as percentage points."""
    return f"{difference / 10:+.1f}" if difference else "="


def _room(prediction: Prediction) -> tuple[Result, ...]:
    usable = usable_bytes(prediction)
    permille = round(1000 * usable / prediction.raw_bytes) if prediction.raw_bytes else 0
    what = (
        "what df will call available, right after mkfs" if prediction.filesystems else "the bare volume, without mkfs"
    )
    return (
        Result(
            title="Usable", value=short_bytes(usable), number=usable, delta=signed_bytes, strong=True,
            about=f"Room for files: {what}. {decimal_size(usable, 4)} in the units printed on disks.",
        ),
        Result(title="  bytes", value=grouped(usable), about="The same, to the byte."),
        Result(
            title="Efficiency", value=f"{permille / 10:.1f} %", number=permille, delta=signed_permille, strong=True,
            about=f"Usable room of {decimal_size(prediction.raw_bytes, 4)} on the disks taken, spares included.",
        ),
    )  # fmt: skip


def _survives(design: Design) -> Result:
    count = design.layout.survives
    which = "of each array" if design.layout.arrays > 1 else "of the array"
    value = f"any {count} disk{'s' if count > 1 else ''} {which}" if count else "no failure at all"
    return Result(
        title="Survives", value=value, number=count, delta=signed_count, strong=True,
        about="Failed members that every array outlives at the same time, whichever they are. A spare that was rebuilt "
        "onto counts as whole again.",
    )  # fmt: skip


def _stripe(prediction: Prediction) -> tuple[Result, ...]:
    unit, width = prediction.true_sunit_bytes, prediction.true_stripe_width
    if not unit:
        return (Result(title="Full stripe", value="none", about="A single mirror has no stripe."),)
    return (
        Result(
            title="Full stripe", value=f"{exact_binary(unit * width)} = {width} x {exact_binary(unit)}",
            number=unit * width, delta=signed_bytes,
            about="Data written to every data disk once, over all arrays joined. Writes of whole stripes need no read "
            "first. mkfs is told these figures.",
        ),
    )  # fmt: skip


def _volume(prediction: Prediction) -> tuple[Result, ...]:
    match prediction.volume:
        case LvmGeometry() as lvm:
            how = f"LVM, {lvm.stripes} stripes of {exact_binary(lvm.stripe_bytes)}"
            about = (
                f"{grouped(lvm.extents)} extents of {exact_binary(lvm.extent_bytes)}, the first at "
                f"{exact_binary(lvm.pe_start_bytes)} on each array."
            )
        case StripeGeometry(array=outer):
            how = f"md RAID0, chunk {exact_binary(outer.chunk_bytes or 0)}"
            about = f"One md RAID0 over the arrays, data offset {exact_binary(outer.data_offset_sectors * SECTOR)}."
        case None:
            several = len(prediction.arrays) > 1
            how = "a file system on each array" if several else "directly on the array"
            about = "Nothing stands between the array and its file system."
    return (
        Result(title="Volume", value=how, about=about),
        Result(
            title="  bytes", value=grouped(prediction.volume_bytes), number=prediction.volume_bytes, delta=signed_bytes,
            about="Size of the volume, or the sum of the arrays where each has its own file system.",
        ),
    )  # fmt: skip


def _arrays(prediction: Prediction) -> tuple[Result, ...]:
    found: list[Result] = []
    alike = Counter(_without_spares(array) for array in prediction.arrays)
    for (array_bytes, component, offset, io_min, io_opt), count in alike.items():
        title = "Array" if len(prediction.arrays) == 1 else f"{count} arrays of"
        found += [
            Result(
                title=title, value=binary_size(array_bytes), number=array_bytes, delta=signed_bytes,
                about="Size of the md device, as blockdev --getsize64 will say.",
            ),
            Result(title="  bytes", value=grouped(array_bytes), about="Size of the md device to the byte."),
        ]  # fmt: skip
        if component is not None:
            about = "Used of each member, after superblock and data offset, in whole chunks."
            found.append(Result(title="  component", value=f"{grouped(component // 1024)} KiB", about=about))
        found += [
            Result(
                title="  data offset", value=f"{offset} sectors = {exact_binary(offset * SECTOR)}",
                about="Where data starts on each member; before it stand superblock and bitmap.",
            ),
            Result(
                title="  I/O size", value=f"{_io(io_min)} least, {_io(io_opt)} best",
                about="minimum_io_size and optimal_io_size as the kernel will show them for the array.",
            ),
        ]  # fmt: skip
    return tuple(found)


def _without_spares(array: ArrayGeometry) -> tuple[int, int | None, int, int, int]:
    return (
        array.array_bytes, array.component_bytes, array.data_offset_sectors, array.io_min_bytes, array.io_opt_bytes,
    )  # fmt: skip


def _io(count: int) -> str:
    return exact_binary(count) if count else "none"


def _file_systems(prediction: Prediction) -> tuple[Result, ...]:
    found: list[Result] = []
    for filesystem, count in Counter(prediction.filesystems).items():
        times = f"{count} x " if count > 1 else ""
        match filesystem:
            case XfsGeometry() as xfs:
                unit, width = xfs.sunit_blocks * xfs.block_bytes, xfs.swidth_blocks * xfs.block_bytes
                stripe = f"su={exact_binary(unit)} sw={width // unit}" if unit else "no stripe"
                found += [
                    Result(title=f"{times}XFS", value=stripe, about="Stripe unit and width that mkfs.xfs is told."),
                    Result(
                        title="  groups", value=f"{xfs.agcount} of {grouped(xfs.agsize_blocks)} blocks",
                        about="Allocation groups: parts of the file system that can be written side by side.",
                    ),
                    Result(
                        title="  log", value=exact_binary(xfs.log_blocks * xfs.block_bytes),
                        about=f"The journal inside the volume; its stripe unit is {xfs.log_sunit_blocks} blocks.",
                    ),
                ]  # fmt: skip
            case Ext4Geometry() as ext4:
                stripe = f"stride={ext4.stride_blocks} stripe_width={ext4.stripe_width_blocks}"
                found += [
                    Result(title=f"{times}ext4", value=stripe, about="RAID stride and stripe width, in blocks."),
                    Result(
                        title="  reserved", value=binary_size(ext4.reserved_blocks * ext4.block_bytes),
                        about="Kept for root; mkfs.ext4 -m changes it.",
                    ),
                    Result(title="  inodes", value=grouped(ext4.inodes), about="Files there can be at most."),
                ]  # fmt: skip
    return tuple(found)
