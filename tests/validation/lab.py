"""The lab's table: md on throttled disks in a virtual machine, against the lowest ceiling of the shipped model.

The disks are limited in bytes or in requests a second and do not seek, so the rules for flash hold for all of them,
also for those that say they rotate: passing over a copy costs those nothing, only md chooses among copies otherwise.
What is compared is the ceiling itself: a machine that is known to the byte needs no band.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from raidtui.predict.speed.raid_level_rates import PAGE, random_read, random_write, sequential_read, sequential_write
from raidtui.predict.speed.rebuild_time import sync_ceiling
from raidtui.values.assumptions import Assumptions
from raidtui.values.layout import ArrayShape, Level, Spread
from tests.validation.causes import LAB_CAUSES

TABLE = Path(__file__).with_name("lab_throughput.csv")
SEQUENTIAL = (0.9, 1.1)
RANDOM = (0.75, 1.25)
_UNLIMITED = 10**12
"""sync_speed_max, as the lab lifts it"""
_CHUNK = 64 * 1024
_CACHE = 4096
_LEVELS: dict[str, Level] = {"raid0": "raid0", "raid1": "raid1", "raid5": "raid5", "raid6": "raid6", "raid10": "raid10"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabRow:
    """One measurement of the lab."""

    level: str
    members: int
    layout: str
    rotating: bool
    state: str
    stripe_cache: int | None
    bitmap: str
    chunk_bytes: int | None
    workload: str
    block_bytes: int
    measured: float
    expected: float | None
    """the level rules' answer, for a recovery the rebuild's; None for disks alone and for writes with a member lost,
    of which the model says nothing"""
    member_bytes: float
    """bytes that the members moved for each byte of the array's; 0 where it was not counted"""
    note: str

    @property
    def random(self) -> bool:
        """Counted in requests."""
        return self.workload.startswith("rand")

    @property
    def ratio(self) -> float | None:
        """Predicted over measured."""
        return None if self.expected is None else self.expected / self.measured

    @property
    def name(self) -> str:
        """The array and the work in words: `raid5 of 6, chunk 512K, cache 256: seq_write`."""
        parts = [f"{self.level} of {self.members} {self.layout}".strip()]
        parts += ["rotating"] if self.rotating else []
        parts += [self.state] if self.state != "clean" else []
        parts += [f"chunk {self.chunk_bytes // 1024}K"] if self.chunk_bytes not in (None, _CHUNK) else []
        parts += [f"cache {self.stripe_cache}"] if self.stripe_cache not in (None, _CACHE) else []
        parts += [f"bitmap {self.bitmap}"] if self.bitmap not in ("", "none") else []
        return f"{', '.join(parts)}: {self.workload}"

    @property
    def explained(self) -> str:
        """Why the row is off; empty where it is not, or nobody knows."""
        return LAB_CAUSES.get(self.name, "")

    @property
    def inside(self) -> bool:
        """True when the ratio is one that is asked for."""
        low, high = RANDOM if self.random else SEQUENTIAL
        return self.ratio is not None and low <= self.ratio <= high


def lab_rows() -> list[LabRow]:
    """All rows, or none where the lab has not run yet."""
    if not TABLE.exists():
        return []
    with TABLE.open(newline="", encoding="utf-8") as text:
        return [_row(row) for row in csv.DictReader(text)]


def _row(row: dict[str, str]) -> LabRow:
    moved = sum(float(row[name] or 0) for name in ("member_read_bytes", "member_write_bytes"))
    own = float(row["array_bytes"] or 0)
    return LabRow(
        level=row["level"],
        members=int(row["members"]),
        layout=row["layout"],
        rotating=row["rotation"] == "rotating",
        state=row["state"],
        stripe_cache=int(row["stripe_cache"]) if row["stripe_cache"] else None,
        bitmap=row["bitmap"],
        chunk_bytes=int(row["chunk_bytes"]) if row["chunk_bytes"] else None,
        workload=row["workload"],
        block_bytes=int(row["block_bytes"]),
        measured=float(row["measured"]),
        expected=_expected(row),
        member_bytes=moved / own if own else 0.0,
        note=row["note"],
    )


def _expected(row: dict[str, str]) -> float | None:
    workload = row["workload"]
    degraded = row["state"].endswith("lost")
    kind: Literal["read", "write"] = "read" if "read" in workload else "write"
    if row["level"] == "disk" or (degraded and kind == "write"):
        return None
    spread: Spread = "f" if row["layout"].startswith("f") else "o" if row["layout"].startswith("o") else "n"
    layout = ArrayShape(level=_LEVELS[row["level"]], members=int(row["members"]), spread=spread)
    if workload.startswith("rand"):
        iops = float(row["disk_iops"])
        if kind == "read":
            return random_read(layout, iops, degraded=degraded)
        chunks = int(row["block_bytes"]) // int(row["chunk_bytes"] or PAGE) if workload.count("_") > 1 else 1
        return random_write(layout, iops, chunks=max(chunks, 1))
    speed = float(row["disk_bytes_per_s"])
    if workload == "recovery":
        return min(speed, sync_ceiling(layout, Assumptions(sync_max_bytes_per_s=_UNLIMITED)).bytes_per_s)
    if kind == "write":
        return sequential_write(layout, speed, rotational=False)
    return sequential_read(layout, speed, streams=int(row["jobs"]), rotational=False, degraded=degraded)
