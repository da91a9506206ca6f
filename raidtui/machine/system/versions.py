"""Versions of this machine's kernel, mdadm and mkfs."""

from __future__ import annotations

import os

from raidtui.machine.system import programs
from raidtui.model.target import Target, version_in

_SECONDS = 20


def found_versions() -> Target:
    """Release of the running kernel, and what the installed programs print of themselves.

    mdadm and mkfs.ext4 print on standard error (mdadm.c, mke2fs.c), mkfs.xfs on standard output.
    """
    return Target(
        kernel=os.uname().release,
        mdadm=_version("mdadm", "--version"),
        xfsprogs=_version("mkfs.xfs", "-V"),
        e2fsprogs=_version("mkfs.ext4", "-V"),
    )


def _version(program: str, option: str) -> str | None:
    found = programs.find(program)
    if found is None:
        return None
    try:
        done = programs.ask([found, option], _SECONDS)
    except (OSError, programs.Overdue):
        return None
    return version_in(done.stdout or done.stderr)
