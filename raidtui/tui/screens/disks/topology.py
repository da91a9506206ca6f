"""Controllers, expanders and enclosures as a tree of counts. Nothing here draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from textual.binding import Binding, BindingType
from textual.message import Message

from raidtui.tui.terminal.text import Line, Mark, Span, fit
from raidtui.tui.widgets.pane import Pane
from raidtui.tui.widgets.slot_map import disk_key, row_of
from raidtui.values.inventory import Controller, Disk, Inventory


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


# Topology pane: the tree of controllers, expanders and enclosures with their disks.


class TopologyPane(Pane):
    """Left and right collapse and expand a branch, Enter limits the table to it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "shut", "collapse", show=False, tooltip="collapse the branch"),
        Binding("right,l", "open", "expand", show=False, tooltip="expand the branch"),
        Binding("space", "take", "leave out", tooltip="exclude the branch's disks from the design, or use them",
                id="tree.toggle"),
        Binding("enter", "limit", "only these", tooltip="show only this branch's disks; again: all", id="tree.limit"),
    ]  # fmt: skip

    @dataclass
    class Taken(Message):
        """Message: the design shall use or exclude the disks of a branch."""

        branch: Branch

    @dataclass
    class Limited(Message):
        """Message: the table shall show only the disks below a branch; None for all."""

        branch: Branch | None

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Topology", pickable=True, id=id)
        self.trees: tuple[Branch, ...] = ()
        self.marks: Mapping[str, Mark] = {}
        self.shut: frozenset[tuple[str, ...]] = frozenset()
        self.limit: tuple[str, ...] | None = None
        self._rows: list[Branch] = []
        self.empty = "no known controller"

    def show(self, trees: tuple[Branch, ...], marks: Mapping[str, Mark]) -> None:
        """Draws `trees` with the states of their disks."""
        self.trees, self.marks = trees, marks
        self._arrange()

    def _arrange(self) -> None:
        self._rows = list(visible(self.trees, self.shut))
        self.keep_in_view()
        self.refresh()

    @property
    def branch(self) -> Branch | None:
        """The branch under the cursor."""
        return self._rows[self.cursor] if self._rows else None

    def action_shut(self) -> None:
        """Collapses the branch."""
        if self.branch is not None:
            self.shut |= {self.branch.path}
            self._arrange()

    def action_open(self) -> None:
        """Expands the branch."""
        if self.branch is not None:
            self.shut -= {self.branch.path}
            self._arrange()

    def action_take(self) -> None:
        """Posts `Taken`."""
        if self.branch is not None:
            self.post_message(self.Taken(self.branch))

    def clear(self) -> None:
        """Removes the limit to a branch."""
        self.limit = None
        self.post_message(self.Limited(None))
        self.refresh()

    def action_limit(self) -> None:
        """Limits the table to this branch, or shows all disks again."""
        branch = self.branch
        if branch is not None:
            self.limit = None if self.limit == branch.path else branch.path
            self.post_message(self.Limited(branch if self.limit else None))
            self.refresh()

    def line_count(self) -> int:
        """Number of visible branches."""
        return len(self._rows)

    def line_at(self, index: int, width: int) -> Line:
        """One branch: its name, number of disks, and the states other than free."""
        branch = self._rows[index]
        glyphs = self.glyphs
        opening = glyphs.shut if branch.path in self.shut else glyphs.open
        sign = opening if branch.branches else " "
        if branch.path == self.limit:
            sign = glyphs.good
        states = Counter(self.marks[disk_key(disk)] for disk in branch.disks)
        tail = [Span(f" {count}{mark.glyph}", mark.tone) for mark, count in states.items() if mark.tone != "good"][:3]
        aside = branch.link if branch.branches else branch.row
        count = f"{len(branch.disks):>4}"
        words = f"{'  ' * branch.depth}{sign} {branch.words}"
        room = max(width - 4 - sum(len(span.text) for span in tail), 8)
        left = room - len(words) - len(aside) - 2
        return (
            Span(fit(words, room - len(aside) - 2 if left >= 0 and aside else room, glyphs)),
            Span(f"  {aside}" if left >= 0 and aside else "", "muted"),
            Span(count, "strong"),
            *tail,
        )
