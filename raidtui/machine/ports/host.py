"""What the probe asks of a machine. Nothing behind this port can write.

The machine it runs on answers by `system.host`; captured answers, for tests and bug reports, are in `recorded`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from raidtui.tools.signatures import Signature


class Denied(Exception):
    """The answer is there, but not for this user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a program ended."""

    exit: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What opening a block device read-only told."""

    error: str = ""
    """why its ends could not be read; empty when they were"""
    busy: bool = False
    """an exclusive open was refused: mounted, held, swapped on, or opened exclusively by somebody"""
    locked: bool = False
    """a shared flock was refused: somebody holds a BSD lock on it"""
    zero: bool | None = None
    """every byte of the first and last MiB is zero; None when not read"""
    signatures: tuple[Signature, ...] = ()
    """what was recognised there"""
    fingerprint: str = ""
    """hash of both; empty when they are zero or were not read"""
    places: int = 0
    """places between the ends that were read; only where both ends are zero"""
    not_zero: tuple[int, ...] = ()
    """offsets in bytes of the places that are not zero"""


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
    """what could not be looked at; empty when every process of the machine was"""


class Host(Protocol):
    """Read-only questions to one machine. None or an empty answer means: not there. Denied: not for this user."""

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
        """Run a program that only looks; None when it is not installed. MachineFailed when it does not end."""

    def openers(self) -> Openers:
        """Every process that has a block device open, except this one and its children."""

    def euid(self) -> int:
        """Effective user id."""

    def own_paths(self) -> tuple[str, ...]:
        """Directories this very program needs: where it runs, where it is installed, where it keeps its state."""
