"""A benchmark: profile (request), tasks (jobs on targets), figures (results)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Self, get_args

from raidtui.values.codec_rules import FormValue, Value
from raidtui.values.findings import NO_NOTES, Notes
from raidtui.values.gauges import Scene
from raidtui.values.location import PlacedDisk
from raidtui.values.prediction import Prediction
from raidtui.values.speed import UNKNOWN, DiskSpeed, Limit

# Conditions of a benchmark: what is decided by is typed, the rest is shown and compared by name.


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions(FormValue):
    """What a benchmark was run under. In files it is one object of texts, name to value."""

    FORM = dict[str, str]
    usable_bytes: int | None = None
    """f_blocks times f_frsize of the file system (statvfs); None where no single one was measured"""
    settings: Mapping[str, str] = field(default_factory=dict)
    """kernel, mdadm and fio versions; chunk, stripe_cache_size, group_thread_cnt, scheduler, read-ahead, write cache,
    sync state by array: name to value"""

    @property
    def form(self) -> dict[str, str]:
        """Name to value, as text."""
        size = {} if self.usable_bytes is None else {"usable_bytes": str(self.usable_bytes)}
        return {**self.settings, **size}

    @classmethod
    def read(cls, texts: Mapping[str, str]) -> Conditions:
        """The conditions of these texts; a size that is no number stays a text."""
        settings = dict(texts)
        size = texts.get("usable_bytes", "")
        usable = int(settings.pop("usable_bytes")) if size.isascii() and size.isdigit() else None
        return cls(usable_bytes=usable, settings=settings)


TargetKind = Literal["disk", "disks", "array", "arrays", "volume", "files"]
"""disk: each disk alone; disks: all of them at once; array: each md array; arrays: all of them at once; volume: the
block device that carries the file system; files: files of our own on the mounted file system. Block devices are only
read, but for blank disks and empty arrays of a plan, to which zeros are written where that was confirmed"""
Pattern = Literal["read", "write", "randread", "randwrite", "randrw", "small-files"]
Unit = Literal["B/s", "IOPS", "files/s", "B"]
Predicted = Literal[
    "", "disk", "seq_read", "seq_read_one_stream", "seq_write", "seq_write_one_stream", "rand_read", "rand_write",
    "degraded_seq_read", "degraded_rand_read", "rebuilding_seq_read", "rebuild",
]  # fmt: skip
"""which figure of the model a job is held against; disk: the disk's own sequential speed"""
Label = Literal["short", "syncing", "degraded", "partial", "cached", "disturbed", "simulated"]
"""short: under 30 s; syncing: an array resynced, recovered or was checked meanwhile; partial: ended before its time;
cached: the page cache or a drive's cache may have helped; disturbed: others used the disks meanwhile"""
Verdict = Literal["ok", "low", "high", "not judged", "no prediction", "not comparable"]
"""within the band, below it, above it; not judged: within a band too wide to say anything; not comparable: a label says
the run measures something else"""
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
BenchOutcome = Literal["running", "finished", "stopped", "failed", "interrupted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(Value):
    """One kind of load in a profile."""

    name: str
    """short, unique in its profile: lower-case letters, digits and hyphens"""
    title: str
    """one line for people"""
    target: TargetKind
    """what it runs on"""
    pattern: Pattern
    """what it does"""
    block_bytes: int
    """record size; for small-files the mean size of a file"""
    streams: int = 1
    """concurrent readers or writers, each with its own file or region"""
    depth: int = 1
    """requests each keeps in flight"""
    regions: int = 1
    """distinct regions of the target that streams share (sgpdd-survey's crg); at least 1"""
    direct: bool = True
    """past the page cache"""
    sync_each: bool = False
    """fdatasync after every write, as a database's log does"""
    read_share: float = 0.5
    """share of reads, for randrw"""
    stream_bytes: int = 0
    """size of each stream's file or region; 0: as much as fits, at least four times memory where the cache is used"""
    files: int = 0
    """number of files in all, for small-files"""
    tree: str = ""
    """for small-files: a tar file or a directory that is unpacked or copied instead of made-up files"""
    seconds: float = 30.0
    """measured, after the warm-up"""
    warm_up_seconds: float = 5.0
    """run before, not counted"""
    repeats: int = 3
    """how often; the median is the figure"""
    predicted: Predicted = ""
    """what of the model it is held against"""

    @property
    def only_reads(self) -> bool:
        """True if it writes nothing."""
        return self.pattern in ("read", "randread")

    @property
    def random(self) -> bool:
        """True if its requests go to random places."""
        return self.pattern in ("randread", "randwrite", "randrw")

    @property
    def on_lost_members(self) -> bool:
        """True if it is held against the speed of arrays that are degraded or rebuild."""
        return self.predicted in ("degraded_seq_read", "degraded_rand_read", "rebuilding_seq_read", "rebuild")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile(Value):
    """A suite: what to run, in order."""

    schema: Literal["raidtui/profile/1"] = "raidtui/profile/1"
    """format of this document"""
    name: str
    """how it is asked for"""
    title: str
    """one line for people"""
    purpose: str
    """what it answers"""
    jobs: tuple[Job, ...]
    """in order"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target(Value):
    """One thing a job runs on."""

    kind: TargetKind
    """what it is"""
    name: str
    """as shown: a disk's slot or serial, an array's name, the mount point"""
    paths: tuple[str, ...]
    """device paths; for files the directory"""
    disks: tuple[str, ...]
    """identities of the disks below it"""
    size_bytes: int
    """of the device, or free in the file system"""
    array: str = ""
    """kernel name of the array, where it is one or stands on one"""

    @property
    def disks_alone(self) -> bool:
        """True for one or several disks, not for what was built on them."""
        return self.kind in ("disk", "disks")

    @classmethod
    def at_once(cls, parts: Sequence[Self], array: str = "") -> Self:
        """Several disks, or several arrays, on which a job runs at once."""
        kind: TargetKind = "disks" if parts[0].kind == "disk" else "arrays"
        return cls(
            kind=kind, name=f"{len(parts)} {kind} at once", paths=tuple(path for each in parts for path in each.paths),
            disks=tuple(disk for each in parts for disk in each.disks),
            size_bytes=sum(each.size_bytes for each in parts), array=array,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Value):
    """One job on one target, as it was decided before the start."""

    number: int
    """from 1, in order"""
    job: Job
    """what"""
    target: Target
    """on what"""
    seconds: float
    """estimated, all repeats, warm-up and filling included"""
    bytes_used: int
    """space it takes while it runs; 0 when it only reads a device"""
    position: float | None = None
    """where on each disk the middle of its data lies, 0 the outer edge and 1 the inner one; None where only the file
    system knows; what runs on a device starts at its outer edge"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchDisk(PlacedDisk):
    """A disk of the benchmark."""

    name: str
    """kernel name at the time, the key of gauges"""
    firmware: str = ""
    """its firmware"""
    health: str = ""
    """what SMART said of it; empty where it was not read"""
    array: str = ""
    """kernel name of the array it is a member or spare of"""
    role: str = ""
    """member, spare or empty"""
    expected: DiskSpeed | None = None
    """predicted speed of the disk alone; None without a prediction"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench(Value):
    """What was asked and on what machine; written before the first job."""

    schema: Literal["raidtui/bench/1"] = "raidtui/bench/1"
    """format of this document"""
    id: str
    """32 hex digits"""
    started: str
    """UTC, ISO 8601"""
    host: str
    """host name"""
    machine_id: str | None = None
    """/etc/machine-id"""
    simulated: bool
    """True when the figures come from the model and no disk was touched"""
    profile: str
    """name of the profile"""
    tasks: tuple[Task, ...]
    """in order"""
    disks: tuple[BenchDisk, ...]
    """below the targets"""
    layout: str = ""
    """canonical notation of what is measured; empty where it is no layout raidtui knows"""
    plan_digest: str = ""
    """of the plan it was built by; empty where it was built otherwise"""
    prediction: Prediction | None = None
    """of that layout on those disks; None where there is none to compare with"""
    conditions: Conditions = field(default_factory=Conditions)
    """kernel, mdadm and fio versions; chunk, stripe_cache_size, group_thread_cnt, scheduler, read-ahead, write cache,
    sync state by array: name to value. `usable_bytes` is f_blocks times f_frsize of the file system (statvfs), where
    one was measured"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOrder(Value):
    """How a benchmark is carried out: what its executor reads besides the benchmark."""

    bench_digest: str = ""
    """SHA-256 of the file with the benchmark"""
    during_sync: bool = False
    """measure although arrays sync"""
    precondition: bool = False
    """write the files twice before they are measured"""
    mounts: Mapping[str, str] = field(default_factory=dict)
    """mount point that holds each directory with files"""
    raw: Literal["", "disks", "arrays"] = ""
    """what of a plan, which is in the folder too, is measured as block devices"""
    speeds: str = ""
    """file to which what was measured is added for the planner; empty for none"""
    scene: Scene | None = None
    """disks and arrays of a simulated benchmark"""
    lacks: tuple[int, ...] = ()
    """missing members of each of these arrays; none: all are whole"""
    start: float | None = None
    """when a simulated one begins, seconds since 1970"""
    digest: str = ""
    """SHA-256 over the canonical JSON of all fields above"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency(Value):
    """Completion latency, milliseconds."""

    mean_ms: float
    """mean"""
    p50_ms: float
    """median"""
    p99_ms: float
    """nine of ten hundred are below"""
    max_ms: float
    """the longest"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen(Value):
    """What the gauges showed while a repeat ran, and the limit that follows."""

    limit: Limit
    """the limit, named as the model's ceilings; empty if the gauges do not show it"""
    reason: str
    """the figures that show it"""
    slow_disks: tuple[str, ...] = ()
    """identities of disks that stayed under their group's median"""
    write_reads_share: float | None = None
    """bytes read from members over bytes written to them in a write job: above 1 % partial stripes were read back"""
    disk_read_bytes_per_s: dict[str, float] = field(default_factory=dict)
    """bytes per second read from each disk, by identity; of tasks on several disks or an array"""
    disk_write_bytes_per_s: dict[str, float] = field(default_factory=dict)
    """the same, written"""
    link_bytes_per_s: dict[Limit, float] = field(default_factory=dict)
    """bytes per second over each link that several of the disks share; of two directions the fuller one"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat(Value):
    """One run of one job."""

    value: float
    """in the figure's unit"""
    began: float
    """seconds since 1970"""
    ended: float
    """seconds since 1970"""
    fio: str = ""
    """file beside the result with what fio printed; empty where it was not fio"""
    errors: int = 0
    """I/O errors fio counted"""
    labels: tuple[Label, ...] = ()
    """what to know of it"""
    latency: Latency | None = None
    """of its requests"""
    parts: dict[str, float] = field(default_factory=dict)
    """value of each phase, where a repeat has several: create to delete of small-files, in files a second"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure(Value):
    """What one task came to."""

    task: int
    """number of the task"""
    unit: Unit
    """of the values"""
    repeats: tuple[Repeat, ...]
    """those that count, in order"""
    median: float
    """of the repeats"""
    spread: float
    """(highest - lowest) / median; 0 for a single repeat"""
    labels: tuple[Label, ...] = ()
    """of any repeat"""
    seen: Seen | None = None
    """what bound it, as the gauges saw it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchResult(Value):
    """All of a benchmark, complete or not."""

    schema: Literal["raidtui/bench-result/1"] = "raidtui/bench-result/1"
    """format of this document"""
    bench: Bench
    """what was asked"""
    figures: tuple[Figure, ...]
    """of the tasks that have one, in order"""
    outcome: BenchOutcome
    """how it ended"""
    reason: str = ""
    """why, where it did not finish"""
    ended: str = ""
    """UTC, ISO 8601"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared(Value):
    """One figure and its prediction."""

    task: int
    """number of the task"""
    name: str
    """job and target in words"""
    unit: Unit
    """of the values"""
    measured: float
    """the figure"""
    predicted: float | None = None
    """prediction; None if the model has no such figure"""
    low: float | None = None
    """lower end of its band"""
    high: float | None = None
    """upper end"""
    ratio: float | None = None
    """measured over predicted"""
    verdict: Verdict
    """of the measured figure"""
    limit_predicted: Limit = UNKNOWN
    """the ceiling that was to bind"""
    limit_seen: Limit = UNKNOWN
    """the one that did"""
    note: Notes = NO_NOTES
    """what to know"""
