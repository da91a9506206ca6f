"""Limitations of the risk model, one phrase each."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.layout import AnyLayout
from raidtui.planner.members import ArrayDisks


def limitations(layout: AnyLayout, shares: Sequence[ArrayDisks], volume_joined: bool) -> tuple[str, ...]:
    """Phrases that can follow `not in the model:`."""
    found = [
        "operator errors, software, power, fire and theft",
        "age and batch: disks fail at a constant rate; only the correlated figure covers joint failures",
    ]
    if layout.survives:
        found += [
            "unreadable sectors found by ordinary reads while redundancy remains: md repairs them",
            "spares that fail while idle: read them monthly",
        ]
    else:
        found.append("unreadable sectors: without redundancy each one is lost")
    if not any(disk.place.enclosure for share in shares for disk in share.members):
        found.append("enclosure outages: the inventory does not list the disks' enclosures")
    if layout.arrays > 1:
        fate = "loses all data, since the volume spans them" if volume_joined else "leaves the other arrays' data"
        found.append(f"the amount lost: losing one array {fate}")
    return tuple(found)
