"""lsblk: one call, a fixed list of columns, JSON out (util-linux 2.34 and later).

What it prints, shortened to one device:

    {"blockdevices": [
      {"kname": "sda", "pkname": null, "maj:min": "8:0", "type": "disk", "size": 2000398934016,
       "ro": false, "rota": true, "log-sec": 512, "phy-sec": 512, "opt-io": 0, "zoned": "none",
       "model": "QEMU HARDDISK", "serial": "SIM-0001", "wwn": "0x5000000000000001", "vendor": "QEMU    ",
       "rev": "2.5+", "tran": "sas", "hctl": "0:0:0:0", "fstype": null, "label": null, "uuid": null,
       "pttype": null, "mountpoint": null}
    ]}

Types of the values differ between versions (util-linux 3621: numbers and flags may be strings),
so each is coerced. Strings are as the disk reports them, control characters included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from raidtui.model.errors import MachineFailed
from raidtui.model.json_text import parsed

ARGV = (
    "lsblk", "--json", "--bytes", "--list", "--output",
    "KNAME,PKNAME,MAJ:MIN,TYPE,SIZE,RO,ROTA,LOG-SEC,PHY-SEC,OPT-IO,ZONED,MODEL,SERIAL,WWN,VENDOR,REV,TRAN,HCTL,"
    "FSTYPE,LABEL,UUID,PTTYPE,MOUNTPOINT",
)  # fmt: skip


def tree_question(devices: Sequence[str]) -> tuple[str, ...]:
    """The lsblk command for these devices and everything built on them."""
    return (*ARGV, *devices)


def scheduler_question(device: str) -> tuple[str, ...]:
    """The disk's active I/O scheduler: `mq-deadline` where queue/scheduler in sysfs is `[mq-deadline] none`."""
    return ("lsblk", "--nodeps", "--noheadings", "--output=SCHED", device)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockDevice:
    """One block device as reported by lsblk; None for a value it lacks."""

    name: str
    """kernel name"""
    parent: str | None
    """kernel name of the device below it; one of them when there are several"""
    number: str
    """major:minor"""
    type: str
    """disk, part, raid5, lvm, crypt, mpath, loop, rom, ..."""
    size: int
    """bytes"""
    read_only: bool
    """the kernel refuses writes"""
    rotational: bool | None
    """spins"""
    logical_sector: int
    """bytes"""
    physical_sector: int
    """bytes"""
    optimal_io: int
    """bytes; 0 when the device names none"""
    zoned: str
    """none, host-aware or host-managed"""
    model: str | None
    serial: str | None
    wwn: str | None
    vendor: str | None
    revision: str | None
    transport: str | None
    hctl: str | None
    fstype: str | None
    label: str | None
    uuid: str | None
    table: str | None
    """partition table on it: gpt, dos"""
    mount_point: str | None


Edges = frozenset[tuple[str, str]]
"""kernel names: device below, device above"""


def parse(text: str) -> tuple[tuple[BlockDevice, ...], Edges]:
    """The block devices in `text`, each once, in the order printed, and the devices above each.

    A device over several others may be printed once, below one of them, or once for each: only the kernel's
    holders tell all. MachineFailed when `text` is not lsblk's JSON.
    """
    try:
        rows = parsed(text)["blockdevices"]
        blocks = {row["kname"]: _block(row) for row in reversed(rows)}
        edges = frozenset((row["pkname"], row["kname"]) for row in rows if row["pkname"])
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise MachineFailed(
            f"unexpected output of lsblk ({problem!r})", hint="raidtui needs lsblk of util-linux 2.34 or later"
        ) from problem
    return tuple(reversed(blocks.values())), edges


def _block(row: dict[str, Any]) -> BlockDevice:
    return BlockDevice(
        name=_name(row["kname"]),
        parent=None if row["pkname"] is None else _name(row["pkname"]),
        number=row["maj:min"].strip(),
        type=_name(row["type"]),
        size=int(row["size"] or 0),
        read_only=_flag(row["ro"]) is not False,
        rotational=_flag(row["rota"]),
        logical_sector=int(row["log-sec"] or 512),
        physical_sector=int(row["phy-sec"] or 512),
        optimal_io=int(row["opt-io"] or 0),
        zoned=row["zoned"] or "none",
        model=_text(row["model"]),
        serial=_text(row["serial"]),
        wwn=_text(row["wwn"]),
        vendor=_padded(row["vendor"]),
        revision=_padded(row["rev"]),
        transport=_text(row["tran"]),
        hctl=_text(row["hctl"]),
        fstype=_text(row["fstype"]),
        label=_text(row["label"]),
        uuid=_text(row["uuid"]),
        table=_text(row["pttype"]),
        mount_point=_text(row["mountpoint"]),
    )


def _name(value: object) -> str:
    """The string. Raises TypeError for a value of another kind."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no string")
    return value


def _text(value: str | None) -> str | None:
    """The string as it is; None when it is empty or only blanks."""
    return value if value and value.strip() else None


def _padded(value: str | None) -> str | None:
    """The string without SCSI's padding; None for the PCI number that virtio has there."""
    text = (value or "").strip(" \0")
    return None if text.startswith("0x") else text or None


def _flag(value: bool | int | str | None) -> bool | None:
    return None if value is None else str(value).lower() in ("1", "true")
