"""LVM: one volume group with one striped or linear volume over arrays (lvm2 2.03, pvcreate(8), lvcreate(8)).

No --force anywhere. `lvcreate --yes` answers one question only: what to do with a signature that shines through
from before on a volume that has just been made on arrays that were just made on disks that were just wiped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from raidtui.values.codec import parsed
from raidtui.values.errors import MachineFailed
from raidtui.values.plan import Command, mapped_name
from raidtui.values.units import KIB

LINEAR = "linear"
"""type of a volume, and its lv_layout"""
_REPORT = ("--noheadings", "--nosuffix", "--units=b")


def pvcreate(device: str, uuid: str, pe_start_bytes: int) -> Command:
    """Makes a physical volume whose first extent starts at `pe_start_bytes`."""
    align = f"--dataalignment={pe_start_bytes // KIB}k"
    argv = ("pvcreate", align, f"--uuid={uuid}", "--norestorefile", device)
    return Command(argv=argv, effect="destroy", devices=(device,))


def vgcreate(name: str, devices: Sequence[str], extent_bytes: int) -> Command:
    """Makes a volume group of these physical volumes."""
    argv = ("vgcreate", f"--physicalextentsize={extent_bytes // KIB}k", name, *devices)
    return Command(argv=argv, effect="change", devices=tuple(devices))


def vgextend(name: str, devices: Sequence[str]) -> Command:
    """Adds these physical volumes to a volume group."""
    return Command(argv=("vgextend", name, *devices), effect="change", devices=tuple(devices))


def lvcreate(
    group: str, name: str, *, tag: str, stripes: int, stripe_bytes: int, extents: int, read_ahead_sectors: int
) -> Command:
    """Makes a volume of exactly `extents` extents; read-ahead and `tag`, by which it is known, stay with it.

    One stripe: linear, one physical volume after another.
    """
    striped = (f"--stripes={stripes}", f"--stripesize={stripe_bytes // KIB}k")
    argv = (
        "lvcreate", "--yes", "--wipesignatures=y", "--zero=y", f"--type={'striped' if stripes > 1 else LINEAR}",
        *(striped if stripes > 1 else ()), f"--extents={extents}", f"--readahead={read_ahead_sectors}",
        f"--addtag={tag}", f"--name={name}", group,
    )  # fmt: skip
    return Command(argv=argv, effect="change", makes=f"/dev/{group}/{name}")


def activate(tag: str) -> Command:
    """Gives the volumes with this tag their devices; fails where there is none."""
    return Command(argv=("lvchange", "--activate=y", f"@{tag}"), effect="change")


def pvresize(device: str) -> Command:
    """Uses a device that became larger to its end."""
    return Command(argv=("pvresize", device), effect="change", devices=(device,))


def lvextend(
    group: str, name: str, *, extents: int, stripes: int, stripe_bytes: int, devices: Sequence[str]
) -> Command:
    """Makes a volume `extents` extents long in all: what is new is on `devices`, in so many stripes; 1: linear."""
    striped = (f"--stripesize={stripe_bytes // KIB}k",) if stripes > 1 else ()
    argv = ("lvextend", f"--extents={extents}", f"--stripes={stripes}", *striped, f"{group}/{name}", *devices)
    volume = f"/dev/mapper/{mapped_name(group, name)}"
    return Command(argv=argv, effect="change", devices=(volume, *devices))


def lvremove(group: str, name: str) -> Command:
    """Removes one volume that is not in use."""
    return Command(argv=("lvremove", "--yes", f"{group}/{name}"), effect="change")


def vgremove(group: str) -> Command:
    """Removes a volume group; if it has other volumes, vgremove prompts and fails on the closed stdin."""
    return Command(argv=("vgremove", group), effect="change")


def pvremove(device: str) -> Command:
    """Removes the label of a physical volume that no group uses."""
    return Command(argv=("pvremove", device), effect="change", devices=(device,))


def group_question(name: str) -> tuple[str, ...]:
    """The name itself when such a volume group exists, nothing otherwise."""
    return ("vgs", "--noheadings", "--options=vg_name", f"--select=vg_name={name}")


def group_of_volume_question(pv_uuid: str) -> tuple[str, ...]:
    """Name of the group that holds the physical volume with this UUID, nothing when there is none."""
    return ("pvs", "--noheadings", "--options=vg_name", f"--select=pv_uuid={pv_uuid}")


def tagged_question(tag: str) -> tuple[str, ...]:
    """`group/name` of the volume with this tag, nothing when there is none."""
    return ("lvs", "--noheadings", "--options=lv_full_name", f"--select=lv_tags={tag}")


def uuid_question(device: str) -> tuple[str, ...]:
    """UUID of the physical volume on `device`; fails when there is none."""
    return ("pvs", "--noheadings", "--options=pv_uuid", device)


def start_question(device: str) -> tuple[str, ...]:
    """Bytes before the first extent of the physical volume on `device`."""
    return ("pvs", *_REPORT, "--options=pe_start", device)


def volume_question(group: str, name: str) -> tuple[str, ...]:
    """`stripes,stripe size,extent size,volume size` of a volume, in bytes."""
    columns = "--options=stripes,stripe_size,vg_extent_size,lv_size"
    return ("lvs", *_REPORT, "--separator=,", columns, f"{group}/{name}")


def linear_question(group: str, name: str) -> tuple[str, ...]:
    """`linear,extent size,volume size` of a linear volume, in bytes. Its stripes would come in a line per segment."""
    return ("lvs", *_REPORT, "--separator=,", "--options=lv_layout,vg_extent_size,lv_size", f"{group}/{name}")


def extents_question(device: str) -> tuple[str, ...]:
    """Extents of the physical volume on `device`."""
    return ("pvs", *_REPORT, "--options=pv_pe_count", device)


def size_question(group: str, name: str) -> tuple[str, ...]:
    """Size of a volume in bytes."""
    return ("lvs", *_REPORT, "--options=lv_size", f"{group}/{name}")


def pv_uuid(hex_digits: str) -> str:
    """32 hex digits in LVM's grouping of 6-4-4-4-4-4-6."""
    cuts = (0, 6, 10, 14, 18, 22, 26, 32)
    return "-".join(hex_digits[start:end] for start, end in pairwise(cuts))


def group_of(mapped: str) -> str:
    """`vg-a` of the device-mapper name `vg--a-lv`: hyphens inside names are doubled (libdm-string.c)."""
    return mapped.replace("--", "\0").split("-")[0].replace("\0", "-")


# lvs(8), pvs(8): every volume and every physical volume of the machine as JSON (lvm2 2.03.12 and later).
# {"report": [{"lv": [{"lv_full_name": "data/data", "vg_name": "data", "lv_tags": "raidtui_0f0f", "origin": "",
# "lv_attr": "-wi-ao----", "lv_device_open": "open"}]}]} {"report": [{"pv": [{"pv_name": "/dev/md127", "pv_uuid":
# "Wr5xYz-...", "vg_name": "data"}]}]}
# A file of devices (lvmdevices(8), on by default in RHEL 9) hides what it does not list, so it is left out of account.
# A missing physical volume has the name `[unknown]`.


T = TypeVar("T")
_ALL = "--config=devices/use_devicesfile=0"
VOLUMES = (
    "lvs", _ALL, "--reportformat=json", "--all",
    "--options=lv_full_name,vg_name,lv_tags,origin,lv_attr,lv_device_open",
)  # fmt: skip
"""every logical volume, hidden ones too"""
PHYSICAL = ("pvs", _ALL, "--reportformat=json", "--options=pv_name,pv_uuid,vg_name")
"""every physical volume"""

_BYTES = ("--units=b", "--nosuffix")
SPACE = (
    "pvs", _ALL, "--reportformat=json", *_BYTES,
    "--options=pv_name,pv_uuid,vg_name,pe_start,pv_pe_count,pv_pe_alloc_count,vg_extent_size",
)  # fmt: skip
"""every physical volume, with its extents"""
SEGMENTS = (
    "lvs", _ALL, "--reportformat=json", *_BYTES, "--segments",
    "--options=lv_name,vg_name,lv_size,segtype,stripes,stripe_size,devices",
)  # fmt: skip
"""every segment of every volume that is not hidden"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalSpace:
    """A physical volume and its extents."""

    path: str
    uuid: str
    group: str
    """its volume group; empty when it is in none"""
    start_bytes: int
    extent_bytes: int
    extents: int
    used: int
    """extents that volumes have"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A part of a logical volume."""

    name: str
    group: str
    size_bytes: int
    """of the volume"""
    type: str
    """linear, striped, raid6, ..."""
    stripes: int
    stripe_bytes: int
    devices: tuple[str, ...]
    """paths of its physical volumes"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalVolume:
    """A logical volume."""

    name: str
    """group/name; the name of a hidden one is in brackets"""
    group: str
    tags: tuple[str, ...]
    origin: str
    """the volume that it is a snapshot of; empty when it is none"""
    active: bool
    """it has a device"""
    open: bool
    """its device is open: mounted, swapped on, or held by a process or another device"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalVolume:
    """A physical volume."""

    path: str
    uuid: str
    group: str
    """its volume group; empty when it is in none"""


def logical_volumes(text: str) -> tuple[LogicalVolume, ...]:
    """What `VOLUMES` printed. MachineFailed when it is not LVM's JSON."""
    return _made(text, "lv", "lvs", lambda row: LogicalVolume(
        name=row["lv_full_name"], group=row["vg_name"], tags=tuple(filter(None, row["lv_tags"].split(","))),
        origin=row["origin"].strip("[]"), active=row["lv_attr"][4:5] == "a", open=row["lv_device_open"] != "",
    ))  # fmt: skip


def physical_volumes(text: str) -> tuple[PhysicalVolume, ...]:
    """What `PHYSICAL` printed. MachineFailed when it is not LVM's JSON."""
    return _made(
        text, "pv", "pvs", lambda row: PhysicalVolume(path=row["pv_name"], uuid=row["pv_uuid"], group=row["vg_name"])
    )


def spaces(text: str) -> tuple[PhysicalSpace, ...]:
    """What `SPACE` printed; one in no group has no extents. MachineFailed when it is not LVM's JSON."""
    return _made(text, "pv", "pvs", lambda row: PhysicalSpace(
        path=row["pv_name"], uuid=row["pv_uuid"], group=row["vg_name"], start_bytes=int(row["pe_start"]),
        used=int(row["pv_pe_alloc_count"]), extents=int(row["pv_pe_count"]), extent_bytes=int(row["vg_extent_size"]),
    ))  # fmt: skip


def segments(text: str) -> tuple[Segment, ...]:
    """What `SEGMENTS` printed, each volume's in order. MachineFailed when it is not LVM's JSON."""
    return _made(text, "seg", "lvs", lambda row: Segment(
        name=row["lv_name"], group=row["vg_name"], size_bytes=int(row["lv_size"]), type=row["segtype"],
        stripes=int(row["stripes"]), stripe_bytes=int(row["stripe_size"]),
        devices=tuple(each.partition("(")[0] for each in row["devices"].split(",") if each),
    ))  # fmt: skip


def _made(text: str, name: str, program: str, make: Callable[[dict[str, Any]], T]) -> tuple[T, ...]:
    try:
        return tuple(make(row) for report in parsed(text)["report"] for row in report[name])
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        what = f"unexpected output of {program} ({problem!r})"
        raise MachineFailed(what, hint="raidtui needs LVM 2.03.12") from problem
