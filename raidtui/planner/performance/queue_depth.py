"""Queue depth of a benchmark task: the rate that its outstanding requests can reach, whatever the disks deliver."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from raidtui.model.geometry import ArrayGeometry, Prediction
from raidtui.model.speed import DiskSpeed, Iops, Rate, Throughput
from raidtui.model.units import exact_binary
from raidtui.planner.performance.confidence_bands import RANDOM_READ_DISK

if TYPE_CHECKING:
    from raidtui.model.bench import Job, Task

KEPT_BUSY, KEPT_BUSY_LOW = 0.5, 0.25
"""busy share of the disk that serves one outstanding chunk: point and lower end. The array of `concurrency` shows
0.91 and 0.44 for reads of 256 and 128 KiB chunks, 0.55 and 0.28 for writes, with disks of 130 MB/s. There is no
upper end: a drive's read-ahead hides the wait"""
LARGEST_REQUEST = 1280 * 1024
"""bytes of a request that the block layer gives a disk at most (max_sectors_kb; BLK_DEF_MAX_SECTORS of the kernel): a
larger one is several in flight"""
ONE_AT_A_TIME = 1.5
"""random operations per second at depth over those at depth 1, rotating disks (`disk_speed`)"""
_LOW = RANDOM_READ_DISK.low
"""lower end of the random read band of rotating disks, as a factor"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outstanding:
    """Outstanding requests of a task and the rate they can reach."""

    amount: float
    """bytes; random work: operations"""
    rate_each: float
    """bytes (or operations) per second that each outstanding one contributes"""
    low: float
    """lower end of the resulting rate"""
    text: str
    """`8 x 1 MiB`, `32 requests`"""
    partial: bool = False
    """True if each stream writes less than a full stripe of a parity array at a time"""


def outstanding(prediction: Prediction, speed: Throughput, figure: Rate | Iops, task: Task) -> Outstanding | None:
    """Outstanding requests of `task`; None if unknown: buffered I/O, and random work on flash."""
    job, disk = task.job, speed.disk
    if not job.direct or not prediction.arrays or not job.block_bytes:
        return None
    array = max(prediction.arrays, key=lambda array: array.full_stripe_bytes)
    if task.target.kind == "arrays":
        job = replace(job, streams=job.streams * max(1, len(task.target.paths)))
    if isinstance(figure, Iops):
        return random_in_flight(array=array, disk=disk, job=job) if disk.rotational else None
    return sequential_in_flight(array=array, disk=disk, job=job)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedLoad:
    """What a program keeps in flight, direct I/O."""

    only_reads: bool
    """False: writes"""
    streams: int
    """jobs, files or clients"""
    depth: int
    """requests of each in flight"""
    block_bytes: int
    """size of a request"""


def random_in_flight(*, array: ArrayGeometry, disk: DiskSpeed, job: QueuedLoad | Job) -> Outstanding:
    """Outstanding random requests of a page on rotating disks, in operations."""
    requests, alone = job.streams * job.depth, _alone(array, disk, job)
    return Outstanding(amount=requests, rate_each=alone, low=_LOW * requests * alone, text=f"{requests} requests")


def sequential_in_flight(*, array: ArrayGeometry, disk: DiskSpeed, job: QueuedLoad | Job) -> Outstanding:
    """Outstanding sequential requests, in bytes."""
    requests = job.streams * job.depth
    unit = min(array.chunk_bytes or LARGEST_REQUEST, job.block_bytes)
    busy = (disk.read_bytes_per_s if job.only_reads else disk.write_bytes_per_s) / unit
    amount = requests * job.block_bytes
    partial = _on_parity(array, job) and job.depth * job.block_bytes < array.full_stripe_bytes
    low = amount * busy * KEPT_BUSY_LOW
    return Outstanding(
        amount=amount,
        rate_each=busy * KEPT_BUSY,
        low=min(low, requests * _alone(array, disk, job) * job.block_bytes) if partial else low,
        text=f"{requests} x {exact_binary(job.block_bytes)}",
        partial=partial,
    )


def _on_parity(array: ArrayGeometry, job: QueuedLoad | Job) -> bool:
    return not job.only_reads and array.parity > 0


def _alone(array: ArrayGeometry, disk: DiskSpeed, job: QueuedLoad | Job) -> float:
    """Random requests per second that one outstanding one gets; a partial parity write reads, then writes."""
    iops = disk.read_iops if job.only_reads else disk.write_iops
    return iops / ONE_AT_A_TIME / (2 if _on_parity(array, job) else 1)
