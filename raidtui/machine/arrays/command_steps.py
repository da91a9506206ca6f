"""What verbs that change arrays share: a proof that a device is blank, a command, its effect, the wait for a sync."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from raidtui.machine.arrays.read import sync_now
from raidtui.machine.ports.runner import Runner
from raidtui.machine.system.closing import closing
from raidtui.model.errors import MachineFailed, Stale
from raidtui.model.safe import safe
from raidtui.model.units import MIB
from raidtui.planner.arrays import words
from raidtui.planner.numbers import listed
from raidtui.tools import md_sysfs, sysfs
from raidtui.tools.samples import LENGTH, sample_offsets

INTERVAL_S = 5.0
"""between two looks at a sync"""
_READ_BACK_S = 60
GO_ON = "find out what changed (raidtui arrays); the same command goes on where it is"


def run_on(runner: Runner, argv: tuple[str, ...], devices: Mapping[str, str], *, stdin: str = "") -> str:
    """Runs a command on these devices, by path; the last line of its output, safe."""
    with closing(os.memfd_create("output", os.MFD_CLOEXEC)) as handle:
        runner.run(argv, handle, devices, stdin=stdin)
        os.lseek(handle, 0, os.SEEK_SET)
        text = os.read(handle, 4096).decode("utf-8", "replace").strip()
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


class SyncWait:
    """The wait for a sync of one array, look by look; not without end for one that md holds."""

    def __init__(self, runner: Runner, array: str, tell: Callable[[str], None]) -> None:
        """`array`: kernel name; `tell` gets a line whenever something is new."""
        self._runner, self._array, self._tell = runner, array, tell
        self._last, self._held_s = "", 0.0

    def look(self) -> None:
        """Tells how far it is, and waits until the next look. A sync that md holds until the first write is started.

        Raises MachineFailed where md holds it otherwise, and has for a minute."""
        syncs = self._runner.syncing()
        own = next((each for each in syncs if each.device == self._array), None)
        others = [each.device for each in syncs if each is not own and each.action not in words.HELD]
        action = "" if own is None else own.action
        if sysfs.word(self._runner.read_text(md_sysfs.value_path(self._array, "array_state"))) == "readonly":
            action = "read-only"
        moves = action == "pending" and bool(others)
        if action == "held":
            line = "md holds its sync until the first write; it is started now"
            self._runner.start_sync(self._array)
        elif moves:
            line = f"waits for another sync on its disks; now md syncs {listed(others)}"
        elif action in ("read-only", "frozen"):
            line = f"its sync does not go on: {action}"
        else:
            line = words.sync_words(sync_now(own)) or "waits for md to begin"
            moves = action not in ("", "pending")
        line = f"{safe(self._array)}: {line}"
        if line != self._last:
            self._tell(line)
        if moves or line != self._last:
            self._last, self._held_s = line, 0.0
        elif self._held_s >= _READ_BACK_S:
            way_out = words.sync_way_out(self._array, action)
            raise MachineFailed(f"{line}, for a minute now", hint=f"{way_out}; the same command goes on where it is")
        self._runner.wait(INTERVAL_S)
        self._held_s += INTERVAL_S
