"""What verbs that change arrays share: a proof that a device is blank, a command with its last line, its effect."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from raidtui.machine.ports.runner import Runner
from raidtui.model.errors import Stale
from raidtui.model.safe import safe
from raidtui.model.units import MIB
from raidtui.tools.samples import LENGTH, sample_offsets

INTERVAL_S = 5.0
"""between two looks at a sync"""
_READ_BACK_S = 60
GO_ON = "find out what changed (raidtui arrays); the same command goes on where it is"


def run_on(runner: Runner, argv: tuple[str, ...], devices: Mapping[str, str], *, stdin: str = "") -> str:
    """Runs a command on these devices, by path; the last line of its output, safe."""
    handle = os.memfd_create("output", os.MFD_CLOEXEC)
    try:
        runner.run(argv, handle, devices, stdin=stdin)
        os.lseek(handle, 0, os.SEEK_SET)
        text = os.read(handle, 4096).decode("utf-8", "replace").strip()
    finally:
        os.close(handle)
    return safe(text.rpartition("\n")[2], longest=200)


def require_blank(runner: Runner, path: str) -> None:
    """Raises Stale unless the device is unused and zero where it is read: both ends, and places between them."""
    pin = runner.pin(path)
    size = 0 if pin is None else pin.size_bytes
    areas = [(0, MIB), (size - MIB, MIB), *((offset, LENGTH) for offset in sample_offsets(size))]
    if runner.holders(path) or any(user.writing for user in runner.users([path])):  # multipathd reads a map's paths
        raise Stale(f"{safe(path)} is in use now; nothing was written to it", hint=GO_ON)
    if (at := runner.first_nonzero(path, areas)) is not None:
        raise Stale(f"{safe(path)} is not blank any more (byte {at}); nothing was written to it", hint=GO_ON)


def comes_true(runner: Runner, done: Callable[[], bool]) -> bool:
    """True once `done`, False where a minute does not bring it; the exit code of a command proves nothing."""
    for _ in range(_READ_BACK_S):
        if done():
            return True
        runner.wait(1.0)
    return False
