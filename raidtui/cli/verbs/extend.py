"""`raidtui extend`: a spare more, another bitmap, larger members used to their end; with --begin it is done."""

from __future__ import annotations

import argparse

from raidtui.cli.confirm import NOTHING, answer_change, confirm_change
from raidtui.cli.output import narrate, working
from raidtui.cli.verbs.arrays import machine_of, site_of
from raidtui.machine.arrays.extend_array import ExtendingArray, on_top
from raidtui.machine.arrays.read import observe
from raidtui.machine.ports.runner import MachineReader
from raidtui.model.errors import BadInput, Refused
from raidtui.model.extension import Extension
from raidtui.model.inventory import Inventory
from raidtui.model.units import parse_binary_size
from raidtui.planner.arrays.extend import extension_blocks, with_bitmap, with_spare
from raidtui.planner.arrays.grow import grown
from raidtui.planner.arrays.replace import array_named
from raidtui.planner.arrays.reshape import reshaped
from raidtui.planner.arrays.shelf import with_shelf


def extend(options: argparse.Namespace) -> int:
    """Prints the answer, and carries it out with --begin; exit code 1 where a finding is an error."""
    with working("reading the arrays"):
        reader, inventory = machine_of(options)
        found = _extension(options, reader, inventory)
    return answer_change(options, found, extension_blocks, lambda each: _begin(each, inventory, options))


def _extension(options: argparse.Namespace, reader: MachineReader, inventory: Inventory) -> Extension:
    seen, name = observe(reader, inventory), options.array
    match options.kind, options.what:
        case "spare", [disk]:
            return with_spare(seen, inventory, name, disk)
        case "bitmap", [unit]:
            way_out = "none, internal, or the bytes of a bit, for example 256M"
            size = None if unit == "none" else 0 if unit == "internal" else _size(unit, way_out)
            return with_bitmap(seen, inventory, name, size)
        case "grow", []:
            return grown(seen, inventory, name, on_top(reader, array_named(seen, name)))
        case "shelf", [_, *_] as arrays:
            return with_shelf(seen, inventory, name, arrays, on_top(reader, array_named(seen, name)))
        case "reshape", [layout, *chunk] if len(chunk) < 2:
            return reshaped(seen, inventory, name, layout, _size(chunk[0], "write for example 256M") if chunk else None)
        case kind, words:
            raise BadInput(
                f"{kind} takes {'no further word' if kind == 'grow' else 'further words' if not words else 'one word'}",
                hint="raidtui extend md0 spare sdx; md0 bitmap none; md0 grow; md0 shelf md1 md2",
            )


def _size(text: str, way_out: str) -> int:
    try:
        return parse_binary_size(text)
    except ValueError as problem:
        raise BadInput(str(problem), hint=way_out) from problem


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
