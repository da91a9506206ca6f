"""The build of one host of a fleet, read-only: what is known of the host, its last record, its steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from raidtui.fleet.facts import host_groups
from raidtui.fleet.tui.app import FleetFrame
from raidtui.fleet.tui.table import HostTableRow, about_lines
from raidtui.programs.shell_quote import render
from raidtui.tui.terminal.text import Line, Span, line, mark, wrapped
from raidtui.tui.widgets.disk_table import DiskTable, state_counts
from raidtui.tui.widgets.lines import step_line, step_mark
from raidtui.tui.widgets.pane import Pane, SmallPane
from raidtui.tui.widgets.prompt import filter_question
from raidtui.tui.widgets.slot_map import SlotMap, disk_key, shelves
from raidtui.values.plan import Plan
from raidtui.values.run import RunStatus, StepProgress
from raidtui.values.units import counted, decimal_size


class HostBuildScreen(FleetFrame):
    """Facts, last record, and every step of the plan with its state."""

    page_name = "Build"
    AUTO_FOCUS = "#steps"
    SMALL = (SmallPane("steps", 6), SmallPane("now", 4), SmallPane("facts", 5))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "fleet", tooltip="go back to the fleet", id="host.leave"),
    ]

    def panes(self) -> Iterator[Widget]:
        """Facts, last record, steps."""
        self.about = Pane("Host", id="facts")
        self.now = Pane("Last record", id="now")
        self.steps = Pane("Steps", pickable=True, id="steps")
        self._at = 1
        """the step at work when the host answered last: the cursor follows it until it is moved"""
        yield from (self.about, self.now, self.steps)

    def show_fleet(self) -> None:
        """Shows the host that was chosen, as it answered last."""
        fleet = self.fleet
        run, plan = self._run, fleet.plan(fleet.host)
        self.about.put(self._facts)
        self.now.empty = "not started"
        self.now.put(lambda width: last_record(run, width) if run is not None else ())
        self.steps.empty = "no plan of this host is at hand"
        done = f"{run.steps_done} of {len(run.steps)} done" if run is not None else "not started"
        self.steps.renew(self._steps(plan, run), aside=done if plan is not None else "")
        self._follow(run)
        self.refresh_frame()

    @property
    def _run(self) -> RunStatus | None:
        run = self.fleet.overview.run
        return next((each.run for each in run.hosts if each.host == self.fleet.host), None) if run else None

    def _follow(self, run: RunStatus | None) -> None:
        steps = run.steps if run is not None else ()
        now = next((each.number for each in steps if each.state in ("running", "failed")), 1)
        if now != self._at and self.steps.cursor + 1 in (self._at, 1):
            self.steps.move_to(now - 1)
        self._at = now

    def _facts(self, width: int) -> Sequence[Line]:
        fleet = self.fleet
        found = next((host for host in fleet.facts if host.host == fleet.host), None)
        if found is None:
            return ()
        (group,) = host_groups([found])
        return about_lines(HostTableRow(group), fleet.overview, width, fleet.glyphs)

    def _steps(self, plan: Plan | None, run: RunStatus | None) -> Callable[[int], Sequence[Line]]:
        glyphs = self.fleet.glyphs
        if plan is None:
            return lambda _: ()
        known = {each.number: each for each in run.steps} if run is not None else {}
        progress = [known.get(step.number, StepProgress(number=step.number, state="waiting")) for step in plan.steps]
        purpose, busy = (run.purpose, run.outcome == "running") if run is not None else ("build", False)
        marks = [step_mark(each.state, glyphs, purpose=purpose, busy=busy) for each in progress]
        number = len(str(len(plan.steps)))
        return lambda width: [
            step_line(step, each, mark, width, number, glyphs)
            for step, each, mark in zip(plan.steps, progress, marks, strict=True)
        ]

    def subject(self) -> str:
        """The host."""
        return self.fleet.host

    def summary(self) -> Line:
        """Who follows the run."""
        run = self.fleet.overview.run
        found = next((each for each in run.hosts if each.host == self.fleet.host), None) if run else None
        control = f", followed by {found.control}" if found is not None and found.control else ""
        return (Span(self.fleet.host, "strong"), Span(control))

    def explanation(self) -> tuple[str, Sequence[str]]:
        """Where the steps come from."""
        return "Build", (
            "The steps of the plan in the sheet's directory, with their state as the host answered last. The journal "
            "and the output of every command are on the host: raidtui status there.",
            "Nothing can be started or stopped here: raidtui fleet build, resume and undo do that.",
        )

    async def action_cancel(self) -> None:
        """Goes back to the fleet."""
        await self.fleet.action_show("fleet")


def last_record(run: RunStatus, width: int) -> list[Line]:
    """The command that runs or the last record, and why the run ended."""
    lines: list[Line] = []
    if run.reason:
        lines += [line(text, "bad") for text in wrapped(f"{run.outcome}: {run.reason}", width)]
    record = run.last
    if record is not None:
        step = f"step {record.step}, " if record.step else ""
        lines.append(line(f"{record.time}  {step}{record.kind}", "muted"))
        if record.argv:
            lines += [line(text, "strong") for text in render(record.argv, width=max(width - 8, 20)).split("\n")]
        lines += [line(text) for text in wrapped(record.text, width)]
    return lines + [line(f"left behind: {text}", "warn") for text in run.left_behind]


# The disks of one host of a fleet, read-only.


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
