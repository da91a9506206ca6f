"""The smallest edit that makes one machine another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields

from raidtui.model.by_key import by_key
from raidtui.model.fleet.fold import DifferenceKind, HostDifference
from raidtui.model.inventory import Controller
from raidtui.planner.fleet.structure import BayTraits, Box, Structure, differing_texts, trait_text

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
