"""Arrays and disks of a run as lines: sync bars, members, predicted and elapsed time, slow and missing disks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from raidtui.machine.ports.runner import Syncing
from raidtui.model.inventory import Disk
from raidtui.model.location import short_slot
from raidtui.model.plan import Act, Plan, PlanArray, PlanDisk
from raidtui.model.replacement import Replacement
from raidtui.model.safe import safe
from raidtui.model.units import KIB, SECTOR
from raidtui.planner.amounts import percent, rate
from raidtui.planner.array_labels import SPARE, array_label
from raidtui.planner.numbers import hours
from raidtui.tui.jobs.run_view import RunView
from raidtui.tui.screens.build.forecast import Forecast
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span
from raidtui.tui.widgets.slot_map import disk_key, group_tone
from raidtui.tui.widgets.step_lines import clock

_LEAST_BAR = 10
_SHARE, _SPEED, _LEFT = 10, 9, 11
"""widths of percentage, rate and remaining time"""
_WAITS = {"pending": "pending", "frozen": "frozen", "held": "held until written to"}
"""texts of a sync that does not run, by action"""


def disk_marks(seen: RunView, forecast: Forecast, disks: Sequence[Disk], glyphs: Glyphs) -> dict[str, Mark]:
    """Mark of each inventory disk in the run, by its key."""
    ours = {disk.id for disk in seen.act.disks}
    found = {}
    for disk in disks:
        if disk.id in seen.gone:
            found[disk_key(disk)] = Mark(glyphs.failed, "gone", "bad")
        elif disk.id in forecast.slow:
            found[disk_key(disk)] = Mark(glyphs.alert, "slow", "warn")
        else:
            found[disk_key(disk)] = Mark(glyphs.disk if disk.id in ours else glyphs.hole, "", "muted")
    return found


def labels_of(seen: RunView, forecast: Forecast) -> dict[str, str]:
    """The letter of each disk's array, `+` for spares, by identity; none for disks in a bad state."""
    silent = {*seen.gone, *forecast.slow}
    labels: dict[str, str] = {}
    for number, array in enumerate(seen.act.arrays):
        labels |= dict.fromkeys(array.members, array_label(number)) | dict.fromkeys(array.spares, SPARE)
    return {name: label for name, label in labels.items() if name not in silent}


def sync_lines(seen: RunView, forecast: Forecast, width: int, glyphs: Glyphs) -> list[Line]:
    """One line per array: members, then the sync bar."""
    plan = seen.act
    name = max((len(array.name) for array in plan.arrays), default=0) + 2
    strip = 2 + max((len(array.members) + len(array.spares) for array in plan.arrays), default=0)
    bar = width - name - 2 - strip - _SHARE - _SPEED - 3 - _LEFT
    if bar < _LEAST_BAR:
        bar, strip = bar + strip, 0
    lines: list[Line] = []
    for number, array in enumerate(plan.arrays):
        label = array_label(number)
        spans = [Span(f"{label:<2}", group_tone(label)), Span(f"{array.name:<{name}}", "title")]
        if strip:
            cells = member_cells(array, seen, forecast, glyphs)
            spans += [*cells, Span(" " * (strip - len(cells)))]
        lines.append((*spans, *_bar(array, seen, bar, glyphs)))
    return lines


def member_cells(array: PlanArray, seen: RunView, forecast: Forecast, glyphs: Glyphs) -> list[Span]:
    """One cell per member, then per spare: present, slow, or missing."""
    made = array.device in seen.arrays
    spans = []
    for disk in (*array.members, *array.spares):
        if disk in seen.gone:
            spans.append(Span(glyphs.failed, "bad"))
        elif disk in forecast.slow:
            spans.append(Span(glyphs.alert, "warn"))
        elif disk in array.spares:
            spans.append(Span("+", "muted"))
        else:
            spans.append(Span(glyphs.disk, "good" if made else "muted"))
    return spans


def _bar(array: PlanArray, seen: RunView, cells: int, glyphs: Glyphs) -> list[Span]:
    sync = seen.arrays.get(array.device)
    if array.device not in seen.arrays:
        return [Span("missing" if seen.run.outcome == "finished" else "not created yet", "muted")]
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


def _to_go(sync: Syncing) -> str:
    left = max(sync.all_sectors - sync.done_sectors, 0) * SECTOR
    return f"{hours(left / sync.bytes_per_s / 3600)} left"


def clock_words(seen: RunView, forecast: Forecast) -> str:
    """Predicted and elapsed time, and the limit on the sync."""
    parts = [
        f"predicted {hours(forecast.hours) if forecast.hours else 'unknown'}",
        f"elapsed {clock(seen.elapsed)}{' simulated' if seen.act.simulated else ''}",
    ]
    if seen.wish.sync_kib_per_s is not None and seen.busy:
        parts.append(f"limited to {rate(seen.wish.sync_kib_per_s * KIB)}")
    if not seen.busy and any(seen.arrays.values()):
        # A simulated machine stands still with a build that was stopped or killed; a real one does not.
        built = seen.run.outcome == "finished" or not isinstance(seen.act, Plan)
        goes_on = built or not seen.act.simulated
        parts.append("the sync goes on" if goes_on else "clock stopped")
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
