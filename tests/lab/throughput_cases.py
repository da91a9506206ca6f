"""Which arrays and which fio jobs are measured on disks of known speed.

QEMU throttles the disks, reads and writes together: SEQ* in bytes a second alone (`bps-total`), for
sequential work; RND* in requests a second alone (`iops-total`), for random work; ROT* like SEQ*
but reported as rotating, because md spreads the reads of mirrors otherwise on those. None of them
seeks: passing over a parity chunk costs nothing, as on flash. The limits are far below what the
emulated machine moves (some 200 MB/s and 8000 requests a second, all disks together).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from tests.lab.disk import Disk, lab_disks

DISK_BYTES = 64 << 30
LIMIT_BYTES = 10_000_000
"""bytes a second of a SEQ or ROT disk"""
LIMIT_IOS = 100
"""requests a second of a RND disk"""
DEFAULT_CACHE = 256
"""md's own stripe_cache_size, in entries of one page a member"""

Pool = Literal["SEQ", "RND", "ROT"]


@dataclass(frozen=True)
class Case:
    """One array; of `failed` members md is told that they are lost. `cache` is md's stripe_cache_size."""

    level: str
    members: int
    layout: str = ""
    chunk_kib: int = 64
    rotating: bool = False
    failed: int = 0
    bitmap: str = "none"
    cache: int = 4096

    @property
    def parity(self) -> int:
        """Members' worth of parity in a stripe."""
        return {"raid5": 1, "raid6": 2}.get(self.level, 0)

    @property
    def row_kib(self) -> int:
        """User data in a chunk of every data member (RAID10: of every member); RAID1 has no chunk."""
        return 512 if self.level == "raid1" else self.chunk_kib * (self.members - self.parity)


@dataclass(frozen=True)
class Workload:
    """One fio job: `depth` requests in flight in each of `jobs` jobs; buffered where not `direct`."""

    name: str
    kind: Literal["read", "write", "randread", "randwrite"]
    block_kib: int
    jobs: int = 1
    depth: int = 1
    direct: bool = True

    @property
    def random(self) -> bool:
        """Whether it is counted in requests, on disks with a limit of requests."""
        return self.kind.startswith("rand")


def throughput_disks() -> list[Disk]:
    """The machine's disks, serials SEQ0001.., RND0001.., ROT0001.."""
    return [
        *lab_disks(8, prefix="SEQ", bps=LIMIT_BYTES, bytes=DISK_BYTES, rotation=1),
        *lab_disks(8, prefix="RND", iops=LIMIT_IOS, bytes=DISK_BYTES, rotation=1),
        *lab_disks(4, prefix="ROT", bps=LIMIT_BYTES, bytes=DISK_BYTES, rotation=7200),
    ]


def pool(case: Case, job: Workload) -> Pool:
    """Which disks the case is made of for a workload."""
    if case.rotating:
        return "ROT"
    return "RND" if job.random else "SEQ"


DISK = Case("disk", 1)
"""One disk without md, under the same jobs."""

SEQUENTIAL = ("seq_read", "seq_read_1", "seq_write")
RANDOM = ("rand_read", "rand_write")


def workload(name: str, case: Case) -> Workload:
    """The workload of that name, cut to the case.

    seq_read, seq_write: direct, 16 requests of one row in flight, so that every member has 16 chunks
    to do. seq_read_1: one buffered reader with md's own read-ahead. seq_read_C, C > 1: C of these,
    each in its part of the array. rand_read, rand_write: 4 KiB, direct, 16 in flight a member.
    rand_write_W: W whole chunks at a multiple of W chunks.
    """
    match name.split("_"):
        case ["seq", "read"]:
            return Workload(name, "read", case.row_kib, depth=16)
        case ["seq", "write"]:
            return Workload(name, "write", case.row_kib, depth=16)
        case ["seq", "read", streams]:
            return Workload(name, "read", 1024, jobs=int(streams), direct=False)
        case ["rand", "read"]:
            return Workload(name, "randread", 4, depth=16 * case.members)
        case ["rand", "write"]:
            return Workload(name, "randwrite", 4, depth=16 * case.members)
        case ["rand", "write", chunks]:
            return Workload(name, "randwrite", int(chunks) * case.chunk_kib, depth=4 * case.members)
        case _:
            raise ValueError(name)


def main_cases() -> list[tuple[Case, tuple[str, ...]]]:
    """Every level in two widths, sequential and random."""
    both = (*SEQUENTIAL, *RANDOM)
    cases: list[tuple[Case, tuple[str, ...]]] = [(Case("raid0", n), both) for n in (4, 8)]
    cases += [(Case("raid1", n), (*both, f"seq_read_{n}", f"seq_read_{4 * n}")) for n in (2, 3)]
    cases += [(Case("raid5", n), both) for n in (3, 6)]
    cases += [(Case("raid6", n), both) for n in (6, 8)]
    for layout in ("n2", "f2", "o2"):
        cases += [(Case("raid10", n, layout), (*both, f"seq_read_{n}")) for n in (4, 6)]
    return cases


def further_cases() -> list[tuple[Case, tuple[str, ...]]]:
    """What bounds the main cases: other caches and chunks, a bitmap, odd widths, rotation, a lost member."""
    cases: list[tuple[Case, tuple[str, ...]]] = []
    for parity in (Case("raid5", 6), Case("raid6", 6)):
        cases.append((replace(parity, failed=1), ("seq_read", "seq_write", *RANDOM)))
        cases.append((replace(parity, cache=DEFAULT_CACHE), ("seq_write", "rand_write")))
        cases.append((replace(parity, chunk_kib=512), ("seq_write",)))
        cases.append((replace(parity, chunk_kib=512, cache=DEFAULT_CACHE), ("seq_write",)))
        cases.append((replace(parity, bitmap="internal"), ("rand_write",)))
    cases.append((Case("raid6", 8), ("rand_write_1", "rand_write_2", "rand_write_3", "rand_write_6")))
    cases += [(Case("raid10", 5, layout), ("seq_read", "seq_write", "rand_write")) for layout in ("n2", "f2", "o2")]
    mirrors = (Case("raid1", 2), *(Case("raid10", 4, layout) for layout in ("n2", "f2", "o2")))
    reads = [("seq_read", "seq_read_1", f"seq_read_{mirror.members}") for mirror in mirrors]
    cases += [(replace(mirror, rotating=True), each) for mirror, each in zip(mirrors, reads, strict=True)]
    return cases


def recovery_cases() -> list[Case]:
    """Arrays that a lost member is rebuilt in, onto a disk that was not in them."""
    return [
        Case("raid1", 2),
        Case("raid5", 6),
        Case("raid6", 6),
        *(Case("raid10", 4, layout) for layout in ("n2", "f2", "o2")),
    ]
