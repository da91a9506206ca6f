"""The components of a path, each as it was opened without following a link, and what others could change in it."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from raidtui.model.safe import safe

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
class PathFault:
    """Why a path is not used."""

    message: str
    """what was found, a clause that names the component"""
    way_out: str


def owner_fault(part: PathPart, owners: Collection[int]) -> PathFault | None:
    """The fault of a component, also a link, that belongs to somebody else."""
    if part.owner in owners:
        return None
    return PathFault(
        message=f"{safe(part.path)} belongs to user {part.owner}, who could change what is in it",
        way_out=f"check its content, then chown root {shlex.quote(safe(part.path))}; or use another directory",
    )


def mode_fault(part: PathPart) -> PathFault | None:
    """The fault of a directory or a file that others than its owner may write."""
    if not part.mode & _BY_OTHERS:
        return None
    change = f"check its content, then chmod go-w {shlex.quote(safe(part.path))}"
    instead = "use another directory"
    return PathFault(
        message=f"{safe(part.path)} is writable by others than its owner (mode {part.mode:04o})",
        way_out=instead if part.mode & _STICKY else f"{change}; or {instead}",
    )


def directory_fault(part: PathPart, owners: Collection[int], *, sticky: bool) -> PathFault | None:
    """Why a component is no directory that `owners` alone may change.

    `sticky`: one of root with a sticky bit, such as /tmp, will do: nobody renames there what is not his (inode(7)).
    """
    if part.kind != "directory":
        return PathFault(message=f"{safe(part.path)} is not a directory but {part.what}", way_out=_without_link(part))
    if sticky and part.owner == 0 and part.mode & _STICKY:
        return None
    return owner_fault(part, owners) or mode_fault(part)


def file_fault(part: PathPart, owners: Collection[int]) -> PathFault | None:
    """Why a component is no regular file that `owners` alone may change."""
    if part.kind == "file":
        return owner_fault(part, owners) or mode_fault(part)
    there = posixpath.normpath(posixpath.join(posixpath.dirname(part.path), part.target))
    copied = f"; if its content shall stay: cp --remove-destination {shlex.quote(safe(there))} {safe(part.path)}"
    return PathFault(
        message=f"{safe(part.path)} is {part.what}, not a regular file",
        way_out=f"move it away{copied if part.kind == 'link' else ''}",
    )


def written_fault(path: str, parts: Sequence[PathPart]) -> PathFault | None:
    """Why root does not write the file `path`: it and every directory above it must be root's alone, and no link."""
    above = path.rpartition("/")[0]
    for part in parts:
        fault = file_fault(part, ROOT) if part.path == path else directory_fault(part, ROOT, sticky=False)
        if fault is not None:
            return fault
    if parts[-1].path in (path, above or "/"):
        return None
    return PathFault(message=f"{safe(path)}: there is no directory {safe(above)}", way_out="make it as root, mode 0755")


def place_fault(path: str, parts: Sequence[PathPart]) -> PathFault | None:
    """Why nothing of root's is mounted on `path`: every directory above it must be root's alone, and no link; it need
    not exist."""
    for part in parts:
        if part.path == path and part.kind == "directory":
            return None
        fault = directory_fault(part, ROOT, sticky=False)
        if fault is not None:
            return fault
    return None


def _without_link(part: PathPart) -> str:
    if part.kind != "link":
        return "move it away"
    there = posixpath.normpath(posixpath.join(posixpath.dirname(part.path), part.target))
    return f"name the path without the link: {safe(there, longest=200)} in place of {safe(part.path)}"
