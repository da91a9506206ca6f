"""Gain and cost of concurrency: outstanding requests that saturate a path (Little's law), seeks between streams.

Fitted on one array (the 20 lines of one LUN with 256 KiB segments of KIPAC's E2660 survey; tests/validation fits them
and checks against the other 60): 1 MiB outstanding gave 451 MiB/s of reads and 275 of writes; 32 streams on one group
of rotating disks cost 62 % of the read and 27 % of the write rate.
"""

from __future__ import annotations

MEASURED_STREAMS = 32
"""most streams on a group that were measured"""
KNEE = 3.0
"""sharpness of the knee of sequential work, and of flash"""
RANDOM_KNEE = 1.5
"""the same of random requests on rotating disks, some of which wait while others have nothing to do: fitted to eight
disks behind one adapter, 1 to 1,024 requests in flight (`fio_plot_raid5.csv`); those behind the other judge it"""
LUN_READ = 451.0
"""bytes per second that each outstanding byte of a read from LUNs brings: 2.3 ms for 1 MiB"""
LUN_WRITE = 275.0
"""the same of a write, which passes the controllers' cache"""
LUN_FACTOR = 2.0
"""between controllers: lower and upper end (judgement; one array was measured)"""
READ_SLOPE = 0.052
"""relative time that each further reading stream adds on a group of rotating disks"""
WRITE_SLOPE = 0.012
"""the same for writing streams behind a write-back cache (page cache or controller)"""


def queue_ceiling(outstanding_bytes: float, per_outstanding: float, most: float, k: float = KNEE) -> float:
    """Bytes per second of a path with `outstanding_bytes` in flight.

    `per_outstanding` is bytes per second per outstanding byte (one over the latency), `most` the rate of the saturated
    path, `k` the sharpness of the knee: ((q * b)**-k + most**-k)**(-1/k).
    """
    offered = outstanding_bytes * per_outstanding
    if offered <= 0 or most <= 0:
        return 0.0
    return float((offered**-k + most**-k) ** (-1 / k))


def stream_share_read(streams: float, slope: float = READ_SLOPE) -> float:
    """Share of a group's sequential read rate that remains with `streams` readers on it; validated up to 32."""
    return 1 / (1 + slope * (max(streams, 1) - 1))


def stream_share_write(streams: float, slope: float = WRITE_SLOPE) -> float:
    """Share of a group's sequential write rate that remains with `streams` writers on it."""
    return 1 / (1 + slope * (max(streams, 1) - 1))
