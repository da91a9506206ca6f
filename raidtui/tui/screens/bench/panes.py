"""Present state of a benchmark: its rate beside the prediction, its bottleneck. Nothing here draws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from raidtui.answers.bench import bench_findings, duration, job_words, measured_blocks, progress_words
from raidtui.answers.plain_text import plain_lines
from raidtui.bench.expected import Expected, expected
from raidtui.bench.layer_loss import layer_loss_sentence, layer_steps
from raidtui.session.bench_view import BenchRow, BenchView, name_of, row_tasks
from raidtui.tui.gauges.rows import bar_of
from raidtui.tui.jobs.bench_targets import BenchChoice, Ready
from raidtui.tui.screens.bench.table import verdict
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import KeySpan, Line, Mark, Span, Tone, fit, line, wrapped
from raidtui.tui.widgets.pane import Pane
from raidtui.tui.widgets.slot_map import disk_key
from raidtui.values.amounts import amount, listed, percent, rate
from raidtui.values.bench import VERDICTS, Bench, Compared, Seen, Task
from raidtui.values.blocks import Items
from raidtui.values.gauges import ArrayGauge, Gauge, Scene, Tick
from raidtui.values.inventory import Disk
from raidtui.values.members import SPARE, array_label
from raidtui.values.safe import safe
from raidtui.values.speed import UNKNOWN
from raidtui.values.units import counted, decimal_size

_TITLE, _ROOMY = 11, 90
_WIDTH = 130
"""columns of the text for a mail"""


def flowing(task: Task, scene: Scene, tick: Tick) -> float:
    """Rate at the task's target in the interval, in the unit of its prediction: bytes or requests per second."""
    gauges: Iterable[Gauge]
    if task.target.disks_alone:
        ours = set(task.target.disks)
        gauges = [tick.disks[disk.name] for disk in scene.disks if disk.id in ours and disk.name in tick.disks]
    else:
        gauges = [array.gauge for array in arrays_of(task, scene, tick)]
    if task.job.predicted in ("rand_read", "rand_write", "degraded_rand_read"):
        return sum(gauge.read_iops + gauge.write_iops for gauge in gauges)
    return sum(gauge.read_bytes_per_s + gauge.write_bytes_per_s for gauge in gauges)


def arrays_of(task: Task, scene: Scene, tick: Tick) -> list[ArrayGauge]:
    """The target array; else the outermost arrays over the target's disks, since LVM joins them above md."""
    if task.target.array in tick.arrays:
        return [tick.arrays[task.target.array]]
    ours = set(task.target.disks)
    below = {disk.array for disk in scene.disks if disk.id in ours}
    inner = {member for array in scene.arrays for member in array.members if array.name not in below}
    outer = [array.name for array in scene.arrays if set(array.members) & below] or [
        name for name in below if name not in inner
    ]
    return [tick.arrays[name] for name in outer if name in tick.arrays]


def now_lines(
    seen: BenchView, task: Task | None, tick: Tick | None, expected: Expected | None, limit: Seen | None, width: int,
    glyphs: Glyphs, *, thick: bool = False,
) -> list[Line]:  # fmt: skip
    """The rate as a share of its prediction, the limit, CPU load; after the end, the outcome."""
    if not seen.busy:
        (first, *more), bars = verdict_lines(seen, width), result_bars(seen.rows(), width, glyphs, thick=thick)
        legend = bars_legend(seen.rows(), glyphs)
        fits = sum(len(span.text) for span in (*first, *legend)) <= width
        return [(*first, *legend), *more, *bars] if fits else [first, *more, legend, *bars]
    if task is None or tick is None:
        return [(Span("the first test is starting", "muted"),)]
    last = [busy_line(task, seen.scene, tick, width, glyphs), *load_line(seen, width, glyphs)]
    if any(load.off for load in seen.loads.values()):
        last.reverse()  # the third line is the last one of a small screen
    return [
        rate_line(flowing(task, seen.scene, tick), expected, task, width, glyphs, before=seen.phase in _PHASES),
        limit_line(limit, expected, width),
        *last,
    ]


def ending(seen: BenchView) -> Line:
    """The outcome."""
    tone: Tone = "good" if seen.outcome == "finished" else "warn" if seen.outcome in ("stopped", "running") else "bad"
    if seen.busy:
        return (Span("begins", "muted"),)
    done = f"{len(seen.figures)} of {len(seen.bench.tasks)} results"
    return (Span(seen.outcome.upper(), tone), Span(f"  {done}"), Span(f"  {safe(seen.reason)}" if seen.reason else ""))


def verdict_lines(seen: BenchView, width: int) -> list[Line]:
    """The outcome with the number of results per verdict, and the main losses."""
    judged = [each.verdict for each in seen.compared.values()]
    counts = {word: judged.count(word) for word in VERDICTS}
    tones: dict[str, Tone] = {"ok": "good", "low": "bad", "high": "warn"}
    spans = [Span(f"{count} {word}   ", tones.get(word, "muted")) for word, count in counts.items() if count]
    said = layer_loss_sentence(layer_steps(seen.result))
    return [(*ending(seen), Span("   "), *spans), *((Span(row),) for row in wrapped(said or "", width))]


_RATE, _SHARE = 12, 8
_BAR, _BAND = "\u2588", "\u2591"
_SCALE = 1.25
"""ends of the bars, at least, as a share of the prediction"""


def result_bars(rows: Sequence[BenchRow], width: int, glyphs: Glyphs, *, thick: bool) -> list[Line]:
    """Each result as a bar, the prediction as a mark in it, with the band of nine measurements of ten.

    `thick`: of two lines, with one between them."""
    judged = [(row, row.compared) for row in rows if row.compared is not None]
    ratios = [(each.ratio or 0.0, each.high / each.predicted if each.high and each.predicted else 0.0)
              for _, each in judged]  # fmt: skip
    scale = max([_SCALE, *(min(share, 2.0) for pair in ratios for share in pair)])
    name = min(max((len(row.short_name) for row, _ in judged), default=0), max(width // 3, 16)) + 1
    word = max((len(verdict(each, glyphs).word) for _, each in judged), default=0) + 2
    cells = width - name - _RATE - _SHARE - word - 2
    lines: list[Line] = []
    for row, each in judged:
        if thick and lines:
            lines.append(())
        mark = verdict(each, glyphs)
        head = Span(f"{fit(row.short_name, name, glyphs)}{amount(each.measured, each.unit):>{_RATE}}  ", "strong")
        share = percent(each.ratio) if each.ratio is not None else ""
        bar = tuple(_result_bar(each, cells, scale, mark.tone, glyphs))
        lines.append((head, *bar, Span(f"{share:>{_SHARE}}"), Span(f"  {mark.word}", mark.tone)))
        if thick:
            lines.append((Span(" " * len(head.text)), *bar))
    return lines


def bars_legend(rows: Sequence[BenchRow], glyphs: Glyphs) -> Line:
    """What the signs in `result_bars` mean; nothing without a bar."""
    if not any(row.compared is not None and row.compared.ratio is not None for row in rows):
        return ()
    return line(f"{glyphs.side} predicted  {_shown(_BAND, glyphs.bar_rest, glyphs)} band, 9 in 10", "muted")


def _result_bar(each: Compared, cells: int, scale: float, tone: Tone, glyphs: Glyphs) -> Iterator[Span]:
    """`cells` of a bar: what was measured, then the rest of the band, with the mark of the prediction."""
    if each.ratio is None or not each.predicted:
        yield Span(" " * cells)
        return
    low, high = (end / each.predicted if end else 1.0 for end in (each.low, each.high))
    for cell in range(cells):
        share = (cell + 0.5) / cells * scale
        if cell == int(cells / scale):
            yield Span(glyphs.side, "strong")
        elif share <= each.ratio:
            yield Span(_shown(_BAR, glyphs.bar, glyphs), "title" if tone == "muted" else tone)
        else:
            yield Span(_shown(_BAND, glyphs.bar_rest, glyphs) if low <= share <= high else " ", "muted")


def _shown(char: str, otherwise: str, glyphs: Glyphs) -> str:
    return char if glyphs.allows(char) else otherwise


def rate_line(
    value: float, expected: Expected | None, task: Task, width: int, glyphs: Glyphs, *, before: bool = False
) -> Line:
    """`array 5.1 GB/s ####---- 90 % of predicted 5.7 GB/s`; `before` the test, what moves is not compared."""
    unit = expected.unit if expected is not None else "B/s"
    head = (
        f"{_subject(task):<{_TITLE}}{amount(value, unit):>10}  "
        if value
        else f"{_subject(task):<{_TITLE}}{'idle':>10}  "
    )
    if expected is None or not expected.value:
        return (Span(head, "strong"), Span("no prediction", "muted"))
    if before:
        return (Span(head, "strong"), Span("prepares; compared once the test runs", "muted"))
    share = value / expected.value
    tail = f"  {percent(share):>5} of predicted {amount(expected.value, unit)}"
    return (Span(head, "strong"), *bar_of(share, width - len(head) - len(tail), glyphs, "title"), Span(tail, "text"))


def limit_line(seen: Seen | None, expected: Expected | None, width: int) -> Line:
    """The present bottleneck, and the predicted one if it differs."""
    was = expected.limit if expected is not None else UNKNOWN
    if seen is None or not seen.limit.known:
        said = seen.reason if seen is not None and seen.reason else "not yet visible in the gauges"
        told = f"{said}; predicted: {was}" if was.known else said
        return (Span(f"{'limit now':<{_TITLE}}", "muted"), Span(_short(told, width - _TITLE), "muted"))
    agree = not was.known or seen.limit.agrees_with(was)
    other = "" if agree else f" (predicted: {was})"
    rest = f": {seen.reason}" if seen.reason else ""
    rest = rest if _TITLE + len(str(seen.limit)) + len(rest) + len(other) <= width else ""
    return (
        Span(f"{'limit now':<{_TITLE}}", "muted"),
        Span(str(seen.limit), "title" if agree else "warn"),
        Span(rest, "text"),
        Span(other, "warn"),
    )


def busy_line(task: Task, scene: Scene, tick: Tick, width: int, glyphs: Glyphs) -> Line:
    """CPU load, md threads, and the total rates of the disks."""
    threads = max((array.thread_share for array in arrays_of(task, scene, tick)), default=0.0)
    disks = [tick.disks[disk.name] for disk in scene.disks if disk.name in tick.disks]
    read, write = (
        (sum(each) for each in zip(*((d.read_bytes_per_s, d.write_bytes_per_s) for d in disks), strict=True))
        if disks
        else (0.0, 0.0)
    )
    cells = max(min(width - 66, 24), 0)
    tone: Tone = "warn" if threads > 0.9 else "title"
    return (
        Span(f"{'md thread':<{_TITLE}}", "muted"),
        Span(f"{percent(threads):>5} ", "warn" if threads > 0.9 else "text"),
        *(bar_of(threads, cells, glyphs, tone) if cells >= 8 else ()),
        Span(f"  CPU {percent(tick.busy_share):>5}", "text"),
        Span(f"   disks read {rate(read)}, write {rate(write)}" if width >= _ROOMY else "", "muted"),
    )


def load_line(seen: BenchView, width: int, glyphs: Glyphs) -> list[Line]:
    """Whether each member moves its part, or the one that is furthest from it; nothing while that is not known."""
    if not seen.loads:
        return []
    head = Span(f"{'members':<{_TITLE}}", "muted")
    name, load = max(seen.loads.items(), key=lambda each: (each[1].off, abs(each[1].deviation)))
    if not load.off:
        return [
            (head, Span("each moves its expected part"), Span(f", within {percent(abs(load.deviation), 0)}", "muted"))
        ]
    disk = next(each for each in seen.scene.disks if each.name == name)
    where = f"{glyphs.alert} {safe(disk.slot or disk.name)} moves {rate(load.seen)}, expected {rate(load.expected)}"
    return [(head, Span(fit(f"{where} ({load.words})", width - _TITLE, glyphs), "warn"))]


def link_lines(scene: Scene, tick: Tick, width: int, glyphs: Glyphs) -> list[Line]:
    """A bar per link with a ceiling: the rate of its disks as a share of its bandwidth, most used first."""
    found = []
    for key, ceilings in scene.ceilings.items():
        gauges = [tick.disks[disk.name] for disk in scene.disks if key in (disk.controller, disk.link)
                  and disk.name in tick.disks]  # fmt: skip
        if not gauges or not ceilings:
            continue
        least = min(ceilings, key=lambda ceiling: ceiling.rate)
        flow = max(sum(each.read_bytes_per_s for each in gauges), sum(each.write_bytes_per_s for each in gauges))
        found.append((flow / max(least.rate, 1), flow, least))
    wide = min(max((len(least.name.device) for _, _, least in found), default=0), width // 2) + 2
    lines: list[Line] = []
    for share, flow, least in sorted(found, key=lambda each: (-round(each[0], 2), each[2].name.device)):
        tail = f"  {rate(flow):>9} of {rate(least.rate):>9} {percent(share):>6}"
        tone: Tone = "warn" if share > 0.9 else "title"
        lines.append(
            (
                Span(fit(least.name.device, wide, glyphs), "muted"),
                *bar_of(share, max(width - wide - len(tail), 0), glyphs, tone),
                Span(tail),
            )
        )
    return lines


def _subject(task: Task) -> str:
    match task.target.kind:
        case "disk":
            return "disk"
        case "disks":
            return "disks"
        case "array":
            return "array"
        case "arrays":
            return "arrays"
        case "volume" | "files":
            return "volume"


def _short(text: str, cells: int) -> str:
    """The first row of `text` wrapped to `cells`."""
    rows: Sequence[str] = list(wrapped(text, max(cells, 10)))
    return rows[0] if rows else ""


# Panes before the start: choice of profile and target, and every test with prediction, time and space.


_PLAN_TITLE, _FIGURE, _TIME, _SPACE = 9, 11, 9, 8


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
        Span(f"{title:<{_PLAN_TITLE}}", "muted"),
        KeySpan(f"{less} ", "title", "left"),
        Span(fit(value, max(width - _PLAN_TITLE - 12, 10), glyphs).rstrip(), "strong"),
        KeySpan(f" {more}", "title", "right"),
        Span(f"  {at + 1}/{count}" if count > 1 else "", "muted"),
    )


def task_lines(bench: Bench, width: int, glyphs: Glyphs, *, each: int = 1) -> list[Line]:
    """One line per test; a job on each disk in turn is one line.

    `each`: lines of a test; the second has its load and the predicted limit, more are blank."""
    groups = row_tasks(bench.tasks)
    short = any(len(name_of(group)) > _name_cells(width) for group in groups)
    lines: list[Line] = []
    for number, group in enumerate(groups, 1):
        lines.append(_task_line(number, group, bench, width, glyphs, short=short))
        lines += [_load_line(group[0], bench), *[()] * (each - 2)] if each > 1 else []
    return lines


def _load_line(task: Task, bench: Bench) -> Line:
    found = expected(bench, task)
    limit = f"; limited by {found.limit}" if found is not None and found.limit.known else ""
    return line(f"    {job_words(task.job)}{limit}", "muted")


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
        self.each = 1
        """lines of a test"""

    def show(self, ready: Ready | None, waiting: str) -> None:
        """Shows the tests, or `waiting` if there are none."""
        self.empty = waiting
        bench = ready.bench if ready is not None else None
        self.aside = f"about {duration(ready.seconds)}" if ready is not None else ""
        self.top = 0
        self.put(lambda width: task_lines(bench, width, self.glyphs, each=self.each) if bench is not None else [])

    def spread(self, each: int) -> None:
        """Gives each test so many lines."""
        if each != self.each:
            self.each = each
            self.put(self._make)

    def fixed_lines(self, width: int) -> Sequence[Line]:
        """Column titles."""
        return (task_titles(width),) if self.line_count() else ()


def profile_lines(choice: BenchChoice, width: int, glyphs: Glyphs, *, purposes: bool = False) -> list[Line]:
    """Every profile, the chosen one marked; with `purposes` what each of the others is for."""
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
        if purposes and not chosen:
            lines += [line(f"{'':{wide + 4}}{row}", "muted") for row in wrapped(each.purpose, width - wide - 4)]
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


# Progress of a benchmark in one line, and its status line. Nothing here draws.


_PHASES = {"fill": "filling files", "precondition": "preconditioning drives"}


def progress(seen: BenchView) -> str:
    """`test 3 of 8: file-read, /srv/data, repeat 2 of 3`; after the end, what the bars show."""
    task = seen.task
    if not seen.busy:
        return "Result"
    if task is None:
        return "begins"
    if seen.waits_for:
        tail = f"waiting: {safe(seen.waits_for)}"
    elif seen.phase == "repeat":
        tail = f"repeat {seen.repeat} of {task.job.repeats}"
    else:
        tail = _PHASES.get(seen.phase, "preparing")
    return f"test {task.number} of {len(seen.bench.tasks)}: {safe(name_of((task,), short=True))}, {tail}"


def status_line(seen: BenchView) -> Line:
    """The default text of the note line."""
    spans = [Span(f"bench {seen.folder.name[:8]}", "strong"), Span(f" {seen.bench.profile}", "text")]
    if seen.bench.simulated:
        spans.append(Span(" SIMULATED", "title"))
    if seen.paused:
        spans.append(Span("  PAUSED: p continues", "warn"))
    elif seen.busy:
        now = seen.tick.time if seen.tick is not None else 0.0
        spans.append(Span(f"  {progress_words(seen.bench, seen.task, seen.task_began, now)}", "muted"))
    elif not seen.busy:
        spans.append(Span("  7 shows the report, b starts a new bench", "muted"))
    return tuple(spans)


def measured_bays(bench: Bench, disks: Sequence[Disk], glyphs: Glyphs) -> tuple[dict[str, Mark], dict[str, str]]:
    """What the slots show before the start: the mark of each disk by key, and by identity the array of those that the
    benchmark uses, spares apart."""
    used = {each.id: each for each in bench.disks}
    names = sorted({each.array for each in bench.disks if each.array}, key=lambda name: (len(name), name))
    groups = {
        each.id: SPARE if each.role == "spare" else array_label(names.index(each.array)) if each.array else glyphs.disk
        for each in bench.disks
    }
    idle = Mark(glyphs.hole, "not used", "muted")
    return {disk_key(disk): Mark(glyphs.disk, "used", "title") if disk.id in used else idle for disk in disks}, groups


def findings_of(seen: BenchView) -> tuple[Items]:
    """What the results so far point at, and what the gauges show now."""
    return bench_findings(
        seen.result, seen.compared.values(), trouble=seen.trouble.values(), laggards=seen.laggards if seen.busy else (),
        scene=seen.scene, looked=bool(seen.ticks),
    )  # fmt: skip


def bench_text(seen: BenchView) -> str:
    """A benchmark for a mail or a ticket: what `raidtui bench` prints, and its findings."""
    return "\n".join((*plain_lines((*measured_blocks(seen.result), *findings_of(seen)), width=_WIDTH), ""))
