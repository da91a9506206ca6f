"""Speed lost per layer: single disks, all disks at once, arrays, volume, file system.

A layer is compared with one that was measured like it: arrays one at a time with their disks alone, what runs on all
disks at once with all disks at once, files with the volume only under the same streams.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from raidtui.bench.compare import compare_result
from raidtui.values.amounts import percent, rate
from raidtui.values.bench import BenchResult, Figure, Job, TargetKind, Task
from raidtui.values.prediction import Prediction
from raidtui.values.speed import MEMBERS, UNKNOWN, Limit
from raidtui.values.units import counted as count_of

STEPS: tuple[TargetKind, ...] = ("disk", "disks", "array", "arrays", "volume", "files")
_NAMES: dict[TargetKind, str] = {
    "disk": "disks alone, summed",
    "disks": "all disks at once",
    "array": "arrays, summed",
    "arrays": "all arrays at once",
    "volume": "volume",
    "files": "file system",
}
_SHORT: dict[TargetKind, str] = _NAMES | {"disk": "disks alone", "disks": "all disks", "array": "arrays"}
"""the layer in a comparison with it"""
_DISKS = ("disk", "disks")
_BASES: dict[TargetKind, tuple[TargetKind, ...]] = {
    "disk": (),
    "disks": ("disk",),
    "array": ("disk", "disks"),
    "arrays": ("disks", "array", "disk"),
    "volume": ("arrays", "disks", "array", "disk"),
    "files": ("volume", "arrays", "array"),
}
"""the layers that a layer may be compared with, the most like it first"""
_NO_LOSS = 0.97


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerStep:
    """The rate measured at one layer."""

    kind: TargetKind
    """layer"""
    name: str
    """text for the layer"""
    bytes_per_s: float
    """sequential rate of user data"""
    kept: float | None
    """share of the rate of `below`; None if there is none"""
    below: str = ""
    """the layer that it is compared with"""
    explained: float | None = None
    """share left by parity, copies and spares; None if the layer adds none"""
    reason: str = ""
    """known cause of the loss"""


def layer_steps(result: BenchResult, pattern: Literal["read", "write"] = "read") -> tuple[LayerStep, ...]:
    """The layers measured by sequential jobs of `pattern`, each with its share of the rate of a layer measured alike.

    Of several jobs on a layer the fastest counts. Rates of single disks or arrays are summed.
    """
    found: dict[TargetKind, LayerStep] = {}
    loads: dict[TargetKind, Job] = {}
    counted = _counted(result)
    said = {row.task: row for row in compare_result(result)}
    for kind in STEPS:
        figures = _figures(result, kind, pattern)
        if not figures:
            continue
        if kind == "disk":
            figures = [(task, figure) for task, figure in figures if counted & {*task.target.disks}] or figures
        total = sum(figure.median for _, figure in figures)
        alone = len(figures) if kind == "disk" else 0
        total *= len(counted) / alone if alone and counted else 1.0
        job = loads[kind] = figures[-1][0].job
        before = next((found[base] for base in _BASES[kind] if base in found), None)
        crosses = before is not None and before.kind in _DISKS and kind not in _DISKS
        layout = _layout_share(result.bench.prediction, pattern, len(counted)) if crosses else None
        row = said.get(figures[-1][1].task)
        limits = (row.limit_predicted, row.limit_seen) if row else (UNKNOWN, UNKNOWN)
        kept = reason = None
        if before is not None and kind == "files" and (other := _other_load(job, loads[before.kind])):
            reason, before = f"{other}: not comparable with {_SHORT[before.kind]}", None
        elif before is not None and before.bytes_per_s:
            kept = total / before.bytes_per_s
        found[kind] = LayerStep(
            kind=kind, name=_name(kind, alone, len(counted)), bytes_per_s=total, kept=kept,
            below=_SHORT[before.kind] if before else "", explained=layout,
            reason=reason or _reason(kind, kept, layout, limits),
        )  # fmt: skip
    return tuple(found.values())


def _other_load(job: Job, below: Job) -> str:
    """How the load of files differs from that of the layer below; empty if it is alike."""
    if job.direct != below.direct:
        return "through the page cache"
    return count_of(job.streams, "stream") if job.streams != below.streams else ""


def _name(kind: TargetKind, alone: int, disks: int) -> str:
    return f"{alone} of {disks} disks, scaled" if kind == "disk" and alone < disks else _NAMES[kind]


def _figures(result: BenchResult, kind: TargetKind, pattern: str) -> list[tuple[Task, Figure]]:
    """The fastest figure of each target of this kind."""
    tasks = {task.number: task for task in result.bench.tasks}
    best: dict[str, tuple[Task, Figure]] = {}
    for figure in result.figures:
        task = tasks.get(figure.task)
        if task is None or task.target.kind != kind or task.job.pattern != pattern or figure.unit != "B/s":
            continue
        if task.target.name not in best or figure.median > best[task.target.name][1].median:
            best[task.target.name] = task, figure
    return list(best.values())


def _counted(result: BenchResult) -> frozenset[str]:
    """The disks included: those read all at once, else all read alone except spares."""
    tasks = {task.number: task for task in result.bench.tasks}
    measured = [tasks[figure.task].target for figure in result.figures if figure.task in tasks]
    together = frozenset(disk for target in measured if target.kind == "disks" for disk in target.disks)
    spares = {disk.id for disk in result.bench.disks if disk.role == "spare"}
    return together or frozenset(
        disk for target in measured if target.kind == "disk" for disk in target.disks if disk not in spares
    )


def _layout_share(prediction: Prediction | None, pattern: str, disks: int) -> float | None:
    """User bytes over the total rate of `disks` disks, from the model's members ceiling."""
    speed = prediction.throughput if prediction else None
    if prediction is None or speed is None:
        return None
    figure = speed.seq_read if pattern == "read" else speed.seq_write
    disk = speed.disk.read_bytes_per_s if pattern == "read" else speed.disk.write_bytes_per_s
    total = disk * disks
    members = figure.ceilings.get(MEMBERS)
    return min(members / total, 1.0) if members and total else None


def _reason(kind: TargetKind, kept: float | None, layout: float | None, limits: tuple[Limit, Limit]) -> str:
    if kept is None:
        return ""
    words = []
    if layout is not None and layout < _NO_LOSS:
        words.append(f"{percent(1 - layout)} is parity, copies or spares")
    if kept >= (layout or 1.0) * _NO_LOSS:
        return "; ".join(words) or "nothing is lost"
    predicted, seen = limits
    if seen.known:
        words.append(f"seen: {seen}" + (", as predicted" if seen.agrees_with(predicted) else ""))
    elif predicted.known:
        words.append(f"predicted: {predicted}")
    elif kind == "disks":
        words.append("a shared link or the processor")
    return "; ".join(words) or "unknown: no gauge shows the cause"


def layer_loss_sentence(rungs: Sequence[LayerStep]) -> str:
    """One sentence about the layer with the largest loss beyond the layout's; empty if there is none."""
    losses = [(rung.kept / (rung.explained or 1.0), rung) for rung in rungs if rung.kept is not None]
    worst = min(losses, key=lambda loss: loss[0], default=None)
    if worst is None or worst[0] >= _NO_LOSS:
        return ""
    share, rung = worst
    return f"Most is lost at: {rung.name}, {percent(share)} of {rung.below} ({rate(rung.bytes_per_s)})."
