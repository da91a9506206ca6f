"""When jobs begin: after the slowest host has written its files, in the order of the host with most tasks."""

from __future__ import annotations

from dataclasses import replace

from raidtui.model.bench import Job, Task
from raidtui.model.fleet.bench_order import JobSlot
from raidtui.planner.fleet.bench.schedule import round_seconds, schedule
from tests.planner.fleet.bench.fleets import FILES, READ

DISK = Job(
    name="disk", title="", target="disk", pattern="read", block_bytes=4096, seconds=30, warm_up_seconds=5, repeats=1
)


def task(number: int, job: Job, seconds: float) -> Task:
    return Task(number=number, job=job, target=FILES, seconds=seconds, bytes_used=0)


def test_the_slowest_host_decides() -> None:
    """READ: 2 x (2 + 10 + 3) s = 30 s of measuring; n2 needs 40 s more to write its files, times 1.5."""
    slots = schedule([[task(1, READ, 40)], [task(1, READ, 70)]])
    assert slots == (JobSlot(job="read", ordinal=1, first_s=70.0, step_s=20.0),)
    assert round_seconds("at-once", [[task(1, READ, 40)], [task(1, READ, 70)]]) == 110.0
    assert round_seconds("turns", [[task(1, READ, 40)], [task(1, READ, 70)]]) == 110.0


def test_a_host_with_a_disk_less_is_in_step_again_at_the_next_job() -> None:
    two = [task(1, DISK, 38), task(2, DISK, 38), task(3, READ, 30)]
    one = [task(1, DISK, 38), task(2, READ, 30)]
    slots = schedule([one, two])
    assert [(slot.job, slot.ordinal, slot.first_s) for slot in slots] == [
        ("disk", 1, 10.0), ("disk", 2, 63.0), ("read", 1, 116.0),
    ]  # fmt: skip


def test_small_files_take_as_long_as_estimated_and_half_as_much_more() -> None:
    small = replace(READ, name="small", pattern="small-files", files=100, block_bytes=100)
    assert schedule([[task(1, small, 40)]]) == (JobSlot(job="small", ordinal=1, first_s=10.0, step_s=38.0),)
