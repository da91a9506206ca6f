"""Disks of several sizes: those that a design leaves idle, and what a hybrid layout of all holds. Draws nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from raidtui.model.counted import counted
from raidtui.model.inventory import Disk
from raidtui.model.layout import HybridLayout
from raidtui.model.notation import show
from raidtui.model.units import binary_size, decimal_size
from raidtui.planner.placement.size_classes import kind_of
from raidtui.tui.state.outcome import DesignOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedSizes:
    """What a design does not use of disks of several sizes."""

    idle: tuple[Disk, ...]
    """disks of another size than those that it uses"""
    layout: HybridLayout | None = None
    """hybrid layout of all disks; None: none holds more"""
    more_bytes: int = 0
    """usable bytes that it holds beyond the design"""


def mixed_sizes(outcome: DesignOutcome) -> MixedSizes | None:
    """What `outcome` does not use of the disks of its kind; None if that is nothing, or the design is refused.

    Sizes that differ by less than a twentieth are no reason for another design. The hybrid layout survives as many
    failures as the design, at least 1, and has as many spares.
    """
    present = outcome.decision.design.layout
    if not outcome.prediction.arrays or not _of_several_sizes(outcome.disks):
        return None
    disks = [disk for disk in outcome.disks if kind_of(disk) == kind_of(outcome.disks[0])]
    if not _of_several_sizes(disks):
        return None
    used = {disk.size_bytes for disk in disks[: present.disks]}
    idle = tuple(disk for disk in disks[present.disks :] if disk.size_bytes not in used)
    none = MixedSizes(idle=idle) if idle else None
    failures, count = min(max(present.survives, 1), 2), len(disks) - present.spares
    if isinstance(present, HybridLayout) or count <= failures:
        return none
    layout = HybridLayout(hybrid_disks=count, failures=failures, spares=present.spares)
    design = replace(outcome.decision.design, layout=layout, ppl=False, stack="lvm")
    mixed = DesignOutcome(replace(outcome.decision, design=design), outcome.inventory).prediction
    more = mixed.usable_bytes - outcome.prediction.usable_bytes
    return MixedSizes(idle=idle, layout=layout, more_bytes=more) if mixed.has_sizes and more > 0 else none


def _of_several_sizes(disks: Iterable[Disk]) -> bool:
    sizes = {disk.size_bytes for disk in disks}
    return max(sizes) * 20 >= min(sizes) * 21


def idle_words(mixed: MixedSizes) -> str:
    """`1 disk of 250 GB is idle`, `4 disks of 2.00 TB or 4.00 TB are idle`; empty if none is."""
    return f"{_disks_words(mixed)} {'is' if len(mixed.idle) == 1 else 'are'} idle" if mixed.idle else ""


def gain_words(mixed: MixedSizes) -> str:
    """`hybrid(3) holds 232.83 GiB more`; empty if none does."""
    return f"{show(mixed.layout)} holds {binary_size(mixed.more_bytes)} more" if mixed.layout is not None else ""


def _disks_words(mixed: MixedSizes) -> str:
    sizes = " or ".join(decimal_size(size) for size in sorted({disk.size_bytes for disk in mixed.idle}))
    return f"{counted(len(mixed.idle), 'disk')} of {sizes}"
