"""Pane: a heading and lines of text, drawn line by line from values, with an optional cursor.

Every screen consists of panes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from raidtui.tui.terminal.app_base import terminal_of
from raidtui.tui.terminal.glyphs import Glyphs, translated
from raidtui.tui.terminal.text import UNDER_CURSOR, Line, Span, Tone, fit, line
from raidtui.values.safe import safe

# Spans to Textual strips: the only function that makes strips, so that every text passes `safe`.


def key_at(spans: Iterable[Span], x: int) -> str:
    """The key of the span that covers cell `x`; empty if there is none."""
    made = tuple(spans)
    number = span_at(made, x)
    return made[number].key if 0 <= number < len(made) else ""


def span_at(spans: Iterable[Span], x: int) -> int:
    """The number of the span that covers cell `x`; -1 if there is none."""
    at = 0
    for number, span in enumerate(spans):
        at += cell_len(safe(span.text))
        if x < at:
            return number
    return -1


def strip_of(
    spans: Iterable[Span], width: int, styles: Mapping[Tone, Style], glyphs: Glyphs, *, fill: Tone,
    left: Line = (), right: Line = (),
) -> Strip:  # fmt: skip
    """One line: `spans`, made safe, in exactly `width` cells, cut or padded with blanks of tone `fill`.

    `left` and `right` stand beside them, a cell each.
    """
    segments = [Segment(text, styles[tone]) for text, tone in left]
    free = width
    for text, tone in spans:
        shown = translated(safe(text), glyphs)
        cells = len(shown) if shown.isascii() else cell_len(shown)
        if cells > free:
            shown = fit(shown, free, glyphs)
            cells = free
        if cells:
            segments.append(Segment(shown, styles[tone]))
            free -= cells
        if not free:
            break
    if free:
        segments.append(Segment(" " * free, styles[fill]))
    segments += [Segment(text, styles[tone]) for text, tone in right]
    return Strip(segments, width + len(left) + len(right)).simplify()


class ScreenLine(NamedTuple):
    """All that decides how one line of a pane is drawn, besides glyphs and styles."""

    spans: Line
    width: int
    """cells of the spans, which are cut or padded to them"""
    fill: Tone = "text"
    left: Line = ()
    """frame and margin before them"""
    right: Line = ()


def nothing(_width: int) -> Sequence[Line]:
    """No lines."""
    return ()


class Pane(Widget, can_focus=True):
    """Lines under a heading. With `pickable` there is a cursor; otherwise the arrow keys scroll."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "up", show=False),
        Binding("down,j", "move(1)", "down", show=False),
        Binding("pageup", "page(-1)", "page up", show=False),
        Binding("pagedown", "page(1)", "page down", show=False),
        Binding("home", "jump(0)", "first line", show=False),
        Binding("end", "jump(-1)", "last line", show=False),
    ]

    @dataclass
    class Moved(Message):
        """The cursor has moved to another line."""

        pane: Pane
        index: int

        @property
        def control(self) -> Pane:
            """The pane, for `@on` selectors."""
            return self.pane

    def __init__(self, heading: str, *, pickable: bool = False, id: str | None = None) -> None:
        super().__init__(id=id)
        self.heading = heading
        self.aside = ""
        self.pickable = pickable
        self.keeps_mark = True
        """False if the cursor is visible only while the pane has the focus"""
        self.cursor = 0
        self.top = 0
        self._make: Callable[[int], Sequence[Line]] = nothing
        self._made_for: object = None
        self._lines: Sequence[Line] = ()
        self.empty = ""
        """text shown if there are no lines"""
        self.more = ""
        """what to press for the rest, after the position in the heading"""
        self._on_screen: dict[int, ScreenLine] = {}
        """each screen line as it was drawn last"""

    # Overridden by subclasses that make their lines on demand.

    def line_count(self) -> int:
        """Number of lines that scroll."""
        return len(self._made())

    def line_at(self, index: int, width: int) -> Line:
        """Line number `index` for an inner width of `width` cells."""
        del width
        return self._made()[index]

    def fixed_lines(self, width: int) -> Sequence[Line]:
        """Lines above those that scroll, such as column titles."""
        del width
        return ()

    # Called by screens.

    def put(self, make: Callable[[int], Sequence[Line]]) -> None:
        """Shows the lines that `make` returns for a width; it is called again when the size changes."""
        self._make, self._made_for = make, None
        self.keep_in_view()
        self.refresh()

    def renew(self, make: Callable[[int], Sequence[Line]], *, aside: str = "") -> None:
        """Replaces the lines by others of the same kind; only changed lines are redrawn."""
        self.aside = aside
        self._make, self._made_for = make, None
        self.keep_in_view()
        self.refresh_changes()

    def refresh_changes(self) -> None:
        """Redraws the lines that differ from those on the screen. What they show is set before."""
        width, height = self.size
        changed = [y for y in range(height) if self._screen_line(y) != self._on_screen.get(y)]
        if changed:
            self.refresh(*(Region(0, y, width, 1) for y in changed))

    def _made(self) -> Sequence[Line]:
        shape = (self.size, self.boxed)
        if shape != self._made_for:
            self._made_for = shape
            self._lines = self._make(max(self.inner_width(), 20))
        return self._lines

    def move_to(self, index: int) -> None:
        """Puts the cursor on line `index`, or scrolls it to the top if there is no cursor."""
        before = (self.cursor, self.top)
        if self.pickable:
            self.cursor = index
        else:
            self.top = index
        self.keep_in_view()
        if (self.cursor, self.top) != before:
            self.refresh()
            if self.pickable:
                self.post_message(self.Moved(self, self.cursor))

    def keep_in_view(self) -> None:
        """Clamps cursor and scroll position to the lines; of a pane that is not shown the cursor."""
        if not self.size and not self.pickable:
            return
        count = self.line_count()
        self.cursor = max(0, min(self.cursor, count - 1))
        if not self.size:
            return
        room = self.room()
        if self.pickable:
            if self.cursor < self.top:
                self.top = self.cursor
            elif self.cursor >= self.top + room:
                self.top = self.cursor - room + 1
        self.top = max(0, min(self.top, count - room))

    # Geometry: one heading line, or a box if the screen is large enough.

    @property
    def size(self) -> Size:
        """Its cells, none while it is not shown. Textual looks for a border and padding, which no pane has."""
        return self.outer_size if self.display else Size(0, 0)

    @property
    def boxed(self) -> bool:
        """True if the screen is large enough for frames."""
        return self.screen.has_class("-wide") and self.screen.has_class("-tall")

    def inner_width(self) -> int:
        """Width of the text in cells."""
        return max(self.size.width - (4 if self.boxed else 2), 0)

    @property
    def inner_height(self) -> int:
        """Lines under the heading."""
        return max(self.size.height - (2 if self.boxed else 1), 0)

    def room(self) -> int:
        """Number of lines that fit under the heading and the fixed lines."""
        return max(self.inner_height - len(self.fixed_lines(self.inner_width())), 1)

    def on_resize(self) -> None:
        """Keeps the cursor visible."""
        before = self.top
        self.keep_in_view()
        if self.top != before:
            self.refresh()

    def caret(self) -> Offset:
        """The line under the cursor, the first one of a text that scrolls, or the heading of an empty pane."""
        if not self.line_count():
            return Offset(0, 0)
        fixed = len(self.fixed_lines(self.inner_width()))
        return Offset(self._margin, 1 + fixed + (self.cursor - self.top if self.pickable else 0))

    @property
    def _margin(self) -> int:
        return 2 if self.boxed else 1

    # Keys and mouse.

    def action_move(self, by: int) -> None:
        """Moves one line up or down."""
        self.move_to((self.cursor if self.pickable else self.top) + by)

    def action_page(self, by: int) -> None:
        """Moves one page up or down."""
        self.action_move(by * self.room())

    def action_jump(self, to: int) -> None:
        """Moves to the first line (0) or the last (-1)."""
        self.move_to(0 if to == 0 else self.line_count() - 1)

    def title_clicked(self, number: int) -> None:
        """Called for a click on span `number` of the line above those that scroll; tables sort by that column."""

    def on_click(self, event: events.Click) -> None:
        """Moves the cursor to the clicked line, and presses the key of what was clicked on it."""
        if event.y == 1 and (titles := self.fixed_lines(self.inner_width())):
            self.title_clicked(span_at(titles[0], event.x - (2 if self.boxed else 1)))
            return
        index = event.y - 1 - len(self.fixed_lines(self.inner_width())) + self.top
        if not self.pickable or not 0 <= index < self.line_count():
            return
        self.move_to(index)
        width = self.inner_width()
        if key := key_at(self.line_at(index, width), event.x - (2 if self.boxed else 1)):
            self.app.simulate_key(key)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scrolls without changing the focus."""
        event.stop()
        self.action_move(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scrolls without changing the focus."""
        event.stop()
        self.action_move(-3)

    def on_focus(self) -> None:
        """Redraws the heading."""
        self.refresh()

    def on_blur(self) -> None:
        """Redraws the heading."""
        self.refresh()

    # Drawing.

    @property
    def glyphs(self) -> Glyphs:
        """The app's glyphs."""
        return terminal_of(self).glyphs

    def render_lines(self, crop: Region) -> list[Strip]:
        """Lines for Textual; leaves the terminal's cursor, which is hidden for the eye, at the line under its own.

        A braille line or a screen reader follows that cursor.
        """
        if self.app.focused is self:
            self.app.cursor_position = self.region.offset + self.caret()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Screen line `y`."""
        spans, width, fill, left, right = self._on_screen[y] = self._screen_line(y)
        styles = terminal_of(self).tone_styles
        return strip_of(spans, width, styles, self.glyphs, fill=fill, left=left, right=right)

    def _screen_line(self, y: int) -> ScreenLine:
        (width, height), boxed = self.size, self.boxed
        if y == 0:
            return ScreenLine(self.heading_line(width, boxed), width)
        glyphs, edge = self.glyphs, self.edge_tone()
        if boxed and y == height - 1:
            return ScreenLine((Span(glyphs.corners[2] + glyphs.rule * (width - 2) + glyphs.corners[3], edge),), width)
        inside = max(width - (4 if boxed else 2), 0)
        body, fill = self.body_line(y - 1, inside)
        margin = Span(" ", fill)
        if not boxed:
            return ScreenLine(body, inside, fill, (margin,), (margin,))
        side = Span(glyphs.side, edge)
        thumb = Span(glyphs.thumb, "rule-on") if self._thumb_at(y, height) else side
        return ScreenLine(body, inside, fill, (side, margin), (margin, thumb))

    def edge_tone(self) -> Tone:
        """Tone of the frame and of the heading's rule."""
        return "rule-on" if self.has_focus else "rule"

    def heading_words(self) -> str:
        """What the heading says: the pane's name, and where it has several views which one is shown."""
        return self.heading

    def heading_line(self, width: int, boxed: bool) -> Line:
        """The first line of the pane: a rule, or the upper edge of its box, with the heading in it."""
        glyphs, edge = self.glyphs, self.edge_tone()
        first, last = (glyphs.corners[0], glyphs.corners[1]) if boxed else (glyphs.rule, glyphs.rule)
        aside = self.aside or self._position()
        words = self.heading_words()
        shown = words if cell_len(words) <= width - 6 else fit(words, max(width - 6, 0), glyphs)
        title = Span(f" {shown} ", "head-on" if self.has_focus else "head")
        tail = (
            Span(f" {aside} ", "muted") if aside and cell_len(aside) + cell_len(title.text) + 8 <= width else Span("")
        )
        left = glyphs.rule * max(width - 4 - cell_len(title.text) - cell_len(tail.text), 0)
        if not tail.text:
            return (Span(first + glyphs.rule, edge), title, Span(left + glyphs.rule + last, edge))
        return (Span(first + glyphs.rule, edge), title, Span(left, edge), tail, Span(glyphs.rule + last, edge))

    def _position(self) -> str:
        count, room = self.line_count(), self.room()
        if count <= room:
            return ""
        if self.pickable:
            return f"{self.cursor + 1} of {count}"
        return f"{self.top + 1}-{min(self.top + room, count)} of {count}{self.more}"

    def _thumb_at(self, y: int, height: int) -> bool:
        count, room = self.line_count(), self.room()
        if count <= room:
            return False
        track = height - 2
        long = max(1, track * room // count)
        start = (track - long) * self.top // max(count - room, 1)
        return start <= y - 1 < start + long

    def body_line(self, y: int, width: int) -> tuple[Line, Tone]:
        """Line `y` under the heading, and the tone of what is left of its `width` cells."""
        fixed = self.fixed_lines(width)
        if y < len(fixed):
            return fixed[y], "text"
        index = y - len(fixed) + self.top
        if index >= self.line_count():
            return (line(self.empty, "muted") if self.empty and index == 0 else ()), "text"
        spans = self.line_at(index, width)
        if self.pickable and index == self.cursor and (self.has_focus or self.keeps_mark):
            tone: Tone = "cursor" if self.has_focus else "cursor-off"
            return tuple(Span(text, UNDER_CURSOR.get((own, tone), tone)) for text, own in spans), tone
        return spans, "text"


# Heights of panes: which of them a small terminal shows, and how two share a column.


ROOMY = (80, 23)
"""columns and lines from which every pane of a screen is shown; 23 leaves a line to the status line of tmux"""


class SmallPane(NamedTuple):
    """A pane of a small terminal."""

    pane: str
    """its id"""
    lines: int
    """lines that it needs, with its heading"""


def is_small(size: tuple[int, int]) -> bool:
    """True for terminals (columns, lines) that do not show every pane."""
    return size[0] < ROOMY[0] or size[1] < ROOMY[1]


def kept(panes: Sequence[SmallPane], lines: int, front: str) -> dict[str, int]:
    """Lines of each pane that fits into `lines`; the last of `panes` is left out first.

    The pane `front`, which has the focus, always stays and gets the lines that are left; without it the first one does.
    """
    staying = list(panes)
    if not staying:
        return {}
    main = next((each for each in staying if each.pane == front), staying[0])
    while sum(each.lines for each in staying) > lines and len(staying) > 1:
        staying.remove(next(each for each in reversed(staying) if each is not main))
    spare = lines - sum(each.lines for each in staying)
    return {each.pane: each.lines + (spare if each is main else 0) for each in staying}


def upper_lines(lines: int, upper: int, lower: int) -> int:
    """Lines of the upper of two panes in a column of `lines`, which want `upper` and `lower` lines.

    Where both fit the lower one also gets the rest; else it gets what it wants up to two fifths of the lines.
    """
    if upper + lower <= lines:
        return upper
    return lines - min(lower, max(lines * 2 // 5, lines - upper))
