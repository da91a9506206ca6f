"""lvs(8), pvs(8): every volume and every physical volume of the machine as JSON (lvm2 2.03.12 and later).

    {"report": [{"lv": [{"lv_full_name": "data/data", "vg_name": "data", "lv_tags": "raidtui_0f0f", "origin": "",
                         "lv_attr": "-wi-ao----", "lv_device_open": "open"}]}]}
    {"report": [{"pv": [{"pv_name": "/dev/md127", "pv_uuid": "Wr5xYz-...", "vg_name": "data"}]}]}

A file of devices (lvmdevices(8), on by default in RHEL 9) hides what it does not list, so it is left out of account.
A missing physical volume has the name `[unknown]`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from raidtui.model.errors import MachineFailed
from raidtui.model.json_text import parsed

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
