"""Benchmark plan of a profile on given targets: tasks in order, estimated time and space, findings.

Time estimates include warm-up, every repeat, writing the files that are read later, and the pauses between repeats in
which the disks become idle.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from raidtui.values.amounts import percent
from raidtui.values.bench import Job, Profile, Target, Task
from raidtui.values.findings import Finding, error, note, warning
from raidtui.values.units import GIB, MIB, binary_size, round_down

RAW = ("disk", "disks", "array", "arrays", "volume")
"""kinds of targets that are block devices; read-only unless raw writes are allowed"""
_WRITTEN = 4 * GIB
"""bytes of each disk that a job writes as a block device, at most: several times the cache of a disk"""
_DISK_READ = 150e6
"""bytes a second, for the estimate of how long what is written is read before"""
SHORT_SECONDS = 30.0
"""shorter measurements are labelled short"""
FILES_A_FOLDER = 6
"""the tree of the field report: 154,212 files in 25,595 directories"""
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_BETWEEN = 3.0
"""seconds between repeats: dirty pages are written, the disks become idle"""
_LEAST, _MOST, _STREAM_LEAST = GIB, 64 * GIB, 16 * MIB
_ROOM = 0.5
"""largest share of free space that files may use"""
_CONDITIONED_ROOM = 0.7
"""the same for preconditioned flash, which must be filled"""
_LEFT_FREE = 256 * MIB
MEMORIES = 4
"""least size of buffered files in multiples of memory"""
_INODE = 512
_IN_FLIGHT = 1 / 8
"""largest share of memory that the requests in flight may use"""


def writes_of(tasks: Iterable[Task]) -> bool:
    """True if one of the tasks writes to a block device; such a benchmark is not resumed."""
    return any(task.target.kind in RAW and not task.job.only_reads for task in tasks)


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchFacts:
    """Facts about the machine and the target file system that are known before the start."""

    memory_bytes: int
    """memory of the machine"""
    free_bytes: int
    """bytes available to this user in that file system"""
    free_files: int | None = None
    """free inodes; None if they are allocated dynamically"""
    direct: bool = True
    """True if it supports direct I/O (O_DIRECT)"""
    root: bool = True
    """True if the process can drop caches and read devices"""
    read_bytes_per_s: float = 500e6
    """expected rate of the whole, used only for the time estimate"""
    write_bytes_per_s: float = 300e6
    """the same"""
    files_per_s: float = 2000.0
    """small files created a second, the same"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOptions:
    """Options that override the profile."""

    seconds: float | None = None
    """of each figure"""
    repeats: int | None = None
    """of each figure"""
    precondition: bool = False
    """flash: fill most of the free space twice before measuring"""
    raw_writes: bool = False
    """True: jobs may write zeros to block devices, which were confirmed"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchPlan:
    """Tasks, findings and estimates of a benchmark."""

    tasks: tuple[Task, ...]
    """tasks in order"""
    findings: tuple[Finding, ...]
    """findings; an error refuses the benchmark"""
    seconds: float
    """estimated total time"""
    bytes_used: int
    """peak space used on the file system"""


def profile_problem(profile: Profile) -> str:
    """Why a profile is invalid, as `field: reason`; empty if it is valid."""
    if not _NAME.fullmatch(profile.name):
        return f"name: invalid '{profile.name}', expected at most 40 lower-case letters, digits and hyphens"
    seen: set[str] = set()
    for at, job in enumerate(profile.jobs):
        if problem := _wrong_with_job(job):
            return f"jobs.{at}.{problem}"
        if job.name in seen:
            return f"jobs.{at}.name: duplicate job name {job.name}"
        seen.add(job.name)
    return "" if profile.jobs else "jobs: the profile has no job"


def _wrong_with_job(job: Job) -> str:
    if not _NAME.fullmatch(job.name):
        return f"name: invalid '{job.name}', expected at most 40 lower-case letters, digits and hyphens"
    if job.target in RAW and job.pattern in ("randrw", "small-files"):
        return "pattern: a block device is either read or written; for both, use files (target: files)"
    if job.target == "volume" and not job.only_reads:
        return "pattern: a volume is only read; to write, use files (target: files)"
    if job.target in RAW and (not job.direct or job.sync_each or job.regions != job.streams):
        return "streams: on a block device each direct stream has a region of its own (regions equal to streams)"
    small = job.pattern == "small-files"
    if small != (job.files > 0):
        return "files: expected a number above 0 for pattern small-files, and 0 for others"
    if job.tree and not (small and job.tree.startswith("/")):
        return f"tree: expected an absolute path and the pattern small-files, found {job.tree}"
    least = 1 if small else 512
    limits = (
        ("block_bytes", job.block_bytes, least, GIB), ("streams", job.streams, 1, 1024), ("depth", job.depth, 1, 4096),
        ("seconds", job.seconds, 1, 86400), ("warm_up_seconds", job.warm_up_seconds, 0, 3600),
        ("repeats", job.repeats, 1, 100), ("read_share", job.read_share, 0, 1), ("files", job.files, 0, 100_000_000),
        ("stream_bytes", job.stream_bytes, 0, 1 << 60),
    )  # fmt: skip
    for name, value, low, high in limits:
        if not low <= value <= high:
            return f"{name}: expected {low} to {high}, found {value}"
    if not small and job.block_bytes % 512:
        return f"block_bytes: expected a multiple of 512, found {job.block_bytes}"
    if job.regions not in (1, job.streams):
        return f"regions: expected 1 (one file per stream) or the number of streams {job.streams}, found {job.regions}"
    if job.sync_each and "write" not in job.pattern:
        return "sync_each: only valid for a job that writes"
    if job.stream_bytes and job.stream_bytes < job.block_bytes:
        return f"stream_bytes: expected at least one block ({job.block_bytes}), found {job.stream_bytes}"
    return ""


def bench_plan(
    profile: Profile, targets: Sequence[Target], facts: BenchFacts, ask: BenchOptions = BenchOptions()
) -> BenchPlan:
    """Tasks of `profile` on the matching `targets`. Never raises; problems are findings."""
    tasks: list[Task] = []
    findings: list[Finding] = []
    laid_out: tuple[object, ...] = ()
    for each in profile.jobs:
        job = adjusted_job(each, facts, ask)
        fitting = [target for target in targets if target.kind == job.target]
        if job.target in RAW and not job.only_reads and not ask.raw_writes:
            way_out = "raidtui bench PLAN --raw write measures blank disks and empty arrays of a plan"
            findings.append(_skipped(job, "it writes to block devices, which are only read", way_out))
            fitting = []
        elif not fitting:
            findings.append(_left_out(job, facts))
        for target in fitting:
            sized, used = _sized(_with_regions(job, target), facts, ask)
            shape = (target.paths, *file_layout(sized)) if needs_fill(sized) else ()
            filling = used / facts.write_bytes_per_s * (2 if ask.precondition else 1) if shape != laid_out else 0.0
            seconds = _job_seconds(sized, facts) + (filling if shape else 0.0) + _seconds_read(sized, target)
            tasks.append(
                Task(number=len(tasks) + 1, job=sized, target=target, seconds=round(seconds, 1), bytes_used=used)
            )
            laid_out = shape if target.kind == "files" else laid_out
    findings += [*_room(tasks, facts), *_advice(tasks, facts, ask)]
    return BenchPlan(
        tasks=tuple(tasks),
        findings=tuple(findings),
        seconds=sum(task.seconds for task in tasks),
        bytes_used=max((task.bytes_used for task in tasks), default=0),
    )


def adjusted_job(job: Job, facts: BenchFacts, ask: BenchOptions) -> Job:
    """`job` with the options' seconds and repeats, its depth as memory allows; buffered without direct I/O."""
    if ask.seconds is not None:
        share = min(1.0, ask.seconds / SHORT_SECONDS)
        files = max(FILES_A_FOLDER, round(job.files * share)) if job.files and not job.tree else job.files
        warm_up = min(job.warm_up_seconds, ask.seconds / 2)
        job = replace(job, seconds=ask.seconds, warm_up_seconds=warm_up, files=files)
    if ask.repeats is not None:
        job = replace(job, repeats=ask.repeats)
    most = int(facts.memory_bytes * _IN_FLIGHT) // (job.block_bytes * job.streams)
    if job.depth > most:
        job = replace(job, depth=max(1, most))
    if job.target == "files" and job.direct and not facts.direct:
        job = replace(job, direct=False, depth=1)
    return job


def needs_fill(job: Job) -> bool:
    """True if files must be written once sequentially before they are measured.

    Direct writes overwrite filled files, so that block allocation is not measured; buffered ones create their file, as
    the programs that they represent do.
    """
    return job.target == "files" and job.pattern != "small-files" and (job.pattern != "write" or job.direct)


def may_be_cached(task: Task, memory_bytes: int) -> bool:
    """True if the page cache may serve requests: buffered files that are not several times `memory_bytes`."""
    return not task.job.direct and task.bytes_used < MEMORIES * memory_bytes


def file_layout(job: Job) -> tuple[object, ...]:
    """Key of a job's files; jobs with equal keys can share files."""
    if job.streams == 1 or job.regions > 1:
        return ("one", job.stream_bytes * job.streams, job.direct)
    return ("each", job.streams, job.stream_bytes, job.direct)


def _with_regions(job: Job, target: Target) -> Job:
    """`job` with regions that fit on each device of `target`; one stream that reads goes over the whole device.

    What is written is read before, so that it is bounded: by the profile, or by `_WRITTEN` of each disk.
    """
    if job.target not in RAW or (job.streams == 1 and job.only_reads):
        return job
    unit = max(MIB, job.block_bytes)
    devices = max(1, len(target.paths))
    most = round_down(target.size_bytes // devices // job.streams, unit)
    disks = max(1, len(target.disks) // devices)
    wanted = most if job.only_reads else max(unit, round_down(_WRITTEN * disks // job.streams, unit))
    return replace(job, stream_bytes=min(job.stream_bytes or wanted, most))


def _seconds_read(job: Job, target: Target) -> float:
    """Estimated seconds in which everything that `job` writes on block devices is read, before each repeat."""
    if job.target not in RAW or job.only_reads:
        return 0.0
    share = job.stream_bytes * job.streams * len(target.paths) / max(1, len(target.disks))
    return job.repeats * share / _DISK_READ


def _sized(job: Job, facts: BenchFacts, ask: BenchOptions) -> tuple[Job, int]:
    """(the job with the size of its files, the space they use in bytes)."""
    if job.target != "files":
        return job, 0
    if job.pattern == "small-files":
        folders = -(-job.files // FILES_A_FOLDER)
        return job, job.files * (job.block_bytes + 4096 + _INODE) + folders * 4096
    if job.stream_bytes:
        return job, job.stream_bytes * job.streams
    if ask.precondition:
        whole = facts.free_bytes * _CONDITIONED_ROOM
    else:
        pace = max(facts.write_bytes_per_s, facts.read_bytes_per_s)  # alike for all jobs, so that they share files
        whole = min(max(_LEAST, pace * (job.seconds + job.warm_up_seconds)), _MOST)
        if not job.direct:
            whole = max(whole, MEMORIES * facts.memory_bytes)
        whole = min(whole, facts.free_bytes * _ROOM)
    unit = max(MIB, job.block_bytes)
    each = max(round_down(int(whole) // job.streams, unit), round_down(max(_STREAM_LEAST, unit), unit))
    return replace(job, stream_bytes=each), each * job.streams


def _job_seconds(job: Job, facts: BenchFacts) -> float:
    if job.pattern == "small-files":
        return job.repeats * (4 * job.files / facts.files_per_s + _BETWEEN)
    return job.repeats * (job.warm_up_seconds + job.seconds + _BETWEEN)


def _left_out(job: Job, facts: BenchFacts) -> Finding:
    what = {
        "disk": "no readable disk",
        "disks": "fewer than two readable disks",
        "array": "no readable md array",
        "arrays": "fewer than two readable md arrays",
        "volume": "no readable volume",
        "files": "no file system",
    }[job.target]
    way_out = "the other jobs run" if facts.root else "run as root to read devices"
    return _skipped(job, f"{what} below the target", way_out)


def _skipped(job: Job, why: str, way_out: str) -> Finding:
    return note("job-left-out", f"job '{job.name}' is skipped: {why}", way_out, job.name)


def _room(tasks: Iterable[Task], facts: BenchFacts) -> Iterator[Finding]:
    """Errors if space or inodes do not suffice."""
    for task in tasks:
        if task.bytes_used and task.bytes_used > facts.free_bytes - _LEFT_FREE:
            needed = f"{binary_size(task.bytes_used)} of {binary_size(max(facts.free_bytes, 0))} free"
            yield error(
                "no-room", f"'{task.job.name}' needs {needed}; {binary_size(_LEFT_FREE)} must stay free",
                "free space, or use a profile with smaller files (stream_bytes, files)", task.job.name,
            )  # fmt: skip
        elif facts.free_files is not None and task.job.files * 1.2 + 100 > facts.free_files:
            text = f"'{task.job.name}' creates {task.job.files} files, {facts.free_files} inodes are free"
            yield error("no-inodes", text, "use a profile with fewer files", task.job.name)


def _advice(tasks: Sequence[Task], facts: BenchFacts, ask: BenchOptions) -> Iterator[Finding]:
    if not tasks:
        yield error("nothing-to-run", "no job of the profile matches the target", "choose another profile")
    timed = [task for task in tasks if task.job.pattern != "small-files"]
    if any(task.job.seconds < SHORT_SECONDS for task in timed):
        text = f"measurements shorter than {SHORT_SECONDS:.0f} s are labelled short"
        yield warning("short", text, "measure as long as the profile states for figures to sign")
    files = [task for task in timed if task.target.kind == "files"]
    if any(may_be_cached(task, facts.memory_bytes) for task in files):
        text = f"buffered files are smaller than {MEMORIES} times memory: labelled cached"
        yield warning("cached", text, "free more space on the target")
    if not facts.direct and files:
        text = "the file system does not support direct I/O (O_DIRECT); all I/O is buffered"
        yield warning("no-direct", text, "expect results that include the page cache")
    if any(task.job.random for task in files):
        most = max(task.bytes_used for task in files if task.job.random)
        text = f"random I/O spans {binary_size(most)}: seeks are shorter than on a full file system"
        yield note("short-seeks", text, "set stream_bytes in a custom profile")
    if not facts.root:
        text = "without root the page cache cannot be dropped: buffered reads are labelled cached"
        yield note("not-root", text, "run as root")
    if ask.precondition:
        text = f"up to {percent(_CONDITIONED_ROOM)} of the free space is written twice before measuring"
        yield warning("precondition", text, "it wears flash; omit --precondition for rotating disks")
