"""Text of a report's values: amounts, times, tasks."""

from __future__ import annotations

from datetime import UTC, datetime

from raidtui.model.bench import Job, Label, Task, Unit
from raidtui.model.counted import counted
from raidtui.model.units import binary_size, decimal_size, exact_binary, grouped

LABELS: dict[Label, str] = {
    "short": "ran for less than 30 s",
    "syncing": "was measured during a resync, recovery or check",
    "degraded": "was measured with a missing member",
    "partial": "stopped early",
    "cached": "may include reads from a cache",
    "disturbed": "was measured while other programs used the disks",
    "simulated": "comes from the model, no disk was accessed",
}
"""label to a predicate for a sentence about a figure"""


def amount(value: float, unit: Unit) -> str:
    """`1.06 GB/s`, `416 MB/s`, `94.2 MB/s`, `13 400 IOPS`: three significant digits of a rate."""
    if unit == "B":
        return binary_size(round(value))
    if unit != "B/s":
        return f"{grouped(round(value))} {unit}" if value >= 100 else f"{value:.1f} {unit}"
    if value >= 999.5e6:
        return f"{decimal_size(max(round(value), 10**9))}/s"
    return f"{value / 1e6:.0f} MB/s" if value >= 99.95e6 else f"{value / 1e6:.1f} MB/s"


def span(low: float, high: float, unit: Unit) -> str:
    """`0.98 to 1.12 GB/s`: one unit if both have the same."""
    first, second = amount(low, unit), amount(high, unit)
    number, _, name = first.rpartition(" ")
    return f"{number} to {second}" if second.endswith(f" {name}") else f"{first} to {second}"


def percent(share: float) -> str:
    """`4.2 %`, `40 %`."""
    return f"{share * 100:.0f} %" if share >= 0.0995 else f"{share * 100:.1f} %"


def moment(text: str) -> str:
    """`2026-01-31 14:05 UTC` for an ISO 8601 time; other text unchanged."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return text
    return (read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)).strftime("%Y-%m-%d %H:%M UTC")


def task_name(task: Task) -> str:
    """`JOB on TARGET`."""
    return f"{task.job.title or task.job.name} on {task.target.name or task.target.kind}"


def job_words(job: Job) -> str:
    """`read, 1 MiB records, 8 streams, depth 4, direct`: the parameters of a job."""
    parts = [job.pattern, f"{exact_binary(job.block_bytes)} {'files' if job.pattern == 'small-files' else 'records'}"]
    parts.append(counted(job.streams, "stream"))
    if job.depth != 1:
        parts.append(f"depth {job.depth}")
    if job.regions != 1:
        parts.append(f"{job.regions} regions")
    if job.pattern == "randrw":
        parts.append(f"{percent(job.read_share)} reads")
    if job.sync_each:
        parts.append("fdatasync after each write")
    parts.append("direct" if job.direct else "buffered")
    return ", ".join(parts)
