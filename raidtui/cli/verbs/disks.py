"""`raidtui disks`: the disks of a machine and what is on them."""

from __future__ import annotations

import argparse
import sys

from raidtui.cli.inventory import load_inventory
from raidtui.model.codec import to_json
from raidtui.model.errors import BadInput, Exit
from raidtui.model.inventory import Inventory
from raidtui.model.safe import safe


def disks(options: argparse.Namespace) -> int:
    """Prints the inventory; with --measure it measures the unused disks first."""
    inventory = load_inventory(options)
    if options.measure:
        inventory = _measured(inventory)
    if options.json:
        print(to_json(inventory))
    else:
        from raidtui.planner.text.summary import disks_table  # --json, which scripts call often, starts without it

        print(disks_table(inventory))
    for note in inventory.unread:
        print(f"raidtui: not read: {safe(note)}", file=sys.stderr)
    return Exit.DONE


def _measured(inventory: Inventory) -> Inventory:
    """Measures every unused disk, one after the other, and stores their speeds."""
    from raidtui.machine.inventory import measured_speeds  # only to measure
    from raidtui.machine.system.state_paths import speeds_path  # only to measure
    from raidtui.planner.numbers import rate  # only to measure

    if inventory.origin != "machine":
        raise BadInput(f"the disks of {inventory.name} are not attached here", hint="remove --measure")
    quiet = measured_speeds.quiet(inventory.disks)
    spent = len(quiet) * 2 * measured_speeds.SECONDS
    print(f"raidtui: reading {len(quiet)} unused disks one by one, about {spent:.0f} s", file=sys.stderr)
    found = {}
    for disk in quiet:
        found[disk.id] = measured_speeds.measure(disk)
        outer, inner = found[disk.id].outer_bytes_per_s, found[disk.id].inner_bytes_per_s
        print(f"raidtui: {safe(disk.kernel_name)}: {rate(outer)} outer, {rate(inner or outer)} inner", file=sys.stderr)
    measured_speeds.keep(speeds_path(), found)
    return measured_speeds.with_measured(inventory, found)
