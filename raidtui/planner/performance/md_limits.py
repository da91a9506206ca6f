"""Limits of one array besides its members and links: md's threads and locks, a single reader, memory.

Calibrated on published measurements (class B of `throughput.csv`); they vary by a third between machines.
"""

from __future__ import annotations

from typing import Literal

from raidtui.model.layout import AnyLayout, Layout
from raidtui.model.target import Version
from raidtui.planner.performance.operating_point import SpeedWork
from raidtui.planner.performance.raid_level_rates import PAGE, copies_of

MD_WRITE = 1_200_000_000
"""bytes per second that one parity array's thread writes (raid5d; 0.7 to 1.4 GB/s on servers)"""
MD_WRITE_THREADS = 1_700_000_000
"""the same with group_thread_cnt set and a large stripe cache"""
MD_RANDOM_WRITE = 65_000
"""random writes of a page per second of one parity array (three NVMe drives)"""
MD_RANDOM_WRITE_THREADS = 90_000
"""the same with group_thread_cnt: 80 to 109 thousand"""
MD_RANDOM_READ = 5_300_000
"""random reads per second of one parity array since Linux 5.14"""
MD_RANDOM_READ_LOCKED = 1_200_000
"""before 5.14, under the array's lock (two rows of `throughput.csv`)"""
LOCKLESS_READS: Version = (5, 14)
"""kernel that reads parity arrays without their lock"""
MIRROR_RANDOM_READ = 1_800_000
"""random reads per second of one RAID10 before its barrier's lock binds (raid10.c, wait_barrier)"""
ONE_READER = 3_500_000_000
"""bytes per second that one thread copies out of the page cache"""
MEMORY = 150_000_000_000
"""bytes per second: eight channels of DDR4-3200, the default guess"""


def md_thread(layout: AnyLayout, work: SpeedWork, threads: int, kernel: Version | None = None) -> float | None:
    """Typical limit of md's own code for one array in bytes or operations per second; None if no limit is known.

    Writes and degraded reads of parity arrays pass through the stripe cache and its thread (raid5.c,
    raid5_make_request).
    """
    if layout.parity:
        through_cache = work.kind == "write" or work.degraded
        written = MD_WRITE_THREADS if threads else MD_WRITE
        if work.random:
            share = work.request.arrays
            tuned = MD_RANDOM_WRITE_THREADS if threads else MD_RANDOM_WRITE
            if not through_cache:
                reads = MD_RANDOM_READ_LOCKED if kernel is not None and kernel < LOCKLESS_READS else MD_RANDOM_READ
                return reads / (work.request.chunks * work.request.rows * share)
            more = work.request.size_bytes / share - PAGE
            return (tuned if more <= 0 else 1 / (1 / tuned + more / written)) / share
        return written if through_cache else None
    if layout.level == "raid10" and work.random and work.kind == "read":
        return MIRROR_RANDOM_READ / (work.request.chunks * work.request.rows * work.request.arrays)
    return None


def bytes_moved(layout: Layout, kind: Literal["read", "write"], *, buffered: bool) -> float:
    """Memory traffic in bytes per user byte (estimated): DMA, parity, the copy to or from the page cache."""
    if kind == "read":
        return 4.0 if buffered else 2.0
    if layout.parity:
        return 8.5 if buffered else 5.5
    return 1.0 + copies_of(layout) + 2.0 * buffered
