"""The host's side: one JSON request on standard input, one JSON answer on standard output. Needs no pydantic."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from raidtui import __version__
from raidtui.fleet.values import ANSWER_SCHEMA, REQUEST_SCHEMA
from raidtui.values.codec import parsed
from raidtui.values.errors import BadInput, Exit, RaidtuiError

AnswerDocument = Mapping[str, Any]
"""a request as it came, or the fields of an answer beside its envelope, as plain values"""
_MOST_REQUEST = 16 * 1024 * 1024
"""bytes; it holds a plan, quoted once more: 10 KB a disk"""
_MOST_VALUES = 500_000
"""commas; a plan has some 300 a disk"""


def serve(handlers: Mapping[str, Callable[[AnswerDocument], AnswerDocument]]) -> int:
    """Reads the request, writes the answer of the handler of its kind; what that raises becomes a refusal.

    Returns MACHINE where standard input holds no request: then there is nobody to answer.
    """
    try:
        request = _request(sys.stdin.buffer.read(_MOST_REQUEST))
    except ValueError as problem:
        print(f"raidtui: no request on standard input: {problem}", file=sys.stderr)
        return Exit.MACHINE
    result = _result(request, handlers)
    sys.stdout.write(json.dumps({**_envelope(request), **result}, ensure_ascii=True) + "\n")
    return Exit.DONE


def _request(text: bytes) -> AnswerDocument:
    """The request. Raises ValueError for any other text."""
    if len(text) == _MOST_REQUEST:
        raise ValueError(f"it has {_MOST_REQUEST} bytes or more")
    if text.count(b",") > _MOST_VALUES:
        raise ValueError(f"it has more than {_MOST_VALUES} values")
    fields = parsed(text)
    if not isinstance(fields, dict) or fields.get("schema") != REQUEST_SCHEMA:
        raise ValueError(f"expected {REQUEST_SCHEMA}")
    for name in ("kind", "host", "nonce"):
        if not isinstance(fields.get(name), str):
            raise ValueError(f"{name} is missing")
    return fields


def _result(
    request: AnswerDocument, handlers: Mapping[str, Callable[[AnswerDocument], AnswerDocument]]
) -> AnswerDocument:
    try:
        handler = handlers.get(request["kind"])
        if handler is None:
            raise BadInput(
                f"raidtui {__version__} does not know the request '{request['kind']}'",
                hint="install the same version on all hosts",
            )
        return handler(request)
    except RaidtuiError as problem:
        return {"refused": str(problem), "hint": problem.hint}


def _envelope(request: AnswerDocument) -> AnswerDocument:
    """The fields that every answer has, in the order of `HostAnswer`, which the control host reads it as."""
    repeated = {name: request[name] for name in ("kind", "host", "nonce")}
    started = _started_s()
    clocks = {"time_s": time.time()} if started is None else {"time_s": time.time(), "started_s": started}
    return {"schema": ANSWER_SCHEMA, **repeated, "raidtui": __version__, **clocks}


def _started_s() -> float | None:
    """This machine's clock when this process was started, at the latest; None where that is unknown.

    The kernel states it in whole ticks, rounded down (proc_pid_stat(5), starttime).
    """
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - (ticks + 1) / os.sysconf("SC_CLK_TCK")
    return time.time() - max(age, 0.0)


# What a host answers to `look`: the inventory of this machine, or a stored one that stands in for it.


def look_here(*, measured: bool) -> dict[str, Any]:
    """This machine; `measured`: with the speeds that raidtui measured on it, which takes pydantic."""
    from raidtui.machine.inventory.probe import (
        this_machine,
        with_stored_speeds,  # a stored one needs no machine
    )
    from raidtui.values.codec import plain  # nor this

    found = this_machine()
    return {"inventory": plain(with_stored_speeds(found) if measured else found)}


def look_stored(path: Path) -> dict[str, Any]:
    """The inventory in the file at `path` as it is: the control host validates every answer. Raises BadInput."""
    try:
        return {"inventory": parsed(path.read_bytes())}
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise BadInput(f"{path}: {why}", hint="store an inventory there: raidtui disks --json") from problem
