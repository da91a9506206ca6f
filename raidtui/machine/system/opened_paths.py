"""Opens a path one component after another from the root directory on, never through a symbolic link.

What was opened stays what it is whatever happens to its name.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from raidtui.machine.ports.runner import Mounted
from raidtui.model.path_parts import PathKind, PathPart
from raidtui.tools import mountinfo

_COMPONENT = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_KINDS: dict[int, PathKind] = {
    stat.S_IFDIR: "directory", stat.S_IFREG: "file", stat.S_IFLNK: "link", stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket", stat.S_IFCHR: "character device", stat.S_IFBLK: "block device",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedPart:
    """One component of a path."""

    part: PathPart
    handle: int
    """descriptor of the component itself (O_PATH), also of a link"""
    device: int
    """of its file system"""


@contextlib.contextmanager
def opened(path: str | PurePosixPath) -> Iterator[tuple[OpenedPart, ...]]:
    """Yields the components of the absolute `path` from / on, up to the first that is no directory, or before the first
    that does not exist. Raises OSError."""
    names = PurePosixPath(path).parts
    found: list[OpenedPart] = []
    with contextlib.ExitStack() as held:
        for name in names:
            above = found[-1] if found else None
            if above is not None and above.part.kind != "directory":
                break
            try:
                found.append(open_part(name, above))
            except FileNotFoundError:
                break
            held.callback(os.close, found[-1].handle)
        yield tuple(found)


def open_part(name: str, above: OpenedPart | None) -> OpenedPart:
    """The component `name` of the directory `above`, opened by itself; the caller closes it. Raises OSError."""
    handle = os.open(name, _COMPONENT, dir_fd=above.handle if above else None)
    status = os.fstat(handle)
    target = os.readlink("", dir_fd=handle) if stat.S_ISLNK(status.st_mode) else ""
    part = as_part(status, f"{above.part.path.rstrip('/')}/{name}" if above else name, target)
    return OpenedPart(part=part, handle=handle, device=status.st_dev)


def as_part(status: os.stat_result, path: str, target: str) -> PathPart:
    """A component with this status; `target`: of a link."""
    kind = _KINDS[stat.S_IFMT(status.st_mode)]
    return PathPart(path=path, kind=kind, owner=status.st_uid, mode=stat.S_IMODE(status.st_mode), target=target)


def parts_of(path: str) -> tuple[PathPart, ...]:
    """See MachineReader. Raises OSError."""
    with opened(path) as found:
        return tuple(each.part for each in found)


def mount_at(path: str) -> Mounted | None:
    """See MachineReader. Raises OSError."""
    with opened(path) as found:
        last = found[-1]
        if last.part.kind == "link":
            return Mounted(link=last.part.path)
        own = _mount_id(last.handle)
        if last.part.path != str(PurePosixPath(path)) or (len(found) > 1 and _mount_id(found[-2].handle) == own):
            return None
        mounts = mountinfo.parse(Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape"))
        root = next((mount.root for mount in mounts if mount.id == own), "")  # empty after a lazy unmount
        return Mounted(number=f"{os.major(last.device)}:{os.minor(last.device)}", mount_id=own, root=root)


def _mount_id(handle: int) -> int:
    """Id of the mount that an opened component is on (proc(5), fdinfo)."""
    lines = Path(f"/proc/self/fdinfo/{handle}").read_text("ascii").splitlines()
    return next(int(line.partition(":")[2]) for line in lines if line.startswith("mnt_id:"))
