"""Topology pane: the tree of controllers, expanders and enclosures with their disks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from raidtui.tui.screens.disks.topology import Branch, visible
from raidtui.tui.terminal.text import Line, Mark, Span, fit
from raidtui.tui.widgets.pane import Pane
from raidtui.tui.widgets.slot_map import disk_key


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
