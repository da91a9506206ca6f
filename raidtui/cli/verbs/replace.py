"""`raidtui replace`: which disk of an array goes, which takes its place, and what to type; with --begin it is done."""

from __future__ import annotations

import argparse
from functools import partial

from raidtui.cli.confirm import NOTHING, answer_change, confirm_change
from raidtui.cli.output import narrate, working
from raidtui.cli.verbs.arrays import machine_of, site_of
from raidtui.machine.arrays.read import observe
from raidtui.machine.arrays.reads import tables_of
from raidtui.model.counted import counted
from raidtui.model.errors import Refused
from raidtui.model.inventory import Inventory
from raidtui.model.replacement import Replacement
from raidtui.planner.arrays.replace import replacement
from raidtui.planner.arrays.replace_text import known_as_before, replacement_blocks


def replace(options: argparse.Namespace) -> int:
    """Prints the answer, and carries it out with --begin; exit code 1 where a finding is an error."""
    with working("reading the arrays"):
        reader, inventory = machine_of(options)
        found = replacement(
            observe(reader, inventory), inventory, options.array, member=options.member, new=options.new,
            tables=tables_of(reader, inventory),
        )  # fmt: skip
    return answer_change(options, found, replacement_blocks, lambda each: _begin(each, inventory, options))


def _begin(found: Replacement, inventory: Inventory, options: argparse.Namespace) -> None:
    """Asks, then carries the steps out."""
    from raidtui.machine.arrays.replace_member import ReplacingMember  # only to begin
    from raidtui.machine.run.site import locked  # beside it

    if found.new is None:
        raise Refused(f"no new disk is chosen; {NOTHING}", hint="name one: --with DISK")
    site = site_of(options)
    phrase = f"replace in {found.array} by {found.new.serial or found.new.device}"
    confirm_change(options, found, "replace", phrase)
    with locked(site.lock_path) as lock:
        runner = site.runner(lock)
        before = observe(runner, inventory)
        again = replacement(
            before, inventory, found.uuid, member=options.member, new=options.new or found.new.device,
            tables=tables_of(runner, inventory),
        )  # fmt: skip
        if again.digest != found.digest:
            raise Refused(f"the array or the disks changed meanwhile; {NOTHING}", hint="run it again")
        tell = partial(narrate, simulated=found.simulated)
        for name, lacks in ReplacingMember(found, runner, inventory, tell).carry_out().items():
            end = f"lacks {counted(lacks, 'other member')}, which failed meanwhile: raidtui replace {name}"
            tell(f"{name} {end if lacks else 'is whole, and is being checked'}")
        tell(known_as_before(before, observe(runner, inventory), found))
