"""The disks of one host of a fleet, read-only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from raidtui.model.counted import counted
from raidtui.model.units import decimal_size
from raidtui.tui.screens.fleet.frame import FleetFrame
from raidtui.tui.terminal.text import Line, Span, mark
from raidtui.tui.widgets.bays import shelves
from raidtui.tui.widgets.disk_table import DiskTable, state_counts
from raidtui.tui.widgets.pane import Pane
from raidtui.tui.widgets.question import filter_question
from raidtui.tui.widgets.slot_map import SlotMap, disk_key
from raidtui.tui.widgets.small_layout import SmallPane


class HostDisksScreen(FleetFrame):
    """Slot map and table of one host; its plan marks the disks that it erases."""

    page_name = "Disks"
    AUTO_FOCUS = "#table"
    SMALL = (SmallPane("table", 6), SmallPane("slots", 7))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "filter", tooltip="show only disks that match", id="host.filter", priority=True),
        Binding("y", "copy", "copy", tooltip="copy the disk's identity", id="host.copy"),
        Binding("escape", "cancel", "fleet", tooltip="clear the filter, or go back to the fleet", id="host.back"),
    ]

    def panes(self) -> Iterator[Widget]:
        """Map and table."""
        self.slots = SlotMap("Slots", id="slots")
        self.table = DiskTable(id="table")
        yield from (self.slots, self.table)

    def show_fleet(self) -> None:
        """Shows the host that was chosen, as it answered last."""
        fleet = self.fleet
        inventory = fleet.inventories.get(fleet.host)
        disks = inventory.disks if inventory is not None else ()
        marks = {disk_key(disk): mark(disk, fleet.glyphs) for disk in disks}
        self.table.empty = "no disks are known of this host" if not disks else "no disk matches; Esc clears the filter"
        self.table.show(disks, marks, dict.fromkeys(self._erased(), "in plan"))
        self.slots.show(shelves(disks), marks, {})
        self.slots.pick(self.table.disk)
        self.refresh_frame()

    def _erased(self) -> Sequence[str]:
        sheet = self.fleet.overview.sheet
        return next((each.erases for each in sheet.hosts if each.host == self.fleet.host), ()) if sheet else ()

    def subject(self) -> str:
        """The host."""
        return self.fleet.host

    def summary(self) -> Line:
        """Number of disks, room and states."""
        disks = self.table.disks
        raw = decimal_size(sum(disk.size_bytes for disk in disks))
        spans = (Span(f"{self.fleet.host}: ", "strong"), Span(f"{counted(len(disks), 'disk')}, {raw} raw"))
        return (*spans, *state_counts(self.table.marks))

    def explanation(self) -> tuple[str, Sequence[str]]:
        """Where the disks come from."""
        return "Disks", (
            "The disks as the host answered last. 'in plan' marks those that the host's plan erases.",
            "Nothing can be changed here: the recipe says which disks a host gives.",
        )

    async def action_filter(self) -> None:
        """Asks for a filter; the table follows every key."""
        await self.ask(filter_question(self.table))

    def action_copy(self) -> None:
        """Copies the disk's identity."""
        if self.table.disk is not None:
            self.fleet.copy(self.table.disk.id, "the disk's identity")

    async def action_cancel(self) -> None:
        """Clears the filter; without one goes back to the fleet."""
        if self.table.words:
            self.table.words = ""
            self.table.rearrange()
        else:
            await self.fleet.action_show("fleet")

    @on(Pane.Moved, "#table")
    def _moved(self) -> None:
        self.slots.pick(self.table.disk)

    @on(SlotMap.Picked)
    def _picked_slot(self, event: SlotMap.Picked) -> None:
        self.table.pick(event.disk)
