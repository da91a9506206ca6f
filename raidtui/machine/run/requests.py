"""What viewers ask of a running executor: a small file in the run's directory, looked at between commands."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from raidtui.machine.system.durable_files import write_durably
from raidtui.machine.system.input_files import REQUEST, read_own
from raidtui.model.codec import plain
from raidtui.model.errors import MachineFailed, RaidtuiError


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The present wish; the last viewer who asked has it."""

    pause: bool = False
    """start nothing further until told"""
    stop: bool = False
    """end before the next command"""
    during_sync: bool = False
    """go on with volume and file system while the arrays still sync"""
    sync_kib_per_s: int | None = None
    """bound of the sync, KiB per second and member; None: the system's"""


def read(folder: Path) -> Wish:
    """The wish in the run's directory; the default when there is none or it cannot be understood."""
    try:
        said = json.loads(read_own(folder / "wish", REQUEST))
        wish = Wish(**said)
    except (RaidtuiError, ValueError, TypeError, RecursionError):
        return Wish()
    limit = wish.sync_kib_per_s
    sane = limit is None or (isinstance(limit, int) and 0 < limit < 2**31)
    return wish if sane else replace(wish, sync_kib_per_s=None)


def write(folder: Path, wish: Wish) -> None:
    """Leaves a wish for the executor. Raises MachineFailed when it cannot."""
    try:
        write_durably(folder / "wish", json.dumps(plain(wish)) + "\n", mode=0o600)
    except OSError as problem:
        raise MachineFailed(f"{folder}: {problem.strerror}", hint="run it as root") from problem
