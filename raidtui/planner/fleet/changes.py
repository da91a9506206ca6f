"""What changed on hosts since the last look: disks by identity, not by kernel name; content; versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from raidtui.model.by_key import by_key
from raidtui.model.fleet.fold import Change, ChangeKind
from raidtui.model.fleet.hosts import HostLook
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.target import TargetVersions
from raidtui.planner.fleet.structure import bay_of, differing_texts
from raidtui.planner.holds import uses_text


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edit:
    """A change without its hosts and disks."""

    kind: ChangeKind
    property: str | None = None
    before: str | None = None
    after: str | None = None


def changes(last: Mapping[str, HostLook], now: Mapping[str, HostLook]) -> tuple[Change, ...]:
    """Differences of each host that answered both times; the same change of several disks or hosts is one."""
    found: dict[tuple[_Edit, str, tuple[str, ...]], dict[str, list[str]]] = {}
    for host, look in now.items():
        before = last.get(host)
        if before is None or before.inventory is None or look.inventory is None:
            continue
        edits = by_key((edit, (place, disk)) for edit, place, disk in _disks(before.inventory, look.inventory))
        edits |= {edit: [] for edit in _versions(before, look)}
        for edit, where in edits.items():
            key = (edit, before.asked_at, tuple(place for place, _ in where))
            found.setdefault(key, {})[host] = [disk for _, disk in where]
    return tuple(
        Change(
            hosts=tuple(hosts), since=since, kind=edit.kind, places=places,
            disks=tuple(disk for disks in hosts.values() for disk in disks), property=edit.property,
            before=edit.before, after=edit.after,
        )
        for (edit, since, places), hosts in found.items()
    )  # fmt: skip


def _disks(before: Inventory, after: Inventory) -> Iterator[tuple[_Edit, str, str]]:
    """Each edit with the bay and the identity of its disk."""
    old, new = _by_identity(before), _by_identity(after)
    for name, disk in old.items():
        if name not in new:
            yield _Edit(kind="disk-gone"), bay_of(disk), name
    for name, disk in new.items():
        earlier = old.get(name)
        place = bay_of(disk)
        if earlier is None:
            yield _Edit(kind="disk-new"), place, name
            continue
        if _seat(earlier) != _seat(disk):
            yield _Edit(kind="disk-moved", before=bay_of(earlier), after=place), place, name
        for each in ("firmware", "link_bits_per_s", "size_bytes"):
            one, other = getattr(earlier, each), getattr(disk, each)
            if one != other:
                word = each.partition("_")[0]
                before_text, after_text = differing_texts(word, one, other)
                yield _Edit(kind="disk", property=word, before=before_text, after=after_text), place, name
        if (earlier.state, earlier.uses) != (disk.state, disk.uses):
            one, other = _content(earlier), _content(disk)
            if one != other:
                yield _Edit(kind="content", before=one, after=other), place, name


def _versions(before: HostLook, after: HostLook) -> Iterator[_Edit]:
    old, new = versions_of(before), versions_of(after)
    for name in old:
        if old[name] != new[name]:
            yield _Edit(kind="version", property=name, before=old[name], after=new[name])


def versions_of(look: HostLook) -> Mapping[str, str | None]:
    """Version of each program that writes to disks, and of raidtui; None where it is not known."""
    target = look.inventory.target if look.inventory is not None else None
    target = target or TargetVersions()
    return {
        "raidtui": look.raidtui,
        "kernel": target.kernel,
        "mdadm": target.mdadm,
        "xfsprogs": target.xfsprogs,
        "e2fsprogs": target.e2fsprogs,
    }


def _by_identity(inventory: Inventory) -> Mapping[str, Disk]:
    """Disks that have an identity; of two with the same the first."""
    found: dict[str, Disk] = {}
    for disk in inventory.disks:
        if disk.id:
            found.setdefault(disk.id, disk)
    return found


def _seat(disk: Disk) -> tuple[str | None, str]:
    return disk.place.enclosure, bay_of(disk)


def _content(disk: Disk) -> str:
    """`blank`, `unknown`, or what is on it or holds it."""
    if disk.state != "content" or not disk.uses:
        return disk.state
    return uses_text(disk.uses)
