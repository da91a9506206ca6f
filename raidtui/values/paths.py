"""Paths on a machine that its plans, their scripts and raidtui itself share."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from raidtui.values.safe import safe

STATE_FOLDER = "/var/lib/raidtui"
"""what a run keeps: its log, saved signatures, configuration files as they were"""
BY_ID_LINKS = "/dev/disk/by-id/"
BY_PATH_LINKS = "/dev/disk/by-path/"
MAP_LINKS = f"{BY_ID_LINKS}dm-uuid-mpath-"
"""where udev links disks by their identity, by the place at which they are attached, and the maps of multipath disks"""
LOCK_FILE = "/run/raidtui.lock"
"""the lock of the one run at a time"""


def link_name(path: str) -> str:
    """Name of udev's link to a disk; another path as it is."""
    return path.removeprefix(BY_ID_LINKS).removeprefix(BY_PATH_LINKS)


# The components of a path, each as it was opened without following a link, and what others could change in it.


PathKind = Literal["directory", "file", "link", "pipe", "socket", "character device", "block device"]
ROOT: frozenset[int] = frozenset((0,))
"""owners of what only root may change"""
_BY_OTHERS = 0o022
_STICKY = 0o1000


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPart:
    """One component of a path."""

    path: str
    """from the root directory to this component"""
    kind: PathKind
    """what it is itself, also a link"""
    owner: int
    """user id"""
    mode: int
    """permissions, with set-id and sticky bits"""
    target: str = ""
    """what a link holds, raw text"""

    @property
    def what(self) -> str:
        """`a pipe`; of a link also where it leads."""
        return f"a symbolic link to {safe(self.target, longest=200)}" if self.kind == "link" else f"a {self.kind}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPath:
    """A path that root will write or mount on, and what was found there."""

    path: str
    """absolute, without . and .."""
    parts: tuple[PathPart, ...]
    """its components from / on, up to the first that is no directory, or before the first that does not exist"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathFault:
    """Why a path is not used."""

    message: str
    """what was found, a clause that names the component"""
    way_out: str


ANOTHER = "use another directory"
"""the way out besides the repair, where a user chose the path"""


def owner_fault(part: PathPart, owners: Collection[int], instead: str = ANOTHER) -> PathFault | None:
    """The fault of a component, also a link, that belongs to somebody else."""
    if part.owner in owners:
        return None
    return PathFault(
        message=f"{safe(part.path)} belongs to user {part.owner}, who could change what is in it",
        way_out=_either(f"check its content, then chown root {shlex.quote(safe(part.path))}", instead),
    )


def mode_fault(part: PathPart, instead: str = ANOTHER) -> PathFault | None:
    """The fault of a directory or a file that others than its owner may write."""
    if not part.mode & _BY_OTHERS:
        return None
    if part.mode & _STICKY and part.owner == 0 and instead == ANOTHER:
        instead = f"{ANOTHER}, or a new one below it: {shlex.quote(safe(posixpath.join(part.path, 'raidtui')))}"
    change = "" if part.mode & _STICKY else f"check its content, then chmod go-w {shlex.quote(safe(part.path))}"
    return PathFault(
        message=f"{safe(part.path)} is writable by others than its owner (mode {part.mode:04o})",
        way_out=_either(change, instead),
    )


def directory_fault(
    part: PathPart, owners: Collection[int], *, sticky: bool, instead: str = ANOTHER
) -> PathFault | None:
    """Why a component is no directory that `owners` alone may change.

    `sticky`: one of root with a sticky bit, such as /tmp, will do: nobody renames there what is not his (inode(7)).
    """
    if part.kind == "link":
        there = f"name the path without the link: {safe(_leads_to(part), longest=200)} in place of {safe(part.path)}"
        return PathFault(message=f"{safe(part.path)} is {part.what}, not a directory", way_out=there)
    if part.kind != "directory":
        return PathFault(message=f"{safe(part.path)} is {part.what}, not a directory", way_out="move it away")
    if sticky and part.owner == 0 and part.mode & _STICKY:
        return None
    return owner_fault(part, owners, instead) or mode_fault(part, instead)


def file_fault(part: PathPart, owners: Collection[int], instead: str = ANOTHER) -> PathFault | None:
    """Why a component is no regular file that `owners` alone may change."""
    if part.kind == "file":
        return owner_fault(part, owners, instead) or mode_fault(part, instead)
    copied = f"; if its content shall stay: cp --remove-destination {shlex.quote(safe(_leads_to(part)))} "
    return PathFault(
        message=f"{safe(part.path)} is {part.what}, not a regular file",
        way_out=f"move it away{copied + shlex.quote(safe(part.path)) if part.kind == 'link' else ''}",
    )


def written_fault(seen: SeenPath) -> PathFault | None:
    """Why root does not write this file: it and every directory above it must be root's alone, and no link."""
    for part in seen.parts:
        own = part.path == seen.path
        fault = file_fault(part, ROOT, "") if own else directory_fault(part, ROOT, sticky=False, instead="")
        if fault is not None:
            return fault
    above = posixpath.dirname(seen.path)
    if seen.parts[-1].path in (seen.path, above):
        return None
    return PathFault(message=f"there is no directory {safe(above)}", way_out=f"mkdir {shlex.quote(safe(above))}")


def place_fault(seen: SeenPath, instead: str = "") -> PathFault | None:
    """Why root mounts nothing on this path: every directory above it must be root's alone, and no link.

    What does not exist yet is made by root.
    """
    for part in seen.parts:
        if part.path == seen.path and part.kind == "directory":
            return None
        fault = directory_fault(part, ROOT, sticky=False, instead=instead)
        if fault is not None:
            return fault
    return None


def _leads_to(link: PathPart) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(link.path), link.target))


def _either(*ways: str) -> str:
    return "; or ".join(filter(None, ways))
