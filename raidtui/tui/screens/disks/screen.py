"""Screen 1: the machine's disks, where they hang, what is on them, and which of them may be taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from raidtui.model.inventory import Inventory
from raidtui.model.units import decimal_size
from raidtui.planner.members import groups_of
from raidtui.tui.screens.base import GUIDE, BaseScreen
from raidtui.tui.screens.disks.topology import tree
from raidtui.tui.screens.disks.topology_pane import TopologyPane
from raidtui.tui.state.decision import toggled
from raidtui.tui.state.disk_marks import disk_marks
from raidtui.tui.terminal.text import Line, Mark, Span
from raidtui.tui.widgets.bays import role_words, shelves
from raidtui.tui.widgets.disk_columns import COLUMNS
from raidtui.tui.widgets.disk_table import DiskTable
from raidtui.tui.widgets.pane import Pane
from raidtui.tui.widgets.question import Question
from raidtui.tui.widgets.slot_map import SlotMap, disk_key


class DisksScreen(BaseScreen):
    """Topology, slot map, table, and the disk under the cursor where there is room."""

    page_name = "Disks"
    AUTO_FOCUS = "#table"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "slash", "filter", "filter", tooltip="show only disks with these words", id="disks.filter", priority=True
        ),
        Binding(
            "space", "leave_out", "leave out", tooltip="leave the disk out of the design, or take it", id="disks.toggle"
        ),
        Binding("i", "detail", "detail", tooltip="everything known of the disk", id="disks.detail"),
        Binding("s", "sort", "sort", tooltip="sort by the next column; S turns the order", id="disks.sort"),
        GUIDE,
        Binding("S", "turn", "turn order", show=False, tooltip="sort the other way round", id="disks.turn"),
        Binding("y", "copy", "copy", show=False, tooltip="copy the disk's identity", id="disks.copy"),
    ]

    def panes(self) -> Iterator[Widget]:
        """Tab goes from the table to the topology to the map."""
        self.topology = TopologyPane(id="topology")
        self.slots = SlotMap("Slots", id="slots")
        self.table = DiskTable(id="table")
        self.detail = Pane("Disk", id="detail")
        yield from (self.topology, self.slots, self.detail, self.table)

    def show_session(self) -> None:
        """Inventory, states and roles as they are now."""
        outcome, inventory = self.session.outcome, self.session.inventory
        marks = disk_marks(inventory, outcome.decision, self.desk.glyphs)
        roles = groups_of(outcome.decision.design.layout, outcome.disks)
        self.table.show(inventory.disks, marks, role_words(outcome.decision.design.layout, outcome.disks))
        self.topology.show(tree(inventory), marks)
        self.slots.show(shelves(inventory.disks), marks, roles)
        self.slots.pick(self.table.disk)
        self.show_detail()
        self.rest(self._with_offer(summary(inventory, len(outcome.disks), marks)))

    def _with_offer(self, status: Line) -> Line:
        """`status`, and the way to start while nothing is decided, where there is room for it."""
        offer = Span("   g guides you", "title")
        room = self.app.size.width - sum(cell_len(span.text) for span in (*status, offer)) - 2
        return (*status, offer) if room >= 0 and not self.session.history.past else status

    def show_detail(self) -> None:
        """The disk under the cursor, in the pane that wide screens have."""
        self.detail.put(self._details)

    def _details(self, width: int) -> list[Line]:
        from raidtui.tui.screens.disks.details import details  # only large terminals show them at once

        disk = self.table.disk
        if disk is None:
            return []
        return details(disk, self.table.marks[disk_key(disk)], self.table.roles.get(disk.id, ""), width)

    def explanation(self) -> tuple[str, Sequence[str]]:
        """The disk under the cursor."""
        return "Disks", (
            "A disk is named by what it is (world-wide name, or model and serial), never by sdX, which may differ "
            "after a reboot.",
            "Free disks hold nothing that the kernel, udev or a look at both ends knows of. Disks with old content are "
            "left alone until Space takes them; disks in use cannot be taken at all.",
            "hours, realloc and temp are what the drive says of itself; empty means not read.",
        )

    # Keys.

    async def action_filter(self) -> None:
        """Live: every key narrows the table."""

        before = self.table.words

        def follow(words: str) -> None:
            self.table.words = words
            self.table.rearrange()
            self._moved()

        def accept(words: str) -> None:
            follow(words)

        question = Question(label="filter", answer=before, accept=accept, follow=follow, cancel=lambda: follow(""))
        await self.ask(question)

    def action_leave_out(self) -> None:
        """Leaves the disk out or takes it; one decision, so it can be undone."""
        disk = self.table.disk
        if disk is None:
            return
        if not disk.selectable:
            self.say(f"{disk.kernel_name or disk.id} cannot be taken: {disk.not_selectable}", "bad")
            return
        self.desk.decide(toggled(self.session.history.now, disk))
        self.table.action_move(1)

    def action_detail(self) -> None:
        """Everything known of the disk, over the screen."""
        from raidtui.tui.widgets.text_dialog import TextDialog  # not before one is shown

        disk = self.table.disk
        if disk is not None:
            self.app.push_screen(TextDialog(disk.serial or disk.id or disk.kernel_name, self._details(72)))

    def action_sort(self) -> None:
        """By the next column that shows something; after the last, the inventory's order."""
        columns = [None, *(column for column in COLUMNS if any(column.text(disk) for disk in self.table.disks))]
        self.table.sort = columns[(columns.index(self.table.sort) + 1) % len(columns)]
        self.table.down = False
        self.table.rearrange()
        self._moved()

    def action_turn(self) -> None:
        """Largest first, or smallest."""
        self.table.down = not self.table.down
        self.table.rearrange()

    def action_copy(self) -> None:
        """The disk's identity."""
        if self.table.disk is not None:
            self.desk.copy(self.table.disk.path or self.table.disk.id, "the disk's path")

    # Panes tell what happened in them.

    @on(Pane.Moved, "#table")
    def _moved(self) -> None:
        self.slots.pick(self.table.disk)
        self.show_detail()

    @on(SlotMap.Picked)
    def _picked(self, event: SlotMap.Picked) -> None:
        self.table.pick(event.disk)
        self.show_detail()

    @on(TopologyPane.Limited)
    def _limited(self, event: TopologyPane.Limited) -> None:
        self.table.branch = None if event.branch is None else frozenset(disk_key(disk) for disk in event.branch.disks)
        self.table.rearrange()
        self._moved()


def summary(inventory: Inventory, taken: int, marks: Mapping[str, Mark]) -> Line:
    """One line: how many disks, how much room, how many may be taken, and what to look at."""
    raw = decimal_size(sum(disk.size_bytes for disk in inventory.disks))
    spans = [Span(f"{len(inventory.disks)} disks, {raw} raw; "), Span(f"{taken} may be taken", "strong")]
    counts: dict[Mark, int] = {}
    for state in marks.values():
        counts[state] = counts.get(state, 0) + 1
    for state, count in counts.items():
        spans += [Span("  "), Span(f"{state.glyph} {count} {state.word}", state.tone)]
    if inventory.unread:
        spans.append(Span(f"  not read: {'; '.join(inventory.unread)}", "warn"))
    return tuple(spans)
