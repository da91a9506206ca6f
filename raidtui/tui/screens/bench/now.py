"""Present state of a benchmark: its rate beside the prediction, its bottleneck. Nothing here draws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from raidtui.model.bench import VERDICTS, Seen, Task
from raidtui.model.gauges import ArrayGauge, Gauge, Scene, Tick
from raidtui.model.limit import UNKNOWN
from raidtui.model.safe import safe
from raidtui.planner.amounts import amount, percent, rate
from raidtui.planner.measurement.expected import Expected
from raidtui.planner.measurement.layer_loss import layer_loss_sentence, layer_steps
from raidtui.tui.gauges.rows import bar_of
from raidtui.tui.jobs.bench_view import BenchView
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Span, Tone, fit, wrapped

_TITLE, _ROOMY = 11, 90


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
    glyphs: Glyphs,
) -> list[Line]:  # fmt: skip
    """The rate as a share of its prediction, the limit, CPU load; after the end, the outcome."""
    if not seen.busy:
        return [ending(seen), *verdict_lines(seen, width)]
    if task is None or tick is None:
        return [(Span("the first test is starting", "muted"),)]
    last = [busy_line(task, seen.scene, tick, width, glyphs), *load_line(seen, width, glyphs)]
    if any(load.off for load in seen.loads.values()):
        last.reverse()  # the third line is the last one of a small screen
    return [
        rate_line(flowing(task, seen.scene, tick), expected, task, width, glyphs),
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
    """Number of results per verdict, and the main losses."""
    judged = [each.verdict for each in seen.compared.values()]
    counts = {word: judged.count(word) for word in VERDICTS}
    tones: dict[str, Tone] = {"ok": "good", "low": "bad", "high": "warn"}
    spans = [Span(f"{count} {word}   ", tones.get(word, "muted")) for word, count in counts.items() if count]
    said = layer_loss_sentence(layer_steps(seen.result))
    return [tuple(spans), *((Span(row),) for row in wrapped(said or "", width))]


def rate_line(value: float, expected: Expected | None, task: Task, width: int, glyphs: Glyphs) -> Line:
    """`array 5.1 GB/s ####---- 90 % of predicted 5.7 GB/s`."""
    unit = expected.unit if expected is not None else "B/s"
    head = (
        f"{_subject(task):<{_TITLE}}{amount(value, unit):>10}  "
        if value
        else f"{_subject(task):<{_TITLE}}{'idle':>10}  "
    )
    if expected is None or not expected.value:
        return (Span(head, "strong"), Span("no prediction", "muted"))
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
