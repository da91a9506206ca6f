"""`raidtui fleet status`: how far every host of a sheet is. It changes nothing."""

from __future__ import annotations

import argparse

from raidtui.cli.fleet.rollout import chosen_hosts, look_at, shown


def status(options: argparse.Namespace) -> int:
    """Prints the stage of every host; MACHINE where one ended badly or does not answer."""
    return shown(look_at(chosen_hosts(options)), options)
