"""Screen 7, Report: verdict, predicted and measured rates, commands run, open points."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from raidtui.answers.report.document import document
from raidtui.tui.jobs.files import difference_question, gathered, report_question, summary
from raidtui.tui.screens.base import BaseScreen
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Span, line, wrapped
from raidtui.tui.widgets.lines import block_lines, pairs, sign, tone
from raidtui.tui.widgets.pane import Pane, SmallPane
from raidtui.values.blocks import Block, Heading, PlotBlock, ReportDocument, Signatures
from raidtui.values.errors import RaidtuiError

if TYPE_CHECKING:
    from raidtui.values.report import Report


# Sections of a report's document: each with a one-line result and its full text. Nothing here draws.


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPart:
    """A section of a report."""

    title: str
    short: Line
    """its result in one line"""
    lines: Callable[[int], list[Line]]
    """the full text for a width"""
    anchor: str = ""
    """as in the document"""


def parts(document: ReportDocument, glyphs: Glyphs) -> tuple[ReportPart, ...]:
    """Summary, then all sections of the document that a screen can show, in its order."""
    sections: list[tuple[Heading, list[Block]]] = []
    for block in document.blocks:
        match block:
            case Heading(level=2):
                sections.append((block, []))
            case PlotBlock() | Signatures():
                continue
            case _:
                sections[-1][1].append(block)
    return (_summary(document, glyphs), *(_part(heading, blocks, glyphs) for heading, blocks in sections if blocks))


def verdict_span(document: ReportDocument, glyphs: Glyphs) -> Span:
    """The verdict with its sign."""
    return Span(f"{sign(document.tone, glyphs)} {document.verdict}", tone(document.tone))


def _summary(document: ReportDocument, glyphs: Glyphs) -> ReportPart:
    def lines(width: int) -> list[Line]:
        banner = [line(row, "warn") for row in wrapped(document.banner, width)]
        said = [line(f"  {row}") for row in wrapped(document.reason, width - 2)]
        facts = pairs((*document.facts, ("Made by", document.made_by)), width)
        return [*banner, (verdict_span(document, glyphs),), *said, (), *facts]

    short = (Span(document.verdict, tone(document.tone)), Span(f"  {document.reason}", "muted"))
    return ReportPart(title="Summary", short=short, lines=lines)


def _part(heading: Heading, blocks: list[Block], glyphs: Glyphs) -> ReportPart:
    return ReportPart(
        title=heading.short or heading.text,
        short=(Span(heading.result, tone(heading.tone)),),
        lines=cache(lambda width: block_lines(blocks, width, glyphs)),  # a wide screen shows all at each move
        anchor=heading.anchor,
    )


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
        self.text = Pane("", id="text")
        self.report: Report | None = None
        self.parts: Sequence[ReportPart] = ()
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
            self.report, self.problem = await asyncio.to_thread(gathered, self.desk), ""
        except RaidtuiError as error:
            self.report, self.problem = None, error.with_hint
        self.show_report()
        self.refresh_frame()

    def show_report(self) -> None:
        """Shows the sections and the one under the cursor."""
        report, glyphs = self.report, self.desk.glyphs
        made = document(report, plots_left_out=_PLOTS) if report is not None else None
        self.parts = parts(made, glyphs) if made is not None else ()
        self.sections.heading = f"Report on {report.host}" if report is not None else "Report"
        self.sections.aside = report.id if report is not None else ""
        self.sections.put(lambda _: [_short_line(part) for part in self.parts])
        self.show_only("" if report is not None else "text")
        self._show_part()
        if report is not None and made is not None:
            self.rest((verdict_span(made, glyphs), Span(f"  {report.layout}", "muted")))
        else:
            self.rest(())

    def _show_part(self) -> None:
        part = self.parts[min(self.sections.cursor, len(self.parts) - 1)] if self.parts else None
        if part is None:
            self.text.heading = "No report yet"
            said = (self.problem, _HOW) if self.problem else (_HOW,)
            self.text.put(lambda width: [line(row) for text in said for row in wrapped(text, width)])
            return
        if self.has_class("-huge") and self.has_class("-tall"):
            self._show_whole(part)
        else:
            self.text.heading = part.title
            self.text.put(part.lines)

    def _show_whole(self, part: ReportPart) -> None:
        """Shows all sections, scrolled to the one under the cursor."""
        width = max(min(self.text.inner_width(), _MOST_READABLE), 20)
        lines: list[Line] = []
        for each in self.parts:
            if each is part:
                start = len(lines)
            lines += [line(each.title.upper(), "title"), *each.lines(width), ()]
        self.text.heading = "The whole report"
        self.text.put(lambda _: lines)
        self.text.move_to(start)

    @on(Pane.Moved, "#sections")
    def _moved(self) -> None:
        self.text.top = 0
        self._show_part()

    def explanation(self) -> tuple[str, Sequence[str]]:
        """Explains the verdicts."""
        return "Report", (
            "ACCEPT: every postcondition was verified, every result is within its band, no points are open. With open "
            "points: resolve them or sign for them. NOT ACCEPTED: at least one point rules it out.",
            "NO VERDICT: nothing was measured on real disks.",
        )

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables keys that have no effect now."""
        if action in ("copy", "difference", "read") and self.report is None:
            return False
        return super().check_action(action, parameters)

    def action_read(self) -> None:
        """Moves the focus to the text and back."""
        (self.sections if self.text.has_focus else self.text).focus()

    async def export(self) -> None:
        """Asks for a directory and writes the report."""

        if self.report is None:
            self.say("there is no report to write yet", "warn")
        else:
            report = self.report
            await self.ask(report_question(self.desk, report.id, lambda: report))

    def action_copy(self) -> None:
        """Copies a summary as text."""

        if self.report is not None:
            self.desk.copy(summary(self.report), "report")

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

        await self.ask(difference_question(self.desk, self.report, show))


def _short_line(part: ReportPart) -> Line:
    return (Span(f"{part.title:<{_TITLE}} ", "strong"), *part.short)
