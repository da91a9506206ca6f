"""Compares a benchmark with its prediction: each figure with band, verdict, predicted and observed limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from raidtui.model.bench import Bench, BenchDisk, BenchResult, Compared, Figure, Label, Seen, Task, Verdict
from raidtui.model.limit import UNKNOWN, Limit
from raidtui.model.notes import Notes
from raidtui.model.safe import safe
from raidtui.planner.amounts import percent, rate
from raidtui.planner.measurement.expected import Expected, expected
from raidtui.planner.measurement.observed_limit import AT_RATE, carried_over_links, is_passed
from raidtui.planner.numbers import listed

SIMULATED = "SIMULATED"
"""note on a figure of the model"""
_MANY = 3
_WIDEST = 4.0
"""upper over lower end of the widest band that judges"""
TOO_WIDE = f"its band is wider than x{_WIDEST:g}"
"""why a figure is not judged"""
_SPOILT: dict[Label, str] = {
    "cached": "a cache may have served requests",
    "disturbed": "other programs used the disks",
    "syncing": "an array was resyncing",
    "degraded": "a member was missing",
}
"""labels under which a figure is not comparable, unless the model predicts that state"""
_HELD: dict[Label, str] = {
    "syncing": "an array was resyncing: compared with the prediction during a rebuild",
    "degraded": "a member was missing: compared with the degraded prediction",
}


def compare_result(result: BenchResult) -> tuple[Compared, ...]:
    """The comparison of each figure of `result`, in order; the file system's size first, if it was measured.

    The size has task number 0, since no job measured it.
    """
    tasks = {task.number: task for task in result.bench.tasks}
    disks = {disk.id: disk_location(disk) for disk in result.bench.disks}
    laggards = {
        number: f"slow: {disks.get(disk, safe(disk))}, {percent(share)} of the others' rate"
        for number, (disk, share) in slow_alone(result).items()
    }
    carried = carried_over_links(result.figures)
    rows = [
        _row(result.bench, tasks[figure.task], figure, laggards.get(figure.task, ""), carried)
        for figure in result.figures
        if figure.task in tasks
    ]
    size = compare_usable_bytes(result.bench)
    return (size, *rows) if size else tuple(rows)


def compare_usable_bytes(bench: Bench) -> Compared | None:
    """Comparison of the file system's size as shown by df, predicted to the byte; None if not measured."""
    measured = bench.conditions.usable_bytes
    if measured is None:
        return None
    known = bench.prediction.filesystem if bench.prediction else None
    if known is None or not known.total_bytes:
        return Compared(task=0, name="df size", unit="B", measured=measured, verdict="no prediction")
    size = known.total_bytes
    verdict: Verdict = "ok" if measured == size else "low" if measured < size else "high"
    return Compared(
        task=0,
        name="df size",
        unit="B",
        measured=measured,
        predicted=size,
        low=size,
        high=size,
        ratio=measured / size,
        verdict=verdict,
        note=Notes(("predicted to the byte",)),
    )


def slow_alone(result: BenchResult) -> dict[int, tuple[str, float]]:
    """Task number to (identity, share of the median), of single disks slower than others of their model in that job."""
    tasks = {task.number: task for task in result.bench.tasks}
    models = {disk.id: disk.model for disk in result.bench.disks}
    alike: dict[tuple[str, str], list[tuple[int, str, float]]] = {}
    for figure in result.figures:
        task = tasks.get(figure.task)
        if task is not None and task.target.kind == "disk" and len(task.target.disks) == 1:
            disk = task.target.disks[0]
            alike.setdefault((task.job.name, models.get(disk, "")), []).append((figure.task, disk, figure.median))
    return {
        group[at][0]: (group[at][1], share)
        for group in alike.values()
        for at, share in slower_than_peers([value for _, _, value in group]).items()
    }


def slower_than_peers(values: Sequence[float]) -> dict[int, float]:
    """Place to share of the median, of the rates of alike disks, each measured alone, that stay below it.

    Of fewer than three none can be called slow.
    """
    middle = median(values) if len(values) >= _MANY else 0.0
    return {at: value / middle for at, value in enumerate(values) if value < AT_RATE * middle}


def _row(bench: Bench, task: Task, figure: Figure, laggard: str, carried: Mapping[Limit, float]) -> Compared:
    name = f"{safe(task.job.title)}, {safe(task.target.name)}"
    notes = [laggard] if laggard else _slow(bench, figure)
    seen = figure.seen.limit if figure.seen else UNKNOWN
    if figure.seen and (most := _passed(figure.seen, carried)):
        notes.append(f"not limited by {seen}: it carried {rate(most)} in another test")
        seen = UNKNOWN
    if figure.seen and figure.seen.write_reads_share and figure.seen.write_reads_share > 0.01:
        notes.append(f"{percent(figure.seen.write_reads_share)} of the written bytes were read back")
    found = expected(bench, task, figure.labels)
    spoilt = [_SPOILT[label] for label in figure.labels if label in _SPOILT and not (found and label in _HELD)]
    for label in figure.labels:
        notes += [_HELD[label]] if found and label in _HELD else []
        notes += [SIMULATED] if label == "simulated" else []
        notes += ["measured for less than 30 s"] if label == "short" else []
    cut = any("partial" in repeat.labels for repeat in figure.repeats)
    if "partial" in figure.labels:
        (spoilt if cut else notes).append("stopped early" if cut else "fewer repeats than requested")
    if found and found.unit != figure.unit:
        found = None
    if found is None:
        verdict: Verdict = "not comparable" if spoilt and task.job.predicted else "no prediction"
        note = Notes.of((*(spoilt if task.job.predicted else []), *notes))
        return Compared(
            task=task.number, name=name, unit=figure.unit, measured=figure.median, verdict=verdict, limit_seen=seen,
            note=note,
        )  # fmt: skip
    return Compared(
        task=task.number,
        name=name,
        unit=figure.unit,
        measured=figure.median,
        predicted=found.value,
        low=found.low,
        high=found.high,
        ratio=figure.median / found.value if found.value else None,
        verdict="not comparable" if spoilt else band_verdict(figure.median, found),
        limit_predicted=found.limit,
        limit_seen=seen,
        note=Notes.of((*spoilt, *notes, *found.notes)),
    )


def _passed(seen: Seen, carried: Mapping[Limit, float]) -> float:
    """What another test carried over the link that was taken for the limit, bytes per second; 0 if none went past."""
    own, most = seen.link_bytes_per_s.get(seen.limit), carried.get(seen.limit, 0.0)
    return most if own is not None and is_passed(own, most) else 0.0


def band_verdict(measured: float, found: Expected) -> Verdict:
    """`low`, `ok` or `high`: position of `measured` relative to the band, ends included.

    `not judged` within a band whose upper end is more than four times the lower one: almost anything lies in it.
    """
    if measured < found.low:
        return "low"
    if measured > found.high:
        return "high"
    return "not judged" if found.high > _WIDEST * found.low else "ok"


def _slow(bench: Bench, figure: Figure) -> list[str]:
    """The slow disks that the gauges found, by slot and serial number."""
    if figure.seen is None or not figure.seen.slow_disks:
        return []
    disks = {disk.id: disk for disk in bench.disks}
    named = [disk_location(disks[each]) if each in disks else safe(each) for each in figure.seen.slow_disks]
    return [f"slow: {listed(named)}"]


def disk_location(disk: BenchDisk) -> str:
    """`slot 7 of enc1, serial ZVT0A2K1`; the identity if neither is known."""
    parts = [safe(disk.place.text)] if disk.place.text else []
    parts += [f"serial {safe(disk.serial)}"] if disk.serial else []
    return ", ".join(parts) or safe(disk.id or disk.name)
