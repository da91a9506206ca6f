"""Inventory that a verb works on: a file, a shipped chassis, disks that are not bought yet, or this machine."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from raidtui.model.errors import BadInput
from raidtui.model.inventory import Inventory
from raidtui.model.ranges import LONGEST_NUMBER

if TYPE_CHECKING:
    from raidtui.machine.inventory.capture import MachineCapture
    from raidtui.machine.ports.host import Host


def load_inventory(options: argparse.Namespace, capture: MachineCapture | None = None) -> Inventory:
    """The inventory that --inventory or --disks name, else this machine's; `capture` records what is read of it.

    --bind-by-path names disks without names, --no-measured drops what was measured, --lun states geometries of LUNs.
    """
    found = _load(options, capture.host if capture is not None else None)
    if getattr(options, "bind_by_path", False):
        from raidtui.machine.inventory.by_path import bound_by_path  # only where it is asked for

        found = bound_by_path(found)
    if not getattr(options, "measured", True):
        found = found.unmeasured
    if options.lun is None:
        return found
    from raidtui.planner.design.state_luns import with_luns  # only where LUNs are stated

    return with_luns(found, options.lun)


def _load(options: argparse.Namespace, host: Host | None) -> Inventory:
    if options.inventory is not None and options.disks is not None:  # one before the verb, one behind it
        raise BadInput("--inventory cannot be combined with --disks", hint="remove one of them")
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
    return _this_machine(smart=getattr(options, "smart", False), host=host)


def named_inventory(options: argparse.Namespace) -> Inventory | None:
    """The inventory that --inventory or --disks name; None where neither is given."""
    return load_inventory(options) if names_disks(options) else None


def names_disks(options: argparse.Namespace) -> bool:
    """True when --inventory or --disks is given."""
    return options.inventory is not None or options.disks is not None


def capture_of(options: argparse.Namespace) -> MachineCapture | None:
    """What --record saves; None without it. Raises BadInput where another machine than this one is named."""
    if options.record is None:
        if options.mask:
            raise BadInput("--mask is about what --record saves", hint="add --record FILE")
        return None
    if names_disks(options) or getattr(options, "run", None) is not None:
        raise BadInput(
            "--record saves what is read from this machine", hint="remove --record, or RUN, --inventory and --disks"
        )
    from raidtui.machine.inventory.capture import MachineCapture  # only to record
    from raidtui.machine.system.host import SystemHost  # only to record
    from raidtui.machine.system.runner import SystemReader  # only to record

    return MachineCapture(SystemHost(), SystemReader())


def save_capture(capture: MachineCapture, options: argparse.Namespace, inventory: Inventory) -> str:
    """Writes the file of --record, which must be new; returns what to tell."""
    from pathlib import Path

    from raidtui.machine.system.durable_files import write_new  # only to record

    write_new(Path(options.record), capture.text(inventory, mask=options.mask))
    return f"wrote {Path(options.record).absolute()}"


def _this_machine(*, smart: bool, host: Host | None) -> Inventory:
    """The disks of this machine with the speeds that were measured before; without them where `host` records."""
    if host is not None:
        from raidtui.machine.inventory.probe import probe  # beside the host

        return probe(host, smart=smart)
    from raidtui.machine.inventory.this_machine import this_machine, with_stored_speeds  # only for this source

    return with_stored_speeds(this_machine(smart=smart))


def _sector(text: str) -> int:
    if not text.isdecimal() or len(text) > LONGEST_NUMBER:
        raise BadInput(
            f"--sector {text[:LONGEST_NUMBER]} is not a number of bytes", hint="use --sector 512 or --sector 4096"
        )
    return int(text)
