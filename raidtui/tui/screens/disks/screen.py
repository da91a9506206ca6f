"""Screen 1: the machine's disks, their topology and content, and which of them the design may use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from raidtui.tui.screens.base import GUIDE, BaseScreen
from raidtui.tui.screens.disks.topology import TopologyPane, tree
from raidtui.tui.terminal.text import Line, Mark, Span, line, why
from raidtui.tui.widgets.disk_marks import disk_marks
from raidtui.tui.widgets.disk_table import COLUMNS, DiskTable, state_counts
from raidtui.tui.widgets.pane import Pane, SmallPane
from raidtui.tui.widgets.prompt import filter_question
from raidtui.tui.widgets.slot_map import SlotMap, disk_key, role_words, shelves
from raidtui.values.inventory import Inventory
from raidtui.values.units import counted, decimal_size

if TYPE_CHECKING:
    from raidtui.session.decision import DesignOutcome
    from raidtui.values.arrays import MemberState


_BAYS, _BESIDE_BAYS = 91, 51
"""cells of the bays on a very large screen, and of all that is beside them on a large one, see app.tcss"""
_LEAST_UPPER = 6
"""least lines of topology and bays on a large screen"""


class DisksScreen(BaseScreen):
    """Topology, slot map, table, and on wide screens the disk under the cursor."""

    page_name = "Disks"
    AUTO_FOCUS = "#table"
    CSS_PATH = []  # noqa: RUF012 - app.tcss has its part
    SMALL = (SmallPane("table", 6), SmallPane("slots", 7), SmallPane("topology", 5))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "filter", tooltip="show only disks that match", id="disks.filter", priority=True),
        Binding("space", "leave_out", "leave out",
                tooltip="exclude the disk from the design, or use it; go to the next", id="disks.toggle"),
        Binding("enter,i", "detail", "detail", tooltip="all of the disk: SMART, temperature, links", id="disks.detail"),
        Binding("s", "sort", "sort", tooltip="sort by the next column; o reverses the order", id="disks.sort"),
        GUIDE,
        Binding("escape", "clear", "clear", show=False, tooltip="clear the filter, then the limit to a branch",
                id="disks.clear"),
        Binding("o", "turn", "reverse", show=False, tooltip="reverse the sort order", id="disks.turn"),
        Binding("y", "copy", "copy", show=False, tooltip="copy the disk's identity", id="disks.copy"),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._with_design = False
        """False until roles were shown"""
        self._held: frozenset[str] = frozenset()
        self._parts: Mapping[str, MemberState] = {}

    def panes(self) -> Iterator[Widget]:
        """Table, topology and map, in Tab order."""
        self.topology = TopologyPane(id="topology")
        self.slots = SlotMap("Slots", id="slots", boxes=True)
        self.table = DiskTable(id="table")
        self.detail = Pane("Disk", id="detail")
        yield from (self.topology, self.slots, self.detail, self.table)

    @property
    def outcome(self) -> DesignOutcome | None:
        """None for the first picture, which shows the disks before there is a design for them."""
        return self.session.outcome if self._with_design or self.session.decided else None

    def follow_session(self) -> None:
        """See BaseScreen; also after a change of the disks that a build or an array holds."""
        if (self._held, self._parts) != (self.app.run_follower.held, self.app.array_follower.parts):
            self._shown = None
        super().follow_session()

    def run_changed(self) -> None:
        """See BaseScreen."""
        self.follow_session()

    def arrays_changed(self) -> None:
        """See BaseScreen."""
        super().arrays_changed()
        self.follow_session()

    def show_session(self) -> None:
        """Shows the present inventory and states, and roles once there is a design."""
        outcome, inventory = self.outcome, self.session.inventory
        self._held, self._parts = self.app.run_follower.held, self.app.array_follower.parts
        decision = None if outcome is None else outcome.decision
        marks = disk_marks(inventory, decision, self.app.glyphs, self._held, self._parts)
        self.table.show(inventory.disks, marks, {} if outcome is None else self._asides(outcome))
        self.topology.show(tree(inventory), marks)
        self.slots.show(shelves(inventory.disks), marks, {} if outcome is None else outcome.groups)
        self.slots.pick(self.table.disk)
        self._share_out_rows()
        self.show_detail()
        lacks = self.session.lacks_disks and not self.alarm
        status = line(no_disk_here(inventory), "warn") if lacks else self._status(outcome, marks)
        self.rest(status, below_message=not self._with_design)
        self._with_design = outcome is not None
        if outcome is None:
            self.call_after_refresh(self.call_later, self._show_design)

    def _show_design(self) -> None:
        if self.session.outcome:
            self.follow_session()

    def _asides(self, outcome: DesignOutcome) -> dict[str, str]:
        """What stands behind the state of a disk: its role, or why it has none."""
        from raidtui.session.decision import exclusion_reasons  # after the first picture

        decision = outcome.decision
        return {
            **role_words(decision.design.layout, outcome.groups, decision.plan_name),
            **exclusion_reasons(decision, self.session.inventory),
        }

    def _status(self, outcome: DesignOutcome | None, marks: Mapping[str, Mark]) -> Line:
        """Disks and states; with a design how many it may use, and a pointer to the guide."""
        inventory = self.session.inventory
        if outcome is None:
            return summary(inventory, None, marks)
        usable = sum(disk.id not in self._held for disk in outcome.disks)
        return self._with_offer(summary(inventory, usable, marks))

    def fit_panes(self) -> None:
        """Gives topology and bays on a large screen the lines that they need."""
        super().fit_panes()
        self._share_out_rows()

    def _share_out_rows(self) -> None:
        """On a very large screen the table stands beside all others, from top to bottom."""
        body, (width, height) = self.query_one("#body"), self.app.size
        boxed, huge = self.slots.boxed, self.has_class("-huge")
        beside = (self.slots, self.table, self.topology, self.detail)
        self.put_in_order(beside if boxed and huge else (self.topology, self.slots, self.detail, self.table))
        body.styles.clear_rule("grid_rows")
        if boxed and huge:
            upper = self.slots.lines_wanted(_BAYS, height * 3 // 5) - (len(self.slots.shelves) == 1)
            body.styles.grid_rows = f"{upper + 2} 1fr"
        elif boxed:
            bays = self.slots.lines_wanted(width - _BESIDE_BAYS, height * 2 // 5) - (len(self.slots.shelves) == 1)
            upper = max(bays, min(self.topology.line_count(), height // 3), _LEAST_UPPER)
            body.styles.grid_rows = f"{upper + 2} 1fr"
        else:
            bays = self.slots.lines_for(0) - (len(self.slots.shelves) == 1)
            body.styles.grid_rows = f"{max(min(bays, height // 3), _LEAST_UPPER) + 1} 1fr"

    def _with_offer(self, status: Line) -> Line:
        """`status`, and if it fits how a chassis gets as it ships, or before any decision a pointer to the guide."""
        left = self.session.built_on
        offer = Span("   5, D undoes the run" if left else "   g starts the guide", "title")
        room = self.app.size.width - sum(cell_len(span.text) for span in (*status, offer)) - 2
        return (*status, offer) if room >= 0 and (left or not self.session.history.past) else status

    def show_detail(self) -> None:
        """Shows the disk under the cursor in the pane of wide screens."""
        self.detail.put(self._details)

    def _details(self, width: int) -> list[Line]:
        from raidtui.answers.disks import disk_blocks  # only large terminals show them at once
        from raidtui.tui.widgets.lines import block_lines  # beside it

        disk = self.table.disk
        if disk is None:
            return []
        mark, role = self.table.marks[disk_key(disk)], self.table.roles.get(disk.id, "")
        state = (Span(f"{mark.glyph} {mark.word}", mark.tone),)
        return [state, *block_lines(disk_blocks(disk, role), width, self.app.glyphs)]

    def explanation(self) -> tuple[str, Sequence[str]]:
        """Explains how disks are identified and what the states mean."""
        return "Disks", (
            "Disks are identified by their world-wide name, or by model and serial number. sdX may change at a reboot "
            "and is only shown.",
            "Free disks have no content known to the kernel or to udev and no signature at either end. Disks with old "
            "content are excluded until Space includes them; disks in use cannot be used at all.",
            "hours, realloc and temp are SMART values of the drive; empty means not read.",
        )

    # Keys.

    async def action_filter(self) -> None:
        """Asks for a filter; the table follows every key."""
        await self.ask(filter_question(self.table, self._moved))

    def action_clear(self) -> None:
        """Clears the filter; if there is none, the limit to a branch."""
        if self.table.words:
            self.table.words = ""
            self.table.rearrange()
            self._moved()
        elif self.topology.limit is not None:
            self.topology.clear()

    def action_leave_out(self) -> None:
        """Excludes or includes the disk under the cursor of table or map; one decision, so it can be undone."""
        in_map = self.slots.has_focus
        disk = self.slots.disk if in_map else self.table.disk
        if disk is None:
            return
        if not disk.selectable:
            self.say(f"{disk.kernel_name or disk.id} cannot be used: {disk.not_selectable}", "bad")
            return
        from raidtui.session.decision import toggled  # after the first picture

        self.session.decide(toggled(self.session.decision, disk))
        if in_map:
            self.slots.action_step(1)
        else:
            self.table.action_move(1)

    def action_detail(self) -> None:
        """Shows all details of the disk in a dialog."""
        from raidtui.tui.widgets.dialogs import TextDialog  # not before one is shown

        disk = self.table.disk
        if disk is not None:
            self.app.push_screen(TextDialog(disk.serial or disk.id or disk.kernel_name, self._details(72)))

    def action_sort(self) -> None:
        """Sorts by the next column that is not empty; after the last one in inventory order."""
        columns = [None, *(column for column in COLUMNS if any(column.text(disk) for disk in self.table.disks))]
        self.table.sort = columns[(columns.index(self.table.sort) + 1) % len(columns)]
        self.table.down = False
        self.table.rearrange()
        self._moved()

    def action_turn(self) -> None:
        """Reverses the sort order."""
        self.table.down = not self.table.down
        self.table.rearrange()

    def action_copy(self) -> None:
        """Copies the disk's path or identity."""
        if self.table.disk is not None:
            self.app.copy(self.table.disk.path or self.table.disk.id, "the disk's path")

    # Messages of the panes.

    @on(Pane.Moved, "#table")
    def _moved(self) -> None:
        self.slots.pick(self.table.disk)
        self.show_detail()

    @on(SlotMap.Picked)
    def _picked(self, event: SlotMap.Picked) -> None:
        self.table.pick(event.disk)
        self.show_detail()

    @on(TopologyPane.Taken)
    def _picked_branch(self, event: TopologyPane.Taken) -> None:
        from raidtui.session.decision import (
            branch_toggled,
            is_free,  # after the first picture
        )

        decision = branch_toggled(self.session.decision, event.branch.disks)
        if decision == self.session.decision:
            self.say(f"{event.branch.words.strip()}: no free disk to exclude", "warn")
            return
        self.session.decide(decision)
        used = sum(disk.id not in decision.left_out for disk in event.branch.disks if is_free(disk))
        how = f"the design may use its {used} free disks" if used else "its disks are excluded from the design"
        self.say(f"{event.branch.words.strip()}: {how}; u undoes it")

    @on(TopologyPane.Limited)
    def _limited(self, event: TopologyPane.Limited) -> None:
        self.table.branch = None if event.branch is None else frozenset(disk_key(disk) for disk in event.branch.disks)
        self.table.rearrange()
        self._moved()


def no_disk_here(inventory: Inventory) -> str:
    """Why a real machine has no disk to use, and the way to try the app nevertheless."""
    offer = "C opens a simulated chassis"
    if inventory.unread and not inventory.disks:
        return f"Disks not read, {offer}: {'; '.join(inventory.unread)}"
    if not inventory.disks:
        return f"This machine has no disk, {offer}"
    first, *others = inventory.disks
    more = f" (and {len(others)} more, see state)" if others else ""
    return f"No free disk ({first.kernel_name or first.id}: {why(first) or 'in use'}{more}). {offer}"


def summary(inventory: Inventory, taken: int | None, marks: Mapping[str, Mark]) -> Line:
    """One line: number of disks, raw capacity, those for the design where known, and states that need attention."""
    raw = decimal_size(sum(disk.size_bytes for disk in inventory.disks))
    total = f"{counted(len(inventory.disks), 'disk')}, {raw} raw"
    spans = [Span(total)] if taken is None else [Span(f"{total}; "), Span(f"{taken} chosen", "strong")]
    spans += state_counts(marks)
    if inventory.unread:
        spans.append(Span(f"  not read: {'; '.join(inventory.unread)}", "warn"))
    return tuple(spans)
