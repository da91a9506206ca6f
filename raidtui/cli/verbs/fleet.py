"""`raidtui fleet`: many hosts at once. Each of its verbs is a module of `raidtui.cli.fleet`, loaded when it is used."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module


def fleet(options: argparse.Namespace) -> int:
    """Runs one verb of the fleet. Returns its exit code."""
    module = import_module(f"raidtui.cli.fleet.{options.fleet_verb}")
    function: Callable[[argparse.Namespace], int] = getattr(module, options.fleet_verb)
    return function(options)
