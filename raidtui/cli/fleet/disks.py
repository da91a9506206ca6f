"""`raidtui fleet disks`: disks and versions of all hosts, folded to distinct machines, compared with the last look."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping

from raidtui.cli.fleet.hosts import named_hosts, transport_of
from raidtui.cli.output import narrate, paint, show, working
from raidtui.machine.fleet.look import look_at_hosts
from raidtui.machine.fleet.store import fleet_root, keep_looks
from raidtui.model.codec import to_json
from raidtui.model.errors import Exit, RaidtuiError
from raidtui.model.fleet.hosts import FleetInventory, HostLook
from raidtui.planner.fleet.look import fleet_look
from raidtui.planner.fleet.look_text import look_lines
from raidtui.planner.text.findings import findings_lines


def disks(options: argparse.Namespace) -> int:
    """Prints what the hosts have; MACHINE where one of them did not answer."""
    hosts = named_hosts(options)
    transport = transport_of(options)
    simulated = transport.simulated is not None
    with working(f"asking {len(hosts)} hosts"):
        found = look_at_hosts(hosts, transport, options.carry)
        look = fleet_look(found, _kept(found, simulated=simulated))
    if options.json:
        print(to_json(look, indent=None))
    else:
        show(look_lines(look), sys.stdout, simulated=simulated)
        show(findings_lines(look.findings, paint(sys.stderr)), sys.stderr, simulated=simulated)
    return Exit.MACHINE if found.problems else Exit.DONE


def _kept(found: FleetInventory, *, simulated: bool) -> Mapping[str, HostLook]:
    """What was known before; a look that cannot be stored is still shown."""
    try:
        return keep_looks(fleet_root(simulated=simulated), found)
    except RaidtuiError as problem:
        narrate(f"this look is not stored: {problem.with_hint}", simulated=simulated)
        return {}
