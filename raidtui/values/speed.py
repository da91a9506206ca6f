"""How fast a design is expected to be, each figure with its band and the ceiling that binds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from raidtui.values.codec_rules import TextValue, Value
from raidtui.values.units import GIB, LONGEST_NUMBER, SECTOR, counted, exact_binary, parse_binary_size

# A limit: what bounds a rate, by its kind and, where a machine has several of a kind, its name.


LimitKind = Literal[
    "unknown", "members", "members, one slow", "partial stripes", "disk link", "port multiplier", "expander", "cable",
    "PCIe slot", "stated link", "link of all members", "md thread", "encryption", "one stream", "memory", "program",
    "member", "sync_speed_max", "md sync thread", "controller cache", "journal", "band", "other",
]  # fmt: skip
"""unknown: neither model nor gauges tell; stated link: the one link of all members that the admin gave a rate for, in a
rebuild `link of all members`; encryption: the processors' AES; program: too little is kept in flight; controller cache:
of hardware controllers, which mirror what is written; journal: the disk of a write journal; member: the disk alone, in
a rebuild; band: the slowest of a hybrid layout; other: named by a table of measurements, or by another version"""
_TEXTS: dict[str, LimitKind] = {kind: kind for kind in get_args(LimitKind) if kind not in ("unknown", "other")}
_NAMED: tuple[LimitKind, ...] = ("port multiplier", "expander", "cable", "PCIe slot", "band")
_SHARED_LINKS: frozenset[LimitKind] = frozenset(("port multiplier", "expander", "cable", "PCIe slot", "stated link"))


@dataclass(frozen=True, slots=True, order=True)
class Limit(TextValue):
    """What bounds a rate. In files it is its text, `port multiplier ata1.pmp`; an unknown one is empty there."""

    kind: LimitKind
    name: str = ""
    """which of its kind, raw text of the machine; empty where there is only one"""

    def __str__(self) -> str:
        """Its text, in files and for people: kind and name, once where the name has the kind: `expander-0:0`."""
        if self.kind == "unknown":
            return ""
        named = self.kind == "other" or self.name.startswith(f"{self.kind}-")
        return self.name if named else f"{self.kind} {self.name}".strip()

    @classmethod
    def read(cls, text: str) -> Limit:
        """The limit of this text."""
        if not text:
            return UNKNOWN
        if text in _TEXTS:
            return cls(_TEXTS[text])
        for kind in _NAMED:
            if text.startswith(f"{kind} "):
                return cls(kind, text[len(kind) + 1 :])
            if text.startswith(f"{kind}-"):
                return cls(kind, text)
        return cls("other", text)

    @property
    def known(self) -> bool:
        """False if neither model nor gauges show a limit."""
        return self.kind != "unknown"

    @property
    def is_shared_link(self) -> bool:
        """True for links that several disks share."""
        return self.kind in _SHARED_LINKS

    @property
    def short(self) -> str:
        """Its text without the name, but for one of no kind."""
        return self.name if self.kind == "other" else str(Limit(self.kind))

    @property
    def device(self) -> str:
        """`expander-0:0`: its text, of a link below a controller its name, which tells what it is."""
        return self.name if self.kind in ("port multiplier", "expander", "cable") else str(self)

    def agrees_with(self, other: Limit) -> bool:
        """True where both are one thing: one slow member sets the pace of all, and a lone stream is its program's.

        An unknown limit agrees with none.
        """
        return self.known and _SAME.get(self, self) == _SAME.get(other, other)


UNKNOWN = Limit("unknown")
MEMBERS = Limit("members")
SLOW_MEMBER = Limit("members, one slow")
PARTIAL_STRIPES = Limit("partial stripes")
DISK_LINK = Limit("disk link")
MD_THREAD = Limit("md thread")
ENCRYPTION = Limit("encryption")
ONE_STREAM = Limit("one stream")
MEMORY_CHANNELS = Limit("memory")
PROGRAM = Limit("program")
CONTROLLER_CACHE = Limit("controller cache")
JOURNAL = Limit("journal")
_SAME = {SLOW_MEMBER: MEMBERS, ONE_STREAM: PROGRAM}


SpeedSource = Literal["said", "measured", "inventory", "family", "class"]
"""who says a disk's speed: the admin, a measurement kept on this machine, the inventory, a table of drive families by
model string, or what its class usually does; stored documents have these words, texts say `stated` for `said`"""
CeilingSource = Literal["said", "measured", "sysfs", "table", "guess"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskSpeed(Value):
    """What one disk does alone. Bytes per second, decimal; operations of 4 KiB per second."""

    read_bytes_per_s: int
    """sequential read at the outer zone"""
    write_bytes_per_s: int
    """sequential write at the outer zone, sustained"""
    inner_share: float
    """speed of the inner zone over the outer one; 1 for flash"""
    read_iops: int
    """random reads at the depth an array reaches"""
    write_iops: int
    """random writes, sustained"""
    rotational: bool
    """True for spinning disks"""
    source: SpeedSource
    """where the figures come from"""
    basis: str
    """the same in words, with the family or class"""
    low: float = 1.0
    """lower end of the band of the sequential speed, over the figure"""
    high: float = 1.0
    """upper end"""
    write_high: float | None = None
    """upper end of writes, where it is another: shingled disks take new data as fast as they read"""
    middle_share: float | None = None
    """speed half-way over that of the outer zone, where it was measured"""
    iops_error: float = 1.0
    """nine of ten random rates lie within this factor of the figure"""
    iops_low: float | None = None
    """lower end of random rates over the figure, where it is not one over `iops_error`"""
    flush_s: float | None = None
    """seconds that flash takes to write its cache out; None: its cache outlives a power cut, or it rotates"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling(Value):
    """One thing that bounds a rate."""

    name: Limit
    """the limit by name: `members`, `port multiplier ata1.pmp`, `PCIe slot 0000:03:00.0`"""
    rate: int
    """bytes (or operations) of user data per second it allows"""
    source: CeilingSource
    """where its capacity comes from"""
    formula: str
    """how the rate follows, with this layout's numbers"""
    remedy: str = ""
    """what would lift it; empty where nothing simple does"""


Driver = Literal[
    "class", "md thread", "disk speed", "link", "memory", "partial stripes", "latency", "bitmap", "controller cache"
]  # fmt: skip
"""class: how near arrays come to their lowest ceiling; the others are inputs that are not known exactly"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BandCause(Value):
    """What makes a band wide."""

    driver: Driver
    """what is known worst"""
    factor: float
    """how many times narrower the band would be if it were known exactly"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate(Value):
    """A sequential rate of user data, bytes per second."""

    bytes_per_s: int
    """what is expected"""
    low: int
    """lower end of the band that nine measurements of ten fell into"""
    high: int
    """upper end"""
    bottleneck: Limit
    """name of the binding ceiling"""
    next: Limit
    """name of the ceiling that binds when the first is lifted; empty when there is no other"""
    ceilings: dict[Limit, int]
    """every ceiling by name, bytes of user data per second, before the derating"""
    spread: BandCause | None = None
    """what widens the band most; None for a narrow one"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Iops(Value):
    """A random rate of 4 KiB operations, per second."""

    iops: int
    """what is expected"""
    low: int
    """lower end of the band"""
    high: int
    """upper end"""
    bottleneck: Limit
    """name of the binding ceiling"""
    next: Limit
    """name of the next one; empty when there is no other"""
    ceilings: dict[Limit, int]
    """every ceiling by name, operations per second"""
    spread: BandCause | None = None
    """what widens the band most; None for a narrow one"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput(Value):
    """The speed of a design. Rotating disks are given at their outer zone; `inner_share` scales to the inner one."""

    seq_read: Rate
    """many streams"""
    seq_read_one_stream: Rate
    """one reader"""
    seq_write: Rate
    """many streams of full stripes"""
    seq_write_one_stream: Rate
    """one writer"""
    rand_read: Iops
    """4 KiB at depth"""
    rand_write: Iops
    """4 KiB at depth"""
    degraded_seq_read: Rate | None = None
    """with one member of each array missing; None where the level survives none"""
    degraded_rand_read: Iops | None = None
    """the same, random"""
    rebuilding_seq_read: Rate | None = None
    """while one member of each array is rebuilt at the assumed share"""
    mean_share: float
    """mean over the whole disk relative to the outer zone; 1 for flash"""
    inner_share: float
    """inner zone relative to the outer one; 1 for flash"""
    disk: DiskSpeed
    """the slowest member, which sets the pace"""
    unknown: tuple[str, ...] = ()
    """what is not known of the way to the disks and might bind lower"""
    explained: dict[str, tuple[Ceiling, ...]]
    """field of this value to its ceilings, lowest first: what F1 shows"""
    notes: tuple[str, ...] = ()
    """where md is known to be off the simple rule, and why"""


# A question asked of the speed model, `read,streams=8,size=128K,depth=1`, and its answer.


MOST_REQUESTS = 65_536
"""most streams, and most requests of a stream in flight"""
MOST_REQUEST_BYTES = GIB
_FORM = (
    "read, write or mixed,read=PERCENT, then random, streams=N, size=SIZE, depth=N, degraded or rebuilding, separated "
    "by commas"
)

WorkloadKind = Literal["read", "write", "mixed"]
MissingMember = Literal["degraded", "rebuilding"]
"""one member of each array is missing; one of each is rebuilt at the assumed share of the members' time"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadQuestion(Value):
    """One workload. What is None is not stated: the answer is then that of `Throughput` for the same kind."""

    kind: WorkloadKind
    """reads, writes, or both at once"""
    read_percent: int | None = None
    """requests of a hundred that read, 1 to 99, for `mixed`; None for the others"""
    random: bool = False
    """True: random places, aligned to the size; False: every stream is sequential"""
    streams: int | None = None
    """clients, jobs or files at once; None: as many as saturate the arrays"""
    size_bytes: int | None = None
    """bytes of a request; None: 4 KiB of random work; of sequential work large enough to use all members"""
    depth: int | None = None
    """requests of a stream in flight, direct I/O; None: through the page cache, which reads ahead and collects writes;
    random work: 1 where streams are stated"""
    state: MissingMember | None = None
    """of the arrays; None: all members are there"""

    def __str__(self) -> str:
        """`random read, 8 streams, 128 KiB, depth 1`."""
        place = "random " if self.random else ""
        parts = [place + self.kind]
        if self.read_percent is not None:
            parts = [f"{self.read_percent} % {place}reads", f"{100 - self.read_percent} % {place}writes"]
        if self.streams is not None:
            parts.append(counted(self.streams, "stream"))
        parts += [exact_binary(self.size_bytes)] if self.size_bytes is not None else []
        parts += [f"depth {self.depth}"] if self.depth is not None else []
        parts += [self.state] if self.state else []
        return ", ".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberLoad(Value):
    """What one member of an array reads and writes; not counted: superblocks and bitmaps."""

    array: int
    """number of its array, from 0"""
    member: int
    """its role in the array, from 0"""
    read_bytes_per_s: int
    """what is expected"""
    read_low: int
    """least, where md is free to read another copy"""
    read_high: int
    """most"""
    write_bytes_per_s: int
    """what is expected"""
    reads_per_s: int | None = None
    """the same in requests; None where they merge"""
    writes_per_s: int | None = None
    """the same in requests; None where they merge"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BitmapRate(Value):
    """What the same workload gets with another write-intent bitmap, or without one."""

    chunk_bytes: int | None = None
    """bytes of a member that one bit covers; None: without a bitmap"""
    bytes_per_s: int
    """what is expected"""
    low: int
    """lower end of the band"""
    high: int
    """upper end"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedRate(Value):
    """The answer: what all streams together get. Rotating disks are at their outer zone."""

    ask: WorkloadQuestion
    """the question"""
    bytes_per_s: int
    """what is expected"""
    low: int
    """lower end of the band"""
    high: int
    """upper end"""
    size_bytes: int | None = None
    """bytes of a request that the answer is for; None where requests merge and their size does not count"""
    requests_per_s: int | None = None
    """the same in requests; None where their size does not count"""
    latency_s: float | None = None
    """mean seconds of a request (Little's law: requests in flight / rate); None where it is not known how many are"""
    bottleneck: Limit
    """name of the binding limit; `program`: too little is in flight"""
    next: Limit
    """name of the limit that binds when the first is lifted; empty when there is no other"""
    ceilings: tuple[Ceiling, ...]
    """every limit, lowest first; rates in bytes per second"""
    spread: BandCause | None = None
    """what widens the band most; None for a narrow one"""
    touches: str = ""
    """members that one request uses, and how a parity array writes it"""
    evidence: str = ""
    """published measurements that the answer was held against, or that there are none"""
    notes: tuple[str, ...] = ()
    """assumptions with their sources"""
    members: tuple[MemberLoad, ...] = ()
    """the load of each member at the expected rate, array by array"""
    bitmaps: tuple[BitmapRate, ...] = ()
    """of work that writes: the same without a bitmap and with several, this design's among them, smallest chunk first;
    empty where the arrays can have none"""


def parse_ask(text: str) -> WorkloadQuestion:
    """The workload of `read,streams=8,size=128K,depth=1`. Raises ValueError that names the invalid word."""
    kinds: list[WorkloadKind] = []
    random = False
    state: MissingMember | None = None
    numbers: dict[str, int] = {}
    for word in text.split(","):
        name, equals, value = word.strip().partition("=")
        match name:
            case "read" | "write" | "mixed" if not equals and not kinds:
                kinds.append(name)
            case "read" if equals and name not in numbers:
                numbers[name] = _percent(value)
            case "random" if not equals and not random:
                random = True
            case "degraded" | "rebuilding" if not equals and state is None:
                state = name
            case "streams" | "depth" if name not in numbers:
                numbers[name] = _count(name, value)
            case "size" if name not in numbers:
                numbers[name] = _size(value)
            case _:
                raise ValueError(f"invalid word '{word.strip()[:LONGEST_NUMBER]}': expected {_FORM}")
    if "depth" in numbers and "size" not in numbers and not random:
        raise ValueError("sequential work with a depth needs a size: add size=128K, for example")
    if not kinds:
        raise ValueError(f"neither read nor write: expected {_FORM}")
    if (kinds[0] == "mixed") != ("read" in numbers):
        raise ValueError("mixed and read=PERCENT belong together: for example mixed,read=70,random")
    if kinds[0] == "mixed" and not random:
        raise ValueError("sequential reads beside writes are not predicted: add random")
    if state and kinds[0] != "read":
        raise ValueError(f"writes of {state} arrays are not predicted: ask for read,{state}")
    return WorkloadQuestion(
        kind=kinds[0],
        read_percent=numbers.get("read"),
        random=random,
        streams=numbers.get("streams"),
        size_bytes=numbers.get("size"),
        depth=numbers.get("depth"),
        state=state,
    )


def ask_words(ask: WorkloadQuestion) -> str:
    """The words that `parse_ask` reads as `ask`."""
    parts = [ask.kind, *((f"read={ask.read_percent}",) if ask.kind == "mixed" else ())]
    parts += ["random"] if ask.random else []
    parts += [f"streams={ask.streams}"] if ask.streams is not None else []
    parts += [f"size={exact_binary(ask.size_bytes).replace(' ', '')}"] if ask.size_bytes is not None else []
    parts += [f"depth={ask.depth}"] if ask.depth is not None else []
    parts += [ask.state] if ask.state else []
    return ",".join(parts)


def _count(name: str, text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > LONGEST_NUMBER or not 1 <= int(text) <= MOST_REQUESTS:
        raise ValueError(f"invalid {name} '{text[:LONGEST_NUMBER]}': expected 1 to {MOST_REQUESTS}")
    return int(text)


def _percent(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > LONGEST_NUMBER or not 1 <= int(text) <= 99:
        raise ValueError(f"invalid read={text[:LONGEST_NUMBER]}: expected percent of the requests, 1 to 99")
    return int(text)


def _size(text: str) -> int:
    size = parse_binary_size(text)
    if not SECTOR <= size <= MOST_REQUEST_BYTES or size % SECTOR:
        raise ValueError(f"invalid size '{text}': expected 512 bytes to 1 GiB, in whole sectors of 512 bytes")
    return size


# What a machine was measured to do, beside its disks: links, memory, md's thread, and how near its arrays come.


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
