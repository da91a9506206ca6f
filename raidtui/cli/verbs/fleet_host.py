"""`raidtui fleet-host`: answers one request of a control host. Not for users."""

from __future__ import annotations

import argparse
from pathlib import Path

from raidtui.machine.fleet.host_side import serve


def fleet_host(options: argparse.Namespace) -> int:
    """Reads a request from standard input, writes the answer to standard output."""
    return serve(Path(options.simulated) if options.simulated is not None else None)
