"""lvs(8), pvs(8): every volume and every physical volume of the machine as JSON (lvm2 2.03.12 and later).

    {"report": [{"lv": [{"lv_full_name": "data/data", "vg_name": "data", "lv_tags": "raidtui_0f0f", "origin": "",
                         "lv_attr": "-wi-ao----", "lv_device_open": "open"}]}]}
    {"report": [{"pv": [{"pv_name": "/dev/md127", "pv_uuid": "Wr5xYz-...", "vg_name": "data"}]}]}

A file of devices (lvmdevices(8), on by default in RHEL 9) hides what it does not list, so it is left out of account.
A missing physical volume has the name `[unknown]`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from raidtui.model.errors import MachineFailed
from raidtui.model.json_text import parsed

_ALL = "--config=devices/use_devicesfile=0"
VOLUMES = (
    "lvs", _ALL, "--reportformat=json", "--all",
    "--options=lv_full_name,vg_name,lv_tags,origin,lv_attr,lv_device_open",
)  # fmt: skip
"""every logical volume, hidden ones too"""
PHYSICAL = ("pvs", _ALL, "--reportformat=json", "--options=pv_name,pv_uuid,vg_name")
"""every physical volume"""


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
    try:
        return tuple(
            LogicalVolume(
                name=row["lv_full_name"], group=row["vg_name"], tags=tuple(filter(None, row["lv_tags"].split(","))),
                origin=row["origin"].strip("[]"), active=row["lv_attr"][4:5] == "a", open=row["lv_device_open"] != "",
            )
            for row in _rows(text, "lv")
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise _odd("lvs", problem) from problem


def physical_volumes(text: str) -> tuple[PhysicalVolume, ...]:
    """What `PHYSICAL` printed. MachineFailed when it is not LVM's JSON."""
    try:
        return tuple(
            PhysicalVolume(path=row["pv_name"], uuid=row["pv_uuid"], group=row["vg_name"]) for row in _rows(text, "pv")
        )
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise _odd("pvs", problem) from problem


def _rows(text: str, name: str) -> list[dict[str, Any]]:
    return [row for report in parsed(text)["report"] for row in report[name]]


def _odd(program: str, problem: Exception) -> MachineFailed:
    return MachineFailed(f"unexpected output of {program} ({problem!r})", hint="raidtui needs LVM 2.03.12")
