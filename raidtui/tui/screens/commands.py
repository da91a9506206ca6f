"""Screen 4: the scripts that build and undo the plan, line by line as they are exported. It executes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from raidtui.answers.confirm import disk_blocks
from raidtui.answers.findings import finding_items
from raidtui.scripts.build_script import build_script
from raidtui.scripts.facts import WIDTH, PartRow, Script, ScriptLine, parts_table
from raidtui.scripts.undo_script import undo_script
from raidtui.session.decision import DesignOutcome
from raidtui.session.fields.all_fields import fields
from raidtui.tui.screens.base import BaseScreen
from raidtui.tui.terminal.text import Line, Span, Tone, line, wrapped
from raidtui.tui.widgets.blocks_pane import BlocksPane
from raidtui.tui.widgets.lines import block_lines
from raidtui.tui.widgets.pane import Pane, SmallPane
from raidtui.values.errors import RaidtuiError
from raidtui.values.findings import Finding, errors, refused
from raidtui.values.plan import Plan
from raidtui.values.units import counted

MOST_AT_ONCE = 300
"""disks whose plan is compiled before the screen is shown, which takes up to a third of a second; more in a thread"""
_PARTS = 66
"""cells of their pane on a very large terminal"""
_MORE = "    "
"""before the rest of a line that is longer than its pane"""


class CommandsScreen(BaseScreen):
    """The parts of both scripts, and the script with the part under the cursor."""

    page_name = "Commands"
    AUTO_FOCUS = "#parts"
    LOADS = frozenset({"plan"})
    SMALL = (SmallPane("parts", 6), SmallPane("listing", 8))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "app.build", "build", tooltip="run preflight, confirm, and build", id="plan.build"),
        Binding("y", "copy", "copy script", tooltip="copy the whole script that is shown", id="plan.copy"),
        Binding("e", "app.export", "export", tooltip="write plan, scripts and runbook", priority=True),
        Binding("n", "rename", "name", tooltip="rename arrays, volume and labels", id="plan.name", priority=True),
        Binding("m", "mount", "mount point", show=False, tooltip="where the file system is mounted", id="plan.mount",
                priority=True),
    ]  # fmt: skip

    def panes(self) -> Iterator[Widget]:
        """Parts, script, and on a very large terminal the disks that they take."""
        self.parts = BlocksPane("Scripts", id="parts")
        self.parts.keeps_mark = True
        self.rows: Mapping[str, PartRow] = {}
        """the parts of both scripts, by the keys of their rows"""
        self.disks = BlocksPane("Disks", id="disks")
        self.listing = Pane("Script", id="listing")
        self.compiled: Plan | None = None
        self.refusal: Sequence[Finding] = ()
        self.shown: DesignOutcome | None = None
        yield from (self.parts, self.listing, self.disks)

    def show_session(self) -> None:
        """Shows the scripts of the present design, or why there are none."""
        outcome = self.session.outcome
        if self.shown is not outcome:
            self.shown = outcome
            self._compile(outcome)
        plan = self.compiled
        if self.compiling:
            self.parts.empty = "compiling ..."
            self.rest(line(f"compiling the plan of {counted(outcome.design.disks, 'disk')}", "muted"))
        elif plan is None:
            self.parts.empty = "no plan: the design is refused, see below"
            self.rest(line("change the design (2) or the disks (1); u undoes the last decision", "warn"))
        else:
            erased = {disk for step in plan.steps for disk in step.destroys}
            self.rest(
                (
                    Span(f"plan {plan.digest[:12]} '{plan.name}': "),
                    Span(
                        f"erases {counted(len(erased), 'disk')}" if erased else "erases nothing",
                        "bad" if erased else "good",
                    ),
                    Span("; nothing is executed yet", "muted"),
                )
            )
        self.disks.show(disk_blocks(plan.disks, "WILL BE", content=True) if plan is not None else ())
        self.show_part()

    @property
    def compiling(self) -> bool:
        """True while the plan of a large design is compiled in the background."""
        return self.compiled is None and not self.refusal

    def _compile(self, outcome: DesignOutcome) -> None:
        self.compiled, self.refusal = None, ()
        self._show_parts(())
        findings = outcome.prediction.findings
        if refused(findings):
            self.refusal = errors(findings)
        elif outcome.design.disks <= MOST_AT_ONCE:
            self._keep(self._made(outcome))
        else:
            self.app.run_worker(self._compile_behind(outcome), group="plan")

    async def _compile_behind(self, outcome: DesignOutcome) -> None:
        found = await asyncio.to_thread(self._made, outcome)
        if self.shown is outcome:
            self._keep(found)
            self._shown = None
            if self.app.page is self:
                self.follow_session()

    def _made(self, outcome: DesignOutcome) -> tuple[Plan, Sequence[Script]] | Finding:
        """The plan and its scripts, or why there is none."""
        try:
            plan = self.session.plan(outcome)
            return plan, (build_script(plan), undo_script(plan))
        except RaidtuiError as error:
            return Finding(severity="error", code="no-plan", message=str(error), way_out=error.hint)

    def _keep(self, found: tuple[Plan, Sequence[Script]] | Finding) -> None:
        if isinstance(found, Finding):
            self.refusal = [found]
        else:
            self.compiled, scripts = found
            self._show_parts(scripts)

    def _show_parts(self, scripts: Sequence[Script]) -> None:
        rows = [PartRow(script, number) for script in scripts for number in range(len(script.parts) + 1)]
        self.rows = {row.key: row for row in rows}
        self.parts.show((parts_table(rows),) if rows else ())

    @property
    def row(self) -> PartRow | None:
        """The part under the cursor."""
        return self.rows.get(self.parts.name_at_cursor)

    def show_part(self) -> None:
        """Shows the script with the part under the cursor."""
        row = self.row
        if row is None:
            refusal = finding_items(self.refusal, coded=False)
            self.listing.heading = "Script" if self.compiling else "Refused"
            self.listing.put(lambda width: block_lines(refusal, width, self.app.glyphs))
            return
        self.listing.heading = row.script.file
        starts: list[int] = []

        def listed(width: int) -> Sequence[Line]:
            lines: list[Line] = []
            number, head = None, False
            for each in paragraphs(row.script.lines, width):
                head = each.part != number or (head and each.goes_on)
                if head:
                    if each.part != number and each.part == row.number:
                        starts.append(len(lines))
                    number = each.part
                    lines += shown_lines(each, width, "head-on" if number == row.number else "title")
                else:
                    lines += shown_lines(each, width, "muted" if each.kind == "comment" else "text")
            return lines

        self.listing.put(listed)
        self.listing.line_count()
        self.listing.move_to(starts[-1] if starts else 0)
        self._share_out_rows()

    def _share_out_rows(self) -> None:
        """Gives the parts the lines that they need on a tall terminal, as far as the script keeps half of them."""
        body, half = self.query_one("#body"), self.app.size.height // 2
        inside = (_PARTS if self.has_class("-huge") else self.app.size.width) - 4
        wanted = self.parts.lines_in(inside, half) + 2  # it may not be laid out yet
        if self.listing.boxed and not self.has_class("-huge"):
            body.styles.grid_rows = f"{min(wanted, half - 3)} 1fr"
        elif self.listing.boxed:
            body.styles.grid_rows = f"{min(wanted, half)} 1fr"
        else:
            body.styles.clear_rule("grid_rows")

    def explanation(self) -> tuple[str, Sequence[str]]:
        """Explains the part under the cursor."""
        row = self.row
        if row is None:
            why = "The plan is being compiled." if self.compiling else "There is no plan while the design is refused."
            return "Commands", (why,)
        if row.part is None:
            return row.script.file, row.script.head
        return row.title, (row.part.reason,) if row.part.reason else row.script.head

    # Keys.

    def action_copy(self) -> None:
        """Copies the whole script that is shown."""
        row = self.row
        if row is not None:
            self.app.copy(row.script.text, row.script.file)

    async def action_rename(self) -> None:
        """Asks for the name of arrays, volume group and labels."""
        await self._ask_field("name")

    async def action_mount(self) -> None:
        """Asks for the mount point."""
        await self._ask_field("mount")

    async def _ask_field(self, key: str) -> None:
        outcome = self.session.outcome
        field = next(field for field in fields(outcome.decision, len(outcome.disks)) if field.key == key)
        await self.ask_value(field)

    @on(BlocksPane.Opened, "#parts")
    def _opened(self) -> None:
        self.listing.focus()

    @on(Pane.Moved, "#parts")
    def _moved(self) -> None:
        self.show_part()


def paragraphs(lines: Iterable[ScriptLine], width: int) -> Iterator[ScriptLine]:
    """The lines, those of a comment as one where `width` breaks them anyway."""
    if width >= WIDTH:
        yield from lines
        return
    whole: ScriptLine | None = None
    for each in lines:
        if whole is not None and each.goes_on:
            whole = replace(whole, text=f"{whole.text} {each.text.removeprefix('#').lstrip()}")
            continue
        if whole is not None:
            yield whole
        whole = each
    if whole is not None:
        yield whole


def shown_lines(each: ScriptLine, width: int, tone: Tone) -> list[Line]:
    """A line of a script, broken at blanks where it is longer than `width`."""
    if len(each.text) <= width:
        return [line(each.text, tone)]
    indent = each.text[: len(each.text) - len(each.text.lstrip())]
    more = "# " if each.kind == "comment" else _MORE
    rows = list(wrapped(each.text, max(width - len(indent) - len(more), 20)))
    return [line(f"{indent}{more if number else ''}{row}", tone) for number, row in enumerate(rows)]
