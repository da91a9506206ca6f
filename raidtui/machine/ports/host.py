"""Read-only port of the inventory to a machine.

Implemented by `system.host` for this machine; tests and bug reports replay captured answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from raidtui.tools.signatures import FoundSignature


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
