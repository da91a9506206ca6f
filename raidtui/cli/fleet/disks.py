"""`raidtui fleet disks`: disks and versions of all hosts, folded to distinct machines."""

from __future__ import annotations

import argparse

from raidtui.cli.fleet.hosts import named_hosts, transport_of
from raidtui.cli.output import working
from raidtui.machine.fleet.look import look_at_hosts
from raidtui.model.codec import to_json
from raidtui.model.errors import Exit
from raidtui.model.fleet.hosts import HostLook
from raidtui.model.safe import safe


def disks(options: argparse.Namespace) -> int:
    """Prints what the hosts have; MACHINE where one of them did not answer."""
    hosts = named_hosts(options)
    with working(f"asking {len(hosts)} hosts"):
        found = look_at_hosts(hosts, transport_of(options))
    print(to_json(found, indent=None) if options.json else "\n".join(map(_line, found.hosts)))
    return Exit.MACHINE if found.problems else Exit.DONE


def _line(look: HostLook) -> str:
    if look.problem is not None:
        return safe(f"{look.host}: {look.problem.sentence}")
    return f"{look.host}: {len(look.inventory.disks) if look.inventory else 0} disks"
