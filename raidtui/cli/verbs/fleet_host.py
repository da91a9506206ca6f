"""`raidtui fleet-host`: answers one request of a control host. Not for users."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from raidtui.machine.fleet.host_look import look_here, look_stored
from raidtui.machine.fleet.host_side import AnswerDocument, serve
from raidtui.model.fleet.kinds import RUN_KINDS, RequestKind


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
    from raidtui.machine.fleet.host_run import answer_run  # a look needs no executor

    return answer_run(kind, simulated, request)


def _check(simulated: Path | None, request: AnswerDocument) -> AnswerDocument:
    from raidtui.machine.fleet.host_check import answer_check  # a look needs no preflight

    return answer_check(simulated, request)
