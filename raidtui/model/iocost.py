"""Coefficients of the kernel's I/O cost model of one disk (Documentation/admin-guide/cgroup-v2.rst, io.cost.model)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from raidtui.model.codec_rules import Value

Coefficient = Literal["rbps", "rseqiops", "rrandiops", "wbps", "wseqiops", "wrandiops"]
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
"""in the kernel's order"""


@dataclass(frozen=True, slots=True, kw_only=True)
class IoCost(Value):
    """Measured coefficients of the linear model; the names are the kernel's."""

    rbps: int
    """bytes per second of large sequential reads"""
    rseqiops: int
    """sequential reads of 4 KiB per second"""
    rrandiops: int
    """random reads of 4 KiB per second"""
    wbps: int
    """bytes per second of large sequential writes"""
    wseqiops: int
    """sequential writes of 4 KiB per second"""
    wrandiops: int
    """random writes of 4 KiB per second"""
    error: float
    """nine of ten repetitions of each lie within this factor, up or down"""
    scheduler: str
    """I/O scheduler of the disk then; any but none merges requests"""
    day: str
    """when, as 2026-01-31"""
    kernel: str
    """kernel release it was measured under"""
