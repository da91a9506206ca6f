"""`raidtui arrays`: the md arrays that exist on a machine, whoever made them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from raidtui.advice.audit.rules import audit as judged
from raidtui.cli.inputs import capture_of, load_inventory, names_disks, run_folders, save_capture
from raidtui.cli.output import narrate, show, show_blocks, working
from raidtui.machine.arrays.read import ArraysLook, observe
from raidtui.machine.arrays.settings import audit_facts
from raidtui.machine.system.files import BASELINE, read_named, write_durably
from raidtui.machine.system.places import failures
from raidtui.machine.system.ports import MachineReader
from raidtui.values.arrays import Audit, ObservedArrays
from raidtui.values.codec import from_json, to_json
from raidtui.values.errors import BadInput, Exit, RaidtuiError
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan
from raidtui.values.safe import safe

if TYPE_CHECKING:
    from raidtui.engine.site import Site
    from raidtui.machine.inventory.capture import MachineCapture


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
    from raidtui.engine.site import RealSite  # only for such a verb

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
        from raidtui.engine import simulation  # only for a chassis
        from raidtui.engine.site import left_on  # beside it

        left = left_on(inventory)
        return (simulation.machine(inventory) if left is None else left.site().reader()), inventory
    from raidtui.machine.system.runner import SystemReader  # only for this machine

    return SystemReader(), inventory


def _of_run(options: argparse.Namespace) -> tuple[Plan, Site]:
    from raidtui.cli.inputs import run_folder  # only where a run is named
    from raidtui.engine.runs import load  # beside it
    from raidtui.engine.site import site_of_run  # beside it

    if names_disks(options):
        raise BadInput("a run names its own disks", hint="leave out --inventory and --disks")
    begun = load(run_folder(options.run))
    speed = getattr(options, "speed_up", None)
    return begun.plan, site_of_run(begun.folder, begun.plan, speed_up=speed)


def _show(seen: ObservedArrays, inventory: Inventory) -> None:
    from raidtui.answers.arrays import (
        machine_blocks,
        summary,  # --json starts without it
    )

    show((f"{safe(seen.host)}: {summary(seen)}",), sys.stdout, simulated=seen.simulated)
    if seen.arrays:
        show(("",), sys.stdout, simulated=seen.simulated)
        show_blocks(machine_blocks(seen, inventory), simulated=seen.simulated)


# `raidtui audit`: what is wrong, or will be, with the md arrays that exist.


def audit(options: argparse.Namespace) -> int:
    """Prints what the rules find; exit code 1 where one of the findings is an error or a warning."""
    known = frozenset() if options.baseline is None else _baseline(Path(options.baseline))
    capture = capture_of(options)
    with working("auditing the arrays"):
        look = ArraysLook(*machine_of(options, capture))
        seen = look.take()
        plans = () if seen.simulated else _plans()
        found = judged(audit_facts(look, seen, plans), known)
    if capture is not None:
        narrate(save_capture(capture, options, look.inventory))
    if options.metrics is not None:
        from raidtui.answers.audit import metrics  # only where they are asked for

        path = Path(options.metrics)
        with failures(path, "name a file in a folder that can be written"):
            write_durably(path, metrics(found, seen), mode=0o644)
    if options.json:
        print(to_json(found))
    elif options.metrics is None:
        _audit_show(found)
    return Exit.REFUSED if any(each.severity != "note" for each in found.findings) else Exit.DONE


def _baseline(path: Path) -> frozenset[tuple[str, str]]:
    """Findings of an earlier `raidtui audit --json`."""
    earlier = from_json(Audit, read_named(path, BASELINE), source=str(path), hint=BASELINE.way_out)
    return frozenset(each.key for each in earlier.findings)


def _plans() -> tuple[Plan, ...]:
    """Plans of the runs of this machine; one that cannot be read is named."""
    folders, found = run_folders(), []
    if folders:
        from raidtui.engine.runs import load  # only where a run was begun: it can compile plans
    for folder in folders:
        try:
            begun = load(folder)
        except RaidtuiError as problem:
            narrate(f"not read: run {folder.name[:8]}: {problem}")
            continue
        if not begun.plan.simulated:
            found.append(begun.plan)
    return tuple(found)


def _audit_show(found: Audit) -> None:
    from raidtui.answers.audit import audit_blocks  # --json, which cron calls, starts without it

    show_blocks(audit_blocks(found), simulated=found.simulated)
