"""Gauges of md arrays: state and sync from sysfs and /proc/mdstat, processor time of their threads.

Nothing is read while there are no arrays. /proc/mdstat is read only while an array syncs.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from raidtui.machine.gauges.kernel_arrays import GONE, assembled, members_now, runs
from raidtui.machine.system.ports import Host
from raidtui.programs import md, proc, udevdb
from raidtui.programs.sysfs import count, word
from raidtui.values.gauges import ArrayGauge, Gauge, WatchedArray

# Which disks are members and spares of which md arrays, from /sys/block/md*/md (Documentation/admin-guide/md.rst).


_BLOCK = "/sys/block"
_DEEPEST = 8
"""devices on top of each other that are followed down to a disk"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """A disk's part in the first array it is in."""

    array: str
    role: Literal["member", "spare", "idle"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Memberships:
    """Arrays and their disks, by kernel name."""

    arrays: tuple[WatchedArray, ...]
    """members first, then the arrays on them"""
    disks: dict[str, Membership]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """One component of an array."""

    below: tuple[str, ...]
    """the disks it is on, or the array"""
    slot: int | None
    spare: bool


def memberships(host: Host) -> Memberships:
    """Every assembled array of the machine behind `host`."""
    words = assembled(host)
    names = list(words)
    parts = {name: list(_parts(host, name, started=runs(words[name]))) for name in names}
    arrays = {name: _array(host, name, parts[name]) for name in names}
    disks: dict[str, Membership] = {}
    for name in names:
        for part in parts[name]:
            role: Literal["member", "spare", "idle"] = "idle"
            if part.slot is not None or part.spare:
                role = "spare" if part.slot is None else "member"
            for disk in part.below:
                disks.setdefault(disk, Membership(array=name, role=role))
    return Memberships(arrays=tuple(arrays[name] for name in _inner_first(arrays)), disks=disks)


def _array(host: Host, name: str, parts: list[_Part]) -> WatchedArray:
    in_order = sorted((part for part in parts if part.slot is not None), key=lambda part: part.slot or 0)
    return WatchedArray(
        name=name,
        title=_title(host, name),
        level=word(host.text(f"{_BLOCK}/{name}/md/level")),
        members=tuple(disk for part in in_order for disk in part.below),
        spares=tuple(disk for part in parts if part.slot is None and part.spare for disk in part.below),
    )


def _title(host: Host, name: str) -> str:
    """`data` of /dev/md/data, as udev links it."""
    record = host.text(udevdb.path(word(host.text(f"{_BLOCK}/{name}/dev"))))
    links = udevdb.parse(record).links if record else ()
    titles = (link.removeprefix("md/") for link in links if link.startswith("md/"))
    return next((title for title in titles if not title.isdecimal()), "")


def _parts(host: Host, array: str, *, started: bool) -> Iterator[_Part]:
    for member in members_now(host, array, started=started):
        yield _Part(
            below=tuple(_down(host, member.device, _DEEPEST)),
            slot=None if member.state == "faulty" else member.slot,
            spare=member.state == "spare",
        )


def _down(host: Host, name: str, deepest: int) -> list[str]:
    """Disks below `name`: the disk of a partition, the disks of a device-mapper device, else `name`."""
    way = host.link(f"/sys/class/block/{name}") or ""
    if host.text(f"/sys/class/block/{name}/partition") is not None and way.count("/"):
        return _down(host, way.split("/")[-2], deepest)
    lower = host.names(f"{_BLOCK}/{name}/slaves") if name.startswith("dm-") and deepest else ()
    if not lower:
        return [name.replace("!", "/")]
    return [disk for each in lower for disk in _down(host, each, deepest - 1)]


def _inner_first(arrays: dict[str, WatchedArray]) -> list[str]:
    """Names of arrays by number, each after its members."""
    found: list[str] = []

    def add(name: str, above: frozenset[str]) -> None:
        for lower in arrays[name].members:
            if lower in arrays and lower not in above:
                add(lower, above | {name})
        if name not in found:
            found.append(name)

    for name in sorted(arrays, key=md.by_number):
        add(name, frozenset({name}))
    return found


# Files of /proc and /sys that are read at every tick: opened once, read from their start each time.
# The kernel regenerates such a file when it is read from offset 0 (fs/seq_file.c, fs/kernfs), which saves the opening.


_PART = 1 << 16
_LINE = 4096


class KeptOpen:
    """One file. After a read error (device removed) every later read returns nothing."""

    __slots__ = ("_handle",)

    def __init__(self, path: str) -> None:
        self._handle = -1
        with contextlib.suppress(OSError, ValueError):
            self._handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    @property
    def there(self) -> bool:
        """False after a read error."""
        return self._handle >= 0

    def first(self) -> bytes:
        """Its first 4096 bytes, which is all of a value in sysfs; empty when it cannot be read."""
        if self._handle < 0:
            return b""
        try:
            return os.pread(self._handle, _LINE, 0)
        except OSError:
            self.close()
            return b""

    def word(self) -> str:
        """The first line, without blanks around it; empty when it cannot be read."""
        return self.first().partition(b"\n")[0].decode("utf-8", "replace").strip()

    def whole(self) -> bytes:
        """All of it; empty if it cannot be read. A seq_file returns a page per read, so an empty read is the end."""
        parts = []
        offset = 0
        try:
            while self._handle >= 0 and (part := os.pread(self._handle, _PART, offset)):
                parts.append(part)
                offset += len(part)
        except OSError:
            self.close()
            return b""
        return b"".join(parts)

    def close(self) -> None:
        """Closes the file."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __del__(self) -> None:
        self.close()


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
        done = md.syncs(self._mdstat.whole().decode("utf-8", "replace")) if working else {}
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
            thread = proc.thread(file.first())
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
            thread = proc.thread(KeptOpen(f"{self._root}/proc/{pid}/stat").first())
            array = proc.array_of(thread[0], self._arrays) if thread else None
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
