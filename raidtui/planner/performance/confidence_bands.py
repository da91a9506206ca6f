"""Confidence bands by class of workload: factors on the lowest ceiling, fitted to published measurements.

A band is the expected factor and the ends between which nine of ten measurements fell. The values come from the
validation over `tests/measured`: tests/validation/fit.py holds the rules, REPORT.md every row, and a test checks that
the rows yield these values. Ratios below are measured over the lowest ceiling; the ends lie 15 % further out, the
margin with which nine of ten rows fall into bands fitted without their own source.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Factors on the lowest ceiling."""

    point: float
    """expected factor"""
    low: float
    """lower end"""
    high: float
    """upper end"""


DISK_SEQUENTIAL = Band(point=0.95, low=0.59, high=1.30)
"""rotating disks, sequential reads and writes: 18 rows of 6 sources, from 0.69 (dd with 4 KiB blocks, 2013) to 1.12
(three readers of a mirror whose other members are faster)"""
FLASH_READ = Band(point=0.81, low=0.50, high=1.16)
"""flash, sequential reads: 11 rows of 7 sources together with writes without parity, 0.58 to 1.00"""
FLASH_OTHER_WRITE = FLASH_READ
"""flash, sequential writes to mirrors and stripes: no parity thread is involved, as with reads"""
FLASH_PARITY_WRITE = Band(point=0.65, low=0.33, high=1.57)
"""flash, sequential writes to parity arrays: md's locks bind; 9 rows of 5 sources, 0.39 (partial stripes) to 1.36;
one report of 4.3 is excluded as an outlier"""
RANDOM_READ = Band(point=1.00, low=0.36, high=1.56)
"""random reads: 7 rows of 3 sources, all flash, 0.42 to 1.35; six of them set md's ceilings"""
RANDOM_PARITY_WRITE_DISK = Band(point=0.21, low=0.15, high=1.15)
"""random writes to parity arrays of rotating disks: 9 rows of one source, 0.18 to 0.32: low confidence"""
RANDOM_PARITY_WRITE_FLASH = FLASH_PARITY_WRITE
"""random writes to parity arrays of flash: the same thread"""
RANDOM_OTHER_WRITE = RANDOM_READ
"""random writes to mirrors and stripes: no measurements at depth, assumed equal to reads"""
UNKNOWN_LINK = Band(point=1.0, low=0.31, high=1.0)
"""further factor where an unknown link to the disks might bind: covers 45 disks behind three one-lane cards that the
model assumes to share one SAS cable"""
MD_THREAD = Band(point=1.0, low=0.44, high=1.0)
"""spread of the md thread's own ceiling between machines, rotating disks: 4 rows of one Atom"""
EXACT = Band(point=1.0, low=1.0, high=1.0)
"""no spread"""
