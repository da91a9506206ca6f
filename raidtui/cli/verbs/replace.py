"""`raidtui replace`: which disk of an array goes, which takes its place, and what to type. Executes nothing."""

from __future__ import annotations

import argparse
import sys

from raidtui.cli.output import columns, label, paint, show, working
from raidtui.cli.verbs.arrays import machine_of
from raidtui.machine.arrays.read import observe
from raidtui.model.codec import to_json
from raidtui.model.errors import Exit
from raidtui.model.finding import refused
from raidtui.planner.arrays.replace import replacement, replacement_blocks
from raidtui.planner.report.plain import plain_lines


def replace(options: argparse.Namespace) -> int:
    """Prints the answer; exit code 1 where a finding is an error."""
    with working("reading the arrays"):
        reader, inventory = machine_of(options)
        seen = observe(reader, inventory)
    found = replacement(seen, inventory, options.array, member=options.member, new=options.new)
    if options.json:
        print(to_json(found))
    else:
        wide = columns(sys.stdout)
        room = None if wide is None else wide - len(label(found.simulated))
        show(plain_lines(replacement_blocks(found), paint(sys.stdout), room), sys.stdout, simulated=found.simulated)
    return Exit.REFUSED if refused(found.findings) else Exit.DONE
