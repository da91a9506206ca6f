"""Which disks are read at once to measure a shared link, and what their rate says about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from raidtui.model.assumptions import DEFAULTS
from raidtui.model.by_key import by_key
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.limit import Limit
from raidtui.model.machine_figures import MeasuredLink
from raidtui.planner.performance.shared_links import links_above, shared_links

HELD_BACK = 0.93
"""share of the disks' own rates below which a link holds them back: repetitions differ by up to 4 %, twice"""


@dataclass(frozen=True, slots=True)
class LinkGroup:
    """All unused disks below the same links."""

    disks: tuple[Disk, ...]
    limits: tuple[Limit, ...]
    """links that carry exactly these disks; the one that is thought to be the narrowest first"""


def link_groups(inventory: Inventory, disks: Sequence[Disk]) -> tuple[LinkGroup, ...]:
    """Groups of at least two of `disks` that share a link, the smallest first."""
    shared = {link.name: link for link in inventory.links}
    below = by_key((Limit(stage, name), disk) for disk in disks for stage, name, _ in links_above(disk, shared))
    found, _ = shared_links([disks], inventory, DEFAULTS)
    guesses = {link.limit: link.capacity.point for link in found}
    groups = by_key((tuple(disk.id for disk in own), limit) for limit, own in below.items() if len(own) > 1)
    known = {disk.id: disk for disk in disks}
    made = [
        LinkGroup(
            tuple(known[each] for each in ids),
            tuple(sorted(limits, key=lambda limit: guesses.get(limit, float("inf")))),
        )
        for ids, limits in groups.items()
    ]
    return tuple(sorted(made, key=lambda group: len(group.disks)))


def together(group: LinkGroup, alone: Mapping[str, int], narrow: Sequence[MeasuredLink]) -> int:
    """What the disks of `group` read at once if its links hold nothing back, bytes per second.

    `alone`: each disk's own rate; `narrow`: links measured before that hold their disks back.
    """
    ids = {disk.id for disk in group.disks}
    total, covered = 0, set[str]()
    for link in sorted(narrow, key=lambda each: len(each.disks), reverse=True):
        own = set(link.disks)
        if own < ids and not own & covered:
            total += link.bytes_per_s
            covered |= own
    return total + sum(alone[each] for each in ids - covered)


def verdicts(
    group: LinkGroup, rate: float, unhindered: int, *, error: float, busy: bool, day: str, kernel: str
) -> tuple[MeasuredLink, ...]:
    """What reading `group` at `rate` says about each of its links.

    `busy`: this program used most of a processor, so that it may have been the limit. Of several links that carry the
    same disks the one thought to be the narrowest holds them back; the others carry at least that.
    """
    held = rate < HELD_BACK * unhindered and not busy
    return tuple(
        MeasuredLink(
            limit=limit,
            disks=tuple(disk.id for disk in group.disks),
            bytes_per_s=max(1, round(rate)),
            alone_bytes_per_s=unhindered,
            at_least=not (held and number == 0),
            error=error,
            day=day,
            kernel=kernel,
        )
        for number, limit in enumerate(group.limits)
    )
