"""The title line, the note line and the hint line of every screen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rich.cells import cell_len
from textual import events
from textual.binding import Binding
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from raidtui.tui.terminal.app_base import terminal_of
from raidtui.tui.terminal.text import KeySpan, Line, Span, Tone, line, wrapped
from raidtui.tui.widgets.pane import key_at, strip_of

MOST_HINTS = 7
_MOST_NOTES = 3


class Bar(Widget, can_focus=False):
    """One line of spans."""

    def __init__(self, *, id: str | None = None, fill: Tone = "text") -> None:
        super().__init__(id=id)
        self.fill = fill
        self.left: Line = ()
        self.right: Line = ()

    def put(self, left: Line, right: Line = ()) -> None:
        """Shows `left`, and `right` at the right edge where there is room."""
        if (left, right) != (self.left, self.right):
            self.left, self.right = left, right
            self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Presses the key of the screen or hint that was clicked."""
        if event.y == 0 and (key := key_at(self.left, event.x)):
            self.app.simulate_key(key)

    def render_line(self, y: int) -> Strip:
        """The only line."""
        app = terminal_of(self)
        glyphs, styles = app.glyphs, app.tone_styles
        width = self.size.width
        if y:
            return strip_of((), width, styles, glyphs, fill=self.fill)
        tail = sum(cell_len(span.text) for span in self.right)
        room = width - tail
        used = sum(cell_len(span.text) for span in self.left)
        gap = (Span(" " * (room - used), self.fill),) if used < room else ()
        spans = (*self.left, *gap, *self.right) if used <= room else self.left
        return strip_of(spans, width, styles, glyphs, fill=self.fill)


class NoteBar(Bar):
    """The line above the hints: a status in one line, or a message in up to three."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: list[Line] = []

    @property
    def has_message(self) -> bool:
        """True while it shows a message, not the status."""
        return bool(self._rows)

    def put(self, left: Line, right: Line = ()) -> None:
        """Shows a status, cut where it is too long."""
        self._show([])
        super().put(left, right)

    def say(self, text: str, tone: Tone) -> None:
        """Shows a message; one that is too long takes more lines, from the panes."""
        rows = [note(row, tone) for row in wrapped(text, self.app.size.width - 2)]
        if len(rows) > _MOST_NOTES:
            rest = " ".join(span.text.strip() for row in rows[_MOST_NOTES - 1 :] for span in row)
            rows = [*rows[: _MOST_NOTES - 1], note(rest, tone)]
        self._show(rows)
        self.left, self.right = (), ()
        self.refresh()

    def _show(self, rows: list[Line]) -> None:
        self._rows = rows
        self.styles.height = max(len(rows), 1)

    def render_line(self, y: int) -> Strip:
        """A line of the message, or the status."""
        if not self._rows:
            return super().render_line(y)
        app = terminal_of(self)
        row = self._rows[y] if y < len(self._rows) else ()
        return strip_of(row, self.size.width, app.tone_styles, app.glyphs, fill=self.fill)


class _Form(NamedTuple):
    """One format of the title."""

    head: str
    """the program's name"""
    digit: str
    name: str
    between: str = ""
    others: bool = True
    """False: the screens that are not shown have no name"""
    flush: bool = False
    """True: it begins in the first column"""


_FORMS = (
    _Form(" raidtui    ", " {} ", "{} ", between=" "),
    _Form(" raidtui", " {} ", "{}"),
    _Form("", " {} ", "{}"),
    _Form("", " {}", "{}", flush=True),
    _Form("", " {} ", "{} ", others=False),
)
"""widest first"""


def title_line(pages: Iterable[tuple[str, str]], current: str, room: int, marks: Mapping[str, Span] = {}) -> Line:
    """The program's name and its screens by digit, the current one marked; what does not fit is left out. `marks`: one
    cell that goes before the digit of a screen."""
    spans: list[Span] = []
    for form in _FORMS:
        spans = [Span(form.head, "bar-on")]
        for at, (digit, name) in enumerate(pages):
            on, named = name == current, form.others or name == current
            number = form.digit.format(digit)
            number = number.lstrip() if form.flush and not at else number
            if name in marks and number[:1] == " ":
                spans.append(marks[name])
                number = number[1:]
            spans.append(KeySpan(number if named else number.rstrip(), "head-on" if on else "bar-on", digit))
            if named:
                spans.append(KeySpan(form.name.format(name), "head-on" if on else "bar", digit))
            spans.append(Span(form.between, "bar"))
        if sum(len(span.text) for span in spans) <= room:
            break
    return tuple(span for span in spans if span.text)


def least_title(pages: Iterable[tuple[str, str]]) -> int:
    """Cells that `title_line` needs for the names of all screens."""
    return len(" ".join(f"{digit}{name}" for digit, name in pages))


def hint_line(screen: Screen[None], width: int) -> Line:
    """At most seven active keys, the focused pane's first and `? keys` last; fewer on narrow terminals."""
    hints: dict[str, tuple[str, str, str]] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        if binding.show and active.enabled and binding.action not in hints:
            hints[binding.action] = (key_name(binding), binding.description, binding.key)
    last = hints.pop("app.help", None) or hints.pop("help", None)
    shown = list(hints.values())[: MOST_HINTS - (1 if last else 0)]
    end = [last] if last else []
    while shown and sum(len(name) + len(what) + 5 for name, what, _ in shown + end) >= width:
        shown.pop()
    spans = [Span(" ")]
    for name, what, key in shown + end:
        spans += [KeySpan(f" {name} ", "key", key), KeySpan(f" {what}  ", "muted", key)]
    return tuple(spans)


_KEYS = {
    "question_mark": "?", "slash": "/", "colon": ":", "space": "Space", "enter": "Enter", "escape": "Esc", "tab": "Tab",
    "less_than_sign": "<", "greater_than_sign": ">", "left": "Left", "right": "Right", "up": "Up", "down": "Down",
    "plus": "+", "minus": "-", "pageup": "PgUp", "pagedown": "PgDn", "home": "Home", "end": "End", "f1": "F1",
    "shift+tab": "Shift-Tab", "comma": ",", "full_stop": ".",
}  # fmt: skip


def key_name(binding: Binding) -> str:
    """The key as it is printed on a keyboard."""
    key = binding.key
    if binding.key_display:
        return binding.key_display
    if key.startswith("ctrl+"):
        return f"Ctrl-{key.removeprefix('ctrl+').upper()}"
    if key.startswith("upper_"):
        return key.removeprefix("upper_").upper()
    return _KEYS.get(key, key)


def note(text: str, tone: Tone = "muted") -> Line:
    """A line for the note bar."""
    return (Span(" "), *line(text, tone))
