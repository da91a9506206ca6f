"""All hosts of a fleet: what is wrong and where, the rack, groups of hosts with the reason, and the chosen machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from raidtui.fleet.facts import headline_counts
from raidtui.fleet.texts import disks_line, sums_line, sums_rows
from raidtui.fleet.tui.app import FleetFrame
from raidtui.fleet.tui.rack import RackPane
from raidtui.fleet.tui.table import ORDERS, HostsTable, about_lines, concern_mark, hosts_text, why_text
from raidtui.tui.terminal.text import Line, Span, line, mark, wrapped
from raidtui.tui.widgets.frame import FRAME
from raidtui.tui.widgets.pane import Pane, SmallPane
from raidtui.tui.widgets.prompt import filter_question
from raidtui.tui.widgets.slot_map import SlotMap, disk_key, shelves
from raidtui.values.units import counted, grouped

_MOST_RACK, _DISKS = 12, 9
"""lines of rack and disks on a very large screen"""
_ABOUT = 83
"""columns of the chosen hosts there, with the frame of the rack beside them"""


class FleetScreen(FleetFrame):
    """Sums, rack and table; on wide screens the chosen row in full and the disks of its machine."""

    page_name = "Fleet"
    AUTO_FOCUS = "#hosts"
    SMALL = (SmallPane("hosts", 6), SmallPane("summary", 3), SmallPane("rack", 4))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open_row", "open", tooltip="unfold the group of hosts; of one host its build or its disks",
                id="fleet.open"),
        Binding("w", "why", "why", tooltip="all that is known of the hosts of this row", id="fleet.why"),
        Binding("slash", "filter", "filter", tooltip="show only hosts that match", id="fleet.filter", priority=True),
        Binding("a", "outliers", "outliers", tooltip="only hosts that need attention, or all", id="fleet.outliers"),
        Binding("s", "sort", "sort", tooltip="gravest first, most hosts first, or by name", id="fleet.sort"),
        Binding("y", "copy", "copy", tooltip="copy the node set of this row, for -w", id="fleet.copy"),
        Binding("escape", "clear", "clear", show=False, tooltip="clear the filter, then show all hosts",
                id="fleet.clear"),
    ]  # fmt: skip

    def panes(self) -> Iterator[Widget]:
        """Sums, rack, chosen row, the disks of its machine, table."""
        self.sums = Pane("Fleet", id="summary")
        self.rack = RackPane(id="rack")
        self.table = HostsTable(id="hosts")
        self.about = Pane("Chosen hosts", id="about")
        self.slots = SlotMap("Disks", id="slots", boxes=True)
        self._disks = _DISKS
        """lines of them on a very large screen"""
        yield from (self.sums, self.rack, self.about, self.slots, self.table)

    def show_fleet(self) -> None:
        """Shows what is known now."""
        fleet = self.fleet
        self.table.show(fleet.facts)
        self.rack.show(fleet.facts)
        self.sums.aside = f"sheet {fleet.overview.sheet.digest[:12]}" if fleet.overview.sheet is not None else ""
        self.sums.put(self._sums)
        self._show_row()

    def _share_out_rows(self) -> None:
        """Gives sums and rack the lines that they need, and the table the rest; of what it leaves empty on a very large
        screen the disks get boxes."""
        body, tall = self.query_one("#body"), self.has_class("-tall")
        if self.has_class("-small"):
            body.styles.clear_rule("grid_rows")
            return
        if not self._large:
            rack = self.rack.lines_wanted(self.app.size.width - 2, 8 if tall else 4) + 1
            body.styles.grid_rows = f"3 {rack} 1fr"
            return
        sums = min(len(self._sums(self.app.size.width - 4)) + 2, 14)
        if self.has_class("-huge"):
            rack = self.rack.lines_wanted(self.app.size.width - _ABOUT, _MOST_RACK) + 2
            free = self.app.size.height - FRAME - sums - rack - self.table.line_count() - 3
            if self.slots.shelves:  # a host without an answer moves no pane
                self._disks = max(self.slots.lines_wanted(self.app.size.width - _ABOUT, free - 2) + 2, _DISKS)
            body.styles.grid_rows = f"{sums} {rack} {self._disks} 1fr"
        else:
            body.styles.grid_rows = f"{sums} 16 1fr"

    @property
    def _large(self) -> bool:
        return self.has_class("-wide") and self.has_class("-tall")

    def _sums(self, width: int) -> Sequence[Line]:
        fleet = self.fleet
        overview = fleet.overview
        gap = Span(" " * (3 if self._large else 2))
        spans: list[Span] = []
        for count, word, concern in headline_counts(fleet.facts):
            each = concern_mark(concern, word, fleet.glyphs)
            spans += [Span(f"{each.glyph} {grouped(count)} {each.word}".strip(), each.tone), gap]
        lines: list[Line] = [tuple(spans[:-1])]
        if overview.sheet is not None:
            lines.append(line(sums_line(overview.sheet.sums)))
        elif overview.look is not None:
            lines.append(line(disks_line(overview.look)))
        if self._large:
            if overview.sheet is not None:
                rows = sums_rows(overview.sheet.sums)
                lines = [lines[0], (), *_beside(rows, width)]
            for finding in overview.look.findings if overview.look is not None else ():
                lines += [line(f"{finding.severity}: {finding.message}", "warn")]
        return lines

    # The chosen row.

    def _show_row(self) -> None:
        row = self.table.row
        names = [host.host for host in row.hosts] if row is not None else []
        self.rack.pick(names)
        self.fleet.host = names[0] if names else ""
        if self.about.display or self.about.size:
            self.about.put(self._about)
        self._show_disks()
        self._share_out_rows()
        self.rest(self._state())
        self.refresh_hints()

    def _show_disks(self) -> None:
        fleet = self.fleet
        inventory = fleet.inventories.get(fleet.host)
        self.slots.empty = "its disks are not known" if fleet.host else ""
        self.slots.heading = f"Disks of {fleet.host}" if fleet.host else "Disks"
        if inventory is None or not self.slots.size:
            self.slots.show((), {}, {})
            return
        marks = {disk_key(disk): mark(disk, fleet.glyphs) for disk in inventory.disks}
        self.slots.show(shelves(inventory.disks), marks, {})

    def _about(self, width: int) -> Sequence[Line]:
        row = self.table.row
        return about_lines(row, self.fleet.overview, width, self.fleet.glyphs) if row is not None else ()

    def subject(self) -> str:
        """How many hosts."""
        return counted(len(self.fleet.facts), "host")

    def summary(self) -> Line:
        """The reason of the chosen row."""
        row = self.table.row
        if row is None:
            return ()
        why = why_text(row)
        return (Span(f"{hosts_text(row)}: ", "strong"), Span(why)) if why else line(hosts_text(row), "strong")

    def explanation(self) -> tuple[str, Sequence[str]]:
        """What the words mean."""
        return "Fleet", (
            "A row is a group of hosts that agree in all that is known. Its state is the gravest of four facts. "
            "machine: "
            "the disks are those of most hosts (alike), or differ by the edit that is stated. sheet: the host has a "
            "plan, or the reason why not. check: the plan is right for its disks now, by its own preflight. build: how "
            "far its own executor is.",
            "Nothing is written on any host. They are asked as raidtui fleet disks, check and status ask: for disks, "
            "check and state of their run. The build begins with raidtui fleet build.",
            "In the rack a cell is a host. With more hosts than cells it is several, and shows the gravest.",
        )

    @on(Pane.Moved, "#hosts")
    def _moved(self) -> None:
        self._show_row()

    @on(RackPane.Picked)
    def _picked_cell(self, event: RackPane.Picked) -> None:
        self.table.pick(event.host)
        self._show_row()

    # Keys.

    async def action_open_row(self) -> None:
        """Unfolds or folds a group; opens one host: its build where that has begun, else its disks."""
        row = self.table.row
        if row is None:
            return
        if self.table.toggle():
            self._show_row()
            return
        built = row.facts[3].kind not in ("", "waiting")
        await self.fleet.action_show("build" if built else "disks")

    def action_why(self) -> None:
        """Shows everything about the row in a dialog."""
        from raidtui.tui.widgets.dialogs import TextDialog  # not before one is shown

        row = self.table.row
        if row is not None:
            width = min(self.app.size.width - 6, 90)
            self.app.push_screen(TextDialog(row.name, about_lines(row, self.fleet.overview, width, self.fleet.glyphs)))

    async def action_filter(self) -> None:
        """Asks for a filter; the table follows every key."""
        await self.ask(filter_question(self.table, self._show_row))

    def action_clear(self) -> None:
        """Clears the filter; without one shows all hosts."""
        if self.table.words:
            self.table.words = ""
        elif self.table.outliers:
            self.table.outliers = False
        else:
            return
        self.table.rearrange()
        self._show_row()

    def action_outliers(self) -> None:
        """Shows only hosts that need attention, or all."""
        self.table.outliers = not self.table.outliers
        self.table.rearrange()
        self._show_row()

    def action_sort(self) -> None:
        """Sorts by the next of three orders."""
        self.table.order = ORDERS[(ORDERS.index(self.table.order) + 1) % len(ORDERS)]
        self.table.rearrange()
        self._show_row()

    def action_copy(self) -> None:
        """Copies the node set of the row."""
        row = self.table.row
        if row is not None:
            self.fleet.copy(row.name, "the node set")


def _beside(rows: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """Figures by name, in two columns where they fit; else long ones go on below."""
    name = max(len(each) for each, _ in rows)
    texts = [(Span(f"{each:<{name}}  ", "muted"), Span(value)) for each, value in rows]
    half = -(-len(texts) // 2)
    wide = max(sum(len(span.text) for span in text) for text in texts[:half]) + 4
    if wide + max(sum(len(span.text) for span in text) for text in texts[half:]) > width:
        parts = [(each, tuple(wrapped(value, width - name - 2))) for each, value in rows]
        return [
            (Span(f"{'' if at else each:<{name}}  ", "muted"), Span(part))
            for each, all_of in parts
            for at, part in enumerate(all_of)
        ]
    lines: list[Line] = []
    for number in range(half):
        left = texts[number]
        pad = Span(" " * (wide - sum(len(span.text) for span in left)))
        lines.append((*left, pad, *(texts[half + number] if half + number < len(texts) else ())))
    return lines
