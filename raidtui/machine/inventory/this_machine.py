"""The disks of this machine with the versions of its programs. Imports late: lsblk and the programs run meanwhile."""

from __future__ import annotations

import os
from dataclasses import replace

from raidtui.machine.system import state_paths
from raidtui.machine.system.host import SystemHost
from raidtui.model.inventory import Inventory
from raidtui.tools import lsblk


def this_machine(*, smart: bool = False) -> Inventory:
    """The inventory of this machine without what was measured before. Raises MachineFailed as `probe` does."""
    host = SystemHost()
    host.begin(lsblk.ARGV)  # lsblk runs while Python imports the rest
    from raidtui.machine.system.versions import asked_versions  # beside lsblk

    with asked_versions() as versions:  # their programs run beside lsblk and the probe
        from raidtui.machine.inventory.probe import probe  # beside them

        inventory = probe(host, smart=smart)
        return replace(inventory, target=versions())


def with_stored_speeds(inventory: Inventory) -> Inventory:
    """The inventory of this machine with what raidtui measured on it, where it did."""
    path = state_paths.speeds_path()
    try:
        if not path.exists():
            return inventory
    except OSError as problem:  # another user's home directory, as sudo may leave it
        unread = f"what was measured, in {path} ({(problem.strerror or '').lower()}): set HOME to your own directory"
        return replace(inventory, unread=(*inventory.unread, unread))
    from raidtui.machine.inventory import measured_speeds  # loads pydantic: only where something was measured

    found = measured_speeds.stored(path)
    return measured_speeds.with_measured(inventory, dict(found.disks), found.machine, kernel=os.uname().release)
