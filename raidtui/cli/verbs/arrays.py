"""`raidtui arrays`: the md arrays that exist on a machine, whoever made them."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from raidtui.cli.inventory import load_inventory, names_disks
from raidtui.cli.output import show, show_blocks, working
from raidtui.machine.arrays.read import observe
from raidtui.machine.ports.runner import MachineReader
from raidtui.model.arrays import ObservedArrays
from raidtui.model.codec import to_json
from raidtui.model.errors import BadInput, Exit
from raidtui.model.inventory import Inventory
from raidtui.model.safe import safe

if TYPE_CHECKING:
    from raidtui.machine.inventory.capture import MachineCapture
    from raidtui.machine.run.site import Site
    from raidtui.model.plan import Plan


def arrays(options: argparse.Namespace) -> int:
    """Prints every array, its members, and what knows it; exit code 0 whatever their state."""
    with working("reading the arrays"):
        reader, inventory = machine_of(options)
        seen = observe(reader, inventory)
    if options.json:
        print(to_json(seen))
    else:
        _show(seen, inventory)
    for note in dict.fromkeys((*seen.unread, *inventory.unread)):
        print(f"raidtui: not read: {safe(note)}", file=sys.stderr)
    return Exit.DONE


def site_of(options: argparse.Namespace) -> Site:
    """What a verb works on that changes an array: this machine, or the simulated one of a run."""
    if options.run is not None:
        return _of_run(options)[1]
    if names_disks(options):
        raise BadInput("these disks are not attached here", hint="build a run on them first, then name the run")
    from raidtui.machine.run.site import RealSite  # only for such a verb

    return RealSite()


def machine_of(options: argparse.Namespace, capture: MachineCapture | None = None) -> tuple[MachineReader, Inventory]:
    """This machine, which `capture` records, the simulated one of a run, or a simulated chassis."""
    if options.run is not None:
        plan, site = _of_run(options)
        return site.reader(), site.inventory(plan)
    inventory = load_inventory(options, capture)
    if capture is not None:
        return capture.reader, inventory
    if names_disks(options):
        from raidtui.machine.simulated.machine import SimulatedMachine  # only for a chassis

        return SimulatedMachine(inventory), inventory
    from raidtui.machine.system.runner import SystemReader  # only for this machine

    return SystemReader(), inventory


def _of_run(options: argparse.Namespace) -> tuple[Plan, Site]:
    from raidtui.cli.runs import run_folder  # only where a run is named
    from raidtui.machine.run.run_folders import load  # beside it
    from raidtui.machine.run.site import site_of_run  # beside it

    if names_disks(options):
        raise BadInput("a run names its own disks", hint="leave out --inventory and --disks")
    begun = load(run_folder(options.run))
    speed = getattr(options, "speed_up", None)
    return begun.plan, site_of_run(begun.folder, begun.plan, speed_up=speed)


def _show(seen: ObservedArrays, inventory: Inventory) -> None:
    from raidtui.planner.arrays.document import machine_blocks, summary  # --json starts without it

    show((f"{safe(seen.host)}: {summary(seen)}",), sys.stdout, simulated=seen.simulated)
    if seen.arrays:
        show(("",), sys.stdout, simulated=seen.simulated)
        show_blocks(machine_blocks(seen, inventory), simulated=seen.simulated)
