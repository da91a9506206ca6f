"""The table of throughputs: one row for each array and workload, written as they come."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from tests.lab.throughput_cases import DISK, Case, Pool, Workload
from tests.lab.throughput_measure import Measured

TABLE = Path(__file__).parents[1] / "validation" / "lab_throughput.csv"


@dataclass(frozen=True)
class Versions:
    """What was measured."""

    kernel: str
    mdadm: str
    fio: str


@dataclass(frozen=True, kw_only=True)
class Row:
    """One measurement; `unit` is B/s or 1/s (requests a second).

    `disk_bytes_per_s` and `disk_iops` are the slowest member's without md, in the same direction;
    empty where that is not limited. Counters are of `window_s` seconds: the members' together, and
    the array's own (`array_*`). `stripe_cache` is in entries, empty without parity.
    """

    level: str
    members: int
    layout: str = ""
    chunk_bytes: str = ""
    rotation: str
    state: str = "clean"
    bitmap: str = ""
    stripe_cache: str = ""
    disk_bytes_per_s: str
    disk_iops: str
    workload: str
    block_bytes: int
    jobs: int
    depth: int
    measured: float
    unit: str
    window_s: str = ""
    array_bytes: str = ""
    array_ios: str = ""
    member_read_bytes: str = ""
    member_write_bytes: str = ""
    member_read_ios: str = ""
    member_write_ios: str = ""
    kernel: str
    mdadm: str
    fio: str
    note: str


def note(job: Workload, got: Measured, dropped: list[float]) -> str:
    """How one reader reads, and which runs were dropped because fio and the kernel's counters disagreed."""
    notes = [] if job.direct else [f"buffered, read_ahead_kb {got.read_ahead_kib}"]
    notes += [f"run again: fio said {rate:.0f}, far from the array's counters" for rate in dropped]
    return "; ".join(notes)


def row(case: Case, job: Workload, got: Measured, disk: float, versions: Versions, note: str) -> Row:
    """The row of an array's workload; `disk` is the slowest member's own rate at such a workload."""
    recovers, members, array = job.name == "recovery", got.members, got.array
    return Row(
        level=case.level,
        members=case.members,
        layout=case.layout,
        chunk_bytes="" if case.level == "raid1" else str(case.chunk_kib * 1024),
        rotation="rotating" if case.rotating else "flash",
        state="recovering" if recovers else f"{case.failed} lost" if case.failed else "clean",
        bitmap=case.bitmap,
        stripe_cache=str(case.cache) if case.parity else "",
        disk_bytes_per_s="" if job.random else f"{disk:.0f}",
        disk_iops=f"{disk:.1f}" if job.random else "",
        workload=job.name,
        block_bytes=job.block_kib * 1024,
        jobs=job.jobs,
        depth=job.depth,
        measured=round(got.rate, 1),
        unit="1/s" if job.random else "B/s",
        window_s=f"{got.window:.2f}",
        array_bytes="" if recovers else str(array.read_bytes + array.write_bytes),
        array_ios="" if recovers else str(array.read_ios + array.write_ios),
        member_read_bytes=str(members.read_bytes),
        member_write_bytes=str(members.write_bytes),
        member_read_ios=str(members.read_ios),
        member_write_ios=str(members.write_ios),
        kernel=versions.kernel,
        mdadm=versions.mdadm,
        fio=versions.fio,
        note=note,
    )


def disk_row(job: Workload, rate: float, pool: Pool, number: int, versions: Versions) -> Row:
    """The row of one disk without md, the `number`th of its pool."""
    return Row(
        level=DISK.level,
        members=DISK.members,
        rotation="rotating" if pool == "ROT" else "flash",
        disk_bytes_per_s="" if job.random else f"{rate:.0f}",
        disk_iops=f"{rate:.1f}" if job.random else "",
        workload=job.name,
        block_bytes=job.block_kib * 1024,
        jobs=job.jobs,
        depth=job.depth,
        measured=round(rate, 1),
        unit="1/s" if job.random else "B/s",
        kernel=versions.kernel,
        mdadm=versions.mdadm,
        fio=versions.fio,
        note=f"{pool}{number:04d}, all of its kind at work",
    )


def append(file: Path, new: Row) -> None:
    """Add a row, under a header if it is the first."""
    names = [field.name for field in fields(Row)]
    with file.open("a", newline="") as table:
        writer = csv.DictWriter(table, names, lineterminator="\n")
        if table.tell() == 0:
            writer.writeheader()
        writer.writerow(asdict(new))


def read(file: Path = TABLE) -> Iterator[dict[str, str]]:
    """The rows, every value as text."""
    with file.open(newline="") as table:
        yield from csv.DictReader(table)
