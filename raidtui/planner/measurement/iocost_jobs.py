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
from raidtui.tools.fio import FioWorkload, on_devices

REGION = GIB
"""bytes from the start of a disk that are written in order, at most"""
_PIECE = 128 * MIB
_WARM_UP = 2.0
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
    """How long a disk takes, about."""
    return len(_PLANS) * (SECONDS + _WARM_UP)


def workload(each: CoefficientJob, path: str, size_bytes: int, *, rotational: bool) -> FioWorkload:
    """The job on the disk at `path`: in its first GiB, but random requests of a rotating disk over all of it."""
    made = on_devices(each.job, (path,))
    if each.job.random and rotational:
        return made
    return replace(made, common=(*made.common, ("size", str(region_bytes(size_bytes)))))


def region_bytes(size_bytes: int) -> int:
    """Bytes from the start of a disk of `size_bytes` that are written in order, and read back afterwards."""
    return min(REGION, size_bytes // MIB * MIB)


def pieces(size_bytes: int) -> tuple[tuple[int, int], ...]:
    """The same as (offset, length) of pieces that a slow disk reads within a minute."""
    end = region_bytes(size_bytes)
    return tuple((start, min(_PIECE, end - start)) for start in range(0, end, _PIECE))
