"""What is run on a blank disk for the coefficients of the kernel's I/O cost model.

As tools/cgroup/iocost_coef_gen.py measures: rates of large sequential requests, and 4 KiB requests, 64 in flight,
sequential and at random places. Writes come first, so that flash reads what was written and not discarded blocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from raidtui.model.bench import Job, Pattern
from raidtui.model.iocost import Coefficient
from raidtui.model.units import GIB, KIB, MIB
from raidtui.planner.measurement.bench_plan import DISK_READ
from raidtui.tools.fio import FioWorkload, on_devices

REGION = GIB
"""bytes from the start of a disk that are written in order, at most"""
_PIECE = 128 * MIB
_WARM_UP = 2.0
_READ = 5 * REGION
"""bytes read of a rotating disk: before the first command both regions that are written, then that of each write"""
SECONDS = 10.0
"""of each of the six, beside the warm-up"""
_PLANS: Mapping[Coefficient, tuple[str, Pattern, int, int]] = {
    "wbps": ("large sequential writes", "write", MIB, 8),
    "wseqiops": ("sequential writes of 4 KiB", "write", 4 * KIB, 64),
    "wrandiops": ("random writes of 4 KiB", "randwrite", 4 * KIB, 64),
    "rbps": ("large sequential reads", "read", MIB, 8),
    "rseqiops": ("sequential reads of 4 KiB", "read", 4 * KIB, 64),
    "rrandiops": ("random reads of 4 KiB", "randread", 4 * KIB, 64),
}
"""title, pattern, bytes of a request, requests in flight"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoefficientJob:
    """One measurement of a disk."""

    name: Coefficient
    job: Job

    @property
    def counts_requests(self) -> bool:
        """True if the coefficient is a number of requests, False if of bytes."""
        return self.name not in ("rbps", "wbps")


def coefficient_jobs(seconds: float = SECONDS) -> tuple[CoefficientJob, ...]:
    """All six, in the order in which they run, each of `seconds` after the warm-up."""
    return tuple(
        CoefficientJob(
            name=name,
            job=Job(
                name=name,
                title=title,
                target="disk",
                pattern=pattern,
                block_bytes=block,
                depth=depth,
                seconds=seconds,
                warm_up_seconds=_WARM_UP,
                repeats=1,
            ),
        )
        for name, (title, pattern, block, depth) in _PLANS.items()
    )


def seconds_of_disk() -> float:
    """How long a disk takes, about: what is written is read before the first command, and before each that writes."""
    return len(_PLANS) * (SECONDS + _WARM_UP) + _READ / DISK_READ


def workload(each: CoefficientJob, path: str, size_bytes: int, *, rotational: bool) -> FioWorkload:
    """The job on the disk at `path`: in its first GiB, but random requests of a rotating disk over all of it.

    Such writes go to a region for each request in flight, evenly apart from the start of the disk to its end, because
    what is written is read before.
    """
    job = each.job
    if not (job.random and rotational):
        made = on_devices(job, (path,))
        return replace(made, common=(*made.common, ("size", str(region_bytes(size_bytes)))))
    if job.only_reads:
        return on_devices(job, (path,))
    apart, length = _spread(job, size_bytes)
    more = (("numjobs", str(job.depth)), ("offset_increment", str(apart)), ("size", str(length)))
    made = on_devices(replace(job, depth=1), (path,))
    return replace(made, common=(*made.common, *more))


def written(each: CoefficientJob, size_bytes: int, *, rotational: bool) -> tuple[tuple[int, int], ...]:
    """(offset, length) in bytes of all that `workload` writes on a disk."""
    if each.job.only_reads:
        return ()
    if not (each.job.random and rotational):
        return ((0, region_bytes(size_bytes)),)
    apart, length = _spread(each.job, size_bytes)
    return tuple((at * apart, length) for at in range(each.job.depth))


def _spread(job: Job, size_bytes: int) -> tuple[int, int]:
    """Bytes from one region of random writes to the next, and bytes of each."""
    apart = size_bytes // job.depth // MIB * MIB
    return apart, min(apart, REGION // job.depth)


def region_bytes(size_bytes: int) -> int:
    """Bytes from the start of a disk of `size_bytes` that are written in order, and read back afterwards."""
    return min(REGION, size_bytes // MIB * MIB)


def pieces(size_bytes: int) -> tuple[tuple[int, int], ...]:
    """The same as (offset, length) of pieces that a slow disk reads within a minute."""
    end = region_bytes(size_bytes)
    return tuple((start, min(_PIECE, end - start)) for start in range(0, end, _PIECE))
