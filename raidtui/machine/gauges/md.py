"""Gauges of md arrays: state and sync from sysfs and /proc/mdstat, processor time of their threads.

Nothing is read while there are no arrays. /proc/mdstat is read only while an array syncs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from raidtui.machine.gauges.open_files import KeptOpen
from raidtui.machine.kernel_arrays import GONE
from raidtui.model.gauges import ArrayGauge, Gauge
from raidtui.tools import mdstat, proc_stat
from raidtui.tools.sysfs import count

_RESCAN = 30.0
"""seconds between two searches for threads, if nothing else triggers one"""
_KTHREADD = 2


class MdGauges:
    """The arrays of a machine, from tick to tick."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._arrays: dict[str, _Array] = {}
        self._mdstat = KeptOpen(f"{root}/proc/mdstat")
        self._threads = _Threads(root)
        self._actions: dict[str, str] = {}

    def line_up(self, names: Iterable[str]) -> None:
        """These are the arrays from now on."""
        self._arrays = {name: _Array(self._root, name) for name in names}
        if not self._mdstat.there:  # md was not loaded yet
            self._mdstat = KeptOpen(f"{self._root}/proc/mdstat")
        self._threads.line_up(frozenset(self._arrays))

    def take(self, gauges: Mapping[str, Gauge], seconds: float) -> dict[str, ArrayGauge]:
        """Every assembled array over the last `seconds`; `gauges` are of their devices."""
        if not self._arrays:
            return {}
        states = {name: array.state.word() for name, array in self._arrays.items()}
        actions = {name: array.sync_action.word() or "idle" for name, array in self._arrays.items()}
        working = any(action not in ("idle", "frozen") for action in actions.values())
        done = mdstat.syncs(self._mdstat.whole().decode("utf-8", "replace")) if working else {}
        ran = self._threads.take(seconds, rescan=actions != self._actions)
        self._actions = actions
        return {
            name: ArrayGauge(
                gauge=gauges[name],
                state=states[name],
                degraded=count(array.degraded.word()) or 0,
                sync_action=actions[name],
                sync_done=done.get(name),
                sync_bytes_per_s=array.synced(done.get(name), seconds),
                thread_share=ran.get(name, 0.0),
            )
            for name, array in self._arrays.items()
            if states[name] not in GONE and name in gauges
        }


class _Array:
    """The files of one array."""

    def __init__(self, root: str, name: str) -> None:
        self._folder = f"{root}/sys/block/{name.replace('/', '!')}/md"
        self.state = KeptOpen(f"{self._folder}/array_state")
        self.degraded = KeptOpen(f"{self._folder}/degraded")
        self.sync_action = KeptOpen(f"{self._folder}/sync_action")
        self._done: float | None = None

    def synced(self, done: float | None, seconds: float) -> float:
        """Bytes per second of each member since the last call; 0 if a sync started or ended since."""
        before, self._done = self._done, done
        if before is None or done is None or done < before:
            return 0.0
        return (done - before) * self._component_bytes() / seconds

    def _component_bytes(self) -> int:
        return (count(KeptOpen(f"{self._folder}/component_size").word()) or 0) * 1024


class _Threads:
    """Processor time of the kernel threads that carry an array's name.

    They are searched for when a sync starts or ends, when one has exited, and rarely otherwise.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._arrays: frozenset[str] = frozenset()
        self._found: dict[int, tuple[str, KeptOpen]] = {}
        self._ran: dict[int, int] = {}
        self._since = _RESCAN
        self._tick = 1 / os.sysconf("SC_CLK_TCK")

    def line_up(self, arrays: frozenset[str]) -> None:
        """These are the arrays from now on."""
        self._arrays = arrays
        self._since = _RESCAN
        self.take(0.0, rescan=True)

    def take(self, seconds: float, *, rescan: bool) -> dict[str, float]:
        """Share of one processor that each array's threads used over `seconds`; without a thread's first tick."""
        self._since += seconds
        if self._arrays and (rescan or self._since >= _RESCAN or not all(f.there for _, f in self._found.values())):
            self._find()
        shares: dict[str, float] = {}
        for pid, (array, file) in self._found.items():
            thread = proc_stat.thread(file.first())
            if thread is None:
                continue
            before = self._ran.get(pid)
            self._ran[pid] = thread[1]
            if before is not None and seconds:
                shares[array] = shares.get(array, 0.0) + (thread[1] - before) * self._tick / seconds
        return shares

    def _find(self) -> None:
        self._since = 0.0
        kept, self._found = self._found, {}
        for pid in self._kernel_threads():
            thread = proc_stat.thread(KeptOpen(f"{self._root}/proc/{pid}/stat").first())
            array = proc_stat.array_of(thread[0], self._arrays) if thread else None
            if array is None:
                continue
            before = kept.get(pid)
            again = before is not None and before[0] == array and before[1].there
            self._found[pid] = before if again and before else (array, KeptOpen(f"{self._root}/proc/{pid}/stat"))
        self._ran = {pid: ran for pid, ran in self._ran.items() if pid in self._found}

    def _kernel_threads(self) -> list[int]:
        """Children of kthreadd, or all processes where the kernel does not list children (CONFIG_PROC_CHILDREN)."""
        children = KeptOpen(f"{self._root}/proc/{_KTHREADD}/task/{_KTHREADD}/children").whole().split()
        if children:
            return [int(pid) for pid in children if pid.isdigit()]
        try:
            return sorted(int(name) for name in os.listdir(f"{self._root}/proc") if name.isdigit())  # noqa: PTH208
        except OSError:
            return []
