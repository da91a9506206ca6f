"""Screen 7, Report: verdict, predicted and measured rates, commands run, open points."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from raidtui.answers.report.document import ReportPart, document, report_parts
from raidtui.tui.jobs.files import difference_question, gathered, report_question, summary
from raidtui.tui.screens.base import BaseScreen
from raidtui.tui.terminal.text import Line, Span
from raidtui.tui.widgets.blocks_pane import BlocksPane
from raidtui.tui.widgets.lines import tone
from raidtui.tui.widgets.pane import Pane, SmallPane
from raidtui.values.blocks import Block, Heading, Paragraph
from raidtui.values.errors import RaidtuiError

if TYPE_CHECKING:
    from raidtui.values.report import Report


_TITLE = 23
_MOST_READABLE = 150
"""cells of a line of the document: a longer one is hard to follow"""
_PLOTS = "The plots are in report.html; e writes it."
_HOW = "In this app: 4 Commands, then b builds; 6 Bench measures. A report consists of their results."


class ReportScreen(BaseScreen):
    """Sections with their results, and the full text of the one under the cursor."""

    page_name = "Report"
    AUTO_FOCUS = "#sections"
    LOADS = frozenset({"report"})
    SMALL = (SmallPane("sections", 6), SmallPane("text", 8))
    QUESTIONS = BaseScreen.QUESTIONS | {"difference"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "read", "read", tooltip="scroll the section's text, or go back", id="report.read"),
        Binding("e", "app.export", "export", tooltip="write the report as Markdown, JSON and HTML",
                priority=True),
        Binding("y", "copy", "copy", tooltip="copy a summary for a mail or a ticket", id="report.copy"),
        Binding("d", "difference", "difference", tooltip="compare with an older report or benchmark",
                id="report.difference", priority=True),
        Binding("R", "reread", "refresh", show=False, tooltip="make the report again", id="report.again"),
    ]  # fmt: skip

    def panes(self) -> Iterator[Widget]:
        """Sections, and the text of one."""
        self.sections = Pane("Report", pickable=True, id="sections")
        self.text = BlocksPane("", id="text")
        self.text.most = _MOST_READABLE
        self.report: Report | None = None
        self.parts: Sequence[ReportPart] = ()
        self.whole: tuple[Block, ...] = ()
        """all parts with their titles, which a very large screen shows"""
        self.problem = ""
        yield from (self.sections, self.text)

    @property
    def simulated(self) -> bool:
        """True if the report's subject is simulated."""
        return self.report.simulated if self.report is not None else super().simulated

    def on_screen_resume(self) -> None:
        """Makes the report again whenever the screen is shown, since there may be new results."""
        super().on_screen_resume()
        self.action_reread()

    def show_session(self) -> None:
        """Shows the report."""
        self.show_report()

    def action_reread(self) -> None:
        """Makes the report again in the background."""
        self.run_worker(self._make(), group="report", exclusive=True)

    async def _make(self) -> None:
        try:
            self.report, self.problem = await asyncio.to_thread(gathered, self.app), ""
        except RaidtuiError as error:
            self.report, self.problem = None, error.with_hint
        self.show_report()
        self.refresh_frame()

    def show_report(self) -> None:
        """Shows the sections and the one under the cursor."""
        report = self.report
        made = document(report, plots_left_out=_PLOTS) if report is not None else None
        self.parts = report_parts(made) if made is not None else ()
        self.whole = tuple(block for part in self.parts for block in (Heading(text=part.title.upper()), *part.blocks))
        self.sections.heading = f"Report on {report.host}" if report is not None else "Report"
        self.sections.aside = report.id if report is not None else ""
        self.sections.put(lambda _: [_short_line(part) for part in self.parts])
        self.show_only("" if report is not None else "text")
        self._show_part()
        if report is not None and made is not None:
            self.rest((Span(made.title, "strong"), Span(f"  {made.subtitle}, {made.made_by}", "muted")))
        else:
            self.rest(())

    def _show_part(self) -> None:
        part = self.parts[min(self.sections.cursor, len(self.parts) - 1)] if self.parts else None
        if part is None:
            self.text.heading = "No report yet"
            self.text.show([Paragraph(text=text) for text in (self.problem, _HOW) if text])
        elif self.has_class("-huge") and self.has_class("-tall"):
            self.text.heading = "The whole report"
            if self.text.blocks is not self.whole:
                self.text.show(self.whole)
            self.text.move_to_name(part.title.upper())
        else:
            self.text.heading = part.title
            self.text.top = 0
            self.text.show(part.blocks)

    @on(Pane.Moved, "#sections")
    def _moved(self) -> None:
        self._show_part()

    def explanation(self) -> tuple[str, Sequence[str]]:
        """Explains the verdicts."""
        return "Report", (
            "ACCEPT: every postcondition was verified, every result is within its band, no points are open. With open "
            "points: resolve them or sign for them. NOT ACCEPTED: at least one point rules it out.",
            "NO VERDICT: nothing was measured on real disks.",
        )

    # Keys.

    def idle_reason(self, action: str) -> str:
        """See Frame."""
        waits = self.report is None and action in ("copy", "difference", "read")
        return "no report yet; a build or a benchmark makes one" if waits else ""

    def action_read(self) -> None:
        """Moves the focus to the text and back."""
        (self.sections if self.text.has_focus else self.text).focus()

    async def export(self) -> None:
        """Asks for a directory and writes the report."""

        if self.report is None:
            self.say("there is no report to write yet", "warn")
        else:
            report = self.report
            await self.ask(report_question(self.app, report.id, lambda: report))

    def action_copy(self) -> None:
        """Copies a summary as text."""

        if self.report is not None:
            self.app.copy(summary(self.report), "report")

    async def action_difference(self) -> None:
        """Asks for an older report and compares with it."""

        if self.report is None:
            return

        def show(report: Report) -> None:
            self.report = report
            self.show_report()
            place = next(number for number, part in enumerate(self.parts) if part.anchor == "comparison")
            self.sections.move_to(place)
            self._show_part()

        await self.ask(difference_question(self.app, self.report, show))


def _short_line(part: ReportPart) -> Line:
    more = Span(f"  {part.more}" if part.more else "", "muted")
    return (Span(f"{part.title:<{_TITLE}} ", "strong"), Span(part.result, tone(part.tone)), more)
