"""Which disks are members and spares of which md arrays, from /sys/block/md*/md (Documentation/admin-guide/md.rst)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from raidtui.machine.kernel_arrays import assembled, members_now, runs
from raidtui.machine.ports.host import Host
from raidtui.model.gauges import WatchedArray
from raidtui.tools import md_sysfs, udevdb
from raidtui.tools.sysfs import word

_BLOCK = "/sys/block"
_DEEPEST = 8
"""devices on top of each other that are followed down to a disk"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """A disk's part in the first array it is in."""

    array: str
    role: Literal["member", "spare", "idle"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Memberships:
    """Arrays and their disks, by kernel name."""

    arrays: tuple[WatchedArray, ...]
    """members first, then the arrays on them"""
    disks: dict[str, Membership]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """One component of an array."""

    below: tuple[str, ...]
    """the disks it is on, or the array"""
    slot: int | None
    spare: bool


def memberships(host: Host) -> Memberships:
    """Every assembled array of the machine behind `host`."""
    words = assembled(host)
    names = list(words)
    parts = {name: list(_parts(host, name, started=runs(words[name]))) for name in names}
    arrays = {name: _array(host, name, parts[name]) for name in names}
    disks: dict[str, Membership] = {}
    for name in names:
        for part in parts[name]:
            role: Literal["member", "spare", "idle"] = "idle"
            if part.slot is not None or part.spare:
                role = "spare" if part.slot is None else "member"
            for disk in part.below:
                disks.setdefault(disk, Membership(array=name, role=role))
    return Memberships(arrays=tuple(arrays[name] for name in _inner_first(arrays)), disks=disks)


def _array(host: Host, name: str, parts: list[_Part]) -> WatchedArray:
    in_order = sorted((part for part in parts if part.slot is not None), key=lambda part: part.slot or 0)
    return WatchedArray(
        name=name,
        title=_title(host, name),
        level=word(host.text(f"{_BLOCK}/{name}/md/level")),
        members=tuple(disk for part in in_order for disk in part.below),
        spares=tuple(disk for part in parts if part.slot is None and part.spare for disk in part.below),
    )


def _title(host: Host, name: str) -> str:
    """`data` of /dev/md/data, as udev links it."""
    record = host.text(udevdb.path(word(host.text(f"{_BLOCK}/{name}/dev"))))
    links = udevdb.parse(record).links if record else ()
    titles = (link.removeprefix("md/") for link in links if link.startswith("md/"))
    return next((title for title in titles if not title.isdecimal()), "")


def _parts(host: Host, array: str, *, started: bool) -> Iterator[_Part]:
    for member in members_now(host, array, started=started):
        yield _Part(
            below=tuple(_down(host, member.device, _DEEPEST)),
            slot=None if member.state == "faulty" else member.slot,
            spare=member.state == "spare",
        )


def _down(host: Host, name: str, deepest: int) -> list[str]:
    """Disks below `name`: the disk of a partition, the disks of a device-mapper device, else `name`."""
    way = host.link(f"/sys/class/block/{name}") or ""
    if host.text(f"/sys/class/block/{name}/partition") is not None and way.count("/"):
        return _down(host, way.split("/")[-2], deepest)
    lower = host.names(f"{_BLOCK}/{name}/slaves") if name.startswith("dm-") and deepest else ()
    if not lower:
        return [name.replace("!", "/")]
    return [disk for each in lower for disk in _down(host, each, deepest - 1)]


def _inner_first(arrays: dict[str, WatchedArray]) -> list[str]:
    """Names of arrays by number, each after its members."""
    found: list[str] = []

    def add(name: str, above: frozenset[str]) -> None:
        for lower in arrays[name].members:
            if lower in arrays and lower not in above:
                add(lower, above | {name})
        if name not in found:
            found.append(name)

    for name in sorted(arrays, key=md_sysfs.by_number):
        add(name, frozenset({name}))
    return found
