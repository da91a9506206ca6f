"""A question asked of the speed model, `read,streams=8,size=128K,depth=1`, and its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import Value
from raidtui.model.counted import counted
from raidtui.model.limit import Limit
from raidtui.model.ranges import LONGEST_NUMBER
from raidtui.model.speed import BandCause, Ceiling
from raidtui.model.units import GIB, SECTOR, exact_binary, parse_binary_size

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
