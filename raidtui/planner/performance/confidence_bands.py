"""How far measurements fell from the lowest ceiling, by class of work: the factors on it that are shown.

Every band is the point expected and the ends that nine measurements of ten fell into. The values come from the
validation over `tests/measured`, not from taste: tests/validation/fit.py holds the rules, REPORT.md every row, and a
test that these are what the rows give. Ratios below are measured over the lowest ceiling; the ends lie 15 % further
out, the margin with which nine of ten rows lie in bands made without their source.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Factors on the lowest ceiling."""

    point: float
    """what is expected"""
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
"""flash, sequential writes to mirrors and stripes: no parity thread in the way, as with reads"""
FLASH_PARITY_WRITE = Band(point=0.65, low=0.33, high=1.57)
"""flash, sequential writes to parity arrays: md's locks decide; 9 rows of 5 sources, 0.39 (partial stripes) to 1.36;
one report of 4.3 is left out as of another kind"""
RANDOM_READ = Band(point=1.00, low=0.36, high=1.56)
"""random reads: 7 rows of 3 sources, all flash, 0.42 to 1.35; six of them set md's ceilings"""
RANDOM_PARITY_WRITE_DISK = Band(point=0.21, low=0.15, high=1.15)
"""random writes to parity arrays of rotating disks: 9 rows of one source, 0.18 to 0.32: low confidence"""
RANDOM_PARITY_WRITE_FLASH = FLASH_PARITY_WRITE
"""random writes to parity arrays of flash: the same thread"""
RANDOM_OTHER_WRITE = RANDOM_READ
"""random writes to mirrors and stripes: not measured at depth, taken as reads"""
UNKNOWN_LINK = Band(point=1.0, low=0.31, high=1.0)
"""further factor where the way to the disks is not known and might bind: what 45 disks behind three one-lane cards
would need that are taken to hang on one SAS cable"""
MD_THREAD = Band(point=1.0, low=0.44, high=1.0)
"""spread of md's parity thread from machine to machine, on its own ceiling, beside rotating disks: 4 rows of an Atom"""
EXACT = Band(point=1.0, low=1.0, high=1.0)
"""no spread"""
