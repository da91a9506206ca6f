"""Content of the gauge pane as lines: choice of view, grouping and form, layout, each line.

Nothing here draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from raidtui.tui.gauges.groups import LONGEST, GaugeGroup, GaugeGroups, GaugeView, Grouping, TickHistory, height_mark
from raidtui.tui.gauges.rows import (  # fmt: skip
    BETWEEN,
    WHOLE,
    Cells,
    GaugeColumns,
    GaugeLayout,
    GaugeRow,
    bars_line,
    cells_line,
    columns_of,
    disk_line,
    evened,
    gridded,
    group_line,
    lag_words,
    listed,
    name_cells,
    sync_line,
    tags_line,
    three_cells,
    titles,
    totals_line,
)
from raidtui.tui.terminal.glyphs import ASCII, Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span, Tone, cells, line
from raidtui.tui.widgets.slot_map import Shelf, SlotMap, disk_key, shelves
from raidtui.values.gauges import Scene, Tick, WatchedDisk
from raidtui.values.inventory import Disk, Place

if TYPE_CHECKING:
    from raidtui.machine.gauges.expected_load import LoadSeen
    from raidtui.machine.gauges.slow_disks import Laggard


_LEAST_BAR = 5
"""cells of a bar in a bay"""
_LESS = 8
"""width of the history on slow terminals: every cell may change with every tick"""
_NOBODY = Scene(host="", disks=())


class Picture:
    """View, layout and lines of one scene."""

    def __init__(self, scene: Scene | None) -> None:
        self.scene = scene or _NOBODY
        self.disks = {disk.name: disk for disk in self.scene.disks}
        self.groups = GaugeGroups(self.scene)
        self.history = TickHistory()
        self.view: GaugeView = "speed"
        self.grouping: Grouping = "array" if self.scene.arrays else self.groups.offered[-1]
        self.asked: Grouping | None = None
        """chosen grouping"""
        self.form: Literal["", "list", "grid"] = ""
        self.outliers = False
        self.bars = False
        """True: bars before a list, where they fit"""
        self.tall = False
        """True: bars where no list fits"""
        self.picked = ""
        self.laggards: dict[str, Laggard] = {}
        self.loads: Mapping[str, LoadSeen] = {}
        self.layout = GaugeLayout("list", ())
        self.height = 1
        """number of lines of a block"""
        self._columns = GaugeColumns(0, 0, (), temperature=False, loads=False, history=0)
        self._glyphs = ASCII
        self._width = 0

    def begin(self, scene: Scene | None) -> Picture:
        """A picture of another scene with the same choices."""
        other = Picture(scene)
        other.view, other.form, other.outliers = self.view, self.form, self.outliers
        other.asked, other.bars, other.tall = self.asked, self.bars, self.tall
        if self.asked in other.groups.offered:
            other.grouping = self.grouping
        return other

    def group_next(self) -> None:
        """Switches to the next grouping."""
        offered = self.groups.offered
        self.asked = self.grouping = offered[(offered.index(self.grouping) + 1) % len(offered)]

    @property
    def tick(self) -> Tick | None:
        """The tick that is shown; None before the first."""
        return self.history.now

    # Layout.

    @property
    def fixed(self) -> int:
        """Number of lines above the scrolling ones."""
        return 2 if self.layout.form == "list" else 1

    def arrange(self, width: int, inside: int, glyphs: Glyphs, *, sparing: bool) -> None:
        """Lays out for `inside` lines of `width` cells."""
        tick, (only, syncing) = self.tick, self._only_and_syncing()
        warm = tick is not None and bool(tick.temperatures)
        loaded = bool(self.loads)
        self._width, self._glyphs = width, glyphs
        found = self._laid_out(only, syncing, width, inside)
        self.layout = evened(found)
        self.height = min(max(inside - self.fixed, 1), self.layout.height)
        most = _LESS if sparing else LONGEST
        self._columns = columns_of(self.scene, found.block or width, warm=warm, loaded=loaded, most=most)

    def _laid_out(self, only: frozenset[str] | None, syncing: frozenset[str], width: int, inside: int) -> GaugeLayout:
        groups = self.groups.by(self.grouping)
        found = listed(groups, only, syncing, width, max(inside - 2, 1))
        fits = len(found.rows) <= max(inside - 2, 1) * found.blocks
        if self.form == "grid" or (not self.form and (self.bars or not fits) and only is None):
            bars = self.bars or (self.tall and not self.form)
            grid = gridded(groups, only, syncing, width, max(inside - 1, 1), bars=bars)
            found = grid if self.form or not fits or grid.form == "bars" else found
        return found

    def lines_wanted(self, width: int, most: int) -> int:
        """Number of lines that are used where `most` lines of `width` cells are free."""
        only, syncing = self._only_and_syncing()
        found = evened(self._laid_out(only, syncing, width, most))
        fixed = 2 if found.form == "list" else 1
        return min(fixed + min(found.height, len(found.rows)), most)

    def _only_and_syncing(self) -> tuple[frozenset[str] | None, frozenset[str]]:
        """The disks that are listed (None: all), and the arrays in sync."""
        only = frozenset(self.laggards) if self.outliers else None
        arrays = self.tick.arrays.items() if self.tick is not None else ()
        return only, frozenset(name for name, array in arrays if array.sync_done is not None)

    def cells(self) -> list[tuple[int, int, WatchedDisk]]:
        """Every visible disk with its line and its position in the line."""
        return [(at, column, disk) for at, row in enumerate(self.layout.rows) for column, disk in enumerate(row.disks)]

    # Lines.

    def line(self, y: int, top: int, cursor: Tone) -> Line:
        """Line `y` if the layout is scrolled to line `top`; the picked disk has tone `cursor`."""
        tick, fixed, rows = self.tick, self.fixed, self.layout.rows
        if tick is None:
            return ()
        if y < fixed:
            return self._titles(tick) if y else self._total(tick)
        if y - fixed >= self.height:
            return ()
        if self.outliers and not self.laggards:
            return line("no disk is slower than its group; a shows all", "muted") if y == fixed else ()
        at = [top + y - fixed + block * self.height for block in range(self.layout.blocks)]
        return self._beside([self._row(rows[index], tick, cursor) if index < len(rows) else () for index in at])

    def _beside(self, lines: Sequence[Line]) -> Line:
        if len(lines) == 1:
            return lines[0]
        spans: list[Span] = []
        for number, spanned in enumerate(lines):
            used = cells("".join([span.text for span in spanned]))
            rest = self.layout.block - used + (BETWEEN if number < len(lines) - 1 else 0)
            spans += [*spanned, Span(" " * max(rest, 0))]
        return tuple(spans)

    def _total(self, tick: Tick) -> Line:
        return totals_line(self.scene, tick, self.view, self.layout, self.history.height, self._width, self._glyphs)

    def _titles(self, tick: Tick) -> Line:
        return self._beside([titles(self._columns, self.view, tick.seconds)] * self.layout.blocks)

    def _row(self, row: GaugeRow, tick: Tick, cursor: Tone) -> Line:
        glyphs, width = self._glyphs, self.layout.block if self.layout.blocks > 1 else self._width
        if row.sync:
            return sync_line(tick.arrays.get(row.group.key), self._smallest(row.group), width, glyphs)
        if row.tags:
            return tags_line(row, self.layout)
        if row.bars:
            return bars_line(row, self._cells(cursor))
        if not row.disks:
            return group_line(
                row, tick, self.groups.limits(row.group, tick), *self._rates(row.group, tick), width, glyphs
            )
        if self.layout.form != "list":
            return cells_line(row, self._cells(cursor))
        (disk,) = row.disks
        self.history.use(self.view, glyphs.levels)
        lag = self.laggards.get(disk.name)
        past = self.history.line(disk.name, self._columns.history)
        if words := lag_words(lag, self._columns):
            seen = past.rstrip()
            after = len(seen) + len(words) < len(past)
            past = f"{seen} {words}".ljust(len(past)) if after else f"{words} {past[len(words) + 1 :]}"
        name = name_cells(disk, self._columns, glyphs)
        spans = disk_line(disk, name, tick, lag, self.loads.get(disk.name), past, self._columns, glyphs)
        return tuple(Span(text, cursor) for text, _ in spans) if disk.name == self.picked else spans

    def _cells(self, cursor: Tone) -> Cells:
        values, height = self.history.values(self.view), self.history.height
        return Cells(self.layout, values, height, self.laggards, self.picked, cursor, self._glyphs)

    def _smallest(self, group: GaugeGroup) -> int:
        members = group.array.members if group.array is not None else ()
        return min((self.disks[name].size_bytes for name in members if name in self.disks), default=0)

    def _rates(self, group: GaugeGroup, tick: Tick) -> tuple[float, float]:
        """Bytes per second read from and written to an array, or to all disks of any other group."""
        if group.array is None:
            return self.groups.traffic((disk.name for disk in group.disks), tick)
        array = tick.arrays.get(group.key)
        return (array.gauge.read_bytes_per_s, array.gauge.write_bytes_per_s) if array is not None else (0.0, 0.0)


# Slot map with the values of the gauges.


class BayMap(SlotMap):
    """The bays of a scene's disks, each with value and height in the present view."""

    MOST_CELL = 14

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Slots", id=id, boxes=True)
        self.names: dict[str, str] = {}
        """kernel name in the scene by key of the disk; empty if the scene is of another machine"""
        self._bays: tuple[Shelf, ...] = ()
        self._shares: dict[str, float] = {}
        """of the full scale, by key of the disk"""

    def set_scene(self, scene: Scene, disks: Sequence[Disk] | None = None) -> None:
        """Shows another scene, if all its disks are among `disks`; without them where the scene places its disks."""
        if disks is None:
            disks = tuple(
                Disk(
                    id=each.id or each.name, kernel_name=each.name, serial=each.serial, size_bytes=each.size_bytes,
                    place=Place(controller=each.controller, enclosure=each.enclosure, slot=each.slot),
                )
                for each in scene.disks
            )  # fmt: skip
        names = {disk.id or disk.name: disk.name for disk in scene.disks}
        ours = names.keys() <= {disk.id for disk in disks if disk.id}
        self.names = {disk_key(disk): names.get(disk.id, "") for disk in disks} if ours else {}
        self._bays = shelves(disks)

    def lines_that_fit(self, width: int, most: int) -> int:
        """Number of lines where `most` lines of `width` cells are free; 0 if not all bays fit, or none is known."""
        lines = self.lines_for(self.inside_for(width, most))
        return lines if self.names and lines <= most else 0

    def show_values(self, picture: Picture) -> None:
        """Shows the newest values; there must be a tick."""
        values, glyphs = picture.history.values(picture.view), self.glyphs
        marks = {key: _mark(name, values.get(name), picture, glyphs) for key, name in self.names.items()}
        self._shares = {key: values.get(name, 0.0) / picture.history.height for key, name in self.names.items()}
        self.show(self._bays, marks, {})

    def _cell(self, disk: Disk | None, width: int) -> Sequence[Span]:
        """The level has the tone of bars, of a slow disk that of its number; a wide bay has a bar in its place."""
        (shown,) = super()._cell(disk, width)
        words = shown.text.rstrip()
        if disk is None or disk_key(disk) == self.picked or len(words.strip()) < 2:
            return (shown,)
        bar: Tone = "warn" if shown.tone == "warn" else "a"
        room = width - 6
        if room >= _LEAST_BAR:
            full = min(round(self._shares.get(disk_key(disk), 0.0) * room), room)
            whole = WHOLE if self.glyphs.allows(WHOLE) else self.glyphs.bar
            number = Span(f" {words[:-1].strip():>3} ", shown.tone)
            return (number, Span(whole * full, bar), Span(" " * (room - full + 1)))
        return (Span(words[:-1], shown.tone), Span(words[-1], bar), Span(shown.text[len(words) :]))


def _mark(name: str, value: float | None, picture: Picture, glyphs: Glyphs) -> Mark:
    if value is None:
        return Mark(glyphs.failed, "gone", "bad") if name else Mark(glyphs.hole, "", "muted")
    height = height_mark(value, picture.history.height, glyphs.levels)
    tone: Tone = "warn" if name in picture.laggards else "text" if value else "muted"
    return Mark(f"{three_cells(value)}{height}", "", tone)
