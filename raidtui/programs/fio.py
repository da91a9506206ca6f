"""fio(1): the load of one job as a command line and as a job file. What fio prints is read here too.

One process with threads (`thread`), so that ending it ends all of it; JSON, no progress. Sequential jobs of depth 1
use psync, as dd and most programs do; deeper ones libaio. Writes end with an fsync that counts (`end_fsync`): a rate
is that of data on disk. Options as of fio 3.1 and later.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raidtui.values.bench import Job, Latency
from raidtui.values.choices import Direction
from raidtui.values.errors import MachineFailed
from raidtui.values.units import MIB

PROGRAM = "fio"
_FLAGS = ("--output-format=json", "--eta=never")
FILES = "stream.$jobnum"
"""name of each stream's own file, in the directory fio is started in"""
FILENAME = "filename"
"""option that names the device or file of a section"""
REGIONS = "regions"
"""name of the one file whose regions the streams work on"""
_FILL_DEPTH = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FioWorkload:
    """Input of fio: global options, and a section for each device (one for files)."""

    common: tuple[tuple[str, str], ...]
    """option and value of all sections"""
    sections: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """name of each section and its own options"""
    read_only: bool
    """fio itself refuses to write"""

    def argv(self) -> tuple[str, ...]:
        """The command line."""
        words = [PROGRAM, *_FLAGS, *(["--readonly"] if self.read_only else [])]
        words += [f"--{name}={value}" for name, value in self.common]
        for section, options in self.sections:
            words += [f"--name={section}", *(f"--{name}={value}" for name, value in options)]
        return tuple(words)


def on_devices(job: Job, paths: Sequence[str]) -> FioWorkload:
    """`job` on whole block devices, all at once; each stream has its own region of every device.

    A job that writes writes zeros only, so that a blank device stays blank. Raises ValueError for one that does both.
    """
    if job.pattern not in ("read", "randread", "write", "randwrite"):
        raise ValueError(f"expected a job that reads or writes a block device, found {job.pattern}")
    bound = (("size", str(job.stream_bytes)),) if job.streams > 1 or _bounded(job) else ()
    apart = (("offset_increment", str(job.stream_bytes)),) if job.streams > 1 else ()
    own = (*bound, *apart, *_streams(job, "", 0))
    sections = tuple(
        (job.name if len(paths) == 1 else f"{job.name}-{number}", ((FILENAME, escaped(path)), *own))
        for number, path in enumerate(paths, start=1)
    )
    zeros = () if job.only_reads else (("zero_buffers", "1"),)
    return FioWorkload(
        common=(*_timing(job), *_load(job), *zeros, ("allow_file_create", "0")), sections=sections,
        read_only=job.only_reads,
    )  # fmt: skip


def written_bytes(job: Job, device_bytes: int) -> int:
    """Bytes from the start of each device that `on_devices` writes; 0 where it only reads."""
    if job.only_reads:
        return 0
    return min(job.stream_bytes * job.streams, device_bytes) if _bounded(job) or job.streams > 1 else device_bytes


def _bounded(job: Job) -> bool:
    """True for one stream that writes: it keeps to a region that was read; one that reads may go over all."""
    return not job.only_reads and job.stream_bytes > 0


def in_files(job: Job, stream_bytes: int, *, seed: int = 1) -> FioWorkload:
    """`job` on files of its own in the directory that fio is started in, `stream_bytes` for each stream or region.

    Files that are read, or written at random places, must have been filled. `seed` says which random places.
    """
    reads = job.only_reads
    common = (*_timing(job), *_load(job), ("randseed", str(seed)), ("fallocate", "none"))
    if reads:
        common = (*common, ("allow_file_create", "0"))
    return FioWorkload(common=common, sections=((job.name, _streams(job, "files", stream_bytes)),), read_only=reads)


def filling(job: Job, stream_bytes: int) -> FioWorkload:
    """Writes the files that `in_files` of the same job and size works on, once and in order."""
    common = (
        ("thread", "1"),
        ("group_reporting", "1"),
        ("rw", "write"),
        ("bs", str(MIB)),
        *_engine(_FILL_DEPTH, direct=job.direct),
        ("end_fsync", "1"),
        ("fallocate", "none"),
        ("exitall_on_error", "1"),
    )
    return FioWorkload(common=common, sections=(("fill", _streams(job, "files", stream_bytes)),), read_only=False)


def _timing(job: Job) -> tuple[tuple[str, str], ...]:
    warm_up = (("ramp_time", _seconds(job.warm_up_seconds)),) if job.warm_up_seconds > 0 else ()
    return (
        ("thread", "1"),
        ("group_reporting", "1"),
        ("exitall_on_error", "1"),
        ("time_based", "1"),
        ("runtime", _seconds(job.seconds)),
        *warm_up,
    )


def _load(job: Job) -> tuple[tuple[str, str], ...]:
    found = [("rw", job.pattern), ("bs", str(job.block_bytes)), *_engine(job.depth, direct=job.direct)]
    if job.pattern == "randrw":
        found.append(("rwmixread", str(round(job.read_share * 100))))
    if job.random:
        found.append(("norandommap", "1"))
    if job.sync_each:
        found.append(("fdatasync", "1"))
    elif job.pattern in ("write", "randwrite", "randrw"):
        found.append(("end_fsync", "1"))
    return tuple(found)


def _engine(depth: int, *, direct: bool) -> tuple[tuple[str, str], ...]:
    if depth == 1 or not direct:  # libaio is asynchronous past the page cache only (fio(1), ioengine)
        return (("ioengine", "psync"), ("direct", str(int(direct))))
    return (("ioengine", "libaio"), ("iodepth", str(depth)), ("direct", "1"))


def _streams(job: Job, place: str, stream_bytes: int) -> tuple[tuple[str, str], ...]:
    """How many streams, and where each works: on its own file, its own region, or all on the whole device."""
    count = (("numjobs", str(job.streams)),)
    if not place:
        return count if job.streams > 1 else ()
    if job.regions > 1 or job.streams == 1:
        apart = (("offset_increment", str(stream_bytes)),) if job.regions > 1 else ()
        return (("filename", REGIONS), ("size", str(stream_bytes)), *apart, *count)
    return (("filename_format", FILES), ("size", str(stream_bytes)), *count)


def _seconds(value: float) -> str:
    """fio's times are whole seconds; milliseconds where there is a rest."""
    return str(round(value)) if value == round(value) else f"{round(value * 1000)}ms"


def escaped(path: str) -> str:
    """`path` as fio's filename: a colon parts file names (fio(1), filename)."""
    return path.replace("\\", "\\\\").replace(":", "\\:")


# Parser of fio's --output-format=json: rates without the warm-up, latencies, errors. fio 3.0 and later.
# Text before and after the document is tolerated (fio prints errors on stdout), so are several documents (the last
# counts), both forms of jobs (with and without group_reporting), and the client mode's `client_stats`. Rates are
# computed here: bytes of all jobs over the longest of their runtimes, which start after `ramp_time`.


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
