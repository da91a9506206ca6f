"""Layer results: stripe, volume, arrays, file systems. Nothing here draws."""

from __future__ import annotations

from collections import Counter

from raidtui.model.geometry import ArrayGeometry, Ext4Geometry, LvmGeometry, Prediction, StripeGeometry, XfsGeometry
from raidtui.model.units import SECTOR, binary_size, exact_binary, grouped
from raidtui.tui.screens.design.result import Result, signed_bytes


def layer_results(prediction: Prediction) -> tuple[Result, ...]:
    """The layers between disks and files; the stripe, which mkfs needs, first."""
    return (*_stripe(prediction), *_volume(prediction), *_arrays(prediction), *_file_systems(prediction))


def _stripe(prediction: Prediction) -> tuple[Result, ...]:
    unit, width = prediction.true_sunit_bytes, prediction.true_stripe_width
    if not unit:
        return (Result(title="Full stripe", value="none", about="A single mirror has no stripe."),)
    return (
        Result(
            title="Full stripe", value=f"{exact_binary(unit * width)} = {width} x {exact_binary(unit)}",
            number=unit * width, delta=signed_bytes,
            about="One chunk on every data disk of all joined arrays. Writes of whole stripes need no read first. mkfs "
            "gets these values.",
        ),
    )  # fmt: skip


def _volume(prediction: Prediction) -> tuple[Result, ...]:
    match prediction.volume:
        case LvmGeometry() as lvm:
            how = f"LVM, {lvm.stripes} stripes of {exact_binary(lvm.stripe_bytes)}"
            if lvm.stripes == 1:
                how = f"LVM, linear over {len(prediction.arrays)} arrays"
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
            about = "The file system is directly on the array."
    return (
        Result(title="Volume", value=how, about=about),
        Result(
            title="bytes", inner=True, value=grouped(prediction.volume_bytes), number=prediction.volume_bytes,
            delta=signed_bytes, about="Size of the volume, or the sum of the arrays if each has its own file system.",
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
                about="Size of the md device, as reported by blockdev --getsize64.",
            ),
            Result(title="bytes", inner=True, value=grouped(array_bytes), about="Size of the md device to the byte."),
        ]  # fmt: skip
        if component is not None:
            about = "Bytes used on each member, without superblock and data offset, in whole chunks."
            found.append(Result(title="component", inner=True, value=f"{grouped(component // 1024)} KiB", about=about))
        found += [
            Result(
                title="data offset", inner=True, value=f"{offset} sectors = {exact_binary(offset * SECTOR)}",
                about="Start of the data on each member, after superblock and bitmap.",
            ),
            Result(
                title="I/O size", inner=True, value=f"{_io(io_min)} least, {_io(io_opt)} best",
                about="minimum_io_size and optimal_io_size that the kernel reports for the array.",
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
                    Result(title=f"{times}XFS", value=stripe, about="Stripe unit and width, passed to mkfs.xfs."),
                    Result(
                        title="groups", inner=True, value=f"{xfs.agcount} of {grouped(xfs.agsize_blocks)} blocks",
                        about="Allocation groups: parts of the file system that can be written in parallel.",
                    ),
                    Result(
                        title="log", inner=True, value=exact_binary(xfs.log_blocks * xfs.block_bytes),
                        about=f"The journal inside the volume; its stripe unit is {xfs.log_sunit_blocks} blocks.",
                    ),
                ]  # fmt: skip
            case Ext4Geometry() as ext4:
                stripe = f"stride={ext4.stride_blocks} stripe_width={ext4.stripe_width_blocks}"
                found += [
                    Result(title=f"{times}ext4", value=stripe, about="RAID stride and stripe width, in blocks."),
                    Result(
                        title="reserved", inner=True, value=binary_size(ext4.reserved_blocks * ext4.block_bytes),
                        about="Reserved for root; mkfs.ext4 -m changes it.",
                    ),
                    Result(title="inodes", inner=True, value=grouped(ext4.inodes), about="Maximum number of files."),
                ]  # fmt: skip
    return tuple(found)
