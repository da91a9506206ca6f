"""Names and UUIDs of everything a plan makes: typed names pass an allow-list, UUIDs are derived from the run id."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass

from raidtui.model.design import Design
from raidtui.model.errors import BadInput
from raidtui.model.paths import STATE_FOLDER
from raidtui.tools.lvm import pv_uuid

_RUN_ID = re.compile(r"[0-9a-f]{32}")
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,14}[a-z0-9]|[a-z]")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,62}[A-Za-z0-9])?")
_MOUNT_POINT = re.compile(r"(?:/[A-Za-z0-9_][A-Za-z0-9._+-]*)+")
_LONGEST_MOUNT_POINT = 200
_SYSTEM = frozenset(
    {"bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "lost+found", "proc", "run", "sbin", "sys", "usr"}
)
"""neither these directories nor anything below is a place for data"""
_KEPT_BY_OTHERS = (
    "tmp", "var/tmp", "var/run", "var/lock", "var/lib/apt", "var/lib/dpkg", "var/lib/mdadm", "var/lib/pacman",
    "var/lib/raidtui", "var/lib/rpm", "var/lib/systemd",
)  # fmt: skip
"""the same of these: everybody writes there, or it is the state of the system or of raidtui, which would be hidden"""
_TOP_ONLY = frozenset(
    {"home", "media", "mnt", "opt", "root", "srv", "var", "var/cache", "var/lib", "var/log", "var/mail", "var/opt",
     "var/spool"}
)  # fmt: skip
"""these themselves are not, what is below may be"""
_RESERVED = re.compile(r"md\d*|mapper|disk|block|char|loop\d*|sd[a-z]+|nvme\d.*|dm-\d+|shm|pts|fd|net|vg|tty.*")
VOLUME = "data"
"""name of the logical volume"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What everything is called."""

    run_id: str
    name: str
    """base name"""
    host: str
    arrays: tuple[str, ...]
    """name of each array of the layout"""
    mount_points: tuple[str, ...]
    """one a file system; empty without file systems"""
    outer: str
    """name of the stripe over the arrays"""

    @property
    def state(self) -> str:
        """Directory of this run."""
        return f"{STATE_FOLDER}/{self.run_id}"

    @property
    def spare_group(self) -> str:
        """The spare-group of all arrays."""
        return self.name

    @property
    def tag(self) -> str:
        """LVM tag of the volume; LVM mints its UUID itself."""
        return f"raidtui_{self.run_id}"

    @property
    def begin(self) -> str:
        """The line before the plan's own lines in a file that others write too."""
        return begin_line(self.run_id, self.name)

    @property
    def end(self) -> str:
        """The line after them."""
        return end_line(self.run_id)

    def uuid_of(self, what: str) -> uuid.UUID:
        """The UUID of `what` in this run: always the same, never that of another run."""
        return uuid.uuid5(uuid.UUID(hex=self.run_id), what)

    def array_uuid(self, name: str) -> str:
        """md's form: four groups of eight hex digits."""
        digits = self.uuid_of(f"array:{name}").hex
        return ":".join(digits[start : start + 8] for start in range(0, 32, 8))

    def volume_uuid(self, array: str) -> str:
        """UUID of the physical volume on an array."""
        return pv_uuid(self.uuid_of(f"pv:{array}").hex)

    def filesystem_uuid(self, number: int) -> str:
        """UUID of file system `number`."""
        return str(self.uuid_of(f"fs:{number}"))


def begin_line(run_id: str, name: str) -> str:
    """Fence before a plan's own lines."""
    return f"# raidtui {run_id} begin {name}"


def end_line(run_id: str) -> str:
    """Fence after them."""
    return f"# raidtui {run_id} end"


def device_of(name: str) -> str:
    """Path of the array with this name."""
    return f"/dev/md/{name}"


def partition_path(disk: str, number: int) -> str:
    """Path of a partition of the disk at a path below /dev/disk (udev's rules for links)."""
    return f"{disk}-part{number}"


def volume_of(name: str) -> str:
    """Path of the logical volume of the plan with this name."""
    return f"/dev/{name}/{VOLUME}"


def names(design: Design, *, run_id: str, name: str, mount_point: str, host: str) -> Names:
    """All names of a plan. BadInput says what is wrong with one that was typed."""
    if not _RUN_ID.fullmatch(run_id):
        raise BadInput("the run id must be 32 hex digits", hint="a new random one is made for every plan")
    if not _NAME.fullmatch(name) or _RESERVED.fullmatch(name):
        raise BadInput(
            f"'{name}' cannot name arrays and a volume group",
            hint="use 1 to 16 lower-case letters, digits, - and _, beginning with a letter, such as 'data'",
        )
    if not _HOST.fullmatch(host):
        raise BadInput(f"'{host}' is no host name", hint="give the name that `uname -n` prints there")
    count = design.layout.arrays
    separate = design.stack == "separate" and count > 1
    places: tuple[str, ...] = ()
    if design.fs != "none":
        if design.trial is None or mount_point != trial_mount_point(run_id):
            _check_mount_point(mount_point)
        places = tuple(f"{mount_point}/{number}" for number in range(count)) if separate else (mount_point,)
    return Names(
        run_id=run_id,
        name=name,
        host=host,
        arrays=tuple(f"{name}-{number}" for number in range(count)) if count > 1 else (name,),
        mount_points=places,
        outer=name,
    )


def trial_mount_point(run_id: str) -> str:
    """Where the throw-away file system of a trial is mounted: in the directory of its own run, and nowhere else."""
    return f"{STATE_FOLDER}/{run_id}/files"


def _check_mount_point(path: str) -> None:
    hint = "name an empty directory for data, such as /srv/data"
    if not _MOUNT_POINT.fullmatch(path) or len(path) > _LONGEST_MOUNT_POINT:
        raise BadInput(
            f"'{path}' cannot be a mount point: absolute, of letters, digits, . _ + -, no double slash", hint=hint
        )
    inner = path[1:]
    kept = any(inner == place or inner.startswith(f"{place}/") for place in _KEPT_BY_OTHERS)
    if inner.split("/")[0] in _SYSTEM or inner in _TOP_ONLY or kept:
        raise BadInput(f"'{path}' belongs to the system or to raidtui; a mount there would hide it", hint=hint)
