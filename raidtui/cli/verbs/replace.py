"""`raidtui replace`: which disk of an array goes, which takes its place, and what to type; with --begin it is done."""

from __future__ import annotations

import argparse
import sys
from functools import partial

from raidtui.cli.confirm import confirmed_by_options
from raidtui.cli.output import narrate, show, show_blocks, working
from raidtui.cli.verbs.arrays import machine_of, site_of
from raidtui.machine.arrays.read import observe
from raidtui.machine.arrays.reads import tables_of
from raidtui.model.codec import to_json
from raidtui.model.counted import counted
from raidtui.model.errors import BadInput, Exit, Refused
from raidtui.model.finding import refused
from raidtui.model.inventory import Inventory
from raidtui.model.replacement import Replacement
from raidtui.model.safe import safe
from raidtui.planner.arrays.replace import replacement
from raidtui.planner.arrays.replace_text import known_as_before, replacement_blocks

_NOTHING = "nothing was written"


def replace(options: argparse.Namespace) -> int:
    """Prints the answer, and carries it out with --begin; exit code 1 where a finding is an error."""
    with working("reading the arrays"):
        reader, inventory = machine_of(options)
        found = replacement(
            observe(reader, inventory), inventory, options.array, member=options.member, new=options.new,
            tables=tables_of(reader, inventory),
        )  # fmt: skip
    if options.json:
        print(to_json(found))
    else:
        show_blocks(replacement_blocks(found), simulated=found.simulated)
    if refused(found.findings):
        return Exit.REFUSED
    if options.begin:
        _begin(found, inventory, options)
    elif options.yes or options.confirm:
        raise BadInput("--yes and --confirm belong to --begin", hint="add --begin, or leave them out")
    return Exit.DONE


def _begin(found: Replacement, inventory: Inventory, options: argparse.Namespace) -> None:
    """Asks, then carries the steps out."""
    from raidtui.machine.arrays.replace_member import ReplacingMember  # only to begin
    from raidtui.machine.run.site import locked  # beside it

    if found.new is None:
        raise Refused(f"no new disk is chosen; {_NOTHING}", hint="name one: --with DISK")
    site = site_of(options)
    _confirm(found, options)
    with locked(site.lock_path) as lock:
        runner = site.runner(lock)
        before = observe(runner, inventory)
        again = replacement(
            before, inventory, found.uuid, member=options.member, new=options.new or found.new.device,
            tables=tables_of(runner, inventory),
        )  # fmt: skip
        if again.digest != found.digest:
            raise Refused(f"the array or the disks changed meanwhile; {_NOTHING}", hint="run it again")
        tell = partial(narrate, simulated=found.simulated)
        for name, lacks in ReplacingMember(found, runner, inventory, tell).carry_out().items():
            end = f"lacks {counted(lacks, 'other member')}, which failed meanwhile: raidtui replace {name}"
            tell(f"{name} {end if lacks else 'is whole, and is being checked'}")
        for line in known_as_before(before, observe(runner, inventory), found):
            tell(line)


def _confirm(found: Replacement, options: argparse.Namespace) -> None:
    """Returns when the replacement is confirmed. Raises Refused or BadInput when not."""
    if confirmed_by_options(
        options, found.digest, what="replacement", shown="raidtui replace --json shows the digest",
        right=f"its digest is {found.digest}", nothing=_NOTHING,
    ):  # fmt: skip
        return
    if not sys.stdin.isatty():
        raise Refused(
            f"confirmation needs a terminal; {_NOTHING}",
            hint=f"read what is above, then add --yes --confirm {found.digest}",
        )
    phrase = f"replace in {found.array} by {found.new.serial or found.new.device if found.new is not None else ''}"
    question = f"Type '{safe(phrase)}' to begin, anything else to cancel: "
    show((question,), sys.stdout, simulated=found.simulated, last_open=True)
    if sys.stdin.readline().rstrip("\r\n") != safe(phrase):
        raise Refused(f"not confirmed; {_NOTHING}", hint="type the phrase exactly as shown")
