"""When the jobs of a benchmark begin on all hosts together, from each host's own estimate.

Files are written before a job's first repeat, at each host's own pace; what was estimated for it is multiplied by
`RESERVE`. A host that is late all the same begins at once, is back in step with the next job, and is named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidtui.model.bench import Task
from raidtui.model.fleet.bench_order import JobSlot, Round
from raidtui.planner.measurement.bench_plan import filling_seconds

RESERVE = 1.5
"""estimated time of writing files is multiplied by this"""
_BEFORE_JOB = 10.0
"""seconds before the first repeat of each job: caches are dropped, other I/O ends (at most 5 s), gauges are read"""
_BEFORE_REPEAT = 8.0
"""seconds between two repeats, for the same"""


def schedule(hosts: Sequence[Sequence[Task]]) -> tuple[JobSlot, ...]:
    """Slots of the jobs of all hosts, given the tasks of each, in the order of the host that has most of them.

    What that host has not has no slot: a disk more of another kind of host begins when its turn has come there.
    """
    numbered = [_by_ordinal(tasks) for tasks in hosts]
    keys = max(numbered, key=len, default={})
    found = []
    free = 0.0
    for job, ordinal in keys:
        same = [tasks[job, ordinal] for tasks in numbered if (job, ordinal) in tasks]
        first = free + RESERVE * max(map(filling_seconds, same)) + _BEFORE_JOB
        step = max(map(_repeat_seconds, same)) + _BEFORE_REPEAT
        found.append(JobSlot(job=job, ordinal=ordinal, first_s=round(first, 3), step_s=round(step, 3)))
        free = first + step * max(task.job.repeats for task in same)
    return tuple(found)


def round_seconds(of: Round, hosts: Sequence[Sequence[Task]]) -> float:
    """Estimated seconds of a round, given the tasks of each host."""
    if of == "turns":
        return sum(task.seconds for tasks in hosts for task in tasks)
    slots = {(slot.job, slot.ordinal): slot for slot in schedule(hosts)}
    return max(
        (
            slots[key].first_s + slots[key].step_s * task.job.repeats
            for tasks in hosts
            for key, task in _by_ordinal(tasks).items()
            if key in slots
        ),
        default=0.0,
    )


def _by_ordinal(tasks: Sequence[Task]) -> Mapping[tuple[str, int], Task]:
    """Job and ordinal to task."""
    found: dict[tuple[str, int], Task] = {}
    counts: dict[str, int] = {}
    for task in tasks:
        counts[task.job.name] = counts.get(task.job.name, 0) + 1
        found[task.job.name, counts[task.job.name]] = task
    return found


def _repeat_seconds(task: Task) -> float:
    """Estimated seconds of one repeat, its warm-up included."""
    if task.job.pattern == "small-files":
        return RESERVE * task.seconds / task.job.repeats
    return task.job.warm_up_seconds + task.job.seconds
