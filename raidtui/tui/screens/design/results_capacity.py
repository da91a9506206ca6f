"""Capacity results: usable capacity, failures survived, disks used. Nothing here draws."""

from __future__ import annotations

from raidtui.model.design import Design
from raidtui.model.geometry import Prediction
from raidtui.model.units import decimal_size, grouped
from raidtui.tui.screens.design.result import Result, short_bytes, signed_bytes, signed_count, signed_permille


def room_results(design: Design, prediction: Prediction, disks: int) -> tuple[Result, ...]:
    """Capacity, failures survived and disks used, of an accepted design with `disks` disks available."""
    return (*_room(prediction), _survives(design), taken(prediction, disks))


def taken(prediction: Prediction, disks: int) -> Result:
    """Number of disks that the design uses of `disks`; the only result of a refused design."""
    used = len(prediction.disks)
    return Result(
        title="Disks", value=f"{used} used, {disks - used} left", number=used, delta=signed_count,
        about="Disks that the design uses, spares included, and those left over.",
    )  # fmt: skip


def exact_room(prediction: Prediction) -> Result:
    """Usable capacity to the byte."""
    return Result(title="Usable bytes", value=grouped(prediction.usable_bytes), about=_usable_about(prediction))


def _usable_about(prediction: Prediction) -> str:
    if prediction.filesystems:
        return "Usable capacity: what df reports as available right after mkfs."
    return "Usable capacity: the size of the volume, without a file system."


def _room(prediction: Prediction) -> tuple[Result, ...]:
    usable = prediction.usable_bytes
    permille = round(1000 * usable / prediction.raw_bytes) if prediction.raw_bytes else 0
    return (
        Result(
            title="Usable", value=short_bytes(usable), number=usable, delta=signed_bytes, strong=True,
            about=_usable_about(prediction),
            formula=(f"{grouped(usable)} bytes, {decimal_size(usable, 4)} in the decimal units of disk labels.",),
        ),
        Result(
            title="Efficiency", value=f"{permille / 10:.1f} %", number=permille, delta=signed_permille, strong=True,
            about="Usable capacity as a share of the raw capacity used, spares included.",
            formula=(f"{grouped(usable)} of {grouped(prediction.raw_bytes)} bytes.",),
        ),
    )  # fmt: skip


def _survives(design: Design) -> Result:
    count = design.layout.survives
    which = "of each array" if design.layout.arrays > 1 else "of the array"
    value = f"any {count} disk{'s' if count > 1 else ''} {which}" if count else "no disk failure"
    return Result(
        title="Survives", value=value, number=count, delta=signed_count, strong=True,
        about="Simultaneous member failures that every array survives, whichever members they are. After a rebuild "
        "onto a spare the array survives as many again.",
    )  # fmt: skip
