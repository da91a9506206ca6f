"""A run as lines: its steps, the running command, its log. Nothing here draws or reads files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from raidtui.answers.run import NOT_STARTED, end_blocks
from raidtui.engine.living import LivingAct
from raidtui.machine.system.ports import Syncing
from raidtui.predict.speed.disk_speed import disk_speed
from raidtui.programs.shell_quote import quote, render
from raidtui.session.run_view import RunView
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span, Tone, line, wrapped
from raidtui.tui.widgets.lines import clock, step_mark, tone
from raidtui.tui.widgets.slot_map import disk_key, group_tone
from raidtui.values.acts import Replacement
from raidtui.values.amounts import hours, percent, rate
from raidtui.values.assumptions import Assumptions
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.location import short_slot
from raidtui.values.members import JOURNAL, SPARE, array_label
from raidtui.values.plan import Act, Plan, PlanArray, PlanDisk, journal_mirrors
from raidtui.values.run import DOING, Record, StepProgress
from raidtui.values.safe import safe
from raidtui.values.units import KIB, SECTOR


class LogEntry(NamedTuple):
    """One line of the log."""

    time: str
    """UTC, HH:MM:SS"""
    step: int
    text: str
    tone: Tone = "text"
    output: str = ""
    """file with the command's output"""
    argv: tuple[str, ...] = ()
    """the exact command; `text` names disks by slot"""


# Steps.


def taken_back(records: Sequence[Record]) -> frozenset[int]:
    """Steps that were undone and not repeated since."""
    found: set[int] = set()
    for record in records:
        if record.kind == "proven":
            (found.add if record.purpose == "undo" else found.discard)(record.step)
    return frozenset(found)


def run_step_mark(progress: StepProgress, seen: RunView, glyphs: Glyphs, *, undone: bool) -> Mark:
    """Mark of the state of a step of `seen`."""
    run = seen.run
    held = run.now is not None and run.now.kind in ("paused", "waiting")
    if seen.undone and not undone:  # a step that leaves nothing to undo
        return Mark(glyphs.hole, "", "muted")
    return step_mark(progress.state, glyphs, purpose=run.purpose, busy=seen.busy, held=held, undone=undone)


# The running command.


def headline(seen: RunView) -> Mark:
    """The state of the whole run as one word; the glyph is empty."""
    if seen.starting:
        return Mark("", "undo starts" if seen.purpose == "undo" else "starts", "title")
    undo = seen.run.purpose == "undo"
    match seen.run.outcome:
        case "finished":
            return Mark("", "undone" if undo else "finished", "good")
        case "failed":
            return Mark("", "FAILED", "bad")
        case "stopped":
            return Mark("", "stopped", "warn")
        case "interrupted":
            return Mark("", "interrupted" if seen.records else NOT_STARTED, "warn")
        case "running":
            return Mark("", DOING[seen.run.purpose], "title")


def paused_words(seen: RunView) -> str:
    """What a pause holds, and what goes on meanwhile."""
    syncing = sum(sync is not None for sync in seen.arrays.values())
    if not syncing:
        return "PAUSED"
    return f"PAUSED, but {syncing} array{'s sync' if syncing > 1 else ' syncs'} on"


def now_lines(seen: RunView, width: int, room: int) -> list[Line]:
    """The running command and the end of its output; after the end, the outcome of the run."""
    record = seen.run.now
    if seen.problem:
        return [line(row, "bad") for row in wrapped(seen.problem, width)]
    if not seen.starting and seen.run.outcome != "running":
        return [line(text, how) for part, how in _ended(seen) for text in wrapped(part, width)]
    if seen.starting or record is None:
        return [line("the executor is starting: it takes the lock, then repeats all checks ...", "muted")]
    if record.kind == "waiting" and not isinstance(seen.act, Plan):
        return [line(row, "warn") for row in wrapped(f"step {record.step}: {record.text}", width)]
    if record.kind in ("paused", "waiting"):
        how = "c continues during the sync" if record.kind == "waiting" else "md goes on with a sync; p continues"
        return [line(row, "warn") for row in wrapped(f"step {record.step}: {record.text}; {how}", width)]
    if record.kind in ("intent", "result") and record.argv:
        said = said_lines(seen.said) if record.output else []
        kept = min(len(said), max(room - 2, 0) if room < 6 else room // 2)
        rows = command_rows(record.argv, width, max(room - kept, 1))
        if record.file is not None:
            rows = [f"writes {record.file}"]
        return [
            *(line(row, "strong") for row in rows),
            *(line(f"  {row}", "muted") for row in said[len(said) - kept :]),
        ]
    if record.kind == "step":
        return [line(f"step {record.step}: {record.text}", "strong"), line("checking the disks first ...", "muted")]
    return [line(record.text or record.kind, "muted")]


def _ended(seen: RunView) -> list[tuple[str, Tone]]:
    run, act = seen.run, seen.act
    undoes = ", D undoes the build" if isinstance(act, Plan) else ""
    told = [(each.text, tone(each.tone)) for each in end_blocks(act, run, seen.records)]
    syncs = [sync.action for sync in seen.arrays.values() if sync is not None]
    journal: tuple[str, Tone] = (f"Journal and output: {seen.folder}", "muted")
    match run.outcome:
        case "finished" if not isinstance(act, Plan):
            if pulled := _pulled(act):
                told.append((f"Now pull {pulled}.", "strong"))
            if "check" in syncs:
                told.append(("md checks all members now; the array is in use meanwhile.", "text"))
            if run.now is not None and (found := run.now.text.partition("; ")[2]):
                told.append((found, "muted"))
            told.append(journal)
        case "finished" if run.purpose != "undo":
            syncing = sum(action != "check" for action in syncs)
            told += [("6 measures it, 7 reports it.", "text"), *_syncing_on(syncing, len(act.arrays)), journal]
        case "failed" | "stopped":
            told[-1] = (f"{told[-1][0]} r resumes{undoes}.", "text")
        case "interrupted" if not seen.records:
            told += [(row, "bad") for row in said_lines(seen.said)[-4:] if row]
        case "interrupted":
            told.append((f"r checks the disks and continues from there{undoes}.", "text"))
        case "finished":
            told.append(("4 Commands, then b, builds again.", "text"))
        case "running":
            pass
    return told


def _pulled(act: Plan | LivingAct) -> str:
    """The disk that a replacement took out, by slot and serial number; empty where it is not known."""
    old = act.old if isinstance(act, Replacement) else None
    if old is None or not (old.bay or old.serial):
        return ""
    serial = f", serial {safe(old.serial, longest=40)}" if old.serial else ""
    return f"{safe(old.bay or old.device)}{serial}"


def _syncing_on(syncing: int, arrays: int) -> list[tuple[str, Tone]]:
    of = f" of {syncing} of {arrays} arrays" if arrays > 1 else ""
    return [(f"The first sync{of} goes on.", "warn")] if syncing else []


def command_rows(argv: Sequence[str], width: int, most: int) -> list[str]:
    """A command as shell text in at most `most` rows; omitted words are counted."""
    rows = render(argv, width=max(width - 8, 20)).split("\n")
    if len(rows) <= most:
        return rows
    shown = rows[:most]
    left = len(argv) - sum(len(row.removesuffix(" \\").split()) for row in shown)
    shown[-1] = f"{shown[-1].removesuffix(chr(92)).rstrip()} ... {left} more words: Enter" if left > 0 else shown[-1]
    return shown


def said_lines(said: bytes) -> list[str]:
    """A command's output as a terminal would show it; not yet safe."""
    text = said.decode("utf-8", "replace")
    return [_settled(row) for row in text.split("\n") if row.strip()]


def _settled(row: str) -> str:
    """A line after its carriage returns and backspaces are applied, as in the counters of mkfs."""
    cells: list[str] = []
    at = 0
    for char in row.rstrip("\r"):
        if char == "\r":
            at = 0
        elif char == "\b":
            at = max(at - 1, 0)
        else:
            cells[at : at + 1] = [char]
            at += 1
    return "".join(cells).rstrip()


# The log.


def entries(records: Sequence[Record], named: Mapping[str, str]) -> list[LogEntry]:
    """The journal as log entries: one per command, with its exit code after it has ended. `named`: disks by path."""
    found: list[LogEntry] = []
    for record in records:
        time = record.time[11:19]
        match record.kind:
            case "begun":
                found.append(LogEntry(time, 0, f"executor started: {record.purpose}", "title"))
            case "sampled":
                pass
            case "step":
                found.append(LogEntry(time, record.step, record.text, "strong"))
            case "intent":
                found.append(LogEntry(time, record.step, _short(record, named), "text", record.output, record.argv))
            case "result":
                code = record.exit or 0
                text = f"{f'exit {code}: ' if code else ''}{_short(record, named)}"
                at = next((at for at in reversed(range(len(found))) if found[at].output == record.output), len(found))
                ended = LogEntry(time, record.step, text, "bad" if code else "text", record.output, record.argv)
                found[at : at + 1] = [ended]
            case "proven" | "cleaned" | "finished":
                found.append(LogEntry(time, record.step, record.text, "good"))
            case "kept":
                found.append(LogEntry(time, record.step, f"kept: {record.text}", "warn"))
            case "paused" | "waiting" | "progress" | "stopped":
                found.append(LogEntry(time, record.step, record.text, "warn"))
            case "failed":
                found.append(LogEntry(time, record.step, f"FAILED: {record.text}", "bad"))
    return found


def entry_line(entry: LogEntry) -> Line:
    """One line of the log."""
    step = f"{entry.step:>3}" if entry.step else "   "
    return (Span(f"{entry.time} ", "muted"), Span(f"{step}  ", "muted"), Span(entry.text, entry.tone))


def _short(record: Record, named: Mapping[str, str]) -> str:
    if record.file is not None:
        return f"writes {record.file}"
    return " ".join(named.get(word) or quote(word) for word in record.argv)


# Forecast of the first sync of a plan's arrays, and the members that slow an array down.


_SLOWER = 0.95
"""a member below this share of its array's median counts as slow"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """Predicted duration of the first sync, and the speeds of the members."""

    hours: float = 0.0
    """of the first sync, see `Plan.first_sync_hours`; 0 if unknown"""
    idle_hours: float = 0.0
    """of a replacement whose array nobody uses meanwhile, as on a simulated machine; 0: `hours` is that already"""
    paces: Mapping[str, int] = field(default_factory=dict)
    """bytes per second of each known disk at its outer zone, by identity"""
    slow: Mapping[str, float] = field(default_factory=dict)
    """slow members: how far they are below their array's median, 0 to 1"""


def forecast(plan: Plan | LivingAct, inventory: Inventory, assumptions: Assumptions) -> Forecast:
    """The forecast from the plan's disks in `inventory`; empty if some are unknown. Of another act its own hours."""
    if not isinstance(plan, Plan):
        idle = plan.least_hours if isinstance(plan, Replacement) else None
        return Forecast(hours=plan.hours or 0.0, idle_hours=idle or 0.0)
    known = {disk.id: disk for disk in inventory.disks}
    if not plan.arrays or any(disk.id not in known for disk in plan.disks):
        return Forecast()
    speeds = {disk.id: disk_speed(known[disk.id], assumptions) for disk in plan.disks}
    paces = {name: min(speed.read_bytes_per_s, speed.write_bytes_per_s) for name, speed in speeds.items()}
    return Forecast(hours=plan.first_sync_hours or 0.0, paces=paces, slow=_slow(plan, paces))


def _slow(plan: Plan, paces: Mapping[str, int]) -> dict[str, float]:
    found: dict[str, float] = {}
    for array in plan.arrays:
        rates = {name: paces[name] for name in array.members if name in paces}
        usual = median(rates.values()) if rates else 0
        found |= {name: 1 - rate / usual for name, rate in rates.items() if rate < _SLOWER * usual}
    return found


# Arrays and disks of a run as lines: sync bars, members, predicted and elapsed time, slow and missing disks.


_LEAST_BAR = 10
_SHARE, _SPEED, _LEFT = 10, 9, 11
"""widths of percentage, rate and remaining time"""
_WAITS = {"pending": "pending", "frozen": "frozen", "held": "held until written to"}
"""texts of a sync that does not run, by action"""


def disk_marks(seen: RunView, forecast: Forecast, disks: Sequence[Disk], glyphs: Glyphs) -> dict[str, Mark]:
    """Mark of each inventory disk in the run, by its key."""
    ours = {disk.id for disk in seen.act.disks}
    made = {member for array in seen.act.arrays if array.device in seen.arrays for member in array.members}
    found = {}
    for disk in disks:
        if disk.id in seen.gone:
            found[disk_key(disk)] = Mark(glyphs.failed, "gone", "bad")
        elif disk.id in forecast.slow:
            found[disk_key(disk)] = Mark(glyphs.alert, "slow", "warn")
        else:
            tone: Tone = "good" if disk.id in made else "muted"
            found[disk_key(disk)] = Mark(glyphs.disk if disk.id in ours else glyphs.hole, "", tone)
    return found


def labels_of(seen: RunView, forecast: Forecast) -> dict[str, str]:
    """The letter of each disk's array, `+` for spares, `=` for journals, by identity; none for disks in a bad state, or
    after an undo."""
    silent = {*seen.gone, *forecast.slow}
    labels: dict[str, str] = {}
    if seen.undone:
        return labels
    for label, array in _labelled(seen.act.arrays):
        labels |= dict.fromkeys(array.members, label) | dict.fromkeys(array.spares, SPARE)
        labels |= {} if array.journal is None else {array.journal: JOURNAL}
    return {name: label for name, label in labels.items() if name not in silent}


def _labelled(arrays: Sequence[PlanArray]) -> Iterator[tuple[str, PlanArray]]:
    """Each array with its letter, a mirror that carries a write journal with `=`."""
    mirrors = journal_mirrors(arrays)
    for number, array in enumerate(arrays):
        yield JOURNAL if array in mirrors else array_label(number), array


def sync_lines(
    seen: RunView, forecast: Forecast, width: int, glyphs: Glyphs, lost: Mapping[str, str] = {}
) -> list[Line]:
    """One line per array: members, then the sync bar. `lost`: what is said of an array that lost a member, by UUID."""
    plan = seen.act
    name = max((len(array.name) for array in plan.arrays), default=0) + 2
    strip = 2 + max((len(array.disks) for array in plan.arrays), default=0)
    bar = width - name - 2 - strip - _SHARE - _SPEED - 3 - _LEFT
    if bar < _LEAST_BAR:
        bar, strip = bar + strip, 0
    lines: list[Line] = []
    for label, array in _labelled(plan.arrays):
        spans = [Span(f"{label:<2}", group_tone(label)), Span(f"{array.name:<{name}}", "title")]
        if strip:
            cells = member_cells(array, seen, forecast, glyphs)
            spans += [*cells, Span(" " * (strip - len(cells)))]
        said = lost.get(array.uuid, "")
        if said and array.device in seen.arrays and seen.arrays[array.device] is None:
            lines.append((*spans, Span(f"{glyphs.failed} {said}", "bad")))
        else:
            lines.append((*spans, *_bar(array, seen, bar, glyphs)))
    return lines


def member_cells(array: PlanArray, seen: RunView, forecast: Forecast, glyphs: Glyphs) -> list[Span]:
    """One cell per member, then per spare, then for the journal: present, slow, or missing."""
    made = array.device in seen.arrays
    spans = []
    for disk in array.disks:
        if disk in seen.gone:
            spans.append(Span(glyphs.failed, "bad"))
        elif disk in forecast.slow:
            spans.append(Span(glyphs.alert, "warn"))
        elif disk in array.spares:
            spans.append(Span(SPARE, "muted"))
        elif disk == array.journal:
            spans.append(Span(JOURNAL, "muted"))
        else:
            spans.append(Span(glyphs.disk, "good" if made else "muted"))
    return spans


def _bar(array: PlanArray, seen: RunView, cells: int, glyphs: Glyphs) -> list[Span]:
    sync = seen.arrays.get(array.device)
    if array.device not in seen.arrays:
        absent = "removed" if _is_undo(seen) else "missing"
        return [Span(absent if seen.run.outcome == "finished" else "not created yet", "muted")]
    if sync is None:
        return [Span(f"{glyphs.good} in sync", "good")]
    share = sync.done_sectors / sync.all_sectors if sync.all_sectors else 0.0
    full = int(share * cells)
    spans = [
        Span(glyphs.bar * full, "title"),
        Span(glyphs.bar_rest * (cells - full), "rule"),
        Span(f" {percent(share, 1):>8} "),
    ]
    if sync.action in _WAITS or not sync.bytes_per_s:
        return [*spans, Span(_WAITS.get(sync.action, "no progress"), "warn")]
    return [
        *spans,
        Span(f"{rate(sync.bytes_per_s):>{_SPEED}}"),
        Span(f"   {_to_go(sync):<{_LEFT}}", "muted"),
    ]


def _is_undo(seen: RunView) -> bool:
    return seen.run.purpose == "undo"


def _to_go(sync: Syncing) -> str:
    left = max(sync.all_sectors - sync.done_sectors, 0) * SECTOR
    return f"{hours(left / sync.bytes_per_s / 3600)} left"


def clock_words(seen: RunView, forecast: Forecast) -> str:
    """Predicted and elapsed time, and the limit on the sync."""
    # A simulated machine stands still with a build that was stopped or killed; a real one does not.
    built = seen.run.outcome == "finished" or not isinstance(seen.act, Plan)
    syncs = not seen.busy and any(seen.arrays.values())
    parts = [] if _is_undo(seen) else [
        f"predicted {hours(forecast.hours) if forecast.hours else 'unknown'}"
        f"{f' in use, {hours(forecast.idle_hours)} idle' if forecast.idle_hours else ''}"
    ]  # fmt: skip
    parts.append(
        f"{'steps took' if syncs and seen.run.outcome == 'finished' else 'elapsed'} {clock(seen.elapsed)}"
        f"{' simulated' if seen.act.simulated else ''}"
    )
    if seen.wish.sync_kib_per_s is not None and seen.busy:
        parts.append(f"limited to {rate(seen.wish.sync_kib_per_s * KIB)}")
    if syncs:
        parts.append("the sync goes on" if built or not seen.act.simulated else "clock stopped")
    return ", ".join(parts)


def taken_up(seen: RunView) -> str | None:
    """The disk that takes a place in an array, in a sentence; None where none does."""
    act = seen.act
    if not isinstance(act, Replacement) or not act.disks or seen.run.outcome == "finished":
        return None
    new, array = disk_name(act.disks[0]), safe(act.array)
    match act.way:
        case "copy" | "rebuild":
            return f"fills {new} in {array}"
        case "spare":
            return f"{new} becomes the spare of {array}"
        case "journal":
            return f"{new} becomes the write journal of {array}"


def slowest(seen: RunView, forecast: Forecast) -> str | None:
    """The slowest member relative to its array, in a sentence; None if there is none."""
    slow = {name: share for name, share in forecast.slow.items() if name not in seen.gone}
    if not slow:
        return None
    plan = seen.act
    worst = max(slow, key=lambda name: slow[name])
    disk = next(disk for disk in plan.disks if disk.id == worst)
    array = next(array for array in plan.arrays if worst in array.members)
    return (
        f"slowest: {disk_name(disk)} in {array.name}, {rate(forecast.paces[worst])} alone, "
        f"{percent(slow[worst])} below its array's median"
    )


def slots_of(plan: Act) -> dict[str, str]:
    """Short name by path of each disk and its member: its slot, or its serial number if slots are not unique."""
    slots = {disk.path: slot_name(disk) for disk in plan.disks}
    counts = Counter(slots.values())
    return {
        path: slots[disk.path] if slots[disk.path] and counts[slots[disk.path]] == 1 else disk.serial or disk.id
        for disk in plan.disks
        for path in (disk.path, *(member.path for member in disk.members))
    }


def slot_name(disk: PlanDisk) -> str:
    """`d1s07`; empty if unknown."""
    return short_slot(disk.place.slot_text)


def disk_name(disk: PlanDisk) -> str:
    """Slot and serial, to find the disk in the chassis."""
    return " ".join(part for part in (slot_name(disk), disk.serial or disk.id) if part)
