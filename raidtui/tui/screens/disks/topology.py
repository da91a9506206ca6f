"""Controllers, expanders and enclosures as a tree of counts. Nothing here draws."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from raidtui.model.inventory import Controller, Disk, Inventory
from raidtui.tui.widgets.bays import row_of


class Branch(NamedTuple):
    """A controller, expander or enclosure with its disks."""

    path: tuple[str, ...]
    """names from the top; unique"""
    words: str
    """its text on screen"""
    disks: tuple[Disk, ...]
    """all disks below it"""
    branches: tuple[Branch, ...] = ()
    link: str = ""
    """how it is attached, such as its present PCIe link"""

    @property
    def row(self) -> str:
        """The row of bays of all its disks, such as `drawer 1`; empty if they are in several rows."""
        rows = {row_of(disk.place.slot or "") for disk in self.disks}
        return rows.pop() if len(rows) == 1 else ""

    @property
    def depth(self) -> int:
        """0 at the top."""
        return len(self.path) // 2


def tree(inventory: Inventory) -> tuple[Branch, ...]:
    """One branch per controller, with its expanders and enclosures below; disks of unknown location last."""
    controllers = {controller.pci: controller for controller in inventory.controllers}
    top: dict[str, list[Disk]] = {pci: [] for pci in controllers}
    for disk in inventory.disks:
        top.setdefault(disk.place.controller or "", []).append(disk)
    known = [_controller(pci, controllers.get(pci), tuple(disks)) for pci, disks in top.items() if pci]
    unknown = tuple(top.get("", ()))
    return (*known, *((_branch(("",), "location unknown", unknown),) if unknown else ()))


def visible(branches: tuple[Branch, ...], shut: frozenset[tuple[str, ...]]) -> Iterator[Branch]:
    """Every branch that is not below a collapsed one, from the top."""
    for branch in branches:
        yield branch
        if branch.path not in shut:
            yield from visible(branch.branches, shut)


def _controller(pci: str, controller: Controller | None, disks: tuple[Disk, ...]) -> Branch:
    link = ""
    if controller is not None and controller.pcie_speed_gts is not None and controller.pcie_width is not None:
        link = f"{controller.pcie_speed_gts:g} GT/s x{controller.pcie_width}"
    name = (controller.name or controller.driver) if controller is not None else None
    words = " ".join(part for part in (pci.removeprefix("0000:"), name) if part)
    return _branch((pci,), words, disks, link)


def _branch(path: tuple[str, ...], words: str, disks: tuple[Disk, ...], link: str = "") -> Branch:
    below: list[Branch] = []
    if len(path) == 1:
        for name, inside in _split(disks, lambda disk: disk.place.expander):
            below.append(_branch((*path, "expander", name), _titled("expander", name), inside))
        disks_here = tuple(disk for disk in disks if not disk.place.expander)
    else:
        disks_here = disks
    for name, inside in _split(disks_here, lambda disk: disk.place.enclosure):
        below.append(Branch(path=(*path, "enclosure", name), words=_titled("enclosure", name), disks=inside))
    if len(below) == 1 and below[0].disks == disks and not below[0].branches:
        below = []
    return Branch(path=path, words=words, link=link, disks=disks, branches=tuple(below))


def _split(disks: Iterable[Disk], name_of: Callable[[Disk], str | None]) -> Iterator[tuple[str, tuple[Disk, ...]]]:
    parts: dict[str, list[Disk]] = {}
    for disk in disks:
        name = name_of(disk)
        if name:
            parts.setdefault(name, []).append(disk)
    for name, inside in parts.items():
        yield name, tuple(inside)


def _titled(what: str, name: str) -> str:
    return name if name.startswith(what) else f"{what} {name}"
