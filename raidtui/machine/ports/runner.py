"""What a run of a plan asks of a machine, and what it does to it: every question, command, file and lock.

What an exit code says is not believed behind this port or anywhere: the executor reads back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, Protocol

from raidtui.machine.ports.host import Ran

_SETTABLE = re.compile(
    r"/sys/block/(?:md[0-9]+/md/(?:stripe_cache_size|group_thread_cnt)|(?:md|dm-)[0-9]+/queue/read_ahead_kb)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """What a path leads to right now."""

    kind: Literal["disk", "partition", "array", "volume", "other"]
    """a whole disk, a partition of one, an md array, a device-mapper volume"""
    number: str
    """major:minor"""
    disk: str
    """major:minor of the whole disk; of the device itself where it is none"""
    sequence: str
    """diskseq of the whole disk, which no other disk gets until the next boot; before Linux 5.15 the inode of its
    directory in sysfs, which the kernel makes anew for every disk that is attached"""
    size_bytes: int
    """of the device"""
    name: str
    """kernel name; the device-mapper name of a volume"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Syncing:
    """An array that resyncs, recovers or is checked now."""

    device: str
    """kernel name, md127"""
    action: str
    """resync, recover, check, reshape; `frozen` and `pending` when it waits; `held` until the array is written to"""
    done_sectors: int
    """of each member"""
    all_sectors: int
    """to do for each member"""
    bytes_per_s: int
    """of each member, as the kernel measures"""


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A process or a part of the kernel that uses a device."""

    path: str
    """the device that was asked for; what is used may be a partition of it or a device on it"""
    by: str
    """`qemu-system-x86 (pid 4711)`, `the loop device loop0`; raw text of the machine"""
    writing: bool
    """it can write"""


AS_NAMED: Mapping[str, str] = MappingProxyType({})
"""programs get every path as it is"""


class MachineReader(Protocol):
    """One machine, real or simulated, that is looked at: nothing here changes it, and no lock is needed.

    Where `devices` is given, the program gets its value in place of each argument that is one of its keys: the device
    that was proven, whatever the path of the plan leads to by then.
    """

    simulated: bool
    """True when no disk of this machine can be touched through it"""

    def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
        """The answer of a program that only looks. MachineFailed when it is missing or does not end."""

    def fingerprint(self, path: str) -> str:
        """Hash of the first and the last MiB of a disk, as `PlanDisk.fingerprint`; empty when every byte is zero.

        MachineFailed when they cannot be read.
        """

    def first_nonzero(self, path: str, areas: Sequence[tuple[int, int]]) -> int | None:
        """Offset of the first byte in `areas` (offset, length) of a device that is not zero; None when all are.

        MachineFailed when they cannot be read.
        """

    def read_text(self, path: str) -> str | None:
        """Content of a file, through links; None when there is none."""

    def names(self, path: str) -> tuple[str, ...]:
        """Names in a directory, sorted; nothing when there is none. MachineFailed when it cannot be read."""

    def initramfs_texts(self, path: str) -> dict[str, str]:
        """md's configuration in an initramfs image, by its path there; an empty text for mdadm itself.

        MachineFailed when the image cannot be looked into.
        """

    def pin(self, path: str) -> Pin | None:
        """What the block device path leads to; None when there is nothing."""

    def holders(self, path: str) -> tuple[str, ...]:
        """Kernel names of what stands on a block device or on its partitions."""

    def users(self, paths: Sequence[str]) -> tuple[User, ...]:
        """Processes and kernel users of block devices, of their partitions and of what stands on them; none of them
        is this process or its children. MachineFailed when not every process could be looked at."""

    def syncing(self) -> tuple[Syncing, ...]:
        """Every array that is not idle, or would not be if it were written to."""


class Runner(MachineReader, Protocol):
    """One machine, real or simulated, that a run acts on, whose lock it holds."""

    def run(self, argv: tuple[str, ...], output: int, devices: Mapping[str, str] = AS_NAMED) -> int:
        """Runs a command of the plan to its end, all it says going to descriptor `output`. Returns its exit code."""

    def write_text(self, path: str, text: str, mode: int) -> None:
        """Puts a file in place whole and durably, through links; an existing file keeps its mode and owner."""

    def lock(self, paths: Sequence[str]) -> AbstractContextManager[None]:
        """Holds the advisory locks of whole disks, so that udev leaves them alone. MachineFailed when others do."""

    def start_sync(self, device: str) -> None:
        """Lets a sync begin that is `held`, of an array by its kernel name. MachineFailed when the kernel will not."""

    def set_sync_limit(self, device: str, kib_per_s: int | None) -> None:
        """Bounds the sync of an array (kernel name); None: as the system has it."""

    def set_value(self, path: str, value: int) -> None:
        """Sets one of the few figures of a block device in sysfs that `may_set` knows. MachineFailed when it cannot."""

    def wait(self, seconds: float) -> None:
        """Lets time pass."""


def handed(argv: tuple[str, ...], devices: Mapping[str, str]) -> tuple[str, ...]:
    """The arguments that the program gets: each that is a key of `devices` as its value."""
    return tuple(devices.get(word, word) for word in argv)


def may_set(path: str) -> bool:
    """True for the figures that are tuned: all are forgotten at the next boot (Documentation/admin-guide/md.rst)."""
    return _SETTABLE.fullmatch(path) is not None
