"""Capacity rows: usable size, failures survived, efficiency, disks used, full stripe."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.geometry import Prediction
from raidtui.model.inventory import Disk
from raidtui.model.layout import AnyLayout
from raidtui.model.units import binary_size, decimal_size, exact_binary, grouped
from raidtui.planner.amounts import percent
from raidtui.planner.figures.row import FigureRow, signed_bytes, signed_count, signed_permille
from raidtui.planner.numbers import any_failures
from raidtui.planner.placement.size_classes import kind_of


def usable(prediction: Prediction) -> FigureRow:
    """Usable size."""
    size = prediction.usable_bytes
    about = "what df reports as available right after mkfs"
    return FigureRow(
        title="Usable", value=binary_size(size), notes=(f"{grouped(size)} bytes",), number=size, delta=signed_bytes,
        better="more",
        about=f"Usable size: {about if prediction.filesystems else 'that of the volume, without a file system'}.",
        derive=lambda: (f"{grouped(size)} bytes, {decimal_size(size, 4)} in the decimal units of disk labels.",),
    )  # fmt: skip


def survives(layout: AnyLayout) -> FigureRow:
    """Member failures that every array survives."""
    return FigureRow(
        title="Survives", value=any_failures(layout.survives),
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
