"""`raidtui` without a verb: the terminal application."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from raidtui.cli.inventory import load_inventory, names_disks
from raidtui.machine.bench import store
from raidtui.machine.inventory import shipped
from raidtui.machine.inventory.smart import with_health
from raidtui.machine.system.host import SystemHost
from raidtui.machine.system.state_paths import benches_root
from raidtui.model.errors import MachineFailed
from raidtui.model.inventory import Disk, Inventory, Smart
from raidtui.model.safe import safe
from raidtui.tui.start import run

DEMO = "e2660"
"""simulated chassis that is shown where this machine has no spare disks"""


def app(options: argparse.Namespace) -> int:
    """Opens the application and returns its exit code."""
    replay = None if options.replay is None else _recorded(options.replay)
    inventory = _spare_disks(options)
    real = inventory.origin == "machine" and options.inventory is None
    return run(
        inventory,
        rescan=(lambda: load_inventory(options)) if real else None,
        smart=_health if real else None,
        glyphs=options.glyphs,
        mouse=not options.no_mouse,
        allow_writes=options.allow_writes,
        play=replay,
    )


def _recorded(name: str) -> Path:
    """The directory of a benchmark, named by its path or by the first digits of its id."""
    return store.find(benches_root(), name)


def _spare_disks(options: argparse.Namespace) -> Inventory:
    """The inventory that the options name, else this machine's, else a simulated chassis."""
    asked = names_disks(options)
    try:
        inventory = load_inventory(options)
        if asked or any(_may_be_spare(disk) for disk in inventory.disks):
            return inventory
        reason = "no spare disks here"
    except MachineFailed as problem:
        if asked:
            raise
        reason = safe(str(problem))
    print(f"raidtui: {reason}; showing the simulated chassis {DEMO}", file=sys.stderr)
    return shipped.load(DEMO)


def _health(disk: Disk) -> Smart | None:
    """SMART data of one drive; None when it reports none."""
    (asked,), _ = with_health(SystemHost(), (disk,))
    return asked.smart


def _may_be_spare(disk: Disk) -> bool:
    """True for a disk that can be chosen, or is idle and its content could not be read."""
    idle = not disk.protected and not any(use.active for use in disk.uses)
    return disk.selectable or (idle and bool(disk.id) and disk.state == "unknown")
