"""Parser of fio's --output-format=json: rates without the warm-up, latencies, errors. fio 3.0 and later.

Text before and after the document is tolerated (fio prints errors on stdout), so are several documents (the last
counts), both forms of jobs (with and without group_reporting), and the client mode's `client_stats`. Rates are
computed here: bytes of all jobs over the longest of their runtimes, which start after `ramp_time`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raidtui.model.bench import Latency
from raidtui.model.choices import Direction
from raidtui.model.errors import MachineFailed

_PRODUCT = "fio version"
_OPENING = re.compile(r"^\{", re.MULTILINE)
_MOST = 2.0**64


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """One direction of all jobs together."""

    bytes: int
    """moved after the warm-up"""
    ios: int
    """requests that completed"""
    seconds: float
    """the longest runtime"""
    latency: Latency | None
    """completion latency; None when nothing was measured"""

    @property
    def bytes_per_s(self) -> float:
        """Rate."""
        return self.bytes / self.seconds if self.seconds > 0 else 0.0

    @property
    def iops(self) -> float:
        """Requests a second."""
        return self.ios / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FioResult:
    """What one fio process (or one host of several) measured."""

    read: Flow
    """what was read"""
    write: Flow
    """what was written"""
    errors: int
    """I/O errors, at least one when any job ended with one"""
    error: str
    """the first of them in words; empty when there is none"""

    @property
    def bytes_per_s(self) -> float:
        """Both directions."""
        return self.read.bytes_per_s + self.write.bytes_per_s

    @property
    def iops(self) -> float:
        """Both directions."""
        return self.read.iops + self.write.iops

    @property
    def seconds(self) -> float:
        """The longer of both directions."""
        return max(self.read.seconds, self.write.seconds)

    @property
    def latency(self) -> Latency | None:
        """Of both directions: the mean by requests, the worse of the rest."""
        both = [(flow.ios, flow.latency) for flow in (self.read, self.write) if flow.latency is not None]
        return _together([(max(ios, 1), latency) for ios, latency in both])


def parse(text: str) -> FioResult:
    """The result in fio's output. Raises MachineFailed if there is none."""
    document = _document(text)
    jobs = document.get("jobs")
    if not isinstance(jobs, list) or not all(isinstance(job, dict) for job in jobs) or not jobs:
        raise MachineFailed("the result of fio contains no measurement", hint=_first_line(text))
    return _summed(jobs)


def _document(text: str) -> dict[str, Any]:
    """The last JSON document of fio in `text`."""
    decoder = json.JSONDecoder()
    found: dict[str, Any] | None = None
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        try:
            value, at = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            at = opening.end()
        else:
            if isinstance(value, dict) and (_PRODUCT in value or "jobs" in value):
                found = value
    if found is None:
        raise MachineFailed("the output of fio contains no result", hint=_first_line(text))
    return found


def _summed(jobs: Sequence[Mapping[str, Any]]) -> FioResult:
    numbers = [int(_number(job, "error")) for job in jobs]
    totals = [int(_number(job, "total_err")) for job in jobs]
    counted = sum(max(total, 1 if number else 0) for number, total in zip(numbers, totals, strict=True))
    first = next((number for number in numbers if number), 0)
    return FioResult(
        read=_flow(jobs, "read"),
        write=_flow(jobs, "write"),
        errors=counted,
        error=os.strerror(abs(first)) if 0 < abs(first) < 4096 else "",
    )


def _flow(jobs: Sequence[Mapping[str, Any]], direction: Direction) -> Flow:
    parts = [part for job in jobs if isinstance(part := job.get(direction), dict)]
    latencies = [(int(_number(part, "total_ios")), _latency(part)) for part in parts]
    return Flow(
        bytes=sum(_bytes(part) for part in parts),
        ios=sum(int(_number(part, "total_ios")) for part in parts),
        seconds=max((_number(part, "runtime") for part in parts), default=0.0) / 1000,
        latency=_together([(ios, latency) for ios, latency in latencies if ios > 0 and latency is not None]),
    )


def _bytes(part: Mapping[str, Any]) -> int:
    """In bytes since fio 3.0."""
    return int(_number(part, "io_bytes"))


def _latency(part: Mapping[str, Any]) -> Latency | None:
    """Completion latency, else the total one: nanoseconds in fio."""
    for name in ("clat_ns", "lat_ns"):
        found = part.get(name)
        if isinstance(found, dict) and _number(found, "max") > 0:
            shares = found.get("percentile")
            percentiles = shares if isinstance(shares, dict) else {}
            mean, most = _number(found, "mean"), _number(found, "max")
            p50, p99 = _number(percentiles, "50.000000", mean), _number(percentiles, "99.000000", most)
            return Latency(  # percentiles are upper edges of buckets: the last may lie above the longest
                mean_ms=mean / 1e6, p50_ms=min(p50, most) / 1e6, p99_ms=min(p99, most) / 1e6, max_ms=most / 1e6
            )
    return None


def _together(parts: Sequence[tuple[int, Latency]]) -> Latency | None:
    if not parts:
        return None
    whole = sum(ios for ios, _ in parts)
    return Latency(
        mean_ms=sum(ios * latency.mean_ms for ios, latency in parts) / whole,
        p50_ms=max(latency.p50_ms for _, latency in parts),
        p99_ms=max(latency.p99_ms for _, latency in parts),
        max_ms=max(latency.max_ms for _, latency in parts),
    )


def _number(part: Mapping[str, Any], name: str, otherwise: float = 0.0) -> float:
    """A number from 0 to what a counter of 64 bits holds; `otherwise` for anything else."""
    value = part.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return otherwise
    try:
        number = float(value)
    except OverflowError:
        return otherwise
    return number if 0 <= number < _MOST else otherwise


def _first_line(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip() and not line.startswith("{")), "")
    return f"its output: {line[:200]}" if line else "it printed nothing"
