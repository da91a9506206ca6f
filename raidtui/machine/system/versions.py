"""Versions of this machine's kernel and mdadm."""

from __future__ import annotations

import os

from raidtui.machine.system import programs
from raidtui.model.target import Target, version_in

_SECONDS = 20


def found_versions() -> Target:
    """Release of the running kernel, and what the installed mdadm says of itself (mdadm.c: on standard error)."""
    return Target(kernel=os.uname().release, mdadm=_mdadm())


def _mdadm() -> str | None:
    found = programs.find("mdadm")
    if found is None:
        return None
    try:
        done = programs.ask([found, "--version"], _SECONDS)
    except (OSError, programs.Overdue):
        return None
    return version_in(done.stdout or done.stderr)
