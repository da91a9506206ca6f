"""Capacity results: usable capacity, efficiency, disks used. Nothing here draws."""

from __future__ import annotations

from raidtui.model.geometry import Prediction
from raidtui.model.units import decimal_size, grouped
from raidtui.planner.amounts import percent
from raidtui.tui.screens.design.result import Result, short_bytes, signed_bytes, signed_count, signed_permille


def usable_results(prediction: Prediction, disks: int) -> tuple[Result, ...]:
    """Efficiency and disks used, of an accepted design with `disks` disks available."""
    permille = efficiency(prediction)
    return (
        Result(
            title="Efficiency", value=percent(permille / 1000, 1), number=permille, delta=signed_permille,
            better="more", about="Usable capacity as a share of the raw capacity used, spares included.",
            formula=(f"{grouped(prediction.usable_bytes)} of {grouped(prediction.raw_bytes)} bytes.",),
        ),
        taken(prediction, disks),
    )  # fmt: skip


def efficiency(prediction: Prediction) -> int:
    """Usable capacity in thousandths of the raw capacity used."""
    return round(1000 * prediction.usable_bytes / prediction.raw_bytes) if prediction.raw_bytes else 0


def taken(prediction: Prediction, disks: int) -> Result:
    """Number of disks that the design uses of `disks`; the only result of a refused design."""
    used = len(prediction.disks)
    return Result(
        title="Disks", value=f"{used} used, {disks - used} left", number=used, delta=signed_count("disk"),
        about="Disks that the design uses, spares included, and those left over.",
    )  # fmt: skip


def exact_usable(prediction: Prediction) -> Result:
    """Usable capacity to the byte."""
    return Result(title="Usable bytes", value=grouped(prediction.usable_bytes), about=_usable_about(prediction))


def _usable_about(prediction: Prediction) -> str:
    if prediction.filesystems:
        return "Usable capacity: what df reports as available right after mkfs."
    return "Usable capacity: the size of the volume, without a file system."


def usable_result(prediction: Prediction) -> Result:
    """Usable capacity."""
    usable = prediction.usable_bytes
    return Result(
        title="Usable", value=short_bytes(usable), number=usable, delta=signed_bytes, better="more",
        about=_usable_about(prediction),
        formula=(f"{grouped(usable)} bytes, {decimal_size(usable, 4)} in the decimal units of disk labels.",),
    )  # fmt: skip
