r"""Mounted file systems (/proc/<pid>/mountinfo, proc(5)) and swap (/proc/swaps).

    36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
    41 29 0:38 / /srv/with\040blank rw,relatime shared:19 - btrfs /dev/sdb1 rw,space_cache=v2

    Filename				Type		Size		Used		Priority
    /dev/dm-1                               partition	1048572		0		-2

Blanks, newlines and backslashes inside a field are octal escapes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from raidtui.model.errors import MachineFailed
from raidtui.model.safe import safe

_FIELDS = 6
"""before the optional ones"""
_LONG = 200
_START = re.compile(r"[0-9]{1,10} [0-9]{1,10} [0-9]{1,10}:[0-9]{1,10} ")
"""mount, parent, major:minor"""
_OCTAL = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """One mount in one mount namespace."""

    number: str
    """major:minor of the device; 0:N for file systems without one, also btrfs and ZFS"""
    point: str
    """mount point, unescaped"""
    fstype: str
    """file system type"""
    source: str
    """device, data set or anything else, unescaped"""
    root: str = "/"
    """the directory of the file system that is mounted there, unescaped; another than / for a bind mount of a part"""
    shared: str = ""
    """number of the peer group that it belongs to; empty for a private one"""
    master: str = ""
    """number of the peer group that it receives mounts and unmounts from; empty when there is none"""
    id: int = 0
    """of the mount, unique while it lasts"""
    options: str = ""
    """what the file system shows of its own: rw,attr2,inode64,sunit=1024,swidth=4096"""

    @property
    def stripe(self) -> tuple[int | None, int | None]:
        """(bytes of the stripe unit, bytes of a full stripe) that XFS shows; (None, blocks of a stripe) of ext4.

        None where it shows none (xfs_super.c: sunit and swidth count 512 bytes; ext4 super.c: stripe).
        """
        said = dict(word.split("=", 1) for word in self.options.split(",") if "=" in word)
        if self.fstype == "ext4":
            return None, int(said["stripe"]) if said.get("stripe", "").isdecimal() else None
        unit, width = said.get("sunit", ""), said.get("swidth", "")
        return int(unit) * 512 if unit.isdecimal() else None, int(width) * 512 if width.isdecimal() else None


def parse(text: str) -> tuple[Mount, ...]:
    """Every mount in `text`, in order; a later one may hide an earlier one. Raises MachineFailed for a torn line."""
    mounts, torn = parsed(text)
    for line in torn:  # a mount that is not understood is never taken for none
        raise MachineFailed(
            f"the table of mounts has a line of an unknown form: {safe(line, longest=_LONG)}",
            hint="compare with cat /proc/self/mountinfo",
        )
    return mounts


def parsed(text: str) -> tuple[tuple[Mount, ...], tuple[str, ...]]:
    """Every mount in `text`, in order, and the torn lines: those of a mount, by their start or their dash."""
    lines = [line for line in text.splitlines() if " - " in line or _START.match(line)]
    mounts = [(line, _mount(line)) for line in lines]
    return tuple(mount for _, mount in mounts if mount), tuple(line for line, mount in mounts if mount is None)


def parse_swaps(text: str) -> tuple[str, ...]:
    """Paths of the devices and files that are swapped on."""
    return tuple(plain(line.split()[0]) for line in text.splitlines()[1:] if line.strip())


def holding(mounts: tuple[Mount, ...], path: str) -> Mount | None:
    """The mount that contains `path`: the last one of the longest mount point above it."""
    found: Mount | None = None
    for mount in mounts:
        above = mount.point.rstrip("/")
        if (path == above or path.startswith(f"{above}/")) and (found is None or len(mount.point) >= len(found.point)):
            found = mount
    return found


def _mount(line: str) -> Mount | None:
    """The mount of a line; None for a torn one."""
    left, _, right = line.partition(" - ")
    fields, kind = left.split(" "), right.split(" ")
    if len(fields) < _FIELDS or len(kind) < 2 or not _START.match(line):
        return None
    groups = dict(word.split(":", 1) for word in fields[6:] if ":" in word)
    return Mount(
        number=fields[2], point=plain(fields[4]), fstype=kind[0], source=plain(kind[1]), root=plain(fields[3]),
        shared=groups.get("shared", ""), master=groups.get("master", ""), options=kind[2] if len(kind) > 2 else "",
        id=int(fields[0]),
    )  # fmt: skip


def plain(field: str) -> str:
    """A field without its octal escapes."""
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), field)
