"""Text of jobs, tasks and the labels of their figures."""

from __future__ import annotations

from raidtui.model.bench import Job, Label, Task
from raidtui.model.counted import counted
from raidtui.model.units import exact_binary
from raidtui.planner.amounts import percent

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
