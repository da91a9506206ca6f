"""Versions of this machine's kernel, mdadm and mkfs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import MappingProxyType

from raidtui.machine.system import programs
from raidtui.values.target import TargetVersions, version_in

_SECONDS = 20
_QUESTIONS = MappingProxyType({"mdadm": "--version", "mkfs.xfs": "-V", "mkfs.ext4": "-V"})
"""programs and the option that prints their version: mdadm and mkfs.ext4 on standard error (mdadm.c, mke2fs.c),
mkfs.xfs on standard output"""


@contextmanager
def asked_versions() -> Iterator[Callable[[], TargetVersions]]:
    """Starts the programs at once; the function waits for them, so that other work can be done before.

    It returns the release of the running kernel, and what the installed programs print of themselves.
    """
    with ExitStack() as stack:
        running = {program: _started(program, stack) for program in _QUESTIONS}

        def answers() -> TargetVersions:
            found = {program: _version(process) for program, process in running.items()}
            return TargetVersions(
                kernel=os.uname().release,
                mdadm=found["mdadm"],
                xfsprogs=found["mkfs.xfs"],
                e2fsprogs=found["mkfs.ext4"],
            )

        yield answers


def found_versions() -> TargetVersions:
    """Like `asked_versions`, at once."""
    with asked_versions() as answers:
        return answers()


def _started(program: str, stack: ExitStack) -> programs.Process | None:
    """The running program, which ends with `stack`; None if it is not installed or cannot be started."""
    found = programs.find(program)
    if found is None:
        return None
    try:
        process = stack.enter_context(programs.start([found, _QUESTIONS[program]]))
    except OSError:
        return None
    stack.callback(process.kill)
    return process


def _version(process: programs.Process | None) -> str | None:
    if process is None:
        return None
    try:
        done = programs.finish(process, _SECONDS)
    except programs.Overdue:
        return None
    return version_in(done.stdout or done.stderr)
