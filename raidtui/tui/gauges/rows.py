"""Lines of the gauges: groups with their bounds, syncs, disks with their values, cells of the grid."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from raidtui.machine.gauges.rates import disk_figures
from raidtui.tui.gauges.groups import FIGURE, KINDS, GaugeGroup, GaugeView, GroupLimit, figure, height_mark, tenths
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Span, Tone, fit
from raidtui.values.amounts import hours, percent, rate
from raidtui.values.gauges import ArrayGauge, Gauge, Scene, Tick, WatchedDisk
from raidtui.values.location import short_slot
from raidtui.values.safe import safe
from raidtui.values.units import counted

if TYPE_CHECKING:
    from raidtui.machine.gauges.expected_load import LoadSeen
    from raidtui.machine.gauges.slow_disks import Laggard


# Layout of the gauges: one line per disk, or a grid of cells as detailed as fits. Nothing here draws.


_short = cache(short_slot)
Form = Literal["list", "bars", "named", "tagged", "figures", "heat"]
"""one line per disk; or one cell per disk: a bar of several lines above its name; name, value and height; value below
its name; value only; one character
"""
HIGHEST = 6
"""most lines of a bar"""
WHOLE = "\u2588"
_WIDEST = 12
"""most cells of a bar with the blank after it"""
NAMED, FIGURES, HEAT = 8, 4, 1
"""width of a disk in each form: beside its name; value only; one character"""
BETWEEN = 2
"""cells between blocks"""
_LABEL = 12
"""maximum width of the row labels of the grid"""
_LEAST_BLOCK = 74
"""minimum width of a list beside another one"""


class GaugeRow(NamedTuple):
    """One line of the gauges."""

    group: GaugeGroup
    disks: tuple[WatchedDisk, ...] = ()
    """one in a list, several in a grid; none in a group's own line"""
    label: str = ""
    """label before the cells"""
    tags: tuple[str, ...] = ()
    """names of the disks of the next line, where a line is for names"""
    sync: bool = False
    """True for the line that shows the sync of the group's array"""
    bars: tuple[WatchedDisk, ...] = ()
    """the disks whose bars cross the line"""
    level: int = 0
    """lines of those bars below it; -1: the disks of the line have names alone"""
    of: int = 1
    """lines of a whole bar"""


class GaugeLayout(NamedTuple):
    """All lines and their arrangement."""

    form: Form
    rows: tuple[GaugeRow, ...]
    blocks: int = 1
    """number of blocks side by side"""
    cell: int = 1
    """width of a disk in the grid"""
    label: int = 0
    """width of the labels, with the blank after them"""
    block: int = 0
    """width of one of several blocks"""
    height: int = 9999
    """maximum lines of a block"""


def place_words(disk: WatchedDisk) -> str:
    """Short location of the disk: its slot, else its kernel name."""
    return _short(disk.slot) or disk.name


def blocks_of(width: int) -> int:
    """Number of lists that fit side by side into `width` cells."""
    return max(1, (width + BETWEEN) // (_LEAST_BLOCK + BETWEEN))


def listed(
    groups: Sequence[GaugeGroup], only: Collection[str] | None, syncing: Collection[str], width: int, room: int
) -> GaugeLayout:
    """One line per disk below its group; with `only`, those disks only. Several blocks if they are too many."""
    rows = [row for group in groups for row in _list_rows(group, only, syncing)]
    blocks = blocks_of(width) if len(rows) > room else 1
    return GaugeLayout("list", tuple(rows), blocks=blocks, block=(width - BETWEEN * (blocks - 1)) // blocks)


def _list_rows(group: GaugeGroup, only: Collection[str] | None, syncing: Collection[str]) -> Iterator[GaugeRow]:
    yield from _group_rows(group, syncing)
    for disk in group.disks:
        if only is None or disk.name in only:
            yield GaugeRow(group, (disk,))


def _group_rows(group: GaugeGroup, syncing: Collection[str]) -> Iterator[GaugeRow]:
    yield GaugeRow(group)
    if group.array is not None and group.key in syncing:
        yield GaugeRow(group, sync=True)


def evened(layout: GaugeLayout) -> GaugeLayout:
    """Balances the lengths of the blocks; a block starts with a group if that costs few lines."""
    count, blocks = len(layout.rows), layout.blocks
    if blocks == 1 or not count:
        return layout
    least = -(-count // blocks)
    if layout.form == "tagged":
        return layout._replace(height=least + least % 2)
    whole = [
        height
        for height in range(least, least + least // 4 + 1)
        if all(not layout.rows[at].disks or layout.form != "list" for at in range(height, count, height))
    ]
    return layout._replace(height=whole[0] if whole else least)


def gridded(
    groups: Sequence[GaugeGroup], only: Collection[str] | None, syncing: Collection[str], width: int, room: int,
    *, bars: bool = False,
) -> GaugeLayout:  # fmt: skip
    """The most detailed grid that fits into `room` lines; one character per disk if none does."""
    name = min(max((len(place_words(disk)) for group in groups for disk in group.disks), default=1), 8)
    short = min(max((len(group.name) for group in groups), default=0), _LABEL) + 1
    most = max((len(group.disks) for group in groups), default=1)
    tagged = max(name, FIGURES - 1) + 1
    wide = max(tagged, min(width // most, _WIDEST))
    shapes: tuple[tuple[Form, int, int, bool, int], ...] = (
        *(("bars", wide, 0, True, high) for high in (*range(HIGHEST, 2, -1), 2, -2) if bars),
        ("named", name + NAMED, 0, True, 0), ("tagged", tagged, 0, True, 0), ("tagged", tagged, short, False, 0),
        ("figures", max(name, FIGURES), 0, True, 0), ("figures", FIGURES, name + 1, True, 0),
        ("figures", FIGURES, short, False, 0),
        ("heat", HEAT, name + 1, True, 0), ("heat", HEAT, short, False, 0),
    )  # fmt: skip
    found = GaugeLayout("heat", ())
    for form, cell, label, headed, high in shapes:
        across = max(min((width - label) // cell, most), 1)
        blocks = 1 if headed else max((width + BETWEEN) // (label + across * cell + BETWEEN), 1)
        rows = tuple(row for group in groups for row in _grid_rows(group, only, syncing, across, headed=headed))
        if form in ("bars", "tagged"):
            rows = tuple(line for row in rows for line in _named_rows(row, high))
        found = GaugeLayout(form, rows, blocks=blocks, cell=cell, label=label, block=label + across * cell)
        if len(rows) <= (room - room % 2 if form == "tagged" and blocks > 1 else room) * blocks:
            return found
    return found


def _grid_rows(
    group: GaugeGroup, only: Collection[str] | None, syncing: Collection[str], across: int, *, headed: bool
) -> Iterator[GaugeRow]:
    if headed:
        yield from _group_rows(group, syncing)
    shown = group.disks if only is None else tuple(disk for disk in group.disks if disk.name in only)
    for at in range(0, len(shown), across):
        cells = shown[at : at + across]
        yield GaugeRow(group, cells, label=place_words(cells[0]) if headed else "" if at else group.name)


def _named_rows(row: GaugeRow, high: int) -> Iterator[GaugeRow]:
    """A line of values with the names above it, or below it and under bars of `high` lines; where that is negative,
    bars above names alone. Any other line as it is."""
    names = [GaugeRow(row.group, tags=tuple(map(place_words, row.disks)))] if row.disks else []
    for level in reversed(range(abs(high) if names else 0)):
        yield GaugeRow(row.group, bars=row.disks, level=level, of=abs(high))
    if high < 0 and names:
        yield row._replace(level=-1)
    else:
        yield from (row, *names) if high > 0 else (*names, row)


_FINE = frozenset({"clean", "active", "active-idle", "write-pending", ""})
"""array states that are not shown, since they are normal"""
_MOST_LIMITS, _LIMIT_NAME = 3, 16
_LEAST_BAR, _LONGEST_BAR = 4, 24
_BESIDE_BAR = 9
"""width of a limit without its name and its bar"""
_NEARLY_FULL = 0.85
_LEAST_HISTORY = 8


class GaugeColumn(NamedTuple):
    """One column of values in the list."""

    title: str
    cells: int
    """width, with the blank before it"""
    text: Callable[[Gauge], str]
    view: GaugeView


COLUMNS = (
    GaugeColumn("read", 6, lambda gauge: figure(gauge.read_bytes_per_s / 1e6), "speed"),
    GaugeColumn("write", 6, lambda gauge: figure(gauge.write_bytes_per_s / 1e6), "speed"),
    GaugeColumn("IOPS", 6, lambda gauge: figure(gauge.read_iops + gauge.write_iops), "iops"),
    GaugeColumn("util", 6, lambda gauge: percent(gauge.util), "util"),
    GaugeColumn("await", 6, lambda gauge: figure(gauge.await_ms), "await"),
    GaugeColumn("queue", 6, lambda gauge: figure(gauge.queue), "queue"),
)
_BY_RANK = (0, 1, 3, 2, 4, 5)
"""columns by priority"""
_TEMPERATURE = 4
_LOAD = 7
"""cells of the expected load, and of how far a disk is off it"""


class GaugeColumns(NamedTuple):
    """The parts of a list line with their widths."""

    slot: int
    name: int
    figures: tuple[GaugeColumn, ...]
    temperature: bool
    loads: bool
    """what is expected of each disk, after the rates"""
    history: int


def columns_of(scene: Scene, width: int, *, warm: bool, loaded: bool, most: int) -> GaugeColumns:
    """The columns that fit into `width` cells; history takes at most `most`; `loaded`: loads are expected."""
    slot = min(max((len(place_words(disk)) for disk in scene.disks if disk.slot), default=0), 8)
    name = min(max((len(disk.name) for disk in scene.disks), default=3), 9)
    left = width - 2 - (slot + 1 if slot else 0) - name - 1 - _LEAST_HISTORY
    chosen = []
    loads = loaded and left >= 2 * COLUMNS[0].cells + 2 * _LOAD
    left -= 2 * _LOAD if loads else 0
    for number in _BY_RANK:
        if left >= COLUMNS[number].cells:
            chosen.append(number)
            left -= COLUMNS[number].cells
    temperature = warm and left >= _TEMPERATURE
    left -= _TEMPERATURE if temperature else 0
    history = min(_LEAST_HISTORY + left, most)
    return GaugeColumns(slot, name, tuple(COLUMNS[at] for at in sorted(chosen)), temperature, loads, history)


def titles(columns: GaugeColumns, view: GaugeView, seconds: float) -> Line:
    """The column titles of the list."""
    slot = f"{'slot':<{columns.slot}} " if columns.slot else ""
    spans = [Span(f"  {slot}{'disk':<{columns.name}}", "muted")]
    for number, column in enumerate(columns.figures):
        spans.append(Span(f"{column.title:>{column.cells}}", "title" if column.view == view else "muted"))
        if columns.loads and number == 1:
            spans.append(Span(f"{'expect':>{_LOAD}}{'off':>{_LOAD}}", "muted"))
    spans.append(Span(f"{'C':>{_TEMPERATURE}}" if columns.temperature else "", "muted"))
    span = seconds * columns.history
    words = (f" {KINDS[view].words}, last {span:.0f} s", f" last {span:.0f} s", f" {span:.0f} s", "")
    shown = next(each for each in words if len(each) <= columns.history + 1)
    return (*spans, Span(shown, "title"))


def name_cells(disk: WatchedDisk, columns: GaugeColumns, glyphs: Glyphs) -> str:
    """Slot and name of a disk in the list."""
    slot = f"{fit(place_words(disk) if disk.slot else '', columns.slot, glyphs)} " if columns.slot else ""
    return f"{slot}{fit(disk.name, columns.name, glyphs)}"


def lag_words(lag: Laggard | None, columns: GaugeColumns) -> str:
    """How far a disk is behind its group: after its history, or in place of the oldest; empty if that lacks room."""
    words = lag.short if lag is not None else ""
    return words if len(words) + _LEAST_HISTORY < columns.history else ""


def disk_line(
    disk: WatchedDisk, name: str, tick: Tick, lag: Laggard | None, load: LoadSeen | None, history: str,
    columns: GaugeColumns, glyphs: Glyphs,
) -> Line:  # fmt: skip
    """The line of one disk; `name` comes from `name_cells`, `history` has `lag_words` in it."""
    gauge = tick.disks.get(disk.name)
    mark, tone = _mark(disk, gauge is None, lag, glyphs)
    if gauge is None:
        return (Span(f"{mark} {name}{'gone':>{sum(column.cells for column in columns.figures)}}", "bad"),)
    figures = [column.text(gauge).rjust(column.cells) for column in columns.figures]
    if columns.temperature:
        degrees = tick.temperatures.get(disk.name)
        figures.append(" " * _TEMPERATURE if degrees is None else f"{degrees:>{_TEMPERATURE}}")
    if lag is None and not gauge.queue and not gauge.util:
        tone = "muted"
    past = Span(history, "warn" if lag is not None else "a")
    if not columns.loads:
        return (Span(f"{mark} {name}{''.join(figures)} ", tone), past)
    expected = "" if load is None else f"{figure(load.expected / 1e6):>{_LOAD}}"
    off = Span(f"{'' if load is None else load.words:>{_LOAD}}", "warn" if load is not None and load.off else "muted")
    before, after = "".join(figures[:2]), "".join(figures[2:])
    return (
        Span(f"{mark} {name}{before}", tone),
        Span(f"{expected:>{_LOAD}}", "muted"),
        off,
        Span(f"{after} ", tone),
        past,
    )


def _mark(disk: WatchedDisk, gone: bool, lag: Laggard | None, glyphs: Glyphs) -> tuple[str, Tone]:
    if gone:
        return glyphs.failed, "bad"
    if lag is not None:
        return glyphs.alert, "warn"
    return ("+", "text") if disk.role == "spare" else (" ", "text")


class Cells(NamedTuple):
    """Options for drawing the cells of a grid."""

    layout: GaugeLayout
    values: Mapping[str, float]
    """of the view, by disk"""
    height: float
    laggards: Mapping[str, Laggard]
    picked: str
    """disk under the cursor"""
    cursor: Tone
    glyphs: Glyphs


_LEAST_WHOLE = 9.95


def cells_line(row: GaugeRow, cells: Cells) -> Line:
    """One row of the grid: its label, then the spans of its disks."""
    layout, glyphs = cells.layout, cells.glyphs
    spans = [Span(f"{fit(row.label, layout.label - 1, glyphs)} ", "muted")] if layout.label else []
    cell = (
        _name
        if row.level < 0
        else {"named": _named, "bars": _figures, "tagged": _figures, "figures": _figures}.get(layout.form, _heat)
    )
    for disk in row.disks:
        amount = cells.values.get(disk.name)
        mark, tone = _mark(disk, amount is None, cells.laggards.get(disk.name), glyphs)
        made = cell(disk, amount, mark, tone, cells)
        if (rest := layout.cell - sum(len(text) for text, _ in made)) > 0:
            made = (*made, Span(" " * rest, "text"))
        spans += [Span(text, cells.cursor) for text, _ in made] if disk.name == cells.picked else made
    return tuple(spans)


def tags_line(row: GaugeRow, layout: GaugeLayout) -> Line:
    """Names, each above or below the value of its disk."""
    return (Span(" " * layout.label + "".join(f"{tag:<{layout.cell}}" for tag in row.tags), "muted"),)


def bars_line(row: GaugeRow, cells: Cells) -> Line:
    """One line through the bars of some disks."""
    glyphs, wide = cells.glyphs, cells.layout.cell - 1
    steps = f" {glyphs.levels}"
    if glyphs.allows(WHOLE):
        steps += WHOLE
    spans = []
    for disk in row.bars:
        share = cells.values.get(disk.name, 0.0) / cells.height if cells.height else 0.0
        part = min(max(share * row.of - row.level, 0.0), 1.0)
        char = steps[round(part * (len(steps) - 1))]
        tone: Tone = "warn" if disk.name in cells.laggards else "a"
        spans.append(Span(f"{char * wide} ", tone))
    return tuple(spans)


def _name(disk: WatchedDisk, amount: float | None, mark: str, tone: Tone, cells: Cells) -> Sequence[Span]:
    sign = mark if tone in ("warn", "bad") else ""
    words = fit(f"{sign}{place_words(disk)}", cells.layout.cell - 1, cells.glyphs)
    return (Span(words, "muted" if tone == "text" and not amount else tone),)


def _named(disk: WatchedDisk, amount: float | None, mark: str, tone: Tone, cells: Cells) -> Sequence[Span]:
    glyphs = cells.glyphs
    name = fit(place_words(disk), cells.layout.cell - NAMED, glyphs, right=True)
    if amount is None:
        return (Span(f"{mark}{name}{'gone':>{FIGURE + 1}} ", tone),)
    step = height_mark(amount, cells.height, glyphs.levels)
    return (
        Span(f"{mark}{name}", "muted" if tone == "text" else tone),
        Span(f"{figure(amount):>{FIGURE + 1}}", "muted" if tone == "text" and not amount else tone),
        Span(step, "a"),
    )


def _figures(disk: WatchedDisk, amount: float | None, mark: str, tone: Tone, cells: Cells) -> Sequence[Span]:
    levels = cells.glyphs.levels
    if cells.layout.form == "figures" and not cells.layout.label and tone in ("warn", "bad"):
        return (Span(fit(place_words(disk), cells.layout.cell, cells.glyphs), tone),)  # no other disk has its name here
    height = "" if amount is None else height_mark(_rounded(amount), cells.height, levels)
    sign = mark if tone in ("warn", "bad") else height
    shown = "" if amount is None else three_cells(amount)
    return (Span(f"{shown:>3}{sign:1}", "muted" if tone == "text" and not amount else tone),)


def _rounded(amount: float) -> float:
    return amount if amount < _LEAST_WHOLE else round(amount)


def _heat(disk: WatchedDisk, amount: float | None, mark: str, tone: Tone, cells: Cells) -> Sequence[Span]:
    del disk
    if amount is None or tone == "warn":
        return (Span(mark, tone),)
    levels = cells.glyphs.levels
    if cells.glyphs.tier == "unicode":
        return (Span(height_mark(amount, cells.height, levels), "a"),)
    return (Span(tenths(amount, cells.height)),)


def three_cells(value: float) -> str:
    """A value in at most three cells."""
    if value < 999.5:
        return figure(value)
    return f"{value / 1e3:.0f}k" if value < 99_500 else f"{min(value / 1e6, 9):.0f}M" if value >= 950_000 else "+++"


def group_line(
    row: GaugeRow, tick: Tick, limits: Sequence[GroupLimit], read: float, write: float, width: int, glyphs: Glyphs
) -> Line:
    """A group's name, its rates in bytes per second, and the bars of its limits."""
    array = tick.arrays.get(row.group.key) if row.group.array is not None else None
    state = _state(array, glyphs) if row.group.array is not None else Span("")
    rates = Span(f" {figure(read / 1e6):>5} r {figure(write / 1e6):>5} w", "strong" if read or write else "muted")
    room = width - len(rates.text) - (len(state.text) + 2 if state.text else 0)
    name = max(min(len(row.group.title), room, 26 if room < 100 else 40), 12)
    spans = [Span(fit(row.group.title, name, glyphs), "title"), rates, *_limits(limits, room - name, glyphs)]
    if state.text:
        spans += [Span("  "), state]
    return tuple(spans)


def _limits(limits: Sequence[GroupLimit], room: int, glyphs: Glyphs) -> Sequence[Span]:
    """Bars of as many limits as fit, all of one length."""
    shown = limits[:_MOST_LIMITS]
    while shown:
        words = [min(len(limit.name), _LIMIT_NAME) for limit in shown]
        bar = min((room - sum(words)) // len(shown) - _BESIDE_BAR, _LONGEST_BAR)
        if bar >= _LEAST_BAR:
            return [span for limit, name in zip(shown, words, strict=True) for span in _limit(limit, name, bar, glyphs)]
        shown = shown[:-1]
    return ()


def _limit(limit: GroupLimit, name: int, bar: int, glyphs: Glyphs) -> Sequence[Span]:
    tone: Tone = "strong" if limit.share >= _NEARLY_FULL else "muted"
    share = f"{percent(min(limit.share, 9.99)):>6}"
    return (Span(f"  {fit(limit.name, name, glyphs)} ", tone), *bar_of(limit.share, bar, glyphs), Span(share, tone))


def bar_of(share: float, cells: int, glyphs: Glyphs, tone: Tone = "a") -> tuple[Span, Span]:
    """A bar of `cells`, filled to `share`."""
    full = max(0, min(round(share * cells), cells))
    return Span(glyphs.bar * full, tone), Span(glyphs.bar_rest * (cells - full), "rule")


def _state(array: ArrayGauge | None, glyphs: Glyphs) -> Span:
    if array is None:
        return Span(f"{glyphs.failed} gone", "bad")
    if array.state == "broken":  # sysfs: md fails every write
        return Span(f"{glyphs.failed} FAILED", "bad")
    if array.degraded:
        return Span(f"{glyphs.failed} {array.degraded} missing", "bad")
    return Span("" if array.state in _FINE else safe(array.state, longest=12), "warn")


def sync_line(array: ArrayGauge | None, member_bytes: int, width: int, glyphs: Glyphs) -> Line:
    """Progress of a sync; `member_bytes`: bytes to sync per member, 0 if unknown."""
    if array is None or array.sync_done is None:
        return ()
    speed = array.sync_bytes_per_s
    left = f"{hours((1 - array.sync_done) * member_bytes / speed / 3600)} left" if speed and member_bytes else ""
    tail = f" {percent(array.sync_done, 1):>7}  {rate(speed)}/member  {left}"
    head = f"  {safe(array.sync_action, longest=8):<8} "
    return (Span(head, "title"), *bar_of(array.sync_done, max(width - len(head) - 42, 8), glyphs), Span(tail))


def totals_line(
    scene: Scene, tick: Tick, view: GaugeView, layout: GaugeLayout, height: float, width: int, glyphs: Glyphs
) -> Line:
    """Totals of all disks, and the legend of the heights."""
    read, write = sum(disk_figures(tick.disks, "read_bytes_per_s")), sum(disk_figures(tick.disks, "write_bytes_per_s"))
    iops = sum(disk_figures(tick.disks, "read_iops")) + sum(disk_figures(tick.disks, "write_iops"))
    spans = [
        Span(counted(len(scene.disks), "disk"), "strong"),
        Span(f"  {figure(read / 1e6):>5} MB/s read {figure(write / 1e6):>5} write"),
        Span(f"  {figure(iops):>5} IOPS"),
    ]
    if not scene.simulated:
        spans.append(Span(f"  CPU {percent(tick.busy_share):>5}"))
    if layout.form == "heat" and glyphs.tier != "unicode":
        legend = f"0-9: tenths of {height:g} {KINDS[view].words}"
    else:
        legend = f"{glyphs.levels[-1]} = {height:g} {KINDS[view].words}"
    used = sum(len(span.text) for span in spans)
    return (*spans, Span(f"{legend:>{width - used}}", "muted")) if used + len(legend) + 2 <= width else tuple(spans)
