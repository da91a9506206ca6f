"""Multipath maps with their paths: names and places from the kernel, states and policy from device-mapper."""

from __future__ import annotations

from dataclasses import replace

from raidtui.machine.inventory.block_tree import Tree
from raidtui.machine.inventory.disk_identity import different_disks
from raidtui.machine.inventory.reading_log import Noting
from raidtui.machine.inventory.topology import NOWHERE, Seat
from raidtui.machine.ports.host import Ran
from raidtui.model.inventory import DiskPath, Multipath, PathState
from raidtui.tools import dmsetup
from raidtui.tools.lsblk import BlockDevice
from raidtui.tools.sysfs import device_state_path

NO_PATH = "none of its paths works"
"""why a map was not read: a read may wait until one works again"""


def read(host: Noting, tree: Tree, seats: dict[str, Seat]) -> dict[str, Multipath]:
    """The map of each multipath disk, by kernel name; without root the state of paths and the policy are not known."""
    maps = [block for block in tree.disks if block.type == "mpath"]
    if not maps:
        return {}
    states = dmsetup.states(_output(host, dmsetup.STATUS))
    policies = dmsetup.policies(_output(host, dmsetup.TABLE))

    def path(below: BlockDevice) -> DiskPath:
        works, used = states.get(below.number, (None, None))
        state: PathState | None = None if works is None else "active" if works else "failed"
        if (host.about(below.name).text(device_state_path(below.name)) or "running").strip() != "running":
            state = "offline"
        seat = seats.get(below.name, NOWHERE)
        return DiskPath(
            kernel_name=below.name, hctl=below.hctl, state=state, used=used, place=seat.place,
            link_bits_per_s=seat.link_bits_per_s,
        )  # fmt: skip

    found = {}
    for block in maps:
        paths = _paths(tree, block.name)
        selectors = {policies.get(below.number) for below in paths}
        record = tree.records.get(block.name)
        found[block.name] = Multipath(
            name=record.properties.get("DM_NAME", block.name) if record else block.name,
            paths=tuple(map(path, paths)),
            policy=selectors.pop() if len(selectors) == 1 else None,
        )
    return found


def _paths(tree: Tree, name: str) -> list[BlockDevice]:
    """The devices below the map `name` that lsblk or the kernel lists, by kernel name."""
    below = (lower for lower, uppers in sorted(tree.above.items()) if name in uppers)
    return [tree.blocks[lower] for lower in below if lower in tree.blocks]


def joined_disks(tree: Tree, name: str) -> str:
    """Serial numbers of paths of the map `name` that certainly are different disks; empty if they may be one."""
    for one in (paths := _paths(tree, name)):
        if other := next((each for each in paths if each is not one and different_disks(tree, one, each)), None):
            return " and ".join(each.serial or f"none and {each.size} bytes" for each in (one, other))
    return ""


def seat_of(found: Multipath) -> Seat:
    """Place and link of the disk: those of the first path that requests go to; bay and link where all paths agree.

    A map that its last path left has none.
    """
    first = next(iter((*found.carrying, *found.paths)), None)
    if first is None:
        return NOWHERE
    bays = {(path.place.enclosure, path.place.slot) for path in found.paths}
    enclosure, slot = bays.pop() if len(bays) == 1 else (None, None)
    rates = {path.link_bits_per_s for path in found.carrying}
    return Seat(
        place=replace(first.place, enclosure=enclosure, slot=slot),
        link_bits_per_s=rates.pop() if len(rates) == 1 else None,
    )


def _output(host: Noting, argv: tuple[str, ...]) -> str:
    nothing: Ran | None = None
    ran = host.beside().tried("states of multipath paths", lambda: host.run(argv), nothing)
    return "" if ran is None else ran.stdout
