"""Guide dialog: four questions, then one card; the arrow keys move, Enter picks an answer and moves on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.worker import Worker

from raidtui.advice.proposals.guide import (
    AnswerChoice,
    Answers,
    StartQuestion,
    answered,
    chosen,
    first_answers,
    questions,
    safer,
    usable,
)
from raidtui.advice.proposals.pick_reasons import Suggestion, suggestion
from raidtui.answers.proposal import DONE, answer_key, card_blocks, questions_table
from raidtui.session.decision import constraints_of, with_answers
from raidtui.session.search_thread import Search, SearchRequest, steps_of
from raidtui.session.session import Session
from raidtui.tui.terminal.key_order import SteadyDialog
from raidtui.tui.widgets.blocks_pane import BlocksPane
from raidtui.tui.widgets.prompt import Prompt, TextQuestion
from raidtui.values.blocks import Grid, cells
from raidtui.values.proposal import Candidate
from raidtui.values.units import decimal_size, parse_size

CardChoice = Literal["take", "safer", "all", "back"]
_LABELS: dict[CardChoice, str] = {
    "safer": "[ Safer: replace disks within a week ]", "take": "[ Take it ]", "all": "[ See all layouts ]",
    "back": "[ Change the answers ]",
}  # fmt: skip


class GuidePane(BlocksPane):
    """A framed pane that takes the lines which its text needs in its width."""

    def __init__(self, heading: str) -> None:
        super().__init__(heading)
        self.keeps_mark = True
        self.aside = "Esc closes"

    @property
    def boxed(self) -> bool:
        """Always."""
        return True

    def on_resize(self) -> None:
        """Takes the lines that the text needs in another width, and shows them from the top as far as they fit."""
        self.top = 0
        super().on_resize()
        self.refresh()
        self.fit()

    def fit(self) -> None:
        """Takes the lines that the text needs."""
        self.styles.height = self.line_count() + 2


class CardPane(GuidePane):
    """The suggestion in plain words, and what can be done with it; the cursor stands on the first of these lines."""

    def __init__(self) -> None:
        super().__init__("Suggestion")
        self.choices: tuple[CardChoice, ...] = ("back",)

    def show_card(self, card: Suggestion | None, *, safer: bool) -> None:
        """Shows a card, None while the search runs; `safer`: an answer would lower its risk, offered if high."""
        taken = card is not None and card.candidate is not None
        offered: tuple[CardChoice, ...] = ("safer",) if safer and card is not None and card.warning else ()
        self.choices = (*offered, "take", "all", "back") if taken else ("back",)
        self.cursor = self.top = 0
        self.show((*card_blocks(card), _choices(self.choices)), aside=self.aside)
        self.fit()

    @property
    def choice(self) -> CardChoice:
        """The choice under the cursor."""
        return next((each for each in self.choices if each == self.picked), self.choices[0])


def _choices(choices: Sequence[CardChoice]) -> Grid:
    rows = [
        cells(f" {_LABELS[each]}", "Enter takes it" if number == 0 and each != "back" else "")
        for number, each in enumerate(choices)
    ]
    return Grid(columns=("", ""), rows=tuple(rows), keys=tuple(choices))


@dataclass(frozen=True, slots=True, kw_only=True)
class Guided:
    """What the guide ends with."""

    answers: Answers
    candidate: Candidate | None
    """the layout that was taken; None to see all layouts"""


class GuideDialog(SteadyDialog[Guided]):
    """Returns the answers and the layout taken, or None if it was closed."""

    CSS_PATH = "dialog.tcss"
    LOADS = frozenset({"guide"})
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "close", show=False),
        Binding("enter", "pick(True)", "pick", show=False, priority=True),
        Binding("space", "pick(False)", "pick", show=False, priority=True),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.disks = session.outcome.disks
        self.answers = first_answers(self.disks)
        self.pane = GuidePane("What do you need?")
        self.asked: Sequence[StartQuestion] = ()
        self.card = CardPane()
        self.search = Search(steps_of, self._searched)
        self.worker: Worker[None] | None = None
        self.found: Candidate | None = None
        """layout of the card"""
        self._ask: SearchRequest | None = None

    def compose(self) -> ComposeResult:
        """The questions, or the card; the input line appears below them."""
        with Vertical():
            yield self.pane
            yield self.card

    def on_mount(self) -> None:
        """Sizes the dialog to its text."""
        self.card.display = False
        self._show()
        self.pane.action_jump(0)
        self.pane.focus()

    def _show(self) -> None:
        self.asked = questions(self.disks, self.answers)
        self.pane.show((questions_table(self.asked, self.answers),), aside=self.pane.aside)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Disables these keys while a capacity is typed."""
        return not (self.asking and action == "pick")

    async def action_pick(self, go_on: bool) -> None:
        """Picks the answer under the cursor; after the last question shows the card; there Enter takes it."""
        if self.card.display:
            self._choose()
            return
        question, choice = self._at_cursor()
        match choice:
            case None:
                self._suggest()
            case AnswerChoice(possible=False):
                self._complain(choice.about)
            case AnswerChoice(name="least"):
                await self._ask_room()
            case AnswerChoice():
                self.answers = answered(self.answers, question, choice.name)
                self._show()
                if go_on:
                    self._next()

    def _at_cursor(self) -> tuple[str, AnswerChoice | None]:
        """The question and the answer under the cursor; no answer on the last line."""
        all_choices = ((asked.field, each) for asked in self.asked for each in asked.choices)
        name = self.pane.name_at_cursor
        return next((found for found in all_choices if answer_key(found[0], found[1].name) == name), ("", None))

    def _next(self) -> None:
        """Goes to the picked answer of the next question, or to the card after the last one."""
        fields = [each.field for each in self.asked]
        after = fields[fields.index(self._at_cursor()[0]) + 1 :]
        self.pane.move_to_name(answer_key(after[0], chosen(self.answers, after[0])) if after else DONE)
        if not after:
            self._suggest()

    # The card.

    def _suggest(self) -> None:
        """Searches for these answers, and shows the card."""
        decision = with_answers(self.session.decision, self.answers, self.disks)
        self._ask = ask = SearchRequest(
            inventory=self.session.inventory, disks=self.disks, constraints=constraints_of(decision),
            assumptions=decision.assumptions,
        )  # fmt: skip
        self.pane.display, self.card.display = False, True
        self.card.focus()
        self.call_after_refresh(self._searched)
        if self.search.wants(ask):
            if self.worker is not None:
                self.worker.cancel()
            self.worker = self.app.run_worker(partial(self.search.look, ask), group="guide")

    def _searched(self) -> None:
        if self._ask is None or not self.is_attached or not self.card.display:
            return
        proposal = self.search.found(self._ask)
        found = suggestion(proposal, self._ask.constraints, self._ask.assumptions) if proposal else None
        self.card.show_card(found, safer=safer(self.answers) is not None)
        self.found = found.candidate if found else None

    def _choose(self) -> None:
        match self.card.choice:
            case "take" if self.found is not None:
                self.dismiss(Guided(answers=self.answers, candidate=self.found))
            case "safer" if (answers := safer(self.answers)) is not None:
                self.answers = answers
                self._show()
                self._suggest()
            case "all":
                self.dismiss(Guided(answers=self.answers, candidate=None))
            case _:
                self.card.display, self.pane.display = False, True
                self.pane.action_jump(0)
                self.pane.focus()

    async def _ask_room(self) -> None:
        """Asks for a capacity."""
        used = usable(self.disks)
        raw = sum(disk.size_bytes for disk in used)

        def accept(text: str) -> str | None:
            try:
                size = parse_size(text)
            except ValueError as problem:
                return str(problem)
            if not 0 < size <= raw:
                return f"the {len(used)} disks hold {decimal_size(raw)} in total, minus redundancy"
            self.answers = replace(self.answers, room_bytes=size)
            self._show()
            self._next()
            return None

        def done() -> None:
            self.asking = False
            prompt.remove()
            self._complain("")
            self.pane.focus()

        typed = decimal_size(self.answers.room_bytes) if self.answers.room_bytes else ""
        prompt = Prompt(TextQuestion(label="at least", answer=typed, accept=accept), self._complain, done)
        self.asking = True
        await self.query_one(Vertical).mount(prompt)
        self.set_focus(prompt.field)

    def _complain(self, wrong: str) -> None:
        self.pane.aside = wrong or "Esc closes"
        self.pane.refresh()
