"""Confirmation dialog before disks are written: every disk with its content, content to give up, a phrase to type.

The cursor starts on Cancel. Enter alone never confirms, there is no timer, and only the phrase proceeds; who begins
to type it from Cancel types it on its line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from raidtui.answers.confirm import build_page, classes, phrase, undo_page
from raidtui.engine.standing import lose_phrase
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.key_order import SteadyDialog
from raidtui.tui.terminal.text import KeySpan, Line, Span
from raidtui.tui.widgets.dialogs import SheetPane
from raidtui.tui.widgets.lines import block_lines
from raidtui.tui.widgets.prompt import Prompt, TextQuestion
from raidtui.values.blocks import Block, Paragraph
from raidtui.values.plan import Plan, PlanDisk
from raidtui.values.run import Standing
from raidtui.values.units import counted

_TYPE = "type the phrase"


class ConfirmPane(SheetPane):
    """Content kinds to give up, Cancel, and the line that asks for the phrase."""

    def __init__(self, kinds: Sequence[str], counts: Sequence[int], phrase_words: str) -> None:
        super().__init__("Confirm", pickable=True)
        self.kinds, self.counts, self.phrase_words = kinds, counts, phrase_words
        self.accepted: set[str] = set()
        self.aside = "Tab: disks, Esc: cancel"
        self.cursor = len(kinds)

    def line_count(self) -> int:
        """One line per kind of content, Cancel, the phrase."""
        return len(self.kinds) + 2

    def line_at(self, index: int, width: int) -> Line:
        """One of these lines."""
        del width
        if index < len(self.kinds):
            kind, count = self.kinds[index], self.counts[index]
            box = "[x]" if kind in self.accepted else "[ ]"
            return (Span(f"{box} give up: {kind} on {counted(count, 'disk')}", "warn"),)
        if index == len(self.kinds):
            return (KeySpan("[ Cancel ]", "strong", "enter"), Span("  no disk is changed", "muted"))
        return (
            KeySpan(f"[ {_TYPE}: ", "bad", "enter"), KeySpan(self.phrase_words, "strong", "enter"),
            KeySpan(" ]", "bad", "enter"),
        )  # fmt: skip


class ConfirmDialog(SteadyDialog[bool]):
    """Returns True when the phrase was typed and every kind of content was given up, else False.

    An undo of arrays that hold files asks for a second phrase after the first.
    """

    CSS_PATH = "confirm_dialog.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "cancel", "cancel", show=False),
        Binding("enter", "pick", "pick", show=False, priority=True),
        Binding("space", "accept", "accept", show=False, priority=True),
        Binding("tab,shift+tab", "swap", "other pane", show=False, priority=True),
    ]

    def __init__(
        self,
        heading: str,
        page: Callable[[int], list[Line]],
        phrases: Sequence[str],
        kinds: Mapping[str, Sequence[PlanDisk]] = {},
    ) -> None:
        """`page`: what is shown in a width; `phrases`: asked for one after the other; `kinds`: content to give up
        first, with its disks."""
        super().__init__()
        self.phrases = tuple(phrases)
        self.typed = 0
        self.disks = SheetPane(heading)
        self.disks.put(page)
        words = ", then: ".join(self.phrases)
        self.choices = ConfirmPane(tuple(kinds), [len(disks) for disks in kinds.values()], words)

    def compose(self) -> ComposeResult:
        """The disks, and below them the choices."""
        with Vertical():
            yield self.disks
            yield self.choices

    def on_mount(self) -> None:
        """Puts the cursor on Cancel."""
        self.choices.styles.height = min(self.choices.line_count(), 8) + 2
        self.choices.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Disables these keys while the phrase is typed."""
        return not (self.asking and action in ("pick", "accept", "swap", "cancel"))

    def action_cancel(self) -> None:
        """Closes without changing anything."""
        self.dismiss(False)

    def action_swap(self) -> None:
        """Moves the focus between the disks and the choices."""
        (self.disks if self.choices.has_focus else self.choices).focus()

    def action_accept(self) -> None:
        """Toggles whether the kind of content under the cursor is given up."""
        pane = self.choices
        if pane.has_focus and pane.cursor < len(pane.kinds):
            pane.accepted ^= {pane.kinds[pane.cursor]}
            pane.refresh()

    async def action_pick(self) -> None:
        """Cancels, toggles a kind of content, or asks for the phrase, depending on the line."""
        pane = self.choices
        if not pane.has_focus:
            pane.focus()
        elif pane.cursor < len(pane.kinds):
            self.action_accept()
        elif pane.cursor == len(pane.kinds):
            self.dismiss(False)
        elif missing := [kind for kind in pane.kinds if kind not in pane.accepted]:
            self._complain(f"not given up yet: {', '.join(missing)}")
        else:
            self.typed = 0
            await self._ask()

    async def on_key(self, event: events.Key) -> None:
        """Begins the phrase with its first letter, wherever the cursor is."""
        if self.asking or event.character != self.phrases[0][:1]:
            return
        event.stop()
        self.choices.focus()
        self.choices.cursor = self.choices.line_count() - 1
        await self.action_pick()
        if self.asking:
            prompt = self.query_one(Prompt)
            prompt.field.value = event.character
            prompt.refocus()

    async def _ask(self) -> None:
        words, typed_before = self.phrases[self.typed], self.typed

        def accept(typed: str) -> str | None:
            if typed.rstrip("\r\n") != words:
                return f"wrong phrase; expected: {words}"
            self.typed += 1
            if self.typed == len(self.phrases):
                self.dismiss(True)
            return None

        def done() -> None:
            self.asking = False
            prompt.remove()
            self._complain("")
            self.set_focus(self.choices)
            if typed_before < self.typed < len(self.phrases):
                self.call_later(self._ask)

        many = len(self.phrases)
        label = "type it here" if many == 1 else f"type phrase {typed_before + 1} of {many} here"
        prompt = Prompt(TextQuestion(label=label, accept=accept), self._complain, done)
        self.asking = True
        await self.query_one(Vertical).mount(prompt)
        self.set_focus(prompt.field)

    def _complain(self, wrong: str) -> None:
        self.choices.aside = wrong or "Tab: disks, Esc: cancel"
        self.choices.refresh()


def plan_dialog(
    plan: Plan, glyphs: Glyphs, *, notes: Sequence[Block] = (), standing: Standing | None = None
) -> ConfirmDialog:
    """The dialog of a build, or of its undo, which removes what `standing` says. `notes` are shown above the disks."""
    lose = lose_phrase(plan, standing) if standing is not None else ""
    found = classes(plan) if standing is None else {}
    what, verb = ("Build", "ERASES") if standing is None else ("Undo", "removes everything from")
    told = "SIMULATED  " if plan.simulated else ""
    head, *rest = build_page(plan) if standing is None else undo_page(plan, standing)
    not_real = Paragraph(text="These disks do not exist; no real disk can be reached.")
    blocks = (head, *((not_real,) if plan.simulated else ()), *notes, *rest)
    return ConfirmDialog(
        f"{told}{what} plan {plan.digest[:12]}: {verb} {counted(len(plan.disks), 'disk')}",
        lambda width: block_lines(blocks, width, glyphs),
        (phrase(plan, "erase" if standing is None else "undo"), *([lose] if lose else [])),
        {str(kind): disks for kind, disks in found.items()},
    )
