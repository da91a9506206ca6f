"""`raidtui replace`: which disk of an array goes, which takes its place, and what to type; with --begin it is done."""

from __future__ import annotations

import argparse
from functools import partial

from raidtui.cli.confirm import NOTHING, answer_change, confirm_change
from raidtui.cli.output import narrate, working
from raidtui.cli.verbs.arrays import machine_of, site_of
from raidtui.machine.arrays.changes import asked_replacement, still_starts
from raidtui.machine.arrays.read import observe
from raidtui.machine.ports.runner import MachineReader
from raidtui.model.counted import counted
from raidtui.model.errors import Refused
from raidtui.model.inventory import Inventory
from raidtui.model.replacement import Replacement
from raidtui.planner.arrays import words
from raidtui.steps.replace_text import replacement_blocks


def replace(options: argparse.Namespace) -> int:
    """Prints the answer, and carries it out with --begin; exit code 1 where a finding is an error."""
    with working("reading the arrays"):
        reader, inventory = machine_of(options)
        found = asked_replacement(reader, inventory, options.array, member=options.member, new=options.new)
    return answer_change(options, found, replacement_blocks, lambda each: _begin(each, inventory, options))


def _begin(found: Replacement, inventory: Inventory, options: argparse.Namespace) -> None:
    """Asks, then carries the steps out."""
    from raidtui.machine.run.living import carry_out  # only to begin

    if found.new is None:
        raise Refused(f"no new disk is chosen; {NOTHING}", hint="name one: --with DISK")
    site, new = site_of(options), options.new or found.new.device
    phrase = f"replace in {found.array} by {found.new.serial or found.new.device}"
    confirm_change(options, found, "replace", phrase)
    tell = partial(narrate, simulated=found.simulated)

    def again(reader: MachineReader) -> Replacement:
        return asked_replacement(reader, inventory, found.uuid, member=options.member, new=new)

    carry_out(found, site, again, tell, lambda reader: still_starts(found, reader, inventory))
    for array in (each for each in observe(site.reader(), inventory).arrays if each.name in (found.array, *found.also)):
        end = f"lacks {counted(array.lacks or 0, 'other member')}, which failed meanwhile: raidtui replace {array.name}"
        tell(f"{words.name(array)} {end if array.lacks else 'is whole, and is being checked'}")
