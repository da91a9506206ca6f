"""Gauge pane: draws all disks line by line and repaints only the cells that a tick changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.message import Message

from raidtui.tui.gauges.groups import KINDS, VIEWS
from raidtui.tui.gauges.picture import Picture
from raidtui.tui.gauges.rows import BETWEEN, place_words
from raidtui.tui.terminal.app_base import terminal_of
from raidtui.tui.terminal.text import Line, Span, Tone, cells, line
from raidtui.tui.widgets.pane import Pane
from raidtui.values.amounts import rate
from raidtui.values.gauges import Scene, Tick, WatchedDisk
from raidtui.values.safe import safe

if TYPE_CHECKING:
    from raidtui.machine.gauges.expected_load import LoadSeen
    from raidtui.machine.gauges.slow_disks import Laggard

NO_LOADS: Mapping[str, LoadSeen] = {}
"""of disks of which nothing is expected"""


class GaugePane(Pane):
    """Disks in groups: a line each with values and history, or a grid of cells. `v` `G` `V` `a` change the view.

    Its owner takes the ticks and passes each to `show`. Without a scene, or before the first tick, it shows `empty`.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "view", "view", tooltip="MB/s, IOPS, % busy, ms/request, requests in flight", id="gauges.view"),
        Binding("G", "group", "group by", tooltip="by array, controller, enclosure", id="gauges.group"),
        Binding("V", "form", "grid/list", tooltip="one line or one cell per disk", id="gauges.form"),
        Binding(
            "a", "outliers", "slow or all", tooltip="only disks slower than their group, or all", id="gauges.outliers"
        ),
        Binding("left,h", "step(-1)", "previous disk", show=False),
        Binding("right,l", "step(1)", "next disk", show=False),
    ]

    @dataclass
    class Picked(Message):
        """The cursor has moved to another disk."""

        pane: GaugePane
        disk: WatchedDisk

    def __init__(self, scene: Scene | None = None, *, heading: str = "Disks", id: str | None = None) -> None:
        super().__init__(heading, id=id)
        self.picture = Picture(scene)
        self.scene = scene
        self.empty = "waiting for the first sample"
        self.empty_tone: Tone = "muted"

    # Called by owners.

    def set_scene(self, scene: Scene | None) -> None:
        """Replaces the disks: resets history and cursor, keeps view, grouping and form."""
        self.scene, self.picture, self.top = scene, self.picture.begin(scene), 0
        self.redraw()

    def show(self, tick: Tick, laggards: Sequence[Laggard] = (), loads: Mapping[str, LoadSeen] = NO_LOADS) -> None:
        """Shows the next tick, the laggards in it and what is expected of the disks."""
        self.picture.history.add(tick)
        self.picture.laggards = {each.name: each for each in laggards}
        self.picture.loads = loads
        self._follow()

    @property
    def laggards(self) -> dict[str, Laggard]:
        """The marked laggards by kernel name, the slowest first."""
        return self.picture.laggards

    @property
    def picked(self) -> WatchedDisk | None:
        """The disk under the cursor."""
        return self.picture.disks.get(self.picture.picked)

    def about(self, disk: WatchedDisk) -> Line:
        """How far `disk` is behind its group, its load beside the expected one, its identity, and where it sits; the
        last of these are left out where they do not fit."""
        lag = self.laggards.get(disk.name)
        about: list[Span] = []
        if lag is not None:
            what = lag.sentence(safe(place_words(disk)), self.picture.scene)
            about = [Span(f"{self.glyphs.alert} {what}", "warn")]
        load = self.picture.loads.get(disk.name)
        if load is not None:
            what = f"{rate(load.seen)}, expected {rate(load.expected)} ({load.words})"
            about.append(Span(f"{': ' if about else ''}{what}", "warn" if load.off else "text"))
        who = [safe(part) for part in (disk.slot, disk.name, disk.model, disk.serial) if part]
        where = ", ".join(safe(part) for part in (disk.enclosure, disk.controller, disk.link) if part)
        least = len(about) if lag is not None else len(about) + len(who)
        about += [
            Span(f"{' ' if number else ': ' if about else ''}{part}", "strong") for number, part in enumerate(who)
        ]
        about += [Span(f"  {where}", "muted")] if where else []
        while len(about) > least and sum(cells(span.text) for span in about) >= self.app.size.width:
            about.pop()
        return tuple(about)

    def redraw(self) -> None:
        """Redraws the whole pane."""
        self._arrange()
        self.refresh()

    def _follow(self) -> None:
        """Redraws the changes."""
        self._arrange()
        self.refresh_changes()

    def _arrange(self) -> None:
        if not self.is_mounted or not self.size:
            return
        plain = terminal_of(self).profile.plain
        self.picture.arrange(self.inner_width(), self.inner_height, self.glyphs, sparing=plain)
        self.keep_in_view()

    # Lines.

    def line_count(self) -> int:
        """Number of lines of the layout."""
        return len(self.picture.layout.rows)

    def room(self) -> int:
        """Number of visible lines in all blocks together."""
        return self.picture.height * self.picture.layout.blocks

    def body_line(self, y: int, width: int) -> tuple[Line, Tone]:
        """Line `y` under the heading."""
        del width
        if self.picture.tick is None:
            return (line(self.empty, self.empty_tone) if y == 0 else ()), "text"
        return self.picture.line(y, self.top, "cursor" if self.has_focus else "cursor-off"), "text"

    def _position(self) -> str:
        slow = len(self.laggards)
        words = [f"{self.glyphs.alert} {slow} slow"] if slow else []
        if self.picture.outliers:
            words.append("outliers only")
        if self.picture.tick is not None and (position := super()._position()):
            words.append(position)
        return "  ".join(words)

    def heading_words(self) -> str:
        """The heading with grouping and view."""
        return f"{self.heading} by {self.picture.grouping}: {KINDS[self.picture.view].words}"

    def on_focus(self) -> None:
        """Redraws heading and cursor."""
        self.redraw()

    def on_blur(self) -> None:
        """Redraws heading and cursor."""
        self.redraw()

    def on_resize(self) -> None:
        """Lays everything out again."""
        self.redraw()

    # Keys and mouse.

    def action_view(self) -> None:
        """Shows the next view."""
        picture = self.picture
        picture.view = VIEWS[(VIEWS.index(picture.view) + 1) % len(VIEWS)]
        picture.history.use(picture.view, self.glyphs.levels)
        self.redraw()

    def action_group(self) -> None:
        """Switches to the next grouping."""
        self.picture.group_next()
        self.redraw()
        self._show_picked()

    def action_form(self) -> None:
        """Switches between grid and list."""
        self.picture.form = "grid" if self.picture.layout.form == "list" else "list"
        self.redraw()
        self._show_picked()

    def action_outliers(self) -> None:
        """Switches between laggards only and all disks."""
        self.picture.outliers = not self.picture.outliers
        self.redraw()

    def pick(self, name: str) -> None:
        """Puts the cursor on the disk of this kernel name and scrolls to it."""
        if name in self.picture.disks and name != self.picture.picked:
            self.picture.picked = name
            self._show_picked()
            self._follow()
            self.post_message(self.Picked(self, self.picture.disks[name]))

    def _show_picked(self) -> None:
        number = next((at for at, _, disk in self.picture.cells() if disk.name == self.picture.picked), None)
        room, top = self.room(), self.top
        if number is not None and not self.top <= number < self.top + room:
            self.top = number - 1 if number < self.top else number - room + 1
        self.keep_in_view()
        if self.top != top:
            self.redraw()

    def keep_in_view(self) -> None:
        """Clamps the scroll position to the lines."""
        if self.size:
            self.top = max(0, min(self.top, self.line_count() - self.room()))

    def caret(self) -> Offset:
        """The picked disk; the heading without one."""
        picture = self.picture
        if not picture.picked:
            return Offset(0, 0)
        place = next(((at, column) for at, column, disk in picture.cells() if disk.name == picture.picked), None)
        if place is None or not self.top <= place[0] < self.top + self.room():
            return Offset(0, 0)
        block, row = divmod(place[0] - self.top, max(picture.height, 1))
        inside = 0 if picture.layout.form == "list" else picture.layout.label + place[1] * picture.layout.cell
        left = self._margin + block * (picture.layout.block + BETWEEN) + inside
        return Offset(left, 1 + picture.fixed + row)

    def action_step(self, by: int) -> None:
        """Moves to the previous or next disk; in lists side by side, to the disk in the next block."""
        layout = self.picture.layout
        if layout.form == "list" and layout.blocks > 1:
            self._walk(by * self.picture.height, 0)
        else:
            self._walk(0, by)

    def action_move(self, by: int) -> None:
        """Moves to the disk above or below."""
        self._walk(by, 0)

    def action_page(self, by: int) -> None:
        """Moves one page up or down."""
        self._walk(by * self.picture.height, 0)

    def action_jump(self, to: int) -> None:
        """Moves to the first disk (0) or the last (-1)."""
        if cells := self.picture.cells():
            self.pick(cells[to][2].name)

    def _walk(self, lines: int, steps: int) -> None:
        cells = self.picture.cells()
        here = next((at for at, (_, _, disk) in enumerate(cells) if disk.name == self.picture.picked), None)
        if not cells:
            return
        if here is None:
            self.pick(next((disk.name for line, _, disk in cells if line >= self.top), cells[0][2].name))
        elif steps:
            self.pick(cells[max(0, min(here + steps, len(cells) - 1))][2].name)
        else:
            row, column, _ = cells[here]
            on = [each for each in cells if (each[0] > row if lines > 0 else each[0] < row)]
            if on:
                self.pick(min(on, key=lambda each: (abs(each[0] - row - lines), abs(each[1] - column)))[2].name)

    def move_to(self, index: int) -> None:
        """Scrolls line `index` to the top."""
        before, self.top = self.top, index
        self.keep_in_view()
        if self.top != before:
            self.redraw()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scrolls without changing the focus."""
        event.stop()
        self.move_to(self.top + 3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scrolls without changing the focus."""
        event.stop()
        self.move_to(self.top - 3)

    def on_click(self, event: events.Click) -> None:
        """Picks the disk that was clicked."""
        layout, high = self.picture.layout, self.picture.height
        y, x = event.y - 1 - self.picture.fixed, event.x - (2 if self.boxed else 1)
        block, within = divmod(x, layout.block + BETWEEN) if layout.blocks > 1 else (0, x)
        index = self.top + y + high * block
        if not 0 <= y < high or not 0 <= index < self.line_count():
            return
        disks = layout.rows[index].disks or layout.rows[index].bars
        at = 0 if layout.form == "list" else (within - layout.label) // layout.cell
        if 0 <= at < len(disks):
            self.pick(disks[at].name)
