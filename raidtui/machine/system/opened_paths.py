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
from raidtui.tools import mountinfo

_COMPONENT = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedPart:
    """One component of a path."""

    path: str
    """from the root directory to this component"""
    handle: int
    """descriptor of the component itself, also of a link"""
    status: os.stat_result


@contextlib.contextmanager
def opened(path: str | Path) -> Iterator[tuple[OpenedPart, ...]]:
    """Yields the components of the absolute `path` from / on, up to the first that is no directory, or before the first
    that does not exist. Raises OSError."""
    _, *names = PurePosixPath(path).parts
    parts: list[OpenedPart] = []
    with contextlib.ExitStack() as held:

        def add(name: str, inside: int | None, whole: str) -> None:
            handle = os.open(name, _COMPONENT, dir_fd=inside)
            held.callback(os.close, handle)
            parts.append(OpenedPart(path=whole, handle=handle, status=os.fstat(handle)))

        add("/", None, "/")
        for name in names:
            last = parts[-1]
            if not stat.S_ISDIR(last.status.st_mode):
                break
            try:
                add(name, last.handle, f"{last.path.rstrip('/')}/{name}")
            except FileNotFoundError:
                break
        yield tuple(parts)


def mount_at(path: str) -> Mounted | None:
    """See MachineReader. Raises OSError."""
    with opened(path) as parts:
        last = parts[-1]
        if stat.S_ISLNK(last.status.st_mode):
            return Mounted(link=last.path)
        own = _mount_id(last.handle)
        if last.path != str(PurePosixPath(path)) or (len(parts) > 1 and _mount_id(parts[-2].handle) == own):
            return None
        device = last.status.st_dev
        found = mountinfo.parse(Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape"))
        root = next((mount.root for mount in found if mount.id == own), "")  # empty after a lazy unmount
        return Mounted(number=f"{os.major(device)}:{os.minor(device)}", mount_id=own, root=root)


def _mount_id(handle: int) -> int:
    """Id of the mount that an opened component is on (proc(5), fdinfo)."""
    lines = Path(f"/proc/self/fdinfo/{handle}").read_text("ascii").splitlines()
    return next(int(line.partition(":")[2]) for line in lines if line.startswith("mnt_id:"))
