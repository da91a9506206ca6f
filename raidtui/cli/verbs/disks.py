"""`raidtui disks`: the disks of a machine and what is on them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from raidtui.cli.inventory import load_inventory, names_disks
from raidtui.cli.output import narrate, working
from raidtui.model.codec import to_json
from raidtui.model.errors import BadInput, Exit
from raidtui.model.inventory import Inventory
from raidtui.model.safe import safe


def disks(options: argparse.Namespace) -> int:
    """Prints the inventory; with --measure it measures the unused disks and what they share first."""
    _check(options)
    with working("reading the disks"):
        inventory = load_inventory(options)
    if options.record is not None:
        narrate(f"wrote {Path(options.record).absolute()}")
    lines: tuple[str, ...] = ()
    if options.measure:
        from raidtui.cli.measure_machine import measure  # only to measure

        if names_disks(options):
            raise BadInput(f"the disks of {safe(inventory.name)} are not attached here", hint="remove --measure")
        if not options.measured:
            raise BadInput("--measure stores what --no-measured ignores", hint="give one of them")
        if options.iocost:
            from raidtui.cli.measure_iocost import measure_with_writes  # only to write

            inventory, lines = measure_with_writes(inventory, options)
        else:
            inventory = measure(inventory)
    if options.json:
        print(to_json(inventory))
    else:
        _show(inventory)
    if lines:
        print("\n".join(("", *lines)), file=sys.stderr if options.json else sys.stdout)
    for note in inventory.unread:
        print(f"raidtui: not read: {safe(note)}", file=sys.stderr)
    return Exit.DONE


def _check(options: argparse.Namespace) -> None:
    """Raises BadInput for options without the one that they belong to."""
    if options.iocost and not options.measure:
        raise BadInput("--iocost belongs to --measure", hint="raidtui disks --measure --iocost")
    if options.record is not None and names_disks(options):
        raise BadInput(
            "--record saves what is read from this machine", hint="remove --record, or --inventory and --disks"
        )
    if (options.only or options.exclude) and not options.iocost:
        raise BadInput("--only and --exclude belong to --iocost", hint="add --iocost, or leave them out")
    if (options.yes or options.confirm is not None) and not options.iocost:
        raise BadInput("--yes and --confirm belong to --iocost", hint="add --iocost, or leave them out")


def _show(inventory: Inventory) -> None:
    from raidtui.planner.text.summary import columns, disks_table  # --json, which scripts call often, starts without it

    print(disks_table(inventory))
    if inventory.figures is not None or any(disk.measured for disk in inventory.disks):
        from raidtui.planner.text.measured import measured_rows  # only where something was measured

        print("\n".join(["", *columns(measured_rows(inventory), right=(2,))]))
