"""Requests of viewers to a running executor: a small file in the run's directory, read between commands."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from raidtui.machine.system.durable_files import write_durably
from raidtui.machine.system.file_errors import failures
from raidtui.machine.system.input_files import REQUEST, read_own
from raidtui.model.codec import plain
from raidtui.model.codec_rules import Value
from raidtui.model.errors import RaidtuiError
from raidtui.model.json_text import parsed
from raidtui.model.plan import Plan
from raidtui.planner.compile.first_sync import bare_until_sync

_FILE = "wish"


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlRequest(Value):
    """The present request; a later one replaces it."""

    schema: Literal["raidtui/control/1"] = "raidtui/control/1"
    """format of this document; the file in the run's directory leaves it out"""
    pause: bool = False
    """start no further command until this is False again"""
    stop: bool = False
    """end before the next command"""
    during_sync: bool = False
    """build although other arrays sync, and make the file systems of RAID4 and RAID5 during their first sync"""
    wait_for_sync: bool = False
    """make the file systems, without any end the build, only when the plan's arrays are in sync"""
    sync_kib_per_s: int | None = None
    """limit of the sync, KiB per second and member; None: the system's"""


def waits(plan: Plan, request: ControlRequest) -> bool:
    """True if the file systems are made only after the first sync."""
    return request.wait_for_sync or (bare_until_sync(plan) and not request.during_sync)


def with_waiting(request: ControlRequest, *, wait: bool) -> ControlRequest:
    """`request` with file systems after the first sync, or during it: the later word counts."""
    return replace(request, wait_for_sync=wait, during_sync=not wait)


def read(folder: Path) -> ControlRequest:
    """The request in the run's directory; the default if there is none or it is invalid."""
    try:
        request = ControlRequest(**parsed(read_own(folder / _FILE, REQUEST)))
    except (RaidtuiError, ValueError, TypeError):
        return ControlRequest()
    limit = request.sync_kib_per_s
    sane = limit is None or (isinstance(limit, int) and 0 < limit < 2**31)
    return request if sane else replace(request, sync_kib_per_s=None)


def write(folder: Path, request: ControlRequest) -> None:
    """Writes a request for the executor. Raises MachineFailed."""
    path = folder / _FILE
    with failures(path, "make room there, or run it as root"):
        kept = {name: value for name, value in plain(request).items() if name != "schema"}
        write_durably(path, json.dumps(kept) + "\n", mode=0o600)
