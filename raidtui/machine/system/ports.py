"""Read-only port of the inventory to a machine.

Implemented by `system.host` for this machine; tests and bug reports replay captured answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Literal, Protocol, TypeVar

from raidtui.programs.signatures import FoundSignature
from raidtui.values.bench import Repeat, Task
from raidtui.values.gauges import Scene, Tick
from raidtui.values.paths import PathPart

Item = TypeVar("Item")
Found = TypeVar("Found")


class Denied(Exception):
    """Permission denied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """Exit code and output of a program."""

    exit: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Result of opening a block device read-only."""

    error: str = ""
    """why its ends could not be read; empty if they were"""
    busy: bool = False
    """an exclusive open was refused: mounted, held, swapped on, or opened exclusively"""
    locked: bool = False
    """a shared flock was refused: another process holds a BSD lock"""
    zero: bool | None = None
    """every byte of the first and last MiB is zero; None when not read"""
    signatures: tuple[FoundSignature, ...] = ()
    """signatures found there"""
    fingerprint: str = ""
    """hash of both; empty when they are zero or were not read"""
    places: int = 0
    """number of places read between the ends; only if both ends are zero"""
    not_zero: tuple[int, ...] = ()
    """offsets in bytes of the places that are not zero"""

    @property
    def unread(self) -> str:
        """Why nothing is known of its ends; empty if they were read."""
        return self.error or ("it gave no answer" if self.zero is None else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opener:
    """A process that has a block device open."""

    number: str
    """major:minor of the device"""
    process: int
    command: str
    """the kernel's name of the process, raw: 15 bytes that it can choose"""
    writing: bool
    """opened for writing"""
    elsewhere: bool
    """it runs in another mount or pid namespace: a container"""

    @property
    def by(self) -> str:
        """`qemu-system-x86 (pid 4711)`; raw text of the machine."""
        return f"{self.command} (pid {self.process}{', in a container' if self.elsewhere else ''})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Openers:
    """Every descriptor of a block device that was found."""

    found: tuple[Opener, ...] = ()
    unread: str = ""
    """what could not be inspected; empty if every process of the machine was"""


class Host(Protocol):
    """Read-only queries to one machine. None or an empty answer: missing. Raises Denied without permission."""

    def text(self, path: str) -> str | None:
        """Content of a small text file; bytes that are not UTF-8 become U+FFFD."""

    def names(self, path: str) -> tuple[str, ...]:
        """Names in a directory, sorted."""

    def link(self, path: str) -> str | None:
        """Target of a symbolic link, as it is written."""

    def number(self, path: str) -> str | None:
        """major:minor of the block device that `path` leads to, through links."""

    def look(self, path: str, number: str, size: int) -> Look:
        """Open the block device at `path` read-only; it must be device `number` and `size` bytes long."""

    def run(self, argv: tuple[str, ...]) -> Ran | None:
        """Run a read-only program; None if it is not installed. Raises MachineFailed on a timeout."""

    def openers(self) -> Openers:
        """Every process that has a block device open, except this one and its children."""

    def euid(self) -> int:
        """Effective user id."""

    def own_paths(self) -> tuple[str, ...]:
        """Directories of raidtui: working directory, installation, state."""


# Port between a benchmark and its load generator: fio on this machine, or the model of a simulated one.


class Running(Protocol):
    """A started load."""

    phase: str
    """fill, precondition or repeat"""
    seconds: float
    """expected"""

    def ended(self) -> bool:
        """True after its own end; does not wait."""

    def kill(self) -> None:
        """Ends it and all its processes, also after its own end. Raises MachineFailed if they do not exit."""

    def outcome(self) -> Repeat:
        """Its measurement, after its end. Raises MachineFailed if it failed."""


class Load(Protocol):
    """Generates the load of tasks, one at a time."""

    simulated: bool
    """True if no disk is accessed"""

    def prepare(self, task: Task) -> Running | None:
        """Starts the next preparation of `task` (fill, precondition); None if it is ready to be measured."""

    def settle(self, task: Task) -> None:
        """Right before a repeat: syncs and drops caches. Raises MachineFailed if the target is gone."""

    def measure(self, task: Task, repeat: int, raw: Path) -> Running:
        """Starts a repeat; its output goes to the file `raw`."""

    def check(self, task: Task) -> None:
        """Raises MachineFailed if the target is no longer the one of the start."""

    def done(self, task: Task, following: Task | None) -> None:
        """Removes files of `task` that `following` does not need."""

    def clean(self) -> None:
        """Removes all its files from the targets; ignores missing ones. Raises MachineFailed."""


class Clock(Protocol):
    """Clock of a benchmark."""

    def now(self) -> float:
        """Seconds since 1970; never goes back."""

    def wait(self, seconds: float) -> None:
        """Waits `seconds`."""


# Ports of a run to a machine: queries, commands, files and locks.
# An exit code is no proof, here or elsewhere: the executor reads back.


_SETTABLE = re.compile(
    r"/sys/block/[a-z][A-Za-z0-9!_-]*/(?:queue/scheduler|device/queue_depth)|/sys/class/enclosure(?:/(?!\.\.?/)[^/]+){2}/locate"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """Device that a path points to."""

    kind: Literal["disk", "partition", "array", "volume", "other"]
    """a whole disk or the multipath map of one, a partition, an md array, another device-mapper device"""
    number: str
    """major:minor"""
    disk: str
    """major:minor of the whole disk, or of a device that is not on one disk"""
    sequence: str
    """diskseq of the whole disk, unique until the next boot; before Linux 5.15 the inode of its directory in sysfs,
    which the kernel creates again for every attached disk"""
    size_bytes: int
    """of the device"""
    name: str
    """kernel name, also of a multipath map; the device-mapper name of a volume"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mounted:
    """What is mounted on a directory, read through a handle of that directory."""

    number: str = ""
    """major:minor of the file system's device, 0:N without one; empty where the path has a symbolic link"""
    mount_id: int = 0
    """of the mount, unique while it lasts (proc(5)); 0 where the path has a symbolic link"""
    root: str = ""
    """the directory of the file system that is mounted; another than / for a bind mount of a part"""
    link: str = ""
    """first component of the path that is a symbolic link; nothing behind it was opened"""

    def is_whole(self, number: str) -> bool:
        """True if this is the whole file system on the device `number`."""
        return not self.link and (self.number, self.root) == (number, "/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Syncing:
    """An array that resyncs, recovers or is checked now."""

    device: str
    """kernel name, md127"""
    action: str
    """resync, recover, check, reshape; `frozen` and `pending` while it waits; `held` until the first write"""
    done_sectors: int
    """of each member"""
    all_sectors: int
    """sectors of each member in all"""
    bytes_per_s: int
    """of each member, as the kernel measures"""
    of: str = ""
    """what waits, where `action` says only that it does; empty: not known"""


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A process or a part of the kernel that uses a device."""

    path: str
    """the queried device; the use may be of a partition of it or a device on it"""
    by: str
    """`qemu-system-x86 (pid 4711)`, `the loop device loop0`; raw text of the machine"""
    writing: bool
    """it can write"""


AS_NAMED: Mapping[str, str] = MappingProxyType({})
"""paths are passed unchanged"""


class MachineReader(Protocol):
    """Read-only access to one machine, real or simulated; needs no lock.

    `devices` replaces each argument that is one of its keys by its value: the verified device, whatever the plan's path
    points to now.
    """

    simulated: bool
    """True if it cannot access a real disk"""

    def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
        """Output of a read-only program. Raises MachineFailed if it is missing or times out."""

    def fingerprint(self, path: str, areas: Sequence[tuple[int, int]] = ()) -> str:
        """Hash of the first and the last MiB of a disk, as `PlanDisk.fingerprint`; of `areas` (offset, length, each at
        most 1 MiB) where they are given. Empty if every byte is zero.

        Raises MachineFailed if they cannot be read.
        """

    def first_nonzero(self, path: str, areas: Sequence[tuple[int, int]]) -> int | None:
        """Offset of the first non-zero byte in `areas` (offset, length) of a device; None if all are zero.

        Raises MachineFailed if they cannot be read.
        """

    def each(self, look: Callable[[Item], Found], items: Sequence[Item]) -> tuple[Found, ...]:
        """What `look`, which only reads, finds of each of `items`, in their order; of several at the same time where
        disks are real. Raises what it raises for the first of them.
        """

    def read_text(self, path: str) -> str | None:
        """Content of a file, through links; None if there is none."""

    def names(self, path: str) -> tuple[str, ...]:
        """Names in a directory, sorted; empty if it is missing. Raises MachineFailed if it cannot be read."""

    def initramfs_texts(self, path: str) -> dict[str, str]:
        """md's configuration files in an initramfs image, by path; an empty text for mdadm itself.

        Raises MachineFailed if the image cannot be read.
        """

    def pin(self, path: str) -> Pin | None:
        """The block device that a path points to; None if there is none."""

    def holders(self, path: str) -> tuple[str, ...]:
        """Kernel names of the devices on a block device or on its partitions."""

    def path_parts(self, path: str) -> tuple[PathPart, ...]:
        """The components of an absolute path from / on, each opened without following a link; up to the first that is
        no directory, or before the first that does not exist. Raises MachineFailed if one cannot be opened."""

    def mount_at(self, path: str) -> Mounted | None:
        """The topmost mount exactly on `path`; None where nothing is mounted on it, or it does not exist.

        Each component is opened without following a link. Raises MachineFailed if one cannot be opened.
        """

    def users(self, paths: Sequence[str]) -> tuple[User, ...]:
        """Processes and kernel users of block devices, their partitions and the devices on them, without this process
        and its children. Raises MachineFailed if a process could not be inspected."""

    def clock(self) -> datetime:
        """Present time of the machine, UTC; a simulated one has its own."""

    def syncing(self) -> tuple[Syncing, ...]:
        """Every array that is not idle, or would not be after a first write."""


class Runner(MachineReader, Protocol):
    """Access of a run to one machine, real or simulated; the run holds its lock."""

    def run(self, argv: tuple[str, ...], output: int, devices: Mapping[str, str] = AS_NAMED, *, stdin: str = "") -> int:
        """Runs a command of the plan; its output goes to the descriptor `output`. Returns the exit code.

        `stdin`: text for its standard input; without one its standard input is /dev/null.
        """

    def run_together(
        self, calls: Sequence[tuple[int, tuple[str, ...], int]], devices: Mapping[str, str] = AS_NAMED
    ) -> Iterator[tuple[int, int, float]]:
        """Starts all `calls` (a number, the command, its output) as `run` does; yields number, exit code and seconds of
        each when it ends."""

    def write_text(self, path: str, text: str, mode: int) -> None:
        """Replaces a file atomically and durably; an existing file keeps its mode and owner.

        Raises Refused unless it is a regular file or new, and it and every directory above it are root's alone and no
        link; MachineFailed if it cannot be written.
        """

    def lock(self, paths: Sequence[str]) -> AbstractContextManager[None]:
        """Holds the advisory locks of whole disks against udev. Raises MachineFailed if another program has one.

        The disks are open for writing meanwhile, so that udev probes them once they are closed
        (systemd.io/BLOCK_DEVICE_LOCKING).
        """

    def hold(self, paths: Sequence[str], *, exclusive: bool = True) -> AbstractContextManager[None]:
        """Holds block devices open: until its end no array among them is stopped, and if they are held exclusively
        nothing else is mounted or made on them. Raises MachineFailed if one is missing, or in use."""

    def start_sync(self, device: str) -> None:
        """Starts a `held` sync of an array (kernel name). Raises MachineFailed if the kernel refuses."""

    def set_sync_limit(self, device: str, kib_per_s: int | None) -> None:
        """Limits the sync of an array (kernel name); None: the system's limit."""

    def set_value(self, path: str, value: int | str) -> None:
        """Sets a value in sysfs that `may_set` allows. Raises MachineFailed."""

    def wait(self, seconds: float) -> None:
        """Waits."""


def handed(argv: tuple[str, ...], devices: Mapping[str, str]) -> tuple[str, ...]:
    """`argv` with each key of `devices` replaced by its value, also where it is fio's file name."""
    if not devices:
        return argv
    from raidtui.programs import fio  # start-up: few commands name devices, and its jobs are many types

    named = {f"--{fio.FILENAME}={fio.escaped(path)}": device for path, device in devices.items()}
    return tuple(
        f"--{fio.FILENAME}={fio.escaped(named[word])}" if word in named else devices.get(word, word) for word in argv
    )


def may_set(path: str) -> bool:
    """True for sysfs files of a disk's queue, which the next boot resets (Documentation/ABI/stable/sysfs-block), and of
    the light of a bay."""
    return _SETTABLE.fullmatch(path) is not None


# Port of gauges: this machine, or a simulated one.


class Ticks(Protocol):
    """A source of ticks. The caller sets the rate by calling `take`; nothing runs in between."""

    scene: Scene
    """disks and arrays of the ticks"""

    def take(self) -> Tick:
        """The interval since the last call (the first: since the creation)."""
