"""Disks that are left out for their size, and what a hybrid layout of all would hold. Nothing here draws."""

from __future__ import annotations

from dataclasses import dataclass, replace

from raidtui.model.counted import counted
from raidtui.model.inventory import Disk
from raidtui.model.layout import HybridLayout
from raidtui.model.notation import show
from raidtui.model.units import binary_size, decimal_size
from raidtui.tui.state.decision import of_other_size
from raidtui.tui.state.session import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedSizes:
    """Disks that a design leaves out for their size."""

    disks: tuple[Disk, ...]
    """the disks left out, at least one"""
    layout: HybridLayout | None = None
    """hybrid layout of these and the design's disks; None: none holds more"""
    more_bytes: int = 0
    """usable bytes that it holds beyond the design"""


def mixed_sizes(outcome: Outcome) -> MixedSizes | None:
    """The disks of other sizes that `outcome` leaves out; None if there are none, or if the design is refused.

    The hybrid layout survives as many failures as the design, at least 1, and has as many spares.
    """
    decision = outcome.decision
    disks = of_other_size(decision, outcome.inventory, outcome.disks)
    if not disks or not outcome.prediction.arrays:
        return None
    present = decision.design.layout
    failures, count = min(max(present.survives, 1), 2), len(outcome.disks) + len(disks) - present.spares
    if isinstance(present, HybridLayout) or count <= failures:
        return MixedSizes(disks=disks)
    layout = HybridLayout(hybrid_disks=count, failures=failures, spares=present.spares)
    design = replace(decision.design, layout=layout, ppl=False, stack="lvm")
    left_out = decision.left_out - {disk.id for disk in disks}
    mixed = Outcome(replace(decision, design=design, left_out=left_out), outcome.inventory)
    more = mixed.prediction.usable_bytes - outcome.prediction.usable_bytes
    if not mixed.prediction.has_sizes or more <= 0:
        return MixedSizes(disks=disks)
    return MixedSizes(disks=disks, layout=layout, more_bytes=more)


def left_out_words(mixed: MixedSizes) -> str:
    """`1 disk of 250 GB is left out`, `4 disks of 2.00 TB or 4.00 TB are left out`."""
    return f"{_disks_words(mixed)} {'is' if len(mixed.disks) == 1 else 'are'} left out"


def gain_words(mixed: MixedSizes) -> str:
    """`hybrid(3) holds 232.83 GiB more`; empty if none does."""
    return f"{show(mixed.layout)} holds {binary_size(mixed.more_bytes)} more" if mixed.layout is not None else ""


def offer_words(mixed: MixedSizes) -> str:
    """`A takes in 1 disk of 250 GB; hybrid(3): 230.8 GiB more`: a line that fits into 60 cells."""
    gain = f"; {show(mixed.layout)}: {binary_size(mixed.more_bytes)} more" if mixed.layout is not None else ""
    return f"A takes in {_disks_words(mixed)}{gain}"


def _disks_words(mixed: MixedSizes) -> str:
    sizes = " or ".join(decimal_size(size) for size in sorted({disk.size_bytes for disk in mixed.disks}))
    return f"{counted(len(mixed.disks), 'disk')} of {sizes}"
