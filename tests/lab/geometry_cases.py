"""Random layouts for the lab, from a seed, and the pool of disks that they are made of.

A case says what to ask mdadm, LVM and mkfs for; `geometry_measure` asks them. The keys of
`Case.record()` are those of the gold file, with `stack` and `fs` added.
"""

from __future__ import annotations

import json
import math
import random
from dataclasses import asdict, dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Literal

from tests.lab.disk import Disk

_TB2 = 2_000_398_934_016
POOL: tuple[int, ...] = (
    *(_TB2,) * 16,
    *(1_000_204_886_016,) * 3,
    *(4_000_787_030_016,) * 4,
    *(12_000_138_625_024,) * 3,
    *(250_059_350_016,) * 3,
    *(53_687_094_784,) * 3,
    *(10_737_418_240,) * 3,
    *(1_999_999_999_488, 500_107_862_016, 8_589_935_104, 21_474_836_992, 3_000_592_982_016),
)
_EXT4_LIMIT = 6 << 40
_MDADM_OFFSET_KIB = 129 * 1024
"""where mdadm starts the data of metadata 1.2 by itself on arrays of 128 GiB and more"""
_PARITIES = {"raid0": 0, "raid4": 1, "raid5": 1, "raid6": 2}


@dataclass(frozen=True)
class FileSystem:
    """What to ask mkfs for; `su_kib` None leaves it to the tool's own detection."""

    type: Literal["xfs", "ext4", "none"]
    su_kib: int | None = None
    sw: int | None = None


@dataclass(frozen=True)
class Stack:
    """How several like arrays become one volume; one array has the kind `none`."""

    kind: Literal["none", "lvm", "md"] = "none"
    arrays: int = 1
    stripe_kib: int | None = None
    data_alignment_kib: int | None = None
    extent_kib: int | None = None
    data_offset_kib: int | None = None


@dataclass(frozen=True)
class Case:
    """One layout: every array is made of its share of `disk_bytes` (members, then spares)."""

    level: str
    members: int
    spares: int
    layout: str | None
    chunk_kib: int | None
    metadata: str
    bitmap: str
    consistency_policy: str | None
    disk_bytes: tuple[int, ...]
    fs: FileSystem = field(default=FileSystem("none"))
    stack: Stack = field(default=Stack())
    data_offset_kib: int | None = None
    bitmap_chunk_kib: int | None = None
    unequal: tuple[int, ...] = ()
    """members of each array where they differ; `members` is then those of the first"""

    def record(self) -> dict[str, Any]:
        """The case as a gold line's keys."""
        return {**asdict(self), "disk_bytes": list(self.disk_bytes)}

    @property
    def arrays(self) -> list[tuple[int, ...]]:
        """The disk sizes of each array."""
        ends = (0, *accumulate(width + self.spares for width in self.widths))
        return [self.disk_bytes[start:end] for start, end in pairwise(ends)]

    @property
    def widths(self) -> tuple[int, ...]:
        """The members of each array."""
        return self.unequal or (self.members,) * self.stack.arrays


def pool_disks() -> list[Disk]:
    """The disks of the measuring machine: one a size of POOL, serials GEO000 on.

    The physical block size shows in the result (4096: mkfs.xfs takes 4 KiB sectors and a log stripe
    unit of one block, and no stripe from a 4 KiB chunk); the gold file's disks have 512.
    """
    return [
        Disk(
            f"GEO{number:03d}",
            bytes=size,
            wwn=0x5000C500_47000000 + number,
            controller=number % 4,
            physical_block=512,
        )
        for number, size in enumerate(POOL)
    ]


def stripe_width(level: str, members: int, layout: str | None) -> int | None:
    """Chunks in what md shows as its optimal I/O size; None where md shows none (RAID1)."""
    if level == "raid1":
        return None
    if level == "raid10":
        copies = int((layout or "n2")[1:])
        near = (layout or "n2")[0] == "n"
        return members // copies if near and members % copies == 0 else members
    return members - _PARITIES[level]


def random_cases(seed: int, n: int) -> list[Case]:
    """`n` cases; the same for the same seed."""
    draw = random.Random(seed)
    return [_stacked(draw) if draw.random() < 0.25 else _single(draw) for _ in range(n)]


def unequal_cases(seed: int, n: int) -> list[Case]:
    """`n` volumes over arrays of unequal width; the same for the same seed."""
    draw = random.Random(seed)
    return [_unequal(draw) for _ in range(n)]


def case_of(record: dict[str, Any]) -> Case:
    """The case that a record was made of."""
    known = {name: record[name] for name in Case.__dataclass_fields__ if name in record and name not in ("fs", "stack")}
    stack = {name: record["stack"][name] for name in Stack.__dataclass_fields__}
    known |= {"disk_bytes": tuple(record["disk_bytes"]), "unequal": tuple(record["unequal"])}
    return Case(**known, fs=FileSystem(**record["fs"]), stack=Stack(**stack))


def gold_cases(file: Path) -> list[Case]:
    """The lines of a gold file as cases, file systems by mkfs's own detection."""
    cases = []
    for line in file.read_text().splitlines():
        gold = json.loads(line)
        made = (gold["result"] or {}).get("filesystem") or {"type": "none"}
        names = [name for name in Case.__dataclass_fields__ if name in gold and name != "disk_bytes"]
        known = {name: gold[name] for name in names if name not in ("fs", "stack")}
        cases.append(Case(**known, disk_bytes=tuple(gold["disk_bytes"]), fs=FileSystem(made["type"])))
    return cases


def _single(draw: random.Random) -> Case:
    level = draw.choice(["raid0", "raid1", "raid4", "raid5", "raid5", "raid6", "raid6", "raid10", "raid10", "raid10"])
    low, high = {"raid0": (2, 13), "raid1": (2, 6), "raid6": (4, 16), "raid10": (2, 13)}.get(level, (3, 16))
    return _filled(draw, level, draw.randint(low, high), Stack(), list(POOL))


def _stacked(draw: random.Random) -> Case:
    level = draw.choice(["raid1", "raid4", "raid5", "raid6", "raid6", "raid10"])
    arrays = draw.randint(2, 4)
    low = {"raid1": 2, "raid10": 2, "raid6": 4}.get(level, 3)
    members = draw.randint(low, max(low, 16 // arrays))
    kind: Literal["lvm", "md"] = draw.choice(["lvm", "md"])
    return _filled(draw, level, members, Stack(kind, arrays), [_TB2] * POOL.count(_TB2))


def _unequal(draw: random.Random) -> Case:
    level = draw.choice(["raid0", "raid1", "raid4", "raid5", "raid6", "raid6", "raid6", "raid10"])
    kind: Literal["lvm", "md"] = draw.choice(["lvm", "md"])
    # below 128 GiB mdadm starts the data of the outer array earlier
    mixed = [size for size in POOL if kind == "lvm" or size >= 128 << 30]
    pool = draw.choice([[_TB2] * POOL.count(_TB2), mixed])
    low = {"raid0": 2, "raid1": 2, "raid10": 2, "raid6": 4}.get(level, 3)
    widths: list[int] = []
    while len(set(widths)) < 2:
        arrays = draw.randint(2, 3 if len(pool) == POOL.count(_TB2) else 5)
        widths = [draw.randint(low, max(low + 1, min(10, len(pool) // arrays))) for _ in range(arrays)]
        if sum(widths) > len(pool):
            widths = []
    layout = None
    if level == "raid10":
        layout = f"{draw.choice('nfo')}2"
    chunk = 512 if level == "raid1" else draw.choice([16, 64, 64, 128, 256, 512, 512, 1024])
    spares = 0 if level == "raid0" or sum(widths) + len(widths) > len(pool) else draw.choice([0, 0, 1])
    disks = tuple(draw.sample(pool, sum(widths) + spares * len(widths)))
    data = [stripe_width(level, width, layout) or 1 for width in widths]
    stack = _unequal_stack(kind, chunk, data)
    roughly = min(disks) * min(data) * len(widths)
    fs = FileSystem(draw.choice(["xfs", "ext4"]) if roughly < _EXT4_LIMIT // 2 else "xfs", chunk, min(data) * len(data))
    bitmap = "none" if level == "raid0" else draw.choice(["none", "internal"])
    # RAID1 takes no chunk
    own = None if level == "raid1" else chunk
    return Case(level, widths[0], spares, layout, own, "1.2", bitmap, None, disks, fs, stack, unequal=tuple(widths))


def _unequal_stack(kind: Literal["lvm", "md"], chunk_kib: int, data: list[int]) -> Stack:
    """What raidtui's plans ask for: the narrowest array's full stripe, and starts on a full stripe of every array."""
    common = chunk_kib * math.lcm(*data)
    if kind == "md":
        offset = common * -(-_MDADM_OFFSET_KIB // common)
        return Stack("md", len(data), chunk_kib * min(data), data_offset_kib=offset)
    unit = math.lcm(common, 128)
    extent = unit * -(-1024 // unit)
    return Stack("lvm", len(data), chunk_kib, extent, extent)


def _filled(draw: random.Random, level: str, members: int, stack: Stack, pool: list[int]) -> Case:
    layout = None
    if level == "raid10":
        layout = f"{draw.choice('nfo')}{draw.randint(2, min(members, 4))}"
    chunk = None if level == "raid1" else draw.choice([None, 4, 16, 64, 64, 128, 256, 256, 512, 1024, 2048])
    metadata = draw.choices(["1.2", "1.0", "0.90"], [7, 2, 1])[0]
    if stack.kind == "md":
        metadata = "1.2"
    if metadata == "0.90":
        pool = [size for size in pool if size <= _TB2]
    room = len(pool) // stack.arrays - members
    spares = 0 if level == "raid0" else max(0, min(draw.choice([0, 0, 1, 2]), room))
    bitmap = "none" if level == "raid0" else draw.choice(["none", "internal"])
    policy = None
    if level == "raid5" and metadata != "0.90" and draw.random() < 0.3:
        bitmap, policy = "none", "ppl"
    disks = tuple(draw.sample(pool, (members + spares) * stack.arrays))
    sw = stripe_width(level, members, layout)
    real_chunk = chunk or 512
    if stack.kind != "none":
        stack = _stack_sizes(stack, real_chunk, sw)
    striped = sw is not None or stack.kind != "none"
    su = real_chunk if striped else None
    width = (sw or 1) * stack.arrays if striped else None
    roughly = min(disks) * (sw or 1) * stack.arrays
    kind = draw.choice(["xfs", "ext4"]) if roughly < _EXT4_LIMIT else "xfs"
    fs = FileSystem("ext4" if kind == "ext4" else "xfs", su, width)
    return Case(level, members, spares, layout, chunk, metadata, bitmap, policy, disks, fs, stack)


def _stack_sizes(stack: Stack, chunk_kib: int, sw: int | None) -> Stack:
    """What raidtui's plans ask for, worked out here once more: everything starts on a full stripe of the arrays."""
    full = chunk_kib * (sw or 1)
    if stack.kind == "md":
        return Stack("md", stack.arrays, full, data_offset_kib=full * -(-_MDADM_OFFSET_KIB // full))
    unit = math.lcm(full, 128)
    extent = unit * -(-1024 // unit)
    return Stack("lvm", stack.arrays, chunk_kib, extent, extent)
