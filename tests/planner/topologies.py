"""Disks in made-up machines, and a picture of where a placement puts them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raidtui.values.inventory import Disk, Place, Smart
from raidtui.values.layout import Layout
from raidtui.values.members import groups_of

TB = 10**12


def disk(number: int, **fields: Any) -> Disk:
    """Disk `number` of 4 TB; fields of its place by name, the others as they are."""
    place = {name: fields.pop(name) for name in ("enclosure", "controller", "expander", "slot") if name in fields}
    worn = {name: fields.pop(name) for name in ("healthy", "hours", "reallocated") if name in fields}
    return Disk(
        **{
            "id": f"wwn-{number:04d}", "serial": f"S{number}", "size_bytes": 4 * TB, "state": "blank",
            "rotational": True, "place": Place(**place), "smart": Smart(**worn) if worn else None, **fields,
        }
    )  # fmt: skip


def shelves(*counts: int, **fields: Any) -> list[Disk]:
    """As many disks in enclosure a, b, ... as `counts` says."""
    places = [(chr(ord("a") + at), slot) for at, count in enumerate(counts) for slot in range(1, count + 1)]
    return [disk(at, enclosure=name, slot=f"slot {slot}", **fields) for at, (name, slot) in enumerate(places)]


def picture(layout: Layout, chosen: Sequence[Disk], disks: Sequence[Disk], row: int) -> list[str]:
    """The labels of `disks` in their order, `row` to a line; a dot for a disk that is not taken."""
    labels = groups_of(layout, chosen)
    flat = [labels.get(each.id, ".") for each in disks]
    return [" ".join(flat[start : start + row]) for start in range(0, len(flat), row)]
