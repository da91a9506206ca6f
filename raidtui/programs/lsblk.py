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
so each is coerced. Strings are as the disk reports them, control characters included. A value that has no meaning
counts as not printed, and `BlockDevice.problem` says so: the row of one device never costs those of the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from raidtui.values.codec import parsed
from raidtui.values.errors import MachineFailed

T = TypeVar("T")

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
    problem: str = ""
    """what of its row has no meaning; empty where all has"""


NO_ROW = "there is none"
"""problem of a device that lsblk does not list"""
Edges = frozenset[tuple[str, str]]
"""kernel names: device below, device above"""


def parse(text: str) -> tuple[tuple[BlockDevice, ...], Edges]:
    """The block devices in `text`, each once, in the order printed, and the devices above each.

    A device over several others may be printed once, below one of them, or once for each: only the kernel's
    holders tell all. Rows that name no device are one without a name. MachineFailed when `text` is not lsblk's JSON, or
    no row of it has a meaning.
    """
    try:
        rows = parsed(text)["blockdevices"]
        if not isinstance(rows, list):
            raise TypeError(f"{type(rows).__name__} in place of a list")
    except (ValueError, KeyError, TypeError) as problem:
        raise _unexpected(repr(problem)) from problem
    read = [_Row(row) for row in rows]
    blocks: dict[str, BlockDevice] = {}
    for block in (row.block() for row in read):
        first = blocks.pop(block.name, block)
        alone = first is not block and first.parent is None and block.parent is None
        twice = f"MAJ:MIN: {first.number} and {block.number}" if alone else ""  # two rows claim to be that disk
        blocks[block.name] = replace(first, problem=first.problem or block.problem or twice)
    if rows and all(row.problems for row in read):
        raise _unexpected(read[0].problems[0])
    return tuple(blocks.values()), frozenset((row.parent, row.name) for row in read if row.parent and row.name)


def left_out(name: str, number: str, kind: str, size: int) -> BlockDevice:
    """A device that the kernel has and lsblk does not list."""
    unknown = dict.fromkeys(
        ("parent", "rotational", "model", "serial", "wwn", "vendor", "revision", "transport", "hctl", "fstype", "label",
         "uuid", "table", "mount_point")
    )  # fmt: skip
    return BlockDevice(
        name=name, number=number, type=kind, size=size, read_only=False, logical_sector=512, physical_sector=512,
        optimal_io=0, zoned="none", problem=NO_ROW, **unknown,
    )  # fmt: skip


def _unexpected(problem: str) -> MachineFailed:
    return MachineFailed(
        f"unexpected output of lsblk ({problem})", hint="raidtui needs lsblk of util-linux 2.34 or later"
    )


_NAME = re.compile(r"(?!\.)[^\s/\x00-\x1f]+(?:/(?!\.)[^\s/\x00-\x1f]+)?")
"""kernel name: sda, nvme0n1, cciss/c0d0"""
_NUMBER = re.compile(r"[0-9]{1,10}:[0-9]{1,10}")
_MOST_BYTES = 1 << 63
_SECTORS = tuple(512 << shift for shift in range(12))
_SHOWN = 3
"""problems of a row that are shown"""


class _Row:
    """One row, each value in the type that it must have."""

    def __init__(self, row: object) -> None:
        self._row: dict[str, Any] = row if isinstance(row, dict) else {}
        self.problems: list[str] = [] if isinstance(row, dict) else [f"{row!r:.40} is no row"]
        self.name = self._value("kname", _name, "")
        self.parent = self._value("pkname", _optional(_name), None)

    def _value(self, column: str, meaning: Callable[[Any], T], otherwise: T) -> T:
        """The value of a column; `otherwise` where it has no meaning."""
        if column not in self._row:
            self.problems.append(f"no {column.upper()}")
            return otherwise
        try:
            return meaning(self._row[column])
        except (ValueError, TypeError) as problem:
            self.problems.append(f"{column.upper()}: {problem}")
            return otherwise

    def block(self) -> BlockDevice:
        """The device."""
        kind = self._value("type", _text, None)
        if kind is None and "type" in self._row and not any(each.startswith("TYPE") for each in self.problems):
            self.problems.append("TYPE: there is none")
        must = kind in ("disk", "mpath")  # what others lack says nothing
        fields: dict[str, Any] = {
            "size": self._value("size", _number(0, _MOST_BYTES, must=must), None) or 0,
            "read_only": self._value("ro", _flag, None) is not False,
            "rotational": self._value("rota", _flag, None),
            "logical_sector": self._value("log-sec", _sector(must=must), None) or 512,
            "physical_sector": self._value("phy-sec", _sector(must=must), None) or 512,
            "optimal_io": self._value("opt-io", _number(0, _MOST_BYTES, must=False), None) or 0,
            "zoned": self._value("zoned", _text, None) or "none",
        }
        columns = {
            "model": "model", "serial": "serial", "wwn": "wwn", "tran": "transport", "hctl": "hctl", "fstype": "fstype",
            "label": "label", "uuid": "uuid", "pttype": "table", "mountpoint": "mount_point",
        }  # fmt: skip
        fields |= {field: self._value(column, _text, None) for column, field in columns.items()}
        fields |= {"vendor": self._value("vendor", _padded, None), "revision": self._value("rev", _padded, None)}
        number = self._value("maj:min", _device_number, "")
        problem = "; ".join(self.problems[:_SHOWN])
        return BlockDevice(
            name=self.name, parent=self.parent, number=number, type=kind or "", problem=problem, **fields
        )


def _name(value: object) -> str:
    """The kernel name. Raises TypeError for a value of another kind, ValueError for what is none."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no string")
    if not _NAME.fullmatch(value):
        raise ValueError(f"{value!r:.40} is no name")
    return value


def _optional(meaning: Callable[[Any], T]) -> Callable[[Any], T | None]:
    return lambda value: None if value is None else meaning(value)


def _device_number(value: object) -> str:
    number = str(value).strip()
    if not _NUMBER.fullmatch(number):
        raise ValueError(f"{value!r:.40} is no device number")
    return number


def _number(least: int, most: int, *, must: bool) -> Callable[[Any], int | None]:
    """A whole number as lsblk prints it; None where it prints none, or 0 for what cannot be 0, and need not."""

    def meaning(value: Any) -> int | None:
        if not must and value in (None, "", 0, "0"):
            return None
        if value is None:
            raise ValueError("there is none")
        text = "" if isinstance(value, bool) else str(value).strip()
        if not (text.isascii() and text.isdecimal() and len(text) < 30 and least <= int(text) <= most):
            raise ValueError(f"{value!r:.40} is out of range")
        return int(text)

    return meaning


def _sector(*, must: bool) -> Callable[[Any], int | None]:
    """A size of sectors."""
    number = _number(0, _MOST_BYTES, must=must)

    def meaning(value: Any) -> int | None:
        found = number(value)
        if found is not None and found not in _SECTORS:
            raise ValueError(f"{value!r:.40} is no size of sectors")
        return found

    return meaning


def _text(value: object) -> str | None:
    """The string as it is; None when it is empty or only blanks."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no string")
    value.encode("utf-8", "surrogateescape")  # half a character is none: UnicodeEncodeError is a ValueError
    return value if value.strip() else None


def _padded(value: object) -> str | None:
    """The string without SCSI's padding; None for the PCI number that virtio has there."""
    text = (_text(value) or "").strip(" \0")
    return None if text.startswith("0x") else text or None


def _flag(value: object) -> bool | None:
    """True, False, or None for null. Raises ValueError for anything else."""
    if value is None:
        return None
    word = str(value).lower()
    if word not in ("0", "1", "false", "true"):
        raise ValueError(f"{value!r:.40} is neither 0 nor 1")
    return word in ("1", "true")
