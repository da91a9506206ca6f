"""The host's side: one JSON request on standard input, one JSON answer on standard output. A look needs no pydantic."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from raidtui import __version__
from raidtui.model.codec import plain
from raidtui.model.errors import BadInput, Exit, RaidtuiError
from raidtui.model.fleet.exchange import REQUEST_SCHEMA, HostAnswer, HostRequest
from raidtui.model.inventory import Inventory

_MOST_REQUEST = 256 * 1024 * 1024
"""bytes; a plan has some hundred KiB"""


def serve(simulated: Path | None = None, *, carried: bool = False) -> int:
    """Reads the request, writes the answer. `simulated`: file of the inventory that stands in for this machine;
    `carried`: without pydantic, so without what was measured before.

    Returns MACHINE where standard input holds no request: then there is nobody to answer.
    """
    try:
        request = _request(sys.stdin.buffer.read(_MOST_REQUEST))
    except (ValueError, TypeError, RecursionError) as problem:
        print(f"raidtui: fleet-host: no request on standard input: {problem}", file=sys.stderr)
        return Exit.MACHINE
    sys.stdout.write(json.dumps(_answer(request, simulated, carried), ensure_ascii=True) + "\n")
    return Exit.DONE


def _request(text: bytes) -> HostRequest:
    """The request. Raises ValueError or TypeError for any other text."""
    fields = json.loads(text)
    if not isinstance(fields, dict) or not all(isinstance(value, str) for value in fields.values()):
        raise ValueError(f"not a document of {REQUEST_SCHEMA}")
    if fields.get("schema") != REQUEST_SCHEMA:
        raise ValueError(f"expected {REQUEST_SCHEMA}")
    return HostRequest(**fields)


def _answer(request: HostRequest, simulated: Path | None, carried: bool) -> dict[str, Any]:
    """The answer as plain values: what is asked for, or why it is refused."""
    try:
        if request.kind != "look":
            raise BadInput(f"raidtui {__version__} does not know the request '{request.kind}'", hint="install the same")
        found = _stored(simulated) if simulated is not None else plain(_this_machine(carried))
    except RaidtuiError as problem:
        return _enveloped(request, {"refused": str(problem), "hint": problem.hint})
    return _enveloped(request, {"inventory": found})


def _enveloped(request: HostRequest, result: Mapping[str, Any]) -> dict[str, Any]:
    envelope = HostAnswer(
        kind=request.kind, host=request.host, nonce=request.nonce, raidtui=__version__, time_s=time.time()
    )  # fmt: skip
    return {**plain(envelope), **result}


def _stored(simulated: Path) -> Any:
    """A stored inventory as it is: the control host validates every answer."""
    try:
        return json.loads(simulated.read_bytes())
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise BadInput(f"{simulated}: {why}", hint="store an inventory there: raidtui disks --json") from problem


def _this_machine(carried: bool) -> Inventory:
    from raidtui.machine.inventory.this_machine import this_machine, with_stored_speeds  # a stored one needs no machine

    return this_machine() if carried else with_stored_speeds(this_machine())
