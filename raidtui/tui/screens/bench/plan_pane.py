"""Panes before the start: choice of profile and target, and every test with prediction, time and space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from raidtui.model.bench import Bench, Task
from raidtui.model.counted import counted
from raidtui.model.units import decimal_size
from raidtui.planner.amounts import amount
from raidtui.planner.measurement.expected import expected
from raidtui.planner.numbers import listed
from raidtui.planner.text.bench import duration
from raidtui.tui.jobs.bench_choice import BenchChoice, Ready
from raidtui.tui.jobs.bench_rows import name_of, row_tasks
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import KeySpan, Line, Span, fit, line, wrapped
from raidtui.tui.widgets.pane import Pane

_TITLE, _FIGURE, _TIME, _SPACE = 9, 11, 9, 8


class ChoicePane(Pane):
    """Two fields; the arrow keys change the one under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,greater_than_sign,plus", "step(1)", "change", key_display="< >", tooltip="next value"),
        Binding("left,h,less_than_sign,minus", "step(-1)", "back", show=False, tooltip="previous value"),
    ]

    @dataclass
    class Stepped(Message):
        """Message: an arrow key was pressed on field 0 (profile) or 1 (target)."""

        field: int
        by: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("What to run, and where", pickable=True, id=id)

    def action_step(self, by: int) -> None:
        """Posts `Stepped`."""
        self.post_message(self.Stepped(self.cursor, by))

    def show(self, choice: BenchChoice) -> None:
        """Updates the fields."""
        self.renew(lambda width: choice_lines(choice, width, self.glyphs))


def choice_lines(choice: BenchChoice, width: int, glyphs: Glyphs) -> list[Line]:
    """The two fields."""
    profile, target = choice.profile, choice.target
    return [
        _field("Profile", choice.profile_at, len(choice.profiles),
               f"{profile.name}: {profile.title}" if profile else "none", width, glyphs),
        _field("Target", choice.target_at, len(choice.targets), target.title if target else "none", width, glyphs),
    ]  # fmt: skip


def _field(title: str, at: int, count: int, value: str, width: int, glyphs: Glyphs) -> Line:
    less, more = (glyphs.less if at > 0 else " "), (glyphs.more if at < count - 1 else " ")
    return (
        Span(f"{title:<{_TITLE}}", "muted"),
        KeySpan(f"{less} ", "title", "left"),
        Span(fit(value, max(width - _TITLE - 12, 10), glyphs).rstrip(), "strong"),
        KeySpan(f" {more}", "title", "right"),
        Span(f"  {at + 1}/{count}" if count > 1 else "", "muted"),
    )


def task_lines(bench: Bench, width: int, glyphs: Glyphs) -> list[Line]:
    """One line per test; a job on each disk in turn is one line."""
    groups = row_tasks(bench.tasks)
    short = any(len(name_of(group)) > _name_cells(width) for group in groups)
    return [_task_line(number, group, bench, width, glyphs, short=short) for number, group in enumerate(groups, 1)]


def task_titles(width: int) -> Line:
    """The column titles of `task_lines`."""
    name = _name_cells(width)
    text = f"    {'test':<{name}} {'predicted':>{_FIGURE}} {'takes':>{_TIME}} {'space':>{_SPACE}}"
    return (Span(text, "muted"),)


def _name_cells(width: int) -> int:
    return max(width - 4 - _FIGURE - _TIME - _SPACE - 3, 20)


def _task_line(number: int, tasks: Sequence[Task], bench: Bench, width: int, glyphs: Glyphs, *, short: bool) -> Line:
    found = expected(bench, tasks[0])
    space = max(task.bytes_used for task in tasks)
    return (
        Span(f"{number:>3} ", "muted"),
        Span(fit(name_of(tasks, short=short), _name_cells(width), glyphs)),
        Span(f" {amount(found.value, found.unit) if found else '-':>{_FIGURE}}", "strong"),
        Span(f" {duration(sum(task.seconds for task in tasks)):>{_TIME}}"),
        Span(f" {decimal_size(space) if space else '-':>{_SPACE}}", "muted"),
    )


class TasksPane(Pane):
    """The tests of the chosen benchmark."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Tests", id=id)

    def show(self, ready: Ready | None, waiting: str) -> None:
        """Shows the tests, or `waiting` if there are none."""
        self.empty = waiting
        bench = ready.bench if ready is not None else None
        self.aside = f"about {duration(ready.seconds)}" if ready is not None else ""
        self.top = 0
        self.put(lambda width: task_lines(bench, width, self.glyphs) if bench is not None else [])

    def fixed_lines(self, width: int) -> Sequence[Line]:
        """Column titles."""
        return (task_titles(width),) if self.line_count() else ()


def profile_lines(choice: BenchChoice, width: int, glyphs: Glyphs) -> list[Line]:
    """Every profile, the chosen one marked."""
    wide = max((len(each.name) for each in choice.profiles), default=0)
    lines = [(), line(f"{counted(len(choice.profiles), 'profile')}, < > changes it", "muted")]
    for at, each in enumerate(choice.profiles):
        chosen = at == choice.profile_at
        title = fit(each.title, max(width - wide - 4, 10), glyphs).rstrip()
        lines.append(
            (
                Span(f"{glyphs.more if chosen else ' '} {each.name:<{wide}}  ", "strong" if chosen else "title"),
                Span(title),
            )
        )
    return lines


def about_lines(choice: BenchChoice, width: int, glyphs: Glyphs) -> list[Line]:
    """Purpose, devices used, cost."""
    lines: list[Line] = []
    if choice.profile is not None:
        lines += [line(row) for row in wrapped(choice.profile.purpose, width)]
    if choice.target is not None:
        lines += [line(row, "muted") for row in wrapped(choice.target.about, width)]
    if choice.refusal:
        return [*lines, *(line(row, "bad") for row in wrapped(f"{glyphs.failed} {choice.refusal}", width))]
    if choice.ready is not None:
        lines += [line(row, "strong") for row in wrapped(cost_words(choice.ready), width)]
        for each in choice.ready.notes:
            lines += [line(row, "warn") for row in wrapped(f"{glyphs.alert} {each}", width)]
    return lines


def cost_words(ready: Ready) -> str:
    """Time and space in a sentence."""
    tasks = len(ready.bench.tasks)
    space = f"uses up to {decimal_size(ready.bytes_used)} temporarily" if ready.bytes_used else "only reads"
    kinds = {task.target.kind for task in ready.bench.tasks}
    reads = [word for kind, word in (("disk", "each disk"), ("disks", "all disks")) if kind in kinds]
    tail = f"; {listed(reads)} read only" if reads and ready.bytes_used else ""
    told = "SIMULATED: " if ready.bench.simulated else ""
    return f"{told}{counted(tasks, 'test')}, about {duration(ready.seconds)}; {space}{tail}."
