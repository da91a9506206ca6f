"""Names and UUIDs of everything a plan creates: typed names pass an allow-list, UUIDs derive from the run id."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass

from raidtui.programs.lvm import pv_uuid
from raidtui.values.design import Design
from raidtui.values.errors import BadInput
from raidtui.values.members import part_names
from raidtui.values.paths import STATE_FOLDER

RUN_ID = re.compile(r"[0-9a-f]{32}")
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,14}[a-z0-9]|[a-z]")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,62}[A-Za-z0-9])?")
_MOUNT_POINT = re.compile(r"(?:/[A-Za-z0-9_][A-Za-z0-9._+-]*)+")
_LONGEST_MOUNT_POINT = 200
_SYSTEM = frozenset(
    {"bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "lost+found", "proc", "run", "sbin", "sys", "usr"}
)
"""directories of the system: no mount point on them or below"""
_KEPT_BY_OTHERS = (
    "tmp", "var/tmp", "var/run", "var/lock", "var/lib/apt", "var/lib/dpkg", "var/lib/mdadm", "var/lib/pacman",
    "var/lib/raidtui", "var/lib/rpm", "var/lib/systemd",
)  # fmt: skip
"""the same: shared temporary directories, and state of the system or of raidtui that a mount would hide"""
_TOP_ONLY = frozenset(
    {"home", "media", "mnt", "opt", "root", "srv", "var", "var/cache", "var/lib", "var/log", "var/mail", "var/opt",
     "var/spool"}
)  # fmt: skip
"""no mount point on these directories; below them it is allowed"""
_RESERVED = re.compile(r"md\d*|mapper|disk|block|char|loop\d*|sd[a-z]+|nvme\d.*|dm-\d+|shm|pts|fd|net|vg|tty.*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Names and UUIDs of one plan."""

    run_id: str
    name: str
    """base name"""
    host: str
    arrays: tuple[str, ...]
    """name of each array of the layout"""
    mount_points: tuple[str, ...]
    """one per file system; empty without file systems"""
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
        """LVM tag of the logical volume, since LVM generates its UUID itself."""
        return f"raidtui_{self.run_id}"

    @property
    def begin(self) -> str:
        """The line before the plan's lines in a shared file."""
        return begin_line(self.run_id, self.name)

    @property
    def end(self) -> str:
        """The line after the plan's lines."""
        return end_line(self.run_id)

    def uuid_of(self, what: str) -> uuid.UUID:
        """The UUID of `what` in this run (version 5): reproducible, different in every run."""
        return uuid.uuid5(uuid.UUID(hex=self.run_id), what)

    def volume_uuid(self, array: str) -> str:
        """UUID of the physical volume on an array."""
        return pv_uuid(self.uuid_of(f"pv:{array}").hex)

    def table_guid(self, disk: str) -> str:
        """GUID of the partition table on the disk with this identity."""
        return str(self.uuid_of(f"table:{disk}"))

    def partition_guid(self, disk: str, number: int = 1) -> str:
        """GUID of partition `number` on the disk with this identity."""
        return str(self.uuid_of(f"partition:{disk}" if number == 1 else f"partition {number}:{disk}"))

    def filesystem_uuid(self, number: int) -> str:
        """UUID of file system `number`."""
        return str(self.uuid_of(f"fs:{number}"))


def array_uuid(run_id: str, name: str) -> str:
    """UUID that a run gives the array with this name, in md's form: four groups of eight hex digits."""
    digits = uuid.uuid5(uuid.UUID(hex=run_id), f"array:{name}").hex
    return ":".join(digits[start : start + 8] for start in range(0, 32, 8))


def begin_line(run_id: str, name: str) -> str:
    """Marker line before a plan's lines."""
    return f"# raidtui {run_id} begin {name}"


def end_line(run_id: str) -> str:
    """Marker line after a plan's lines."""
    return f"# raidtui {run_id} end"


def crypt_names(name: str, count: int) -> tuple[str, ...]:
    """Device-mapper names of the encrypted volumes of a plan, `data-luks`, or one for each of several arrays."""
    return tuple(map(crypt_name, part_names(name, count)))


def crypt_name(part: str) -> str:
    """Device-mapper name of the encrypted volume on this array, or on all."""
    return f"{part}-luks"


def journal_name(array: str) -> str:
    """Name of the mirror that carries the write journal of this array."""
    return f"{array}-log"


def device_of(name: str) -> str:
    """Path of the array with this name."""
    return f"/dev/md/{name}"


def valid_host(host: str) -> bool:
    """True if `host` can be the homehost of an array."""
    return _HOST.fullmatch(host) is not None


def names(design: Design, *, run_id: str, name: str, mount_point: str, host: str) -> Names:
    """All names of a plan. Raises BadInput for an invalid typed name."""
    if not RUN_ID.fullmatch(run_id):
        raise BadInput("the run id must be 32 hex digits", hint="every plan gets a new random one")
    check_name(name)
    if not valid_host(host):
        raise BadInput(f"'{host}' is not a valid host name", hint="use the name that `uname -n` prints on that machine")
    count = design.layout.arrays
    separate = design.stack == "separate" and count > 1
    places: tuple[str, ...] = ()
    if design.fs != "none":
        if design.trial is None or mount_point != trial_mount_point(run_id):
            check_mount_point(mount_point)
        places = tuple(f"{mount_point}/{number}" for number in range(count)) if separate else (mount_point,)
    return Names(
        run_id=run_id,
        name=name,
        host=host,
        arrays=part_names(name, count),
        mount_points=places,
        outer=name,
    )


def trial_mount_point(run_id: str) -> str:
    """Mount point of a trial's temporary file system, in the directory of its run."""
    return f"{STATE_FOLDER}/{run_id}/files"


def check_name(name: str) -> None:
    """Raises BadInput unless `name` can be the base name of a plan."""
    hint = "name arrays and volume group for example 'data'"
    if not _NAME.fullmatch(name):
        raise BadInput(
            f"'{name}' is not a valid name: expected 1 to 16 of a-z, 0-9, - and _; a letter first, no - or _ last",
            hint=hint,
        )
    if _RESERVED.fullmatch(name):
        raise BadInput(f"'{name}' is a name that the system uses in /dev", hint=hint)


def check_mount_point(path: str) -> None:
    """Raises BadInput unless a plan may mount at `path`."""
    hint = "name an empty directory for data, such as /srv/data"
    if not _MOUNT_POINT.fullmatch(path) or len(path) > _LONGEST_MOUNT_POINT:
        raise BadInput(
            f"'{path}' is not a valid mount point: expected an absolute path of letters, digits, . _ + -", hint=hint
        )
    inner = path[1:]
    kept = any(inner == place or inner.startswith(f"{place}/") for place in _KEPT_BY_OTHERS)
    if inner.split("/")[0] in _SYSTEM or inner in _TOP_ONLY or kept:
        raise BadInput(f"'{path}' belongs to the system or to raidtui; a mount would hide its content", hint=hint)
