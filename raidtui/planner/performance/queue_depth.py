"""What a task keeps in flight, and what that can bring: below it no array is filled, whatever its disks give."""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.model.bench import Task
from raidtui.model.geometry import Prediction
from raidtui.model.speed import Iops, Rate, Throughput
from raidtui.model.units import exact_binary
from raidtui.planner.performance.confidence_bands import RANDOM_READ

KEPT_BUSY, KEPT_BUSY_LOW = 0.5, 0.25
"""of the disk that each outstanding chunk occupies, the share that is busy: point and lower end. The one array of
`concurrency` shows 0.91 and 0.44 for reads of 256 and 128 KiB chunks, 0.55 and 0.28 for writes, with disks of
130 MB/s. There is no upper end: a drive that reads ahead hides the wait"""
ONE_AT_A_TIME = 1.5
"""random operations at depth over those of one request at a time, rotating disks (`disk_speed`)"""
_LEAST = RANDOM_READ.low
"""lower end of the band of random work, of what is expected (`bands.RANDOM_READ`)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flight:
    """What a task keeps in flight."""

    outstanding: float
    """bytes, of random work operations"""
    brings: float
    """bytes (or operations) per second that each of them brings"""
    least: float
    """lower end of the rate that follows"""
    words: str
    """what is in flight"""
    partial: bool = False
    """each stream writes less than a stripe of a parity array at a time"""


def in_flight(prediction: Prediction, speed: Throughput, figure: Rate | Iops, task: Task) -> Flight | None:
    """None where nobody knows: behind the page cache, and for random work on flash."""
    job, disk = task.job, speed.disk
    if not job.direct or not prediction.arrays or not job.block_bytes:
        return None
    array, reading, requests = prediction.arrays[0], reads(task), job.streams * job.depth
    parity = not reading and array.level in ("raid4", "raid5", "raid6")
    alone = (disk.read_iops if reading else disk.write_iops) / ONE_AT_A_TIME / (2 if parity else 1)
    if isinstance(figure, Iops):
        if not disk.rotational:
            return None
        words = f"{requests} requests"
        return Flight(outstanding=requests, brings=alone, least=_LEAST * requests * alone, words=words)
    unit = min(array.chunk_bytes or job.block_bytes, job.block_bytes)
    busy = (disk.read_bytes_per_s if reading else disk.write_bytes_per_s) / unit
    outstanding = requests * job.block_bytes
    partial = parity and job.depth * job.block_bytes < array.full_stripe_bytes
    least = outstanding * busy * KEPT_BUSY_LOW
    return Flight(
        outstanding=outstanding,
        brings=busy * KEPT_BUSY,
        least=min(least, requests * alone * job.block_bytes) if partial else least,
        words=f"{requests} x {exact_binary(job.block_bytes)}",
        partial=partial,
    )


def reads(task: Task) -> bool:
    """True where a task only reads."""
    return task.job.pattern in ("read", "randread")
