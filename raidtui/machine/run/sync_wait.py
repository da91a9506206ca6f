"""The wait for a sync of an array that holds data, look by look; not without end for one that md holds."""

from __future__ import annotations

from collections.abc import Callable

from raidtui.machine.arrays.read import sync_now
from raidtui.machine.kernel_arrays import FilesOf, state_word
from raidtui.machine.ports.runner import Runner
from raidtui.model.errors import MachineFailed
from raidtui.model.safe import safe
from raidtui.planner.arrays import words
from raidtui.planner.numbers import listed

_INTERVALS_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""between two looks: short ones first, so that a small sync is not slept through"""
_HELD_S = 60.0
"""time after which a sync that md holds ends the wait"""


class SyncWait:
    """The wait for one array (kernel name)."""

    def __init__(self, runner: Runner, array: str, tell: Callable[[str], None]) -> None:
        """`tell` gets a line whenever something is new."""
        self._runner, self._array, self._tell = runner, array, tell
        self._last, self._held_s, self._looks = "", 0.0, 0

    def look(self) -> None:
        """Tells how far it is, and waits until the next look. A sync that md holds until the first write is started.

        Raises MachineFailed where md holds it otherwise, and has for a minute."""
        syncs = self._runner.syncing()
        own = next((each for each in syncs if each.device == self._array), None)
        others = [each.device for each in syncs if each is not own and each.action not in words.HELD]
        action = "" if own is None else own.action
        if state_word(FilesOf(self._runner), self._array) == "readonly":
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
        elif self._held_s >= _HELD_S:
            way_out = words.sync_way_out(self._array, action)
            raise MachineFailed(f"{line}, for a minute now", hint=f"{way_out}; the same command goes on where it is")
        pause = _INTERVALS_S[min(self._looks, len(_INTERVALS_S) - 1)]
        self._looks += 1
        self._runner.wait(pause)
        self._held_s += pause
