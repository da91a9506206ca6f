"""`raidtui` without a verb: the terminal application."""

from __future__ import annotations

import argparse
import platform

from raidtui.cli.inputs import load_inventory, names_disks
from raidtui.machine.inventory.probe import with_health
from raidtui.machine.system.host import SystemHost
from raidtui.machine.system.places import designs_root
from raidtui.session.saved_designs import read_design
from raidtui.tui.start import run
from raidtui.values.errors import BadInput, MachineFailed
from raidtui.values.inventory import Disk, Inventory, Smart


def app(options: argparse.Namespace) -> int:
    """Opens the application, or with --plain asks in lines, and returns the exit code."""
    if options.plain:
        from raidtui.cli.verbs.plain import plain  # only with this option

        if options.design is not None:
            raise BadInput("--plain opens no saved design", hint="leave out --plain for the app")
        return plain(options)
    saved = None if options.design is None else read_design(designs_root(), options.design)
    inventory = _inventory(options)
    real = inventory.origin == "machine" and options.inventory is None
    return run(
        inventory,
        saved=saved,
        rescan=(lambda: load_inventory(options)) if real else None,
        smart=_health if real else None,
        glyphs=options.glyphs,
        mouse=not options.no_mouse,
        allow_writes=options.allow_writes,
    )


def _inventory(options: argparse.Namespace) -> Inventory:
    """The inventory that the options name, else this machine's; one without disks if this machine cannot be read."""
    try:
        return load_inventory(options, as_left=False)
    except MachineFailed as problem:
        if names_disks(options):
            raise
        return Inventory(origin="machine", name=platform.node(), disks=(), unread=(str(problem),))


def _health(disk: Disk) -> Smart | None:
    """SMART data of one drive; None when it reports none."""
    (asked,), _ = with_health(SystemHost(), (disk,))
    return asked.smart
