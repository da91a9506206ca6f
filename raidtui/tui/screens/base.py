"""Base of the screens that show the app's session: its title with every screen, alarm and state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.binding import Binding

from raidtui.tui.terminal.text import KeySpan, Span
from raidtui.tui.widgets.bars import least_title, title_line
from raidtui.tui.widgets.frame import Frame
from raidtui.tui.widgets.prompt import parsed_question
from raidtui.values.decision import Decision
from raidtui.values.errors import BadInput

if TYPE_CHECKING:
    from raidtui.session.decision import DesignOutcome
    from raidtui.session.fields.field import Field
    from raidtui.session.session import Session
    from raidtui.tui.jobs.session_app import SessionApp

GUIDE = Binding("g", "app.guide", "guide", show=False, tooltip="find a layout by four plain questions",
                id="app.guide", priority=True)  # fmt: skip
"""binding for the screens that need no decision yet"""


def _cells(spans: Iterable[Span]) -> int:
    return sum(len(span.text) for span in spans)


def _bare(spans: Iterable[Span]) -> list[Span]:
    """A blank, and the spans without the blanks around their text."""
    return [Span(" ", "bar"), *(Span(span.text.strip(), span.tone) for span in spans)]


class BaseScreen(Frame):
    """A screen of the app with a session. Subclasses show that in their panes."""

    app: SessionApp
    """the app where it has a session"""

    @property
    def session(self) -> Session:
        """The session shared by all screens."""
        return self.app.session

    # Provided by subclasses.

    def show_session(self) -> None:
        """Shows the app's session as it is now."""

    # The frame.

    def arrays_changed(self) -> None:
        """Shows the alarm of an array, and the mark of Arrays."""
        self.refresh_frame()

    @property
    def outcome(self) -> DesignOutcome | None:
        """What of the session is shown."""
        return self.session.outcome

    def follow_session(self) -> None:
        """Shows the session if it, the size or the glyphs have changed."""
        stamp = (self.outcome, self.app.size, self.app.glyphs)
        if stamp != self._shown:
            self._shown = stamp
            self.show_session()

    def refresh_frame(self) -> None:
        """Title, alarm and hints."""
        width, badge = self.app.size.width, self.state_badge()
        self._show_alarm(width)
        marks = {"Arrays": Span("!", "bar-bad")} if self.alarm else {}
        state = [*([Span(" SIMULATED ", "simulated")] if self.simulated else ()), badge]
        tabs = [(page.digit, page.title) for page in self.app.PAGES]
        room = width - least_title(tabs)
        if self.simulated and _cells(state) > room >= _cells(_bare(state[:1])):
            state.pop()  # whole names of all screens go before it; a mark at the one that works says the same
            if badge.tone != "calm":
                marks["Build" if self.app.run_follower.busy else "Bench"] = Span("*", "bar-on")
        if _cells(state) > room >= _cells(_bare(state)):
            state = _bare(state)
        title = title_line(tabs, self.page_name, width - _cells(state), marks)
        self.put_title(title, self.session.inventory.name, state)

    def _show_alarm(self, width: int) -> None:
        """Names array and slot while an array lacks a member, or one is filled."""
        seen, before, grave = self.app.array_follower.seen, self.alarm, True
        if seen is not None:
            from raidtui.advice.arrays.repair import (
                line_words,
                repairs,  # few machines have such an array
            )

            building = self.app.run_follower.doing == "BUILDING" and self.app.run_follower.busy
            known = repairs(seen.arrays, self.app.array_follower.members)
            found = [each for each in known if each.lost or not (building or each.first)]
            self.alarm, grave = line_words(found), any(each.lost for each in found)
            if cell_len(self.alarm) > width - 2:
                self.alarm = line_words(found, short=True)
        elif self.session.inventory.lacking:
            from raidtui.predict.checks.disks import arrays_first  # beside it

            self.alarm = f"{next(arrays_first(self.session.inventory)).message.rstrip('.')}: 9 shows what to do"
        else:
            self.alarm = ""
        self.set_class(bool(self.alarm), "-alarm")
        self.alarm_bar.put((KeySpan(f" {self.alarm}", "bad" if grave else "warn", "9"),) if self.alarm else ())
        if bool(before) != bool(self.alarm):
            self.fit_panes()

    @property
    def simulated(self) -> bool:
        """True if this screen shows no real disks."""
        return self.session.inventory.simulated

    def state_badge(self) -> Span:
        """State in the title: a run or benchmark in progress; allowed to write to real disks; or a dry run."""
        if self.app.run_follower.busy:
            return Span(f" {self.app.run_follower.doing} ", "badge")
        if self.app.bench_follower.busy:
            return Span(" TESTING ", "badge")
        if self.app.run_follower.allow_writes and not self.session.inventory.simulated:
            return Span(" MAY WRITE ", "badge")
        return Span(" DRY RUN ", "calm")

    async def export(self) -> None:
        """Asks for a directory and writes plan, scripts and runbook into it."""
        from raidtui.tui.jobs.files import export_question  # only when something is written

        question = export_question(self.app)
        if isinstance(question, str):
            self.say(question, "bad")
        else:
            await self.ask(question)

    async def ask_value(self, field: Field) -> None:
        """Asks for a value of `field`, which must accept typed values; the answer is a decision."""
        read = field.read
        assert read is not None

        def decision(text: str) -> Decision:
            try:
                return read(text)
            except (ValueError, BadInput) as problem:
                raise ValueError(str(problem).removeprefix(f"layout '{text}', ")) from problem

        await self.ask(parsed_question(field.title, field.typed, decision, self.session.decide))
