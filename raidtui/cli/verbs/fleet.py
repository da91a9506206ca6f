"""`raidtui fleet`: many hosts at once. Each of its verbs is a module of `raidtui.cli.fleet`, loaded when it is used."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module

from raidtui.tools.nodeset import require_engine

_WITHOUT_ENGINE = frozenset({"recipe"})
"""verbs that name no host"""


def fleet(options: argparse.Namespace) -> int:
    """Runs one verb of the fleet. Returns its exit code. Raises MachineFailed if its engine is not installed."""
    if options.fleet_verb not in _WITHOUT_ENGINE:
        require_engine()  # before the module that imports it
    module = import_module(f"raidtui.cli.fleet.{options.fleet_verb}")
    function: Callable[[argparse.Namespace], int] = getattr(module, options.fleet_verb)
    return function(options)
