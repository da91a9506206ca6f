"""`raidtui fleet-host`: answers one request of a control host. Not for users."""

from __future__ import annotations

import argparse
from pathlib import Path

from raidtui.machine.fleet.host_look import look_here, look_stored
from raidtui.machine.fleet.host_side import serve


def fleet_host(options: argparse.Namespace) -> int:
    """Reads a request from standard input, writes the answer to standard output."""
    simulated = Path(options.simulated) if options.simulated is not None else None
    return serve({"look": lambda _: look_here(measured=True) if simulated is None else look_stored(simulated)})
