"""`raidtui fleet`: many hosts at once. The module of a verb is loaded when it is used."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

from raidtui.fleet.host import AnswerDocument, look_here, look_stored, serve
from raidtui.fleet.ssh import require_engine
from raidtui.fleet.values import RUN_KINDS, RequestKind

_MODULES = {"recipe": "recipe", "plan": "plans", "check": "plans", "disks": "plans", "show": "show"}
"""module of a verb; `rollout` has the others"""
_WITHOUT_ENGINE = frozenset({"recipe"})
"""verbs that name no host"""


def fleet(options: argparse.Namespace) -> int:
    """Runs one verb of the fleet. Returns its exit code. Raises MachineFailed if its engine is not installed."""
    if options.fleet_verb not in _WITHOUT_ENGINE:
        require_engine()  # before the module that imports it
    module = import_module(f"raidtui.fleet.cli.{_MODULES.get(options.fleet_verb, 'rollout')}")
    function: Callable[[argparse.Namespace], int] = getattr(module, options.fleet_verb)
    return function(options)


# `raidtui fleet-host`: answers one request of a control host. Not for users.


def fleet_host(options: argparse.Namespace) -> int:
    """Reads a request from standard input, writes the answer to standard output."""
    simulated = Path(options.simulated) if options.simulated is not None else None
    look = partial(look_here, measured=True) if simulated is None else partial(look_stored, simulated)
    return serve(
        {
            "look": lambda _: look(),
            "check": partial(_check, simulated),
            **{kind: partial(_of_a_run, kind, simulated) for kind in RUN_KINDS},
        }
    )


def _of_a_run(kind: RequestKind, simulated: Path | None, request: AnswerDocument) -> AnswerDocument:
    from raidtui.fleet.host_acts import answer_run  # a look needs no executor

    return answer_run(kind, simulated, request)


def _check(simulated: Path | None, request: AnswerDocument) -> AnswerDocument:
    from raidtui.fleet.host_acts import answer_check  # a look needs no preflight

    return answer_check(simulated, request)
