"""Guide dialog: four questions; the arrow keys move between answers, Enter picks one and moves on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from raidtui.model.inventory import Disk
from raidtui.model.units import decimal_size, parse_size
from raidtui.tui.screens.guide.answers import Answers, Choice, StartQuestion, answered, chosen, questions
from raidtui.tui.terminal.text import Line, Span, Tone, line
from raidtui.tui.widgets.prompt import Prompt
from raidtui.tui.widgets.question import Question
from raidtui.tui.widgets.text_dialog import SheetPane

_WORDS = 22
_DONE = "[ show matching layouts ]"


class StartPane(SheetPane):
    """The questions with their answers; the cursor skips the questions; the last line closes the dialog."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("What do you need?", pickable=True, id=id)
        self.aside = "Esc closes"
        self.items: Sequence[StartQuestion | Choice | None] = ()
        self.picked: frozenset[str] = frozenset()

    def show(self, asked: Sequence[StartQuestion], answers: Answers) -> None:
        """Shows the questions and the present answers."""
        items: list[StartQuestion | Choice | None] = []
        for question in asked:
            items += [question, *question.choices]
        self.items = (*items, None)
        self.picked = frozenset(chosen(answers, question.field) for question in asked)
        self.refresh()

    def line_count(self) -> int:
        """Number of questions, answers, and the last line."""
        return len(self.items)

    def line_at(self, index: int, width: int) -> Line:
        """One question or one answer."""
        del width
        match self.items[index]:
            case StartQuestion() as question:
                return line(question.words, "title")
            case Choice() as choice:
                dot = "*" if choice.name in self.picked else " "
                tone: Tone = "strong" if choice.name in self.picked else "text" if choice.possible else "muted"
                return (Span(f" ({dot}) {choice.words:<{_WORDS}}", tone), Span(choice.about, "muted"))
            case None:
                return line(f" {_DONE}", "strong")

    def move_to(self, index: int) -> None:
        """Skips the questions."""
        index = max(0, min(index, len(self.items) - 1))
        if isinstance(self.items[index], StartQuestion):
            index += 1 if index > self.cursor or index == 0 else -1
        super().move_to(index)

    def next_question(self) -> None:
        """Moves to the picked answer of the next question, or to the last line."""
        after = next(
            (at for at in range(self.cursor, len(self.items)) if isinstance(self.items[at], StartQuestion)), None
        )
        if after is None:
            self.move_to(len(self.items) - 1)
            return
        for at, item in enumerate(self.items):
            if at > after and isinstance(item, Choice) and item.name in self.picked:
                self.move_to(at)
                return


class GuideDialog(ModalScreen[Answers | None]):
    """Returns the answers, or None if it was closed."""

    CSS_PATH = "dialog.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "close", show=False),
        Binding("enter", "pick(True)", "pick", show=False, priority=True),
        Binding("space", "pick(False)", "pick", show=False, priority=True),
    ]

    def __init__(self, disks: Sequence[Disk]) -> None:
        super().__init__()
        self.disks = disks
        self.answers = Answers()
        self.pane = StartPane()
        self.asking = False

    def compose(self) -> ComposeResult:
        """One pane; the input line appears below it."""
        with Vertical():
            yield self.pane

    def on_mount(self) -> None:
        """Sizes the dialog to its text."""
        self._show()
        self.pane.styles.height = len(self.pane.items) + 2
        self.pane.move_to(1)
        self.pane.focus()

    def _show(self) -> None:
        self.pane.show(questions(self.disks, self.answers), self.answers)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Disables these keys while a capacity is typed."""
        return not (self.asking and action == "pick")

    async def action_pick(self, go_on: bool) -> None:
        """Picks the answer under the cursor; on the last line closes the dialog with the answers."""
        match self.pane.items[self.pane.cursor]:
            case None:
                self.dismiss(self.answers)
            case Choice(possible=False) as choice:
                self.pane.aside = choice.about
                self.pane.refresh()
            case Choice(name="least"):
                await self._ask_room()
            case Choice() as choice:
                self._take(choice)
                if go_on:
                    self.pane.next_question()
            case StartQuestion():
                pass

    def _take(self, choice: Choice) -> None:
        field = next(question.field for question in questions(self.disks, self.answers) if choice in question.choices)
        self.answers = answered(self.answers, field, choice.name)
        self._show()

    async def _ask_room(self) -> None:
        """Asks for a capacity."""
        raw = sum(disk.size_bytes for disk in self.disks)

        def accept(text: str) -> str | None:
            try:
                size = parse_size(text)
            except ValueError as problem:
                return str(problem)
            if not 0 < size <= raw:
                return f"the {len(self.disks)} disks hold {decimal_size(raw)} in total, minus redundancy"
            self.answers = replace(self.answers, room_bytes=size)
            self._show()
            self.pane.next_question()
            return None

        def done() -> None:
            self.asking = False
            prompt.remove()
            self._complain("")
            self.pane.focus()

        typed = decimal_size(self.answers.room_bytes) if self.answers.room_bytes else ""
        prompt = Prompt(Question(label="at least", answer=typed, accept=accept), self._complain, done)
        self.asking = True
        await self.query_one(Vertical).mount(prompt)
        self.set_focus(prompt.field)

    def _complain(self, wrong: str) -> None:
        self.pane.aside = wrong or "Esc closes"
        self.pane.refresh()
