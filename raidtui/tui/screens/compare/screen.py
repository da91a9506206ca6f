"""Screen 3: candidate layouts beside the present one, as a table and as a scatter plot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import inf
from time import monotonic
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.worker import Worker

from raidtui.advice.proposals.guide import understood
from raidtui.answers.compare import comparison, reasons, remarks
from raidtui.answers.proposal import proposal_text
from raidtui.predict.speed.tunables import tuned
from raidtui.session.decision import constraints_of, taken
from raidtui.session.saved_designs import known_names, saved_decision
from raidtui.session.search_thread import Search, SearchRequest, steps_of
from raidtui.tui.screens.base import GUIDE, BaseScreen
from raidtui.tui.screens.compare.constraints import HELP, constraint_question
from raidtui.tui.screens.compare.constraints import show as constraint_line
from raidtui.tui.screens.compare.scatter import ScatterPlot
from raidtui.tui.screens.compare.table import (
    FEW_DISKS,
    CompareTable,
    CompareView,
    Ranking,
    candidates_of,
    next_view,
    present_candidate,
    rows_of,
)
from raidtui.tui.terminal.text import Span, line
from raidtui.tui.widgets.blocks_pane import BlocksPane
from raidtui.tui.widgets.dialogs import TextDialog
from raidtui.tui.widgets.frame import FRAME
from raidtui.tui.widgets.lines import block_lines, paged
from raidtui.tui.widgets.pane import Pane, SmallPane
from raidtui.values.amounts import listed
from raidtui.values.errors import RaidtuiError
from raidtui.values.layout import LEVELS, Layout
from raidtui.values.notation import LayoutText, show
from raidtui.values.proposal import Candidate, Constraints, Proposal
from raidtui.values.units import grouped

_SENTENCE = re.compile(r"(?<=\.) (?=[A-Z])")
_WIDE = 110
"""most cells of a line of a comparison"""
_TABLE_FRAME, _LEAST_REASONS, _ABOUT = 3, 16, 9
"""on a huge screen: lines of the table without its rows; at least for the reasons below it; of the remarks"""


class CompareScreen(BaseScreen):
    """Table, scatter plot, and remarks on the layout under the cursor."""

    page_name = "Compare"
    AUTO_FOCUS = "#layouts"
    LOADS = frozenset({"search"})
    FREE = frozenset({"slash", "g"})
    SMALL = (SmallPane("layouts", 6), SmallPane("about", 4), SmallPane("scatter", 8))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "load", "load", tooltip="use this layout in the design", id="compare.load"),
        Binding("slash", "constraints", "constraints", tooltip="constraints, or own layouts: >=800TB survive 2",
                id="compare.constraints", priority=True),
        Binding("space", "mark", "mark", tooltip="mark two or three to compare, and go to the next", id="compare.mark"),
        Binding("d", "difference", "difference", tooltip="differences of the marked layouts",
                id="compare.difference"),
        Binding("w", "why", "why", tooltip="why these layouts and not others; vendor rules", id="compare.why"),
        GUIDE,
        Binding("s,greater_than_sign", "sort(1)", "sort", show=False, tooltip="sort by the next column",
                id="compare.sort"),
        Binding("less_than_sign", "sort(-1)", "sort back", show=False, tooltip="sort by the previous column"),
        Binding("o", "turn", "reverse", show=False, tooltip="reverse the sort order", id="compare.turn"),
        Binding("a", "every", "few or all", show=False, tooltip="a few layouts, the Pareto front, or all",
                id="compare.every"),
        Binding("y", "copy", "copy", show=False, tooltip="copy the proposal as text", id="compare.copy"),
        Binding("comma", "axis('x')", "x axis", show=False, tooltip="next measure on the x axis", id="compare.x"),
        Binding("full_stop", "axis('y')", "y axis", show=False, tooltip="next measure on the y axis", id="compare.y"),
        Binding("v", "view", "table only", show=False, tooltip="table only, or with the scatter plot",
                id="compare.view"),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.introduces = False
        """True after the guide until the cursor moves: the derived constraints are shown"""

    def panes(self) -> Iterator[Widget]:
        """Table, scatter plot, remarks, and on very large screens all reasons."""
        self.table = CompareTable(id="layouts")
        self.scatter = ScatterPlot(id="scatter")
        self.about = Pane("About", id="about")
        self.reasons = BlocksPane("Why", id="why")
        self.search = Search(steps_of, self._searched)
        self.worker: Worker[None] | None = None
        self.chosen_view: CompareView | None = None
        """what `a` has chosen"""
        self.proposal: Proposal | None = None
        self.typed: tuple[str, ...] = ()
        """layouts that were typed and have no row yet; their rows are marked"""
        self.ask_shown: SearchRequest | None = None
        """the inputs of the proposal that is shown or searched for"""
        self.rows_so_far: tuple[Candidate, ...] = ()
        """layouts that are shown while the search runs"""
        yield from (self.table, self.scatter, self.reasons, self.about)

    def small_panes(self) -> Sequence[SmallPane]:
        """Without the scatter plot where it is switched off."""
        return [each for each in self.SMALL if each.pane != "scatter" or not self.has_class("-plain")]

    # Contents.

    @property
    def view(self) -> CompareView:
        """How many layouts are shown."""
        return self.chosen_view or ("every" if len(self.session.outcome.disks) <= FEW_DISKS else "few")

    @property
    def asked(self) -> Constraints:
        """The constraints, with chunk, stack and file system of the present design."""
        return constraints_of(self.session.decision)

    def show_session(self) -> None:
        """Shows the cached proposal, or starts a search in the background."""
        outcome = self.session.outcome
        ask = SearchRequest(
            inventory=self.session.inventory, disks=outcome.disks, constraints=self.asked,
            assumptions=tuned(outcome.decision.assumptions, outcome.decision.design), every=self.view == "every",
        )  # fmt: skip
        if self.search.wants(ask):
            if self.worker is not None:
                self.worker.cancel()
            # A worker of the app continues while another screen is shown.
            self.worker = self.app.run_worker(partial(self.search.look, ask), group="search")
            self.shown_since = inf
        self.ask_shown = ask
        self.proposal = self.search.found(ask)
        self._show_rows()
        self._rest()
        self._fit_rows()

    def fit_panes(self) -> None:
        """Also gives the table on a huge screen the lines that it needs, and its reasons the rest."""
        super().fit_panes()
        self._fit_rows()

    def _fit_rows(self) -> None:
        body = self.query_one("#body")
        if not (self.has_class("-huge") and self.has_class("-tall")) or self.has_class("-plain"):
            body.styles.clear_rule("grid_rows")
            return
        lines = self.table.line_count() + _TABLE_FRAME
        body.styles.grid_rows = f"{min(lines, self.app.size.height - FRAME - _LEAST_REASONS)} 1fr {_ABOUT}"

    def _show_rows(self) -> None:
        """Shows the rows of the proposal; while the search runs, those that it has found so far."""
        present = present_candidate(self.session.outcome)
        proposal = self.proposal
        if proposal is None:
            self.rows_so_far = self.search.so_far(self.ask_shown) if self.ask_shown is not None else ()
            if self.rows_so_far:
                self.shown_since = min(self.shown_since, monotonic())
        found = self.rows_so_far if proposal is None else candidates_of(proposal, self.view)
        self.table.show(rows_of(found, () if proposal is None else proposal.picks, present), self._counted())
        if proposal is not None and self.typed:
            self.table.mark_asked(self.typed)
            self.typed = ()
        self._rest()
        self.show_row()

    def _rest(self) -> None:
        asked = constraint_line(self.asked)
        self.rest(
            (Span("constraints: "), Span(asked, "strong"), Span("   / changes them", "muted"))
            if asked
            else line("/ sets constraints, or compares layouts of your own; g asks in plain words", "muted")
        )

    def action_introduce(self) -> None:
        """Shows the constraints derived from the guide's answers until the cursor moves."""
        self.introduces = True

    def _counted(self) -> str:
        if self.proposal is None:
            total = f" {self.search.done} of {self.search.total} layouts" if self.search.total else ""
            return f"searching ...{total}"
        shown = len(candidates_of(self.proposal, self.view))
        front = sum(found.on_front for found in self.proposal.candidates)
        if self.view == "every":
            return f"{grouped(shown)} of {grouped(self.proposal.considered)} layouts fit, GB/s"
        few = f"{shown} of " if shown != front else ""
        return f"{few}{front} best trade-offs of {grouped(self.proposal.considered)} layouts, GB/s"

    def _searched(self) -> None:
        """Shows the progress of the search, or its result: at once, or when this screen is shown again."""
        if not self.app.has_page:
            return  # the app closes
        if not self.search.running:
            self._shown = None
            if self.app.page is self:
                self.follow_session()
        elif self.app.page is self and self.search.rows is not self.rows_so_far and self.proposal is None:
            self._show_rows()
        elif self.table.aside != (words := self._counted()):
            self.table.aside = words
            self.table.refresh()

    def show_row(self) -> None:
        """Updates scatter plot and remarks for the layout under the cursor."""
        self.set_class(self.introduces, "-introduced")
        self.scatter.show(self.table.rows, self.table.cursor)
        self.about.heading, texts = self._said()
        sentences = [each for text in texts for each in _SENTENCE.split(text)]
        self.about.put(lambda width: paged(sentences, width, self.about.room()))
        if self.proposal is not None:
            self.reasons.show(reasons(self.proposal, self._understood()))

    def _understood(self) -> tuple[str, ...]:
        decision = self.session.decision
        if decision.constraints is None:
            return ()
        return understood(self.asked, decision.assumptions, decision.design.chunk_bytes)

    def _said(self) -> tuple[str, Sequence[str]]:
        """Heading and remarks for the layout under the cursor."""
        row, proposal = self.table.row, self.proposal
        if self.introduces:
            return "Your requirements", (" ".join(self._understood()),)
        if proposal is not None and not proposal.candidates:
            return "No layout fits", [f"{found.message.rstrip('.')}; {found.way_out}." for found in proposal.findings]
        if row is None:
            return "About", ()
        names = ", ".join(row.candidate.picks) or (
            "the present design" if row.present else "compared with the present design"
        )
        layout = show(row.candidate.layout.layout, times=self.app.glyphs.times)
        present = self.table.present
        against = None if present is None else present.named
        return f"{layout}: {names}", remarks(row.candidate, proposal, against, is_present=row.present)

    def explanation(self) -> tuple[str, Sequence[str]]:
        """Explains the columns."""
        return "Layouts", (
            "TiB is the usable capacity shown by df. read and write are sequential rates of many streams at the outer "
            "zone, in GB/s; limit is their bottleneck. r4k and w4k are random reads and writes of 4 KiB a second.",
            "rebuild is the time for one disk at the assumed load. loss 1 in N: the modelled probability within a "
            "year that any data is lost. Array: that of a volume, by disks. Worst: any loss with correlated failures, "
            "the figure to plan with. Design shows the causes and what is left out.",
            "Compared are layouts that people build: all disks used, arrays as wide as their number and the spares "
            "allow. The Pareto front holds those that no other beats. None is as good in every column and better in "
            "one. * is the present design, on the front or not.",
        )

    # Keys.

    async def action_load(self) -> None:
        """Makes the layout under the cursor the design; chunk and all else stay."""
        row = self.table.row
        if row is None:
            return
        self.introduces = False
        if not row.present:
            self.session.decide(taken(row.candidate, self.session.decision))
        await self.app.action_show("design")
        page = self.app.page
        words = "is already the design" if row.present else "is now the design, spread over the chassis; u undoes it"
        page.call_after_refresh(page.say, f"{row.candidate.layout} {words}", "good")

    async def action_constraints(self) -> None:
        """Asks for constraints."""

        def decide(constraints: Constraints) -> None:
            self.introduces = False
            self.typed = tuple(each for each in constraints.compare if each not in self.asked.compare)
            self.session.decide(replace(self.session.decision, constraints=constraints))
            self._rest()

        examples = "such as"
        for example, _ in HELP:
            if len(examples) + len(example) + 4 <= self.app.size.width:
                examples += f"  {example}"
        self.rest(line(examples, "muted"))
        names = known_names(self.session)

        def saved(name: str) -> LayoutText | None:
            """None also for a design that cannot be read. A level alone has all disks of the design's choice."""
            with suppress(RaidtuiError, ValueError):
                if name in names:
                    return LayoutText(saved_decision(self.session, name).design.layout)
                if (at := LEVELS.index(name.lower()) if name.lower() in LEVELS else -1) >= 0:
                    return LayoutText(Layout.of(level=LEVELS[at], members=len(self.session.outcome.disks)))
            return None

        await self.ask(constraint_question(self.asked, saved, decide, self._rest))

    def action_mark(self) -> None:
        """Marks the layout for `d`."""
        dropped = self.table.mark()
        marked = [row.named[0] for row in self.table.rows if row.key in self.table.marked]
        if dropped is not None:
            self.say(f"{listed(marked)} are marked, {dropped.named[0]} no longer: d shows their differences")
        elif len(marked) > 1:
            self.say(f"{listed(marked)} are marked: d shows their differences")
        elif marked:
            self.say(f"{marked[0]} is marked, and the cursor moves on: mark another, then d shows the differences")
        self.table.action_move(1)

    def action_difference(self) -> None:
        """Compares the marked layouts; or the marked one and the cursor's; or the cursor's and the present one."""

        rows = self.table.compared()
        if not rows:
            self.say("Space marks a layout; d compares two or three, or the one at the cursor with the present one")
            return
        (first, _), *others = named = [row.named for row in rows]
        lines = block_lines(comparison(named), min(self.app.size.width - 6, _WIDE), self.app.glyphs)
        self.app.push_screen(TextDialog(f"{listed([name for name, _ in others])} in place of {first}", lines))

    def action_why(self) -> None:
        """Shows all reasons of the proposal."""

        if self.proposal is None:
            self.say(self._counted())
            return
        blocks = reasons(self.proposal, self._understood())
        lines = block_lines(blocks, min(self.app.size.width - 6, 76), self.app.glyphs)
        self.app.push_screen(TextDialog("Why these layouts", lines))

    def action_sort(self, by: int) -> None:
        """Sorts by the next column; after the last, picks first."""
        order: list[Ranking | None] = [None, *(measure for measure, _ in self.table.columns)]
        self.table.sort = order[(order.index(self.table.sort) + by) % len(order)]
        self.table.turned = False
        self.table.rearrange()
        self.show_row()

    def action_turn(self) -> None:
        """Reverses the sort order."""
        self.table.turned = not self.table.turned
        self.table.rearrange()
        self.show_row()

    def action_every(self) -> None:
        """Cycles through a sample of the front, the whole front, and all layouts that meet the constraints."""
        if self.proposal is None:
            self.say(self._counted())
            return
        self.chosen_view = next_view(self.proposal, self.view)
        self.show_session()

    def action_axis(self, name: str) -> None:
        """Puts the next measure on one axis, skipping the other axis' measure."""
        known = [measure for measure, _ in self.table.columns]
        other = self.scatter.y if name == "x" else self.scatter.x
        free = [measure for measure in known if measure is not other]
        now = self.scatter.x if name == "x" else self.scatter.y
        chosen = free[(free.index(now) + 1) % len(free)] if now in free else free[0]
        if name == "x":
            self.scatter.x = chosen
        else:
            self.scatter.y = chosen
        self.show_row()

    def action_copy(self) -> None:
        """Copies the proposal as text."""
        if self.proposal is None:
            self.say(self._counted())
        else:
            self.app.copy(proposal_text(self.proposal) + "\n", "proposal")

    def action_view(self) -> None:
        """Hides or shows the scatter plot."""
        self.toggle_class("-plain")
        self.fit_panes()

    @on(ScatterPlot.Clicked)
    def _picked_point(self, event: ScatterPlot.Clicked) -> None:
        self.table.move_to(event.index)

    @on(Pane.Moved, "#layouts")
    def _moved(self) -> None:
        self.introduces = False
        self.about.top = 0
        self.show_row()
