"""`raidtui extend`: a spare more, another bitmap, larger members used to their end; with --begin it is done."""

from __future__ import annotations

import argparse
from functools import partial

from raidtui.cli.confirm import NOTHING, answer_change, confirm_change
from raidtui.cli.output import narrate, working
from raidtui.cli.verbs.arrays import machine_of, site_of
from raidtui.machine.arrays.changes import extension, still_starts
from raidtui.machine.arrays.read import ArraysLook
from raidtui.machine.ports.runner import MachineReader
from raidtui.model.errors import Refused
from raidtui.model.extension import Extension
from raidtui.model.inventory import Inventory
from raidtui.planner.arrays import words
from raidtui.steps.extend import extension_blocks


def extend(options: argparse.Namespace) -> int:
    """Prints the answer, and carries it out with --begin; exit code 1 where a finding is an error."""
    with working("reading the arrays"):
        reader, inventory = machine_of(options)
        found = _extension(options, inventory, reader)
    return answer_change(options, found, extension_blocks, lambda each: _begin(each, inventory, options))


def _extension(options: argparse.Namespace, inventory: Inventory, reader: MachineReader) -> Extension:
    return extension(reader, inventory, options.array, options.kind, options.what)


def _begin(found: Extension, inventory: Inventory, options: argparse.Namespace) -> None:
    """Asks, then carries the steps out."""
    from raidtui.machine.run.living import carry_out, unfinished  # only to begin

    if found.kind == "reshape":
        raise Refused(f"raidtui carries no reshape out; {NOTHING}", hint="read what each step risks, and the safer way")
    tell = partial(narrate, simulated=found.simulated)
    if found.steps:
        data = any(each.code == "back-up-first" for each in found.findings)
        phrase = f"extend {found.array}{', its data is backed up' if data else ''}"
        confirm_change(options, found, "extend", phrase, unfinished(site_of(options).root, Extension))
        boot = partial(still_starts, found, inventory=inventory) if found.kind == "spare" else (lambda _: "")
        carry_out(found, site_of(options), partial(_extension, options, inventory), tell, boot)
    for array in ArraysLook(site_of(options).reader(), inventory, around=False).take().arrays:
        if array.uuid == found.uuid:
            tell(words.after_act(array, "is as asked"))
