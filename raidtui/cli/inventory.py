"""Inventory that a verb works on: a file, a shipped chassis, disks that are not bought yet, or this machine."""

from __future__ import annotations

import argparse
import os

from raidtui.model.errors import BadInput
from raidtui.model.inventory import Inventory
from raidtui.model.ranges import LONGEST_NUMBER


def load_inventory(options: argparse.Namespace) -> Inventory:
    """The inventory that --inventory or --disks name, else this machine's.

    --bind-by-path names disks without names, --no-measured drops what was measured, --lun states geometries of LUNs.
    """
    found = _load(options)
    if getattr(options, "bind_by_path", False):
        from raidtui.machine.inventory.by_path import bound_by_path  # only where it is asked for

        found = bound_by_path(found)
    if not getattr(options, "measured", True):
        found = found.unmeasured
    if options.lun is None:
        return found
    from raidtui.planner.design.state_luns import with_luns  # only where LUNs are stated

    return with_luns(found, options.lun)


def _load(options: argparse.Namespace) -> Inventory:
    if options.inventory is not None:
        from raidtui.machine.inventory import shipped  # only where this source is asked for

        name = options.inventory
        is_file = name not in shipped.names() and ("/" in name or os.path.lexists(name))
        return shipped.load_file(name) if is_file else shipped.load(name)
    if options.disks is not None:
        from raidtui.planner.design.purchase import nvme_link, purchase  # only where this source is asked for

        return purchase(
            options.disks,
            rotational=options.rotational,
            sector=_sector(options.sector),
            nvme_bits_per_s=nvme_link(options.nvme) if options.nvme is not None else None,
        )
    return _this_machine(smart=getattr(options, "smart", False), record=getattr(options, "record", None))


def named_inventory(options: argparse.Namespace) -> Inventory | None:
    """The inventory that --inventory or --disks name; None where neither is given."""
    return load_inventory(options) if names_disks(options) else None


def names_disks(options: argparse.Namespace) -> bool:
    """True when --inventory or --disks is given."""
    return options.inventory is not None or options.disks is not None


def _this_machine(*, smart: bool, record: str | None) -> Inventory:
    """The disks of this machine with the speeds that were measured before; `record` gets all that was read."""
    if record is None:
        from raidtui.machine.inventory.this_machine import this_machine, with_stored_speeds  # only for this source

        return with_stored_speeds(this_machine(smart=smart))
    from pathlib import Path

    from raidtui.machine.inventory.capture import RecordingHost  # only to record
    from raidtui.machine.inventory.probe import probe  # beside lsblk
    from raidtui.machine.run.plan_files import write_new  # only to record
    from raidtui.machine.system.host import SystemHost  # only to record
    from raidtui.tools import lsblk  # only to record

    host = SystemHost()
    host.begin(lsblk.ARGV)  # lsblk runs while Python imports the rest
    recording = RecordingHost(host)
    inventory = probe(recording, smart=smart)
    write_new(Path(record), recording.capture_json())
    return inventory


def _sector(text: str) -> int:
    if not text.isdecimal() or len(text) > LONGEST_NUMBER:
        raise BadInput(
            f"--sector {text[:LONGEST_NUMBER]} is not a number of bytes", hint="use --sector 512 or --sector 4096"
        )
    return int(text)
