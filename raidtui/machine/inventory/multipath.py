"""Multipath maps with their paths: names and places from the kernel, states and policy from device-mapper."""

from __future__ import annotations

from dataclasses import replace

from raidtui.machine.inventory.block_tree import Tree
from raidtui.machine.inventory.topology import Seat
from raidtui.machine.ports.host import Host
from raidtui.model.inventory import DiskPath, Multipath, PathState
from raidtui.tools import dmsetup
from raidtui.tools.sysfs import device_state_path

NO_PATH = "none of its paths works"
"""why a map was not read: a read may wait until one works again"""


def read(host: Host, tree: Tree, seats: dict[str, Seat]) -> dict[str, Multipath]:
    """The map of each multipath disk, by kernel name; without root the state of paths and the policy are not known."""
    maps = [block for block in tree.disks if block.type == "mpath"]
    if not maps:
        return {}
    states = dmsetup.states(_output(host, dmsetup.STATUS))
    policies = dmsetup.policies(_output(host, dmsetup.TABLE))
    found = {}
    for block in maps:
        paths, selectors = [], set()
        for below in (tree.blocks[name] for name, uppers in sorted(tree.above.items()) if block.name in uppers):
            works, used = states.get(below.number, (None, None))
            state: PathState | None = None if works is None else "active" if works else "failed"
            if (host.text(device_state_path(below.name)) or "running").strip() != "running":
                state = "offline"
            seat = seats[below.name]
            paths.append(
                DiskPath(
                    kernel_name=below.name, hctl=below.hctl, state=state, used=used, place=seat.place,
                    link_bits_per_s=seat.link_bits_per_s,
                )
            )  # fmt: skip
            selectors.add(policies.get(below.number))
        record = tree.records.get(block.name)
        found[block.name] = Multipath(
            name=record.properties.get("DM_NAME", block.name) if record else block.name,
            paths=tuple(paths),
            policy=selectors.pop() if len(selectors) == 1 else None,
        )
    return found


def seat_of(found: Multipath) -> Seat:
    """Place and link of the disk: those of the first path that requests go to; bay and link where all paths agree."""
    first = next(iter((*found.carrying, *found.paths)))
    bays = {(path.place.enclosure, path.place.slot) for path in found.paths}
    enclosure, slot = bays.pop() if len(bays) == 1 else (None, None)
    rates = {path.link_bits_per_s for path in found.carrying}
    return Seat(
        place=replace(first.place, enclosure=enclosure, slot=slot),
        link_bits_per_s=rates.pop() if len(rates) == 1 else None,
    )


def _output(host: Host, argv: tuple[str, ...]) -> str:
    ran = host.run(argv)
    return "" if ran is None else ran.stdout
