"""What two hosts must have in common to be alike, and in what a host differs from most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from raidtui.model.counted import counted
from raidtui.model.inventory import Disk, Inventory, Link, Place
from raidtui.model.safe import safe
from raidtui.model.target import Target, Version
from raidtui.model.units import decimal_size

Traits = tuple[int, int, int, bool | None, str | None, str | None]
"""size, logical and physical sector, rotational, model, transport"""
_NAMED = 3


@dataclass(frozen=True, slots=True)
class MachineKind:
    """A host as far as a recipe can tell: its usable disks, how they are attached, and the versions that write."""

    disks: tuple[Traits, ...]
    """in inventory order"""
    wiring: Hashable
    """the usable disks' places and the links to them, by order in place of name"""
    versions: tuple[Version | None, ...]
    """kernel, mdadm, xfsprogs, e2fsprogs: major and minor"""


def kind_of(inventory: Inventory, disks: Sequence[Disk]) -> MachineKind:
    """The kind of a host that uses `disks` of `inventory`."""
    target = inventory.target or Target()
    return MachineKind(
        disks=tuple(_traits(disk) for disk in disks),
        wiring=_wiring(inventory, disks),
        versions=(
            target.kernel_version,
            target.mdadm_version,
            target.xfsprogs_version,
            target.e2fsprogs_version,
        ),
    )


def most_frequent(kinds: Mapping[str, MachineKind]) -> MachineKind | None:
    """The kind of most hosts; of equally frequent ones that of the first host. None without hosts."""
    counts = Counter(kinds.values())
    return max(counts, key=lambda kind: counts[kind]) if counts else None


def difference(kind: MachineKind, usual: MachineKind, inventory: Inventory) -> str:
    """In what a host of `kind` with `inventory` is not like the `usual` one, as a sentence part; empty if it is."""
    found = [*_disk_differences(kind, usual, inventory)]
    if not found and kind.disks != usual.disks:
        found.append("the same disks in another order")
    if not found and kind.wiring != usual.wiring:
        found.append("its disks are attached in another way")
    for name, own, other in zip(
        ("kernel", "mdadm", "xfsprogs", "e2fsprogs"), kind.versions, usual.versions, strict=True
    ):
        if own != other:
            found.append(f"{name} {_version(own)}, most hosts have {_version(other)}")
    return "; ".join(found)


def prediction_key(inventory: Inventory, disks: Sequence[Disk]) -> Hashable:
    """Equal for hosts whose `disks`, in the order of use, give the same speed and risk: all but names and contents."""
    alike = tuple(
        replace(
            disk, id="", kernel_name="", wwn=None, serial=None, firmware=None, by_id=(), by_path=None, hctl=None,
            smart=None, state="unknown", uses=(), partitions=(), opened_by=(), sampled=None, fingerprint="",
            place=Place(), bsd_locked=False,
        )
        for disk in disks
    )  # fmt: skip
    return alike, kind_of(inventory, disks), inventory.figures


def _traits(disk: Disk) -> Traits:
    return (
        disk.size_bytes, disk.logical_sector_bytes, disk.physical_sector_bytes, disk.rotational, disk.model,
        disk.transport,
    )  # fmt: skip


class _Numbers:
    """Names to numbers, in the order in which they are first met."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def of(self, name: str | None) -> int | None:
        """The number of `name`; None of None."""
        return None if name is None else self._known.setdefault(name, len(self._known))

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that was met, in order."""
        return tuple(self._known)


def _wiring(inventory: Inventory, disks: Sequence[Disk]) -> Hashable:
    """Places of the disks, their controllers and the links to them, numbers in place of names."""
    nodes, enclosures = _Numbers(), _Numbers()
    places = tuple(
        (nodes.of(disk.place.controller), nodes.of(disk.place.expander), enclosures.of(disk.place.enclosure))
        for disk in disks
    )
    links = tuple(_links({link.name: link for link in inventory.links}, nodes))
    controllers = {each.pci: replace(each, pci="") for each in inventory.controllers}
    return places, links, tuple(controllers.get(name) for name in nodes.names)


def _links(links: Mapping[str, Link], nodes: _Numbers) -> Iterator[Hashable]:
    """Every link from the nodes up to their controllers, each once."""
    todo = list(nodes.names)
    done: set[str] = set()
    while todo:
        name = todo.pop(0)
        link = links.get(name)
        if link is None or name in done:
            continue
        done.add(name)
        yield nodes.of(name), link.kind, link.lanes, link.bits_per_s, nodes.of(link.above)
        if link.above is not None:
            todo.append(link.above)


def _disk_differences(kind: MachineKind, usual: MachineKind, inventory: Inventory) -> list[str]:
    own, other = Counter(kind.disks), Counter(usual.disks)
    found = []
    if len(kind.disks) != len(usual.disks):
        found.append(
            f"{counted(len(kind.disks), 'disk')} can be used, {len(usual.disks)} on most hosts{_unusable(inventory)}"
        )
    extra = own - other
    if extra and (len(kind.disks) == len(usual.disks) or extra.total() > len(kind.disks) - len(usual.disks)):
        missing = other - own
        theirs = f" in place of {_disks_text(missing)}" if missing else ""
        found.append(f"{_disks_text(extra)}{theirs}")
    return found


def _unusable(inventory: Inventory) -> str:
    """The first disks that cannot be used, and why; empty without such."""
    free = {id(disk) for disk in inventory.free}
    found = [disk for disk in inventory.disks if id(disk) not in free and not disk.protected]
    if not found:
        return ""
    named = ", ".join(_reason(disk) for disk in found[:_NAMED])
    return f" ({named}{f' and {len(found) - _NAMED} more' if len(found) > _NAMED else ''})"


def _reason(disk: Disk) -> str:
    where = disk.place.slot or disk.kernel_name or disk.id
    what = disk.not_selectable or ", ".join(dict.fromkeys(f"{use.kind} {use.where}".strip() for use in disk.uses))
    return f"{safe(where, longest=30)}: {safe(what or disk.state, longest=60)}"


def _disks_text(disks: Counter[Traits]) -> str:
    return ", ".join(
        f"{count} x {decimal_size(size)} {safe(model or 'of unknown model', longest=30)}"
        for (size, _, _, _, model, _), count in disks.most_common(_NAMED)
    )


def _version(version: Version | None) -> str:
    return "of an unknown version" if version is None else f"{version[0]}.{version[1]}"
