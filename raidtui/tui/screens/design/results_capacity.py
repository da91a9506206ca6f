"""How much room a design gives, how many failures it outlives, how many disks it takes. Nothing here draws."""

from __future__ import annotations

from raidtui.model.design import Design
from raidtui.model.geometry import Prediction
from raidtui.model.units import decimal_size, grouped
from raidtui.tui.screens.design.result import Result, short_bytes, signed_bytes, signed_count, signed_permille


def room_results(design: Design, prediction: Prediction, disks: int) -> tuple[Result, ...]:
    """Room, failures outlived and disks taken, of an accepted design where `disks` disks may be taken."""
    return (*_room(prediction), _survives(design), taken(prediction, disks))


def taken(prediction: Prediction, disks: int) -> Result:
    """Disks the design takes of `disks`: all there is to say of one that is refused."""
    used = len(prediction.disks)
    return Result(
        title="Disks", value=f"{used} used, {disks - used} left", number=used, delta=signed_count,
        about="Disks the design takes, spares included, and those it leaves.",
    )  # fmt: skip


def exact_room(prediction: Prediction) -> Result:
    """Room to the byte."""
    return Result(title="Usable bytes", value=grouped(usable_bytes(prediction)), about=_usable_about(prediction))


def usable_bytes(prediction: Prediction) -> int:
    """What `df` calls available on all file systems together; the bare volume where there is none."""
    if prediction.filesystems:
        return sum(filesystem.available_bytes for filesystem in prediction.filesystems)
    return prediction.volume_bytes


def _usable_about(prediction: Prediction) -> str:
    if prediction.filesystems:
        return "Room for files: what df will call available, right after mkfs."
    return "Room for files: the bare volume, without mkfs."


def _room(prediction: Prediction) -> tuple[Result, ...]:
    usable = usable_bytes(prediction)
    permille = round(1000 * usable / prediction.raw_bytes) if prediction.raw_bytes else 0
    return (
        Result(
            title="Usable", value=short_bytes(usable), number=usable, delta=signed_bytes, strong=True,
            about=_usable_about(prediction),
            formula=(f"{grouped(usable)} bytes, {decimal_size(usable, 4)} in the units printed on disks.",),
        ),
        Result(
            title="Efficiency", value=f"{permille / 10:.1f} %", number=permille, delta=signed_permille, strong=True,
            about="Usable room as a share of the disks taken, spares included.",
            formula=(f"{grouped(usable)} of {grouped(prediction.raw_bytes)} bytes.",),
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
