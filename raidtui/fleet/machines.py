"""What two hosts must have in common to be alike, and in what a host differs from most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

from raidtui.fleet.texts import difference_text
from raidtui.fleet.values import Change, ChangeKind, DifferenceKind, HostDifference, HostLook
from raidtui.predict.disks.holds import uses_text
from raidtui.values.codec import by_key
from raidtui.values.findings import some
from raidtui.values.inventory import Controller, Disk, Inventory, Link, Place
from raidtui.values.location import Location
from raidtui.values.safe import safe
from raidtui.values.target import TargetVersions, Version
from raidtui.values.units import counted, decimal_size, grouped

# Structure of a machine: its bays, what sits in them and how they are attached, without serial numbers and names.


class BayTraits(NamedTuple):
    """What makes two disks in the same bay alike."""

    model: str
    size: int
    firmware: str
    sector: str
    transport: str
    link: int
    controller: str
    zoned: str


class Wire(NamedTuple):
    """A link that several disks share; its name is an address that no other machine has."""

    kind: str
    lanes: int
    bits_per_s: int


Box = Mapping[str, BayTraits]
"""bay to disk, of one enclosure, or of one expander or controller where enclosures are not known"""


@dataclass(frozen=True, slots=True)
class Structure:
    """What two machines must have in common to be alike."""

    boxes: tuple[Box, ...]
    """in the order of the inventory"""
    controllers: tuple[Controller, ...]
    """by PCI address"""
    wires: tuple[tuple[Wire, int], ...]
    """links and how many of each, in a fixed order"""
    paths: frozenset[str]
    """bays named by a path that no other bay of the machine has, whatever it is in"""

    @property
    def key(self) -> object:
        """Equal for machines that are alike: enclosures have no order, only addresses that differ everywhere."""
        boxes = [tuple(sorted(box.items())) for box in self.boxes]
        return tuple(sorted(boxes)), self.controllers, self.wires


def structure_of(inventory: Inventory) -> Structure:
    """The structure of a machine."""
    boxes: dict[tuple[str | None, ...], dict[str, BayTraits]] = {}
    for disk in inventory.disks:
        place = disk.place
        name = (place.enclosure,) if place.enclosure is not None else (None, place.controller, place.expander)
        box = boxes.setdefault(name, {})
        bay, number = bay_of(disk), 2
        free = bay
        while free in box:  # two disks without a bay of their own
            free, number = f"{bay} ({number})", number + 1
        box[free] = _structure_traits(disk)
    wires = Counter(Wire(link.kind, link.lanes or 0, link.bits_per_s or 0) for link in inventory.links)
    return Structure(
        boxes=tuple(boxes.values()),
        controllers=tuple(sorted(inventory.controllers, key=lambda each: each.pci)),
        wires=tuple(sorted(wires.items())),
        paths=frozenset(bay_of(disk) for disk in inventory.disks if not (disk.place.slot or disk.place.port)),
    )


def bay_of(disk: Disk) -> str:
    """`slot 7`, `drawer 1 slot 07`, `port 3`, a path: where a disk sits, by a name that survives a boot; raw."""
    place = disk.place
    if place.slot:
        return Location.in_plan(place.slot, "").text
    if place.port:
        return f"port {place.port.rpartition(':')[2]}"
    return disk.by_path or (f"address {disk.hctl.partition(':')[2]}" if disk.hctl else "") or "unknown slot"


def trait_text(name: str, value: object) -> str:
    """The value of a trait as text: `2 TB`, `6 Gb/s`, `SN05`; `unknown` where there is none."""
    if not value:
        return "unknown"
    if name == "size" and isinstance(value, int):
        return decimal_size(value)
    if name in ("link", "bits_per_s") and isinstance(value, (int, float)):
        return f"{value / 1e9:g} Gb/s"
    return f"{value:g}" if isinstance(value, float) else str(value)


def differing_texts(name: str, value: object, usual: object) -> tuple[str, str]:
    """Two values of a trait as texts that differ: sizes that are rounded to the same digits to the byte."""
    texts = trait_text(name, value), trait_text(name, usual)
    if texts[0] == texts[1] and isinstance(value, int) and isinstance(usual, int):
        return f"{grouped(value)} bytes", f"{grouped(usual)} bytes"
    return texts


def _structure_traits(disk: Disk) -> BayTraits:
    return BayTraits(
        model=" ".join(part for part in (disk.vendor, disk.model) if part),
        size=disk.size_bytes,
        firmware=disk.firmware or "",
        sector=f"{disk.logical_sector_bytes}/{disk.physical_sector_bytes}",
        transport=disk.transport or "",
        link=disk.link_bits_per_s or 0,
        controller=disk.place.controller or "",
        zoned=disk.zoned,
    )


# The smallest edit that makes one machine another.


_EMPTY: Box = {}


def differences(usual: Structure, machine: Structure) -> tuple[HostDifference, ...]:
    """What makes `usual` the `machine`: bays first, then properties of disks, controllers and links."""
    edits: dict[tuple[str, str, str], list[str]] = {}
    whole: list[HostDifference] = []
    common = 0
    paths = usual.paths | machine.paths
    for number, (theirs, own) in enumerate(_paired(usual.boxes, machine.boxes), start=1):
        suffix = f" of enclosure {number}" if max(len(usual.boxes), len(machine.boxes)) > 1 else ""
        for bay in sorted({*theirs, *own}):
            there, here = theirs.get(bay), own.get(bay)
            place = bay if bay in paths else f"{bay}{suffix}"
            if here is None or there is None:
                kind: DifferenceKind = "missing" if here is None else "added"
                whole.append(HostDifference(kind=kind, places=(place,), value=_disk_text(here or there)))
                continue
            common += 1
            for name, before, after in zip(BayTraits._fields, there, here, strict=True):
                if before != after:
                    edit = (name, *differing_texts(name, after, before))
                    edits.setdefault(edit, []).append(place)
    changed = (
        HostDifference(
            kind="disk", places=() if len(places) == common else tuple(places), property=name, value=value, usual=before
        )
        for (name, value, before), places in edits.items()
    )
    return (*_folded(whole), *changed, *_controllers(usual, machine), *_wires(usual, machine))


def _folded(whole: Sequence[HostDifference]) -> Iterator[HostDifference]:
    """Bays with the same disk missing or added as one difference."""
    bays = by_key(((each.kind, each.value), place) for each in whole for place in each.places)
    for (kind, value), places in bays.items():
        yield HostDifference(kind=kind, places=tuple(places), value=value)


def _paired(usual: Sequence[Box], own: Sequence[Box]) -> list[tuple[Box, Box]]:
    """Each enclosure with the one that it has most in common with; the rest with none."""
    if len(usual) == len(own) == 1:
        return [(usual[0], own[0])]
    left, free = list(range(len(usual))), list(range(len(own)))
    likeness = sorted(
        ((_likeness(usual[there], own[here]), -there, -here) for there in left for here in free), reverse=True
    )
    matched: dict[int, Box] = {}
    for _, there, here in likeness:
        if -there in left and -here in free:
            left.remove(-there)
            free.remove(-here)
            matched[-there] = own[-here]
    return [
        *((box, matched.get(number, _EMPTY)) for number, box in enumerate(usual)),
        *((_EMPTY, own[number]) for number in free),
    ]


def _likeness(one: Box, other: Box) -> tuple[int, int]:
    """Equal bays, then bays with a disk in both."""
    both = one.keys() & other.keys()
    return sum(one[bay] == other[bay] for bay in both), len(both)


def _controllers(usual: Structure, machine: Structure) -> Iterator[HostDifference]:
    theirs = {each.pci: each for each in usual.controllers}
    own = {each.pci: each for each in machine.controllers}
    for pci in sorted({*theirs, *own}):
        there, here = theirs.get(pci), own.get(pci)
        if there is None or here is None:
            yield HostDifference(
                kind="controller", places=(pci,),
                value=_controller_text(here) if here is not None else None,
                usual=_controller_text(there) if there is not None else None,
            )  # fmt: skip
            continue
        for field in fields(Controller):
            before, after = getattr(there, field.name), getattr(here, field.name)
            if before != after:
                now, earlier = differing_texts(field.name, after, before)
                yield HostDifference(
                    kind="controller", places=(pci,), property=field.name.replace("_", " "), value=now, usual=earlier
                )


def _wires(usual: Structure, machine: Structure) -> Iterator[HostDifference]:
    theirs, own = dict(usual.wires), dict(machine.wires)
    for wire in sorted({*theirs, *own}):
        if theirs.get(wire) != own.get(wire):
            lanes = f"{wire.lanes} lanes" if wire.lanes else "unknown lanes"
            yield HostDifference(
                kind="link",
                places=(f"{wire.kind} links of {lanes} at {trait_text('bits_per_s', wire.bits_per_s)}",),
                property="count",
                value=str(own.get(wire, 0)),
                usual=str(theirs.get(wire, 0)),
            )


def _disk_text(disk: BayTraits | None) -> str | None:
    return f"{trait_text('size', disk.size)} {disk.model}".strip() if disk is not None else None


def _controller_text(each: Controller) -> str:
    return each.name or each.driver or "controller"


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


# What changed on hosts since the last look: disks by identity, not by kernel name; content; versions.


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
