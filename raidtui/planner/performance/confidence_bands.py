"""Confidence bands by class of workload: factors on the lowest ceiling, fitted to published measurements.

A band is the expected factor and the ends between which nine of ten measurements fell, each source weighing as one.
The values come from the validation over `tests/measured`: tests/validation/fit.py holds the rules, REPORT.md every
row, and a test checks that the rows yield these values. Ratios below are measured over the lowest ceiling. What a
ceiling itself is uncertain by comes on top (`interval`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RateFactor:
    """Factors on the lowest ceiling."""

    point: float
    """expected factor"""
    low: float
    """lower end"""
    high: float
    """upper end"""


DISK_SEQUENTIAL = RateFactor(point=0.95, low=0.688, high=1.03)
"""rotating disks, sequential reads and writes: 17 rows of 5 sources, from 0.69 (dd with 4 KiB blocks, 2013) to 1.12
(three readers of a mirror whose other members are faster)"""
FLASH_READ = RateFactor(point=0.81, low=0.586, high=1.032)
"""flash, sequential reads: 11 rows of 7 sources together with writes without parity, 0.58 to 1.00"""
FLASH_OTHER_WRITE = FLASH_READ
"""flash, sequential writes to mirrors and stripes: no parity thread is involved, as with reads"""
FLASH_PARITY_WRITE = RateFactor(point=0.87, low=0.486, high=1.625)
"""flash, sequential writes to parity arrays: md's locks bind; 8 rows of 4 sources, 0.58 to 1.36; one report of 4.3 is
excluded as an outlier"""
RANDOM_READ = RateFactor(point=1.00, low=0.799, high=1.279)
"""random reads: 7 rows of 3 sources, all flash, 0.42 to 1.35; six of them set md's ceilings"""
RANDOM_READ_DISK = RateFactor(point=1.00, low=0.799, high=1.333)
"""random reads of rotating disks at depth: 7 rows of eight disks behind two adapters, 1.04 to 1.31 of what a disk alone
explains; the lower end is that of flash, since it is one machine"""
RANDOM_PARITY_WRITE_DISK = RateFactor(point=1.00, low=0.2, high=1.554)
"""random writes to parity arrays of rotating disks: 9 rows of one source, 0.18 to 0.32, and 7 of another behind two
adapters, 1.21 to 1.52; its counters show the reads and writes that follow from the level, so it sets the point"""
RANDOM_PARITY_WRITE_DISK_SEEN = (0.18, 1.52)
"""the lowest and the highest of them"""
RANDOM_PARITY_WRITE_FLASH = FLASH_PARITY_WRITE
"""random writes to parity arrays of flash: the same thread"""
RANDOM_OTHER_WRITE = RANDOM_READ
"""random writes to mirrors and stripes: no measurements at depth, assumed equal to reads"""
RANDOM_OTHER_WRITE_DISK = RANDOM_READ_DISK
"""the same on rotating disks"""
MD_THREAD = RateFactor(point=1.0, low=0.55, high=1.26)
"""spread of the md thread's own ceiling between machines: sequential writes of 6 sources, 0.44 to 1.35"""
