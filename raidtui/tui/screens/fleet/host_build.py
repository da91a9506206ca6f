"""The build of one host of a fleet, read-only: what is known of the host, its last record, its steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget

from raidtui.model.plan import Plan
from raidtui.model.run import RunStatus, StepProgress
from raidtui.planner.fleet.host_groups import host_groups
from raidtui.planner.text.shell_quote import render
from raidtui.tui.screens.fleet.about import about_lines
from raidtui.tui.screens.fleet.frame import FleetFrame
from raidtui.tui.screens.fleet.table import HostTableRow
from raidtui.tui.terminal.text import Line, Span, line, wrapped
from raidtui.tui.widgets.pane import Pane
from raidtui.tui.widgets.small_layout import SmallPane
from raidtui.tui.widgets.step_lines import step_line, step_mark


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
        self.now.empty = "it has not begun"
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
