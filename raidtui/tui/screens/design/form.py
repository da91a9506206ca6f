"""Design form: a pane of fields; the arrow keys change a value, Enter asks for one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from raidtui.tui.fields.field import Field, FieldPage
from raidtui.tui.terminal.text import KeySpan, Line, Span, Tone, fit
from raidtui.tui.widgets.pane import Pane

_TITLE = 12
_HEADINGS: dict[FieldPage, str] = {"layout": "Design", "options": "Options", "assumptions": "Assumptions"}


class DesignForm(Pane):
    """One field per line. It only posts messages; the screen decides."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,greater_than_sign,plus", "step(1)", "change", key_display="< >", tooltip="next valid value"),
        Binding("left,h,less_than_sign,minus", "step(-1)", "smaller", show=False, tooltip="previous valid value"),
        Binding("enter", "screen.type_value", "type", tooltip="type a value", id="design.type", priority=True),
    ]

    @dataclass
    class Stepped(Message):
        """Message: an arrow key was pressed on a field."""

        field: Field
        by: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Design", pickable=True, id=id)
        self.page: FieldPage = "layout"
        self._wanted = ""
        """key of the field that gets the cursor when the fields are shown next"""
        self.fields: Sequence[Field] = ()

    def show(self, fields: Sequence[Field]) -> None:
        """Replaces the fields; the cursor stays on its field if the form still has it."""
        key = self._wanted or (self.field.key if self.fields else "")
        self._wanted = ""
        self.fields = fields
        self.cursor = next((place for place, field in enumerate(fields) if field.key == key), self.cursor)
        self.keep_in_view()
        self.refresh_changes()

    @property
    def field(self) -> Field:
        """The field under the cursor."""
        return self.fields[min(self.cursor, len(self.fields) - 1)]

    def turn(self, page: FieldPage) -> None:
        """Shows another page; the cursor stands on the line that leads back, or on the one that led there."""
        before, self.page = self.page, page
        self.heading = _HEADINGS[page]
        self.cursor = 0
        self._wanted = before if page == "layout" else ""

    def action_step(self, by: int) -> None:
        """Posts `Stepped`."""
        self.post_message(self.Stepped(self.field, by))

    def line_count(self) -> int:
        """One line per field."""
        return len(self.fields)

    def line_at(self, index: int, width: int) -> Line:
        """Title, value between arrows, limits."""
        field = self.fields[index]
        glyphs = self.glyphs
        less = glyphs.less if field.choices and field.at > 0 else " "
        more = glyphs.more if field.choices and field.at < len(field.choices) - 1 else " "
        title = Span(f"{field.title:<{_TITLE}}", "muted")
        if field.opens is not None:
            arrow = glyphs.less if field.opens == "layout" else glyphs.more
            return (title, KeySpan(f"{arrow} ", "title", "enter"), Span(field.shown), Span(f"  {field.aside}", "muted"))
        if field.fixed:
            return (title, Span(f"  {field.shown}", "muted"), Span(f"  {field.aside}", "muted"))
        if not field.choices:
            tone: Tone = "strong" if field.typed else "muted"
            return (title, Span(f"  {fit(field.shown, width - _TITLE - 2, glyphs)}", tone))
        value = f"{field.shown:^8}" if len(field.shown) <= 8 else field.shown
        return (
            title,
            KeySpan(f"{less} ", "title", "left"),
            Span(value, "strong"),
            KeySpan(f" {more}", "title", "right"),
            Span(f" {field.aside}", "muted"),
        )
