"""What a profile comes to on given targets: tasks in order, the time and room they take, and what to know before.

Estimates of time hold back nothing: warm-up, every repeat, filling the files that are read, and the pause between
repeats in which the disks come to rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from raidtui.model.bench import Job, Profile, Target, Task
from raidtui.model.finding import Finding, Severity
from raidtui.model.units import GIB, MIB, binary_size, round_down

RAW = ("disk", "disks", "array", "volume")
"""kinds of targets that are block devices; they are only read"""
SHORT_SECONDS = 30.0
"""a figure of less is labelled short"""
FILES_A_FOLDER = 6
"""the tree of the field report: 154,212 files in 25,595 directories"""
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_BETWEEN = 3.0
"""seconds between repeats: what is dirty is written, the disks come to rest"""
_LEAST, _MOST, _STREAM_LEAST = GIB, 64 * GIB, 16 * MIB
_ROOM = 0.5
"""share of the free room that files take at most"""
_CONDITIONED_ROOM = 0.7
"""the same of conditioned flash, which has to be filled"""
_LEFT_FREE = 256 * MIB
MEMORIES = 4
"""files are at least so many times memory where the page cache is used"""
_INODE = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchFacts:
    """What is known before the start of the machine and of the file system that files are made on."""

    memory_bytes: int
    """of the machine"""
    free_bytes: int
    """for us, in that file system"""
    free_files: int | None = None
    """inodes left; None where they are made as needed"""
    direct: bool = True
    """it can be read and written past the page cache"""
    root: bool = True
    """caches can be dropped, devices be read"""
    read_bytes_per_s: float = 500e6
    """expected of the whole, for the estimate alone"""
    write_bytes_per_s: float = 300e6
    """the same"""
    files_per_s: float = 2000.0
    """small files created a second, the same"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOptions:
    """What the user wants other than the profile says."""

    seconds: float | None = None
    """of each figure"""
    repeats: int | None = None
    """of each figure"""
    precondition: bool = False
    """flash: most of the free room is filled, twice, before anything is measured in it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchPlan:
    """What will be done."""

    tasks: tuple[Task, ...]
    """in order"""
    findings: tuple[Finding, ...]
    """what to know before; an error refuses"""
    seconds: float
    """all of it, estimated"""
    bytes_used: int
    """the most that lies on the file system at any moment"""


def profile_problem(profile: Profile) -> str:
    """Why a profile cannot be run as it is written, in words; empty when it can."""
    if not _NAME.fullmatch(profile.name):
        return f"name: '{profile.name}' must be lower-case letters, digits and hyphens, at most 40"
    seen: set[str] = set()
    for at, job in enumerate(profile.jobs):
        if problem := _wrong_with_job(job):
            return f"jobs.{at}.{problem}"
        if job.name in seen:
            return f"jobs.{at}.name: a second job is called {job.name}"
        seen.add(job.name)
    return "" if profile.jobs else "jobs: there are none"


def _wrong_with_job(job: Job) -> str:
    if not _NAME.fullmatch(job.name):
        return f"name: '{job.name}' must be lower-case letters, digits and hyphens, at most 40"
    if job.target in RAW and job.pattern not in ("read", "randread"):
        return "pattern: block devices are only read; write into files (target: files)"
    if job.target in RAW and (job.streams > 1 or job.regions > 1 or not job.direct):
        return "streams: a block device is read by one direct stream; use depth for more at a time"
    small = job.pattern == "small-files"
    if small != (job.files > 0):
        return "files: a number above 0 goes with small-files, and only with it"
    least = 1 if small else 512
    limits = (
        ("block_bytes", job.block_bytes, least, GIB), ("streams", job.streams, 1, 1024), ("depth", job.depth, 1, 4096),
        ("seconds", job.seconds, 1, 86400), ("warm_up_seconds", job.warm_up_seconds, 0, 3600),
        ("repeats", job.repeats, 1, 100), ("read_share", job.read_share, 0, 1), ("files", job.files, 0, 100_000_000),
        ("stream_bytes", job.stream_bytes, 0, 1 << 60),
    )  # fmt: skip
    for name, value, low, high in limits:
        if not low <= value <= high:
            return f"{name}: {value} is not between {low} and {high}"
    if not small and job.block_bytes % 512:
        return f"block_bytes: {job.block_bytes} is no multiple of 512"
    if job.regions not in (1, job.streams):
        return f"regions: {job.regions} must be 1 (files of their own) or the number of streams, {job.streams}"
    if job.sync_each and "write" not in job.pattern:
        return "sync_each: only a job that writes can sync"
    if job.stream_bytes and job.stream_bytes < job.block_bytes:
        return f"stream_bytes: {job.stream_bytes} is less than one record"
    return ""


def bench_plan(
    profile: Profile, targets: Sequence[Target], facts: BenchFacts, ask: BenchOptions = BenchOptions()
) -> BenchPlan:
    """Tasks of `profile` on those of `targets` that its jobs are for. Never raises: findings say what cannot be."""
    tasks: list[Task] = []
    findings: list[Finding] = []
    laid_out: tuple[object, ...] = ()
    for each in profile.jobs:
        job = adjusted_job(each, facts, ask)
        fitting = [target for target in targets if target.kind == job.target]
        if not fitting:
            findings.append(_left_out(job, facts))
        for target in fitting:
            sized, used = _sized(job, facts, ask)
            shape = (target.paths, *file_layout(sized)) if needs_fill(sized) else ()
            filling = used / facts.write_bytes_per_s * (2 if ask.precondition else 1) if shape != laid_out else 0.0
            seconds = _job_seconds(sized, facts) + (filling if shape else 0.0)
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
    """`job` as the user wants it: seconds, repeats; through the page cache where there is no other way."""
    if ask.seconds is not None:
        share = min(1.0, ask.seconds / SHORT_SECONDS)
        files = max(FILES_A_FOLDER, round(job.files * share)) if job.files else 0
        warm_up = min(job.warm_up_seconds, ask.seconds / 2)
        job = replace(job, seconds=ask.seconds, warm_up_seconds=warm_up, files=files)
    if ask.repeats is not None:
        job = replace(job, repeats=ask.repeats)
    if job.target == "files" and job.direct and not facts.direct:
        job = replace(job, direct=False, depth=1)
    return job


def needs_fill(job: Job) -> bool:
    """True where files are written once in order before they are measured.

    Direct writes go over what was filled, so that a figure is the arrays' and not that of allocating room; one
    through the page cache makes its file, as the programs do that it stands for.
    """
    return job.target == "files" and job.pattern != "small-files" and (job.pattern != "write" or job.direct)


def file_layout(job: Job) -> tuple[object, ...]:
    """What jobs that can work on the same files have in common."""
    if job.streams == 1 or job.regions > 1:
        return ("one", job.stream_bytes * job.streams, job.direct)
    return ("each", job.streams, job.stream_bytes, job.direct)


def _sized(job: Job, facts: BenchFacts, ask: BenchOptions) -> tuple[Job, int]:
    """The job with the size of its files, and the room they take."""
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
        "disk": "no disk that can be read is known",
        "disks": "fewer than two disks that can be read are known",
        "array": "there is no md array that can be read",
        "volume": "there is no volume that can be read",
        "files": "there is no file system",
    }[job.target]
    return Finding(
        severity="note",
        code="job-left-out",
        message=f"'{job.name}' is left out: {what} below the target",
        way_out="the other jobs run" if facts.root else "run it as root: devices can be read then",
        subject=job.name,
    )


def _room(tasks: Iterable[Task], facts: BenchFacts) -> list[Finding]:
    """Refusals where room does not suffice."""
    found = []
    for task in tasks:
        if task.bytes_used > facts.free_bytes - _LEFT_FREE:
            needed = f"{binary_size(task.bytes_used)} of {binary_size(max(facts.free_bytes, 0))} free"
            found.append(
                Finding(
                    severity="error", code="no-room", subject=task.job.name,
                    message=f"'{task.job.name}' needs {needed}; {binary_size(_LEFT_FREE)} must stay free",
                    way_out="make room, or run a profile of smaller files (stream_bytes, files)",
                )
            )  # fmt: skip
        elif facts.free_files is not None and task.job.files * 1.2 + 100 > facts.free_files:
            found.append(
                Finding(
                    severity="error", code="no-inodes", subject=task.job.name,
                    message=f"'{task.job.name}' makes {task.job.files} files, {facts.free_files} inodes are left",
                    way_out="run a profile of fewer files",
                )
            )  # fmt: skip
    return found


def _advice(tasks: Sequence[Task], facts: BenchFacts, ask: BenchOptions) -> list[Finding]:
    found = []
    if not tasks:
        found.append(_finding("error", "nothing-to-run", "no job of the profile fits the target", "choose another"))
    timed = [task for task in tasks if task.job.pattern != "small-files"]
    if any(task.job.seconds < SHORT_SECONDS for task in timed):
        text = f"figures of less than {SHORT_SECONDS:.0f} s are labelled short"
        found.append(_finding("warning", "short", text, "leave --seconds out for figures to sign"))
    files = [task for task in timed if task.target.kind == "files"]
    if any(not task.job.direct and task.bytes_used < MEMORIES * facts.memory_bytes for task in files):
        text = f"files through the page cache are smaller than {MEMORIES} times memory: labelled cached"
        found.append(_finding("warning", "cached", text, "free more room on the target"))
    if not facts.direct and files:
        text = "the file system cannot be read past the page cache (O_DIRECT); everything goes through it"
        found.append(_finding("warning", "no-direct", text, "figures tell of memory as much as of disks"))
    if any(task.job.pattern.startswith("rand") for task in files):
        most = max(task.bytes_used for task in files if task.job.pattern.startswith("rand"))
        text = f"random places lie within {binary_size(most)}: seeks are shorter than over a full file system"
        found.append(_finding("note", "short-seeks", text, "give stream_bytes in a profile of your own"))
    if not facts.root:
        text = "without root no cache is dropped: what reads through it is labelled cached"
        found.append(_finding("note", "not-root", text, "run it as root"))
    if ask.precondition:
        text = f"up to {_CONDITIONED_ROOM:.0%} of the free room is written twice before measuring"
        found.append(_finding("warning", "precondition", text, "it wears flash; leave --precondition out for disks"))
    return found


def _finding(severity: Severity, code: str, message: str, way_out: str) -> Finding:
    return Finding(severity=severity, code=code, message=message, way_out=way_out)
