"""What a machine was measured to do, beside its disks: links, memory, md's thread, and how near its arrays come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import Value
from raidtui.model.limit import Limit

WorkClass = Literal[
    "disk sequential", "flash read", "flash write", "flash parity write", "random read", "random read disk",
    "random write", "random write disk", "random parity write disk", "random parity write flash",
]  # fmt: skip
"""classes of workload, each with a confidence band of its own"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredFigure(Value):
    """One rate of this machine."""

    bytes_per_s: int
    """bytes per second, decimal"""
    error: float
    """nine of ten repetitions lie within this factor, up or down"""
    how: str
    """how it was obtained"""
    day: str
    """when, as 2026-01-31"""
    kernel: str
    """kernel release it was measured under"""
    at_least: bool | None = None
    """True if something else may have held the measurement back: the rate is known from below only"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredLink(Value):
    """What all unused disks below one link read at once."""

    limit: Limit
    """the link, by kind and name"""
    disks: tuple[str, ...]
    """identities of the disks that read"""
    bytes_per_s: int
    """all of them together, bytes per second"""
    alone_bytes_per_s: int
    """the sum of what each read alone, less what links below this one hold back"""
    at_least: bool
    """True where the disks, not the link, set the rate: the link carries at least that"""
    error: float
    """nine of ten repetitions lie within this factor"""
    day: str
    """when, as 2026-01-31"""
    kernel: str
    """kernel release it was measured under"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArraySpread(Value):
    """How near arrays of this machine came to their lowest ceiling in benchmarks."""

    work: WorkClass
    """class of workload"""
    ratio: float
    """geometric mean of measured over lowest ceiling"""
    figures: int
    """figures of benchmarks that it is the mean of"""
    day: str
    """of the last one"""
    kernel: str
    """kernel release of the last one"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineFigures(Value):
    """Everything that was measured on one machine beside its disks."""

    machine_id: str | None = None
    """/etc/machine-id; figures of another machine are not used"""
    memory: MeasuredFigure | None = None
    """memory bandwidth, reads and writes together"""
    one_reader: MeasuredFigure | None = None
    """what one thread copies out of the page cache"""
    raid6: MeasuredFigure | None = None
    """the kernel's own benchmark of its RAID6 code; md's thread writes no faster"""
    xor: MeasuredFigure | None = None
    """the same of its XOR code, for RAID5"""
    md_write: MeasuredFigure | None = None
    """what md's thread of one parity array wrote in a benchmark that it limited"""
    links: tuple[MeasuredLink, ...] = ()
    """shared links"""
    scatter: tuple[ArraySpread, ...] = ()
    """one for each class that was benchmarked"""
    kernel_now: str = ""
    """kernel release that was running when the inventory was read; empty in the stored file"""


NO_FIGURES = MachineFigures()
"""of a machine that was never measured"""
