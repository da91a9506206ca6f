"""What the figures of risk leave out, in words that stand beside them."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.layout import Layout
from raidtui.planner.members import ArrayDisks


def limitations(layout: Layout, shares: Sequence[ArrayDisks], volume_joined: bool) -> tuple[str, ...]:
    """Each a phrase that can follow `not in the model:`."""
    found = [
        "operators, software, power, fire and theft",
        "age and batch: disks fail at one constant rate, and only the correlated figure has them fail together",
    ]
    if layout.survives:
        found += [
            "sectors that ordinary reads find unreadable while there is redundancy: md repairs those",
            "spares that fail while they wait: read them monthly",
        ]
    else:
        found.append("unreadable sectors: nothing is rebuilt, so each one met is lost")
    if not any(disk.place.enclosure for share in shares for disk in share.members):
        found.append("outages of enclosures: the inventory does not tell in which ones the disks sit")
    if layout.arrays > 1:
        fate = "is the loss of all, since the volume spans them" if volume_joined else "leaves the others' data"
        found.append(f"how much is lost: the loss of one array {fate}")
    return tuple(found)
