"""`raidtui disks`: the disks of a machine and what is on them."""

from __future__ import annotations

import argparse
import sys

from raidtui.cli.inputs import capture_of, load_inventory, names_disks, save_capture
from raidtui.cli.output import narrate, room, working, wrapped_findings
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput, Exit
from raidtui.values.inventory import Inventory
from raidtui.values.safe import safe


def disks(options: argparse.Namespace) -> int:
    """Prints the inventory; with --measure it measures the free disks and what they share first."""
    capture = capture_of(options)
    with working("reading the disks"):
        inventory = load_inventory(options, capture)
    if capture is not None:
        narrate(save_capture(capture, options, inventory))
    if options.measure:
        from raidtui.cli.inputs import measure  # only to measure

        if names_disks(options):
            raise BadInput(f"the disks of {safe(inventory.name)} are not attached here", hint="remove --measure")
        if not options.measured:
            raise BadInput("--measure stores what --no-measured ignores", hint="give one of them")
        inventory = measure(inventory)
    if options.json:
        print(to_json(inventory))
    else:
        _show(inventory)
    for note in inventory.unread:
        print(f"raidtui: not read: {safe(note)}", file=sys.stderr)
    return Exit.DONE


def _show(inventory: Inventory) -> None:
    from raidtui.answers.disks import disks_table  # beside it
    from raidtui.answers.plain_text import columns  # beside it
    from raidtui.predict.checks.disks import arrays_first  # --json, which scripts call often, starts without

    print(disks_table(inventory, room(False, sys.stdout)))
    for line in wrapped_findings(tuple(arrays_first(inventory)), sys.stdout, simulated=False):
        print(line)
    if inventory.figures is not None or any(disk.measured for disk in inventory.disks):
        from raidtui.answers.disks import measured_rows  # only where something was measured

        print("\n".join(["", *columns(measured_rows(inventory), right=(2,))]))
