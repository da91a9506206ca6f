"""`raidtui extend`: a spare more, another bitmap, larger members used to their end; with --begin it is done."""

from __future__ import annotations

import argparse

from raidtui.cli.confirm import NOTHING, answer_change, confirm_change
from raidtui.cli.output import narrate, working
from raidtui.cli.verbs.arrays import machine_of, site_of
from raidtui.machine.arrays.extend_array import ExtendingArray, extension
from raidtui.machine.ports.runner import MachineReader
from raidtui.model.errors import Refused
from raidtui.model.extension import Extension
from raidtui.model.inventory import Inventory
from raidtui.planner.arrays.extend import extension_blocks


def extend(options: argparse.Namespace) -> int:
    """Prints the answer, and carries it out with --begin; exit code 1 where a finding is an error."""
    with working("reading the arrays"):
        reader, inventory = machine_of(options)
        found = _extension(options, reader, inventory)
    return answer_change(options, found, extension_blocks, lambda each: _begin(each, inventory, options))


def _extension(options: argparse.Namespace, reader: MachineReader, inventory: Inventory) -> Extension:
    return extension(reader, inventory, options.array, options.kind, options.what)


def _begin(found: Extension, inventory: Inventory, options: argparse.Namespace) -> None:
    """Asks, then carries the steps out."""
    from raidtui.machine.run.site import locked  # only to begin

    if found.kind == "reshape":
        raise Refused(f"raidtui carries no reshape out; {NOTHING}", hint="read what each step risks, and the safer way")
    if found.steps:
        site = site_of(options)
        data = any(each.code == "back-up-first" for each in found.findings)
        phrase = f"extend {found.array}{', its data is backed up' if data else ''}"
        confirm_change(options, found, "extend", phrase)
        with locked(site.lock_path) as lock:
            runner = site.runner(lock)
            if _extension(options, runner, inventory).digest != found.digest:
                raise Refused(f"the array or the disks changed meanwhile; {NOTHING}", hint="run it again")
            ExtendingArray(found, runner, lambda line: narrate(line, simulated=found.simulated)).carry_out()
    narrate(f"{found.array} is as asked", simulated=found.simulated)
