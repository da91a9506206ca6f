"""Confirmation dialog before disks are written: every disk with its content, content to give up, a phrase to type.

The cursor starts on Cancel. Enter alone never confirms, there is no timer, and only the phrase proceeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from raidtui.answers.confirm import ConfirmWord, classes, phrase
from raidtui.engine.standing import lose_phrase, standing_lines
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.key_order import SteadyDialog
from raidtui.tui.terminal.text import KeySpan, Line, Span, Tone, fit, line, wrapped
from raidtui.tui.widgets.dialogs import SheetPane
from raidtui.tui.widgets.prompt import Prompt, TextQuestion
from raidtui.values.location import short_slot
from raidtui.values.plan import Plan, PlanDisk
from raidtui.values.run import Standing
from raidtui.values.safe import safe
from raidtui.values.units import counted, decimal_size

_WIDE = 110
_SERIAL = 24
_TYPE = "type the phrase"


def disk_lines(plan: Plan, word: ConfirmWord, width: int, glyphs: Glyphs) -> list[Line]:
    """Every disk of the plan by slot, serial, model and size, its new or former role, and its content."""
    slots = _places(plan, wide=width >= _WIDE)
    serials = [safe(disk.serial or disk.id) for disk in plan.disks]
    wide_slot = max(max(map(len, slots)), 4)
    wide_serial = min(max(max(map(len, serials)), 6), _SERIAL)
    role = max(max(len(disk.role) for disk in plan.disks), 7)
    model = max(
        min(max(len(safe(disk.model or "-")) for disk in plan.disks), width - wide_slot - wide_serial - role - 18), 5
    )
    becomes = "will be" if word == "erase" else "was"
    lines: list[Line] = [
        line(f"{'slot':<{wide_slot}}  {'serial':<{wide_serial}}  {'model':<{model}}  {'size':>8}  {becomes}", "muted")
    ]
    for disk, slot, serial in zip(plan.disks, slots, serials, strict=True):
        shown = serial if len(serial) <= wide_serial else fit(serial, wide_serial, glyphs)
        lines.append(
            (
                Span(f"{slot:<{wide_slot}}  ", "title"),
                Span(f"{shown:<{wide_serial}}  ", "strong"),
                Span(f"{fit(disk.model or '-', model, glyphs)}  {decimal_size(disk.size_bytes):>8}  "),
                Span(disk.role, "text"),
            )
        )
        if len(serial) > wide_serial:
            lines += [line(f"    serial {row}", "strong") for row in wrapped(serial, width - 11)]
        if word == "erase":
            for held in disk.content:
                lines += [line(f"    {glyphs.failed} holds {row}", "bad") for row in wrapped(str(held), width - 12)]
    return lines


def heading_lines(plan: Plan, word: ConfirmWord, width: int) -> list[Line]:
    """What will be done to the disks, in sentences."""
    count = len(plan.disks)
    these = "this disk" if count == 1 else f"these {count} disks"
    if word == "erase":
        held = sum(bool(disk.content) for disk in plan.disks)
        told = f"{held} of them {'holds' if held == 1 else 'hold'} data now, marked below."
        told = told if held else "No data was found on any of them."
        said = f"All data on {these} will be lost and cannot be recovered. {told}"
    else:
        said = f"Everything that the plan made on {these} is removed, and all data written to it is lost. "
        said += "Their content from before the plan is already lost."
    levels = "/".join(dict.fromkeys(group.shape.level for group in plan.design.layout.groups))
    made = [f"{levels} {plan.prediction.layout}: {', '.join(array.device for array in plan.arrays)}"]
    made += [f"{each.mount_point} on {each.device}" for each in plan.filesystems]
    enclosures = {disk.place.enclosure for disk in plan.disks}
    made += [f"all on disks of enclosure {each}" for each in enclosures if each and len(enclosures) == 1]
    lines = [line(row, "bad") for row in wrapped(said, width)]
    if plan.simulated:
        lines.append(line("SIMULATED: these disks do not exist; no real disk can be reached.", "title"))
    lines += [
        line(f"  {row}", "muted")
        for row in wrapped(f"{'creates' if word == 'erase' else 'removes'} {'; '.join(made)}", width - 2)
    ]
    return [*lines, ()]


def standing_notes(plan: Plan, standing: Standing, width: int) -> list[Line]:
    """What is on the arrays now, in the same words as on the command line; what would be lost is highlighted."""
    first, *rest = standing_lines(plan, standing)
    tone: Tone = "bad" if lose_phrase(plan, standing) else "muted"
    lines = [line(first, "strong")]
    lines += [line(f"  {row}", tone) for each in rest for row in wrapped(each.strip(), width - 2)]
    return [*lines, ()]


def _places(plan: Plan, *, wide: bool) -> list[str]:
    """Location of each disk: its slot, with the enclosure if there are several, of which a narrow place has the end."""
    places = [disk.place for disk in plan.disks]
    several = len({place.enclosure for place in places}) > 1
    if wide:
        return [safe((place.text if several else place.slot_text or place.text) or "-", longest=48) for place in places]
    return [
        safe(short_slot(place.slot_text) or "-", longest=12)
        + (f" {safe(place.enclosure)[-4:]}" if several and place.enclosure else "")
        for place in places
    ]


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
    plan: Plan, word: ConfirmWord, glyphs: Glyphs, *, notes: Sequence[Line] = (), standing: Standing | None = None
) -> ConfirmDialog:
    """The dialog of a build or its undo. `notes` are shown above the disks, and so is `standing`, which an undo removes
    too."""
    lose = lose_phrase(plan, standing) if standing is not None else ""
    found = classes(plan) if word == "erase" else {}
    what = "Build" if word == "erase" else "Undo"
    verb = "ERASES" if word == "erase" else "removes everything from"
    told = "SIMULATED  " if plan.simulated else ""

    def page(width: int) -> list[Line]:
        return [
            *heading_lines(plan, word, width),
            *notes,
            *(standing_notes(plan, standing, width) if standing is not None else []),
            *disk_lines(plan, word, width, glyphs),
        ]

    return ConfirmDialog(
        f"{told}{what} plan {plan.digest[:12]}: {verb} {counted(len(plan.disks), 'disk')}",
        page,
        (phrase(plan, word), *([lose] if lose else [])),
        {str(kind): disks for kind, disks in found.items()},
    )
