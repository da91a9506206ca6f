"""What concurrency gives and costs: requests that must be outstanding to fill a path, seeks between streams.

Fitted on one array (the 20 lines of one LUN with 256 KiB segments of KIPAC's E2660 survey; tests/validation does it
and judges by the other 60): 1 MiB outstanding brought 451 MiB/s of reads and 275 of writes; 32 streams on one group
of rotating disks cost 62 % of reads and 27 % of writes.
"""

from __future__ import annotations

READ_SLOPE = 0.052
"""what each further reading stream on a group of rotating disks adds to the time taken"""
WRITE_SLOPE = 0.012
"""the same for writing streams behind a cache that sorts, the page cache or a controller's"""


def queue_ceiling(outstanding_bytes: float, per_outstanding: float, most: float, k: float = 3) -> float:
    """Bytes per second of a path with `outstanding_bytes` under way.

    `per_outstanding` is the bytes per second that each outstanding byte brings (one over the latency), `most` what
    the path gives when full; `k` is how sharp the knee is: ((q * b)**-k + most**-k)**(-1/k).
    """
    offered = outstanding_bytes * per_outstanding
    if offered <= 0 or most <= 0:
        return 0.0
    return float((offered**-k + most**-k) ** (-1 / k))


def stream_share_read(streams: float, slope: float = READ_SLOPE) -> float:
    """Share of a group's sequential read rate that is left with `streams` readers on it; tested to 32."""
    return 1 / (1 + slope * (max(streams, 1) - 1))


def stream_share_write(streams: float, slope: float = WRITE_SLOPE) -> float:
    """The same for writers."""
    return 1 / (1 + slope * (max(streams, 1) - 1))
