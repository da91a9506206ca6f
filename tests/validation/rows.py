"""A row of the measured tables as a typed case, read from its columns and its source's words."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Literal

from raidtui.values.layout import Layout, Level, Spread

MEASURED = Path(__file__).parents[1] / "measured"
KIB = 1024
MIB = 1024 * KIB
MB = 1_000_000

Work = Literal["seq read", "seq write", "rand read", "rand write"]
Unit = Literal["bytes/s", "IOPS"]
Links = Literal["not binding", "pod45", "pcie2 x1"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One measurement that the model makes a prediction for."""

    name: str
    """file and row, `throughput 13`"""
    source: str
    """who published it"""
    year: int
    """when"""
    calibrates: bool
    """True where a ceiling of the model was taken from this row: it cannot judge"""
    layout: Layout
    """one or several arrays, without spares"""
    rotational: bool
    """hard disks"""
    transport: str
    """sata or nvme"""
    pcie4: bool
    """NVMe on four PCIe 4.0 lanes each"""
    disk_bytes_per_s: int | None
    """sequential rate of one member at the zone used; None where the source does not give it"""
    disk_iops: int | None
    """random rate of one member; None where the source does not give it"""
    chunk_bytes: int | None
    """chunk; None where the source does not give it"""
    work: Work
    """what was run"""
    streams: int
    """readers or writers at once"""
    block_bytes: int | None
    """size of a request; None where not given"""
    buffered: bool
    """True for one reader or writer through the page cache (dd, pv, hdparm)"""
    parity_threads: int
    """group_thread_cnt"""
    zone: Literal["outer", "somewhere"]
    """`somewhere`: a file system benchmark over the whole of old disks, speed given for the outer zone; else the
    speed is that of the zone used"""
    links: Links
    """the way to the disks, where it binds"""
    measured: float
    """bytes (or operations) per second"""
    unit: Unit
    """of the above"""
    said: str
    """the workload in the source's words"""


def measured_table(name: str) -> list[dict[str, str]]:
    """The rows of a file of `tests/measured`."""
    with (MEASURED / name).open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


_SHAPE = re.compile(r"(\d+)x\((\d+)\+(\d+)\)")
_BLOCK = re.compile(r"(?:bs=)?(\d+)\s?([kKM])(?:i?B)?\b")
_STREAMS = re.compile(r"(\d+) (?:streams|writers|thr|threads|jobs)")
_GROUP_THREADS = re.compile(r"(?:gtc|group_thread_cnt)=(\d+)")
_IOPS = re.compile(r"(\d+)k IOPS")
_LEVELS: dict[str, Level] = {"raid0": "raid0", "raid1": "raid1", "raid5": "raid5", "raid6": "raid6", "raid10": "raid10"}


def layout_of(level: str, layout: str, disks: int) -> Layout:
    """The layout a row's columns say; a spare written behind the shape is left out."""
    if shape := _SHAPE.match(layout):
        arrays, data, parity = (int(part) for part in shape.groups())
        return Layout.of(level=_LEVELS[level], arrays=arrays, members=data + parity)
    if "of 4 members" in layout:
        disks = 4
    spread: Spread = "f" if layout.startswith("f") else "o" if layout.startswith("o") else "n"
    return Layout.of(level=_LEVELS[level], members=disks, spread=spread)


def work_of(said: str) -> Work:
    """Read or write, sequential or random, from the source's words."""
    low = said.lower()
    if "resync" in low:  # every byte of every member is read: what links carry
        return "seq read"
    if "randread" in low or "rand read" in low:
        return "rand read"
    if "randwrite" in low or "rand write" in low:
        return "rand write"
    return "seq read" if _READ.search(low) else "seq write"


def block_of(said: str) -> int | None:
    """Bytes of one request; None where the words do not say."""
    found = _BLOCK.search(said)
    return None if found is None else int(found[1]) * (MIB if found[2] == "M" else KIB)


def streams_of(said: str) -> int:
    """Readers or writers at once; deep queues on one file are one stream."""
    found = _STREAMS.search(said)
    return int(found[1]) if found else 1


_BUFFERED = re.compile(r"^dd |pv$|^seq (?:write|read)(?: 1 stream)?$|hdparm|bonnie|buffered")
_READ = re.compile(r"\bread\b|hdparm")


def throughput_case(row: dict[str, str]) -> Case:
    """A covered row of throughput.csv."""
    said, media = row["workload"], row["media"]
    work, block = work_of(said), block_of(said)
    iops = row["unit"] == "IOPS"
    per_disk = _IOPS.search(row["disk_model"])
    direct_one = "direct QD1" in said or "direct read" in said
    links: Links = "pod45" if "Hoffman" in row["source"] else "pcie2 x1" if "gen2 x1" in row["bus"] else "not binding"
    return Case(
        name=f"throughput {row['id']}",
        source=row["source"],
        year=int(row["year"]),
        calibrates=row["class"] == "B" or links != "not binding" or "584acdd49cd2" in row["source"],
        layout=layout_of(row["level"], row["layout"], int(row["n_disks"])),
        rotational=media == "hdd",
        transport="nvme" if media == "nvme" else "sata",
        pcie4="PCIe4" in row["bus"],
        disk_bytes_per_s=_slowest(row),
        disk_iops=int(per_disk[1]) * 1000 if per_disk else None,
        chunk_bytes=int(row["chunk_kib"]) * KIB if row["chunk_kib"] else None,
        work=work,
        streams=streams_of(said),
        block_bytes=block,
        buffered=bool(_BUFFERED.search(said)) and not direct_one,
        parity_threads=_threads(said, row["bus"]),
        zone="somewhere" if "bonnie" in said else "outer",
        links=links,
        measured=float(row["measured"]) if iops else float(row["measured"]) * MB,
        unit="IOPS" if iops else "bytes/s",
        said=said,
    )


_ZCAV_OUTER = 77
"""MB/s: the outer zone of the disks that the PostgreSQL book runs bonnie++ on, from its own zcav run"""


def _slowest(row: dict[str, str]) -> int | None:
    """Bytes per second of the slowest member; the outer zone's where the zone used is not known."""
    if "bonnie" in row["workload"]:
        return _ZCAV_OUTER * MB
    if pair := re.search(r"(\d+)/(\d+) MB/s", row["disk_model"]):
        return min(int(part) for part in pair.groups()) * MB
    return round(float(row["disk_mb_s"]) * MB) if row["disk_mb_s"] else None


def _threads(said: str, bus: str) -> int:
    found = _GROUP_THREADS.search(said) or _GROUP_THREADS.search(bus)
    return int(found[1]) if found else 0


def chunks_of(case: Case) -> int:
    """Chunks that one aligned request touches."""
    return ceil((case.block_bytes or 1) / (case.chunk_bytes or 1))
