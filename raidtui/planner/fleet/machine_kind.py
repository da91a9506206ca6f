"""What two hosts must have in common to be alike, and in what a host differs from most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from raidtui.model.counted import counted
from raidtui.model.inventory import Disk, Inventory, Link, Place
from raidtui.model.safe import safe
from raidtui.model.target import TargetVersions, Version
from raidtui.planner.findings import some
from raidtui.planner.fleet.differences import differences
from raidtui.planner.fleet.look_text import difference_text
from raidtui.planner.fleet.structure import structure_of
from raidtui.planner.holds import uses_text

KindTraits = tuple[int, int, int, bool | None, str | None, str | None]
"""size, logical and physical sector, rotational, model, transport"""
_NAMED = 3
_NO_MATTER = "firmware"
"""property of a disk that no plan depends on"""
_PROGRAMS = ("kernel", "mdadm", "xfsprogs", "e2fsprogs")


@dataclass(frozen=True, slots=True)
class MachineKind:
    """A host as far as a recipe can tell: its usable disks, how they are attached, and the versions that write."""

    disks: tuple[KindTraits, ...]
    """in inventory order"""
    wiring: Hashable
    """the usable disks' places and the links to them, by order in place of name"""
    versions: tuple[Version | None, ...]
    """kernel, mdadm, xfsprogs, e2fsprogs: major and minor"""


def kind_of(inventory: Inventory, disks: Sequence[Disk]) -> MachineKind:
    """The kind of a host that uses `disks` of `inventory`."""
    target = inventory.target or TargetVersions()
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


def most_frequent(kinds: Mapping[str, MachineKind]) -> str | None:
    """The first host of the kind that most hosts are; of equally frequent ones the first. None without hosts."""
    counts = Counter(kinds.values())
    return max(kinds, key=lambda host: counts[kinds[host]]) if kinds else None


def difference(kind: MachineKind, inventory: Inventory, usual: MachineKind, usual_inventory: Inventory) -> str:
    """In what a host of `kind` is not like the `usual` one, as a part of a sentence; empty if it is."""
    if kind == usual:
        return ""
    found = []
    if len(kind.disks) != len(usual.disks):
        count = counted(len(kind.disks), "disk")
        found.append(f"{count} can be used, {len(usual.disks)} on most hosts{_unusable(inventory, usual_inventory)}")
    edits = differences(structure_of(usual_inventory), structure_of(inventory))
    found += [difference_text(each) for each in edits if each.property != _NO_MATTER][:_NAMED]
    if not found and (kind.disks, kind.wiring) != (usual.disks, usual.wiring):
        found.append(f"other disks can be used{_unusable(inventory, usual_inventory)}")
    for name, own, other in zip(_PROGRAMS, kind.versions, usual.versions, strict=True):
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


def _traits(disk: Disk) -> KindTraits:
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


def _unusable(inventory: Inventory, usual: Inventory) -> str:
    """The first disks that cannot be used, and why; empty where the usual host has as many of them."""
    found = _held(inventory)
    if len(found) <= len(_held(usual)):
        return ""
    return f" ({some([_reason(disk) for disk in found], _NAMED)})"


def _held(inventory: Inventory) -> list[Disk]:
    """Disks that are not free, without those of the system."""
    free = {id(disk) for disk in inventory.free}
    return [disk for disk in inventory.disks if id(disk) not in free and not disk.protected]


def _reason(disk: Disk) -> str:
    where = disk.place.slot or disk.kernel_name or disk.id
    what = disk.not_selectable or uses_text(disk.uses)
    return f"{safe(where, longest=30)}: {safe(what or disk.state, longest=60)}"


def _version(version: Version | None) -> str:
    return "of an unknown version" if version is None else f"{version[0]}.{version[1]}"
