"""Screen 4: the steps of the plan with the exact commands. It executes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from raidtui.model.counted import counted
from raidtui.model.errors import RaidtuiError
from raidtui.model.finding import Finding, errors, refused
from raidtui.model.location import short_slot
from raidtui.model.plan import Command, Plan, Step, WriteFile
from raidtui.planner.export.bash_script import script
from raidtui.planner.text.shell_quote import quote, render_command
from raidtui.tui.fields.all_fields import fields
from raidtui.tui.fields.question import value_question
from raidtui.tui.screens.base import BaseScreen
from raidtui.tui.screens.commands.step_listing import action_lines, named_paths, undo_words, why_lines
from raidtui.tui.screens.commands.steps_pane import StepsPane
from raidtui.tui.state.outcome import DesignOutcome
from raidtui.tui.terminal.text import Line, Span, line
from raidtui.tui.widgets.findings_pane import finding_lines
from raidtui.tui.widgets.pane import Pane, nothing
from raidtui.tui.widgets.small_layout import SmallPane

MOST_AT_ONCE = 300
"""disks whose plan is compiled before the screen is shown, which takes up to a third of a second; more in a thread"""


class CommandsScreen(BaseScreen):
    """Steps, and the commands and reasons of the one under the cursor."""

    page_name = "Commands"
    AUTO_FOCUS = "#steps"
    SMALL = (SmallPane("steps", 6), SmallPane("listing", 5), SmallPane("reasons", 4))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "app.build", "build", tooltip="run preflight, confirm, and build", id="plan.build"),
        Binding("y", "copy", "copy step", tooltip="copy the commands of this step", id="plan.copy"),
        Binding("Y", "copy_all", "copy all", tooltip="copy the whole script", id="plan.copy-all"),
        Binding("e", "app.export", "export", tooltip="write plan, scripts and runbook", priority=True),
        Binding("n", "rename", "name", tooltip="rename arrays, volume and labels", id="plan.name", priority=True),
        Binding(
            "m",
            "mount",
            "mount point",
            show=False,
            tooltip="where the file system is mounted",
            id="plan.mount",
            priority=True,
        ),
    ]

    def panes(self) -> Iterator[Widget]:
        """Steps, commands, reasons."""
        self.steps = StepsPane(id="steps")
        self.listing = Pane("Commands", id="listing")
        self.reasons = Pane("Reason, conditions, undo", id="reasons")
        self.expanded = False
        self._script: tuple[object, Sequence[Sequence[Line]]] = (None, ())
        self.compiled: Plan | None = None
        self.refusal: Sequence[Finding] = ()
        self.shown: DesignOutcome | None = None
        yield from (self.steps, self.listing, self.reasons)

    def show_session(self) -> None:
        """Shows the plan of the present design, or why there is none."""
        outcome = self.session.outcome
        if self.shown is not outcome:
            self.shown = outcome
            self._compile(outcome)
        plan = self.compiled
        self.steps.show(plan.steps if plan else (), [undo_words(step) for step in plan.steps] if plan else ())
        if self.compiling:
            self.steps.empty = "compiling ..."
            self.rest(line(f"compiling the plan of {counted(outcome.design.layout.disks, 'disk')}", "muted"))
        elif plan is None:
            self.steps.empty = "no plan: the design is refused, see below"
            self.rest(line("change the design (2) or the disks (1); u undoes the last decision", "warn"))
        else:
            erased = {disk for step in plan.steps for disk in step.destroys}
            self.rest(
                (
                    Span(f"plan {plan.digest[:12]} '{plan.name}': {len(plan.steps)} steps, "),
                    Span(
                        f"erases {counted(len(erased), 'disk')}" if erased else "erases nothing",
                        "bad" if erased else "good",
                    ),
                    Span("; nothing is executed yet", "muted"),
                )
            )
        self.show_step()

    @property
    def compiling(self) -> bool:
        """True while the plan of a large design is compiled in the background."""
        return self.compiled is None and not self.refusal

    def _compile(self, outcome: DesignOutcome) -> None:
        self.compiled, self.refusal = None, ()
        findings = outcome.prediction.findings
        if refused(findings):
            self.refusal = errors(findings)
        elif outcome.design.layout.disks <= MOST_AT_ONCE:
            self._keep(self._plan_of(outcome))
        else:
            self.app.run_worker(self._compile_behind(outcome), group="plan")

    async def _compile_behind(self, outcome: DesignOutcome) -> None:
        found = await asyncio.to_thread(self._plan_of, outcome)
        if self.shown is outcome:
            self._keep(found)
            self._shown = None
            if self.desk.page is self:
                self.follow_session()

    def _plan_of(self, outcome: DesignOutcome) -> Plan | Finding:
        """The plan, or why there is none."""
        try:
            return self.session.plan(outcome)
        except RaidtuiError as error:
            return Finding(severity="error", code="no-plan", message=str(error), way_out=error.hint)

    def _keep(self, found: Plan | Finding) -> None:
        if isinstance(found, Finding):
            self.refusal = [found]
        else:
            self.compiled = found

    def show_step(self) -> None:
        """Shows commands and reasons of the step under the cursor."""
        step, plan = self.steps.step, self.compiled
        if step is None or plan is None:
            refusal = self.refusal
            self.listing.heading = "Commands" if self.compiling else "Refused"
            self.listing.put(lambda width: finding_lines(refusal, width, self.desk.glyphs))
            self.reasons.put(nothing)
            return
        self.listing.heading = f"Step {step.number}: {step.title}"
        expanded = self.expanded
        if self.has_class("-huge") and self.listing.boxed:
            self._show_script(plan)
        else:
            named = self._named(plan)
            self.listing.put(lambda width: self._step_lines(step, named, width, self.listing.room()))

        def reasons(width: int) -> Sequence[Line]:
            everything = why_lines(step, width, quote, expanded=True)
            if expanded or len(everything) <= self.reasons.room():
                return everything
            return why_lines(step, width, quote, expanded=False)

        self.reasons.put(reasons)
        self._share_out_rows()

    def _named(self, plan: Plan) -> Mapping[str, str]:
        return named_paths(plan, {disk.id: short_slot(disk.place.slot or "") for disk in self.session.inventory.disks})

    def _step_lines(self, step: Step, named: Mapping[str, str], width: int, room: int) -> Sequence[Line]:
        """Commands of a step; the short form if the whole takes more than `room` lines."""
        listed = partial(action_lines, step, named, width, self.desk.glyphs, quote)
        everything = listed(expanded=True)
        return everything if self.expanded or len(everything) <= room else listed(expanded=False)

    def _show_script(self, plan: Plan) -> None:
        """Shows the commands of all steps, scrolled to the step under the cursor."""
        starts: list[int] = []

        def script(width: int) -> Sequence[Line]:
            lines: list[Line] = []
            for number, (step, part) in enumerate(zip(plan.steps, self._parts(plan, width), strict=True)):
                if here := number == self.steps.cursor:
                    starts.append(len(lines))
                lines += [line(f"{step.number}  {step.title}", "head-on" if here else "title"), *part, ()]
            return lines

        self.listing.put(script)
        self.listing.move_to(starts[-1] if starts else 0)

    def _parts(self, plan: Plan, width: int) -> Sequence[Sequence[Line]]:
        """Commands of each step, `width` cells wide."""
        shape = (plan.digest, width, self.expanded, self.desk.glyphs)
        if self._script[0] != shape:
            named, room = self._named(plan), self.app.size.height // 2
            self._script = shape, [self._step_lines(step, named, width, room) for step in plan.steps]
        return self._script[1]

    def _share_out_rows(self) -> None:
        """Gives the steps the lines that they need on a large terminal, as far as the rest keeps its own."""
        body, wanted, half = self.query_one("#body"), self.steps.line_count() + 3, self.app.size.height // 2
        if self.has_class("-huge") and self.listing.boxed:
            body.styles.grid_rows = f"{min(wanted, half)} 1fr"
        elif self.listing.boxed:
            body.styles.grid_rows = f"{min(wanted, half - 3)} 1fr 9"
        else:
            body.styles.clear_rule("grid_rows")

    def explanation(self) -> tuple[str, Sequence[str]]:
        """Explains the step under the cursor."""
        step = self.steps.step
        if step is None:
            why = "The plan is being compiled." if self.compiling else "There is no plan while the design is refused."
            return "Commands", (why,)
        return step.title, (step.purpose, *([step.undo_note] if step.undo_note else ()))

    # Keys.

    def action_expand(self) -> None:
        """Toggles between all disks and lines of the step and the short form."""
        self.expanded = not self.expanded
        self.show_step()

    def action_copy(self) -> None:
        """Copies the commands of this step."""
        step = self.steps.step
        if step is not None:
            self.desk.copy(_step_text(step), f"step {step.number}")

    def action_copy_all(self) -> None:
        """Copies the whole script."""

        if self.compiled is not None:
            self.desk.copy(script(self.compiled), "script")

    async def action_rename(self) -> None:
        """Asks for the name of arrays, volume group and labels."""
        await self._ask_field("name")

    async def action_mount(self) -> None:
        """Asks for the mount point."""
        await self._ask_field("mount")

    async def _ask_field(self, key: str) -> None:
        outcome = self.session.outcome
        field = next(field for field in fields(outcome.decision, len(outcome.disks)) if field.key == key)
        await self.ask(value_question(field, self.desk.decide))

    @on(Pane.Moved, "#steps")
    def _moved(self) -> None:
        self.listing.top = self.reasons.top = 0
        self.show_step()


def _step_text(step: Step) -> str:
    """The step's commands as shell lines; files that it writes as comments."""
    parts = []
    for action in step.actions:
        match action:
            case Command():
                parts.append(render_command(action))
            case WriteFile():
                parts.append("\n".join(f"# {action.path}: {text}" for text in action.text.splitlines()))
    return "\n".join(parts) + "\n"
