"""`raidtui fleet check`: every host of a sheet checks its own plan on its own disks. It writes nothing on any host."""

from __future__ import annotations

import argparse

from raidtui.cli.fleet.rollout import chosen_hosts
from raidtui.cli.output import working
from raidtui.machine.fleet.check import check_hosts
from raidtui.model.codec import to_json
from raidtui.model.counted import counted
from raidtui.model.errors import Exit
from raidtui.model.fleet.check import FleetCheck
from raidtui.planner.fleet.check_text import check_text


def check(options: argparse.Namespace) -> int:
    """Prints the answers, folded: REFUSED or STALE where a host refuses, MACHINE where one does not answer."""
    chosen = chosen_hosts(options)
    with working(f"{counted(len(chosen.hosts), 'host')} check their plans"):
        found = check_hosts(chosen.sheet, chosen.folder, chosen.hosts, chosen.transport)
    print(to_json(found) if options.json else check_text(found))
    return _exit(found)


def _exit(found: FleetCheck) -> Exit:
    verdicts = {host.verdict for host in found.hosts}
    if verdicts & {"refused", "begun"}:
        return Exit.REFUSED
    if "stale" in verdicts:
        return Exit.STALE
    return Exit.DONE if found.ready else Exit.MACHINE
