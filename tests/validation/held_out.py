"""Published rates that nothing was fitted to, each asked of the command line as its reader would ask it.

`tests/measured/held_out.csv` was written before any of its rows was predicted. A row that lies outside its band stays:
the model is not changed for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Any, Literal, cast, get_args

from raidtui.predict.speed.disk_speed import INNER_SHARE, speed_at
from tests.validation.field_reports import answered
from tests.validation.figures import table
from tests.validation.rows import MB, measured_table

Class = Literal[
    "one stream, disks unstated", "disks stated by model", "first sync, resync", "rebuild, check", "random",
    "direct parity writes",
]  # fmt: skip
CLASSES: tuple[Class, ...] = get_args(Class)
_STEPS = 1000
_MOST_WIDTH = 10.0
"""a wider band is no prediction: the program then says to measure it"""
QUARTER = 0.25
"""a figure without a band is judged by this"""
GUESSES = {
    1: "a disk of 1 TB made long after 2010, or flash; the default is the slowest disks of that size",
    3: "a faster disk than the slowest of its size",
    4: "a faster disk than the slowest of its size; the place is the end of the array, not of the disk",
    6: "kernel 2.4 or DMA mode: its author finds no reason either",
    7: "a 4K chunk, or load",
    8: "load: md lets readers go first",
    9: "load: md lets readers go first",
    11: "load: data were copied off it; or parity rewritten",
    18: "as 19",
    19: "the slices lie further in than the outer zone",
    22: "page cache: some of 384 GiB stayed in memory; the kernel's and the processor's share of md's thread",
    24: "the drive answers 64 KiB in 30 us: read-ahead inside it, or a sequential stream is no random request",
    25: "the same",
    27: "20 GB/s for one processor is too little for 256K requests on EPYC or Xeon of 2023",
    28: "the same",
    29: "the same",
    30: "150 000 writes of the drive are the sustained rate; a file of some GB meets its cache",
    31: "the same",
    32: "the same",
}
"""why a row may lie outside, without a proof; the model was not changed for any"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A published rate and the program's answer, both in `unit`."""

    number: int
    kind: Class
    url: str
    author: str
    date: str
    machine: str
    workload: str
    command: str
    unit: Literal["MB/s", "IOPS", "h"]
    measured: float
    low: float
    point: float
    high: float
    remark: str

    @property
    def predicted(self) -> bool:
        """False where the program answers that it cannot tell."""
        return self.width <= _MOST_WIDTH

    @property
    def inside(self) -> bool:
        """True if the band covers the measurement; without a band, if the figure is within a quarter of it."""
        if self.low == self.high:
            return abs(self.point / self.measured - 1) <= QUARTER
        return self.low <= self.measured <= self.high

    @property
    def width(self) -> float:
        """Upper over lower end."""
        return self.high / self.low


@cache
def found() -> tuple[Found, ...]:
    """All rows with their answers."""
    return tuple(_found(row) for row in measured_table("held_out.csv"))


def _found(row: dict[str, str]) -> Found:
    sync = row["unit"] == "KiB/s"
    low, point, high = _hours(row) if sync else _rate(row)
    return Found(
        number=int(row["id"]), kind=cast(Class, row["class"]), url=row["url"], author=row["author"], date=row["date"],
        machine=row["machine"], workload=row["workload"], command=row["command"], remark=row["remark"],
        unit="h" if sync else cast(Literal["MB/s", "IOPS"], row["unit"]),
        measured=sync_hours(row) if sync else float(row["measured"]), low=low, point=point, high=high,
    )  # fmt: skip


def _rate(row: dict[str, str]) -> tuple[float, float, float]:
    (asked,) = answered(row["command"])["asked"]
    unit = asked["size_bytes"] if row["unit"] == "IOPS" else MB
    return asked["low"] / unit, asked["bytes_per_s"] / unit, asked["high"] / unit


def _hours(row: dict[str, str]) -> tuple[float, float, float]:
    """Idle, expected and slowest hours of a rebuild; of a plan's first sync its one figure."""
    document: Any = answered(row["command"])
    if row["command"].startswith("plan"):
        return (document["first_sync_hours"],) * 3
    time = document["durability"]["rebuild"]
    return time["idle_hours"], time["hours"], time["slow_hours"]


def sync_hours(row: dict[str, str]) -> float:
    """Hours of the whole sync, from the rate at one place of it.

    Hard disks slow down towards the inner zone, so that the whole takes longer than the rate near its start says.
    """
    rate, at = float(row["measured"]), float(row["at_percent"]) / 100
    inner = 1.0 if "--nvme" in row["command"] else INNER_SHARE
    slower = sum(1 / speed_at((step + 0.5) / _STEPS, 1.0, inner) for step in range(_STEPS)) / _STEPS
    return float(row["span_kib"]) / rate * speed_at(at, 1.0, inner) * slower / 3600


def found_of(kind: Class) -> list[Found]:
    """The rows of one class."""
    return [each for each in found() if each.kind == kind]


def coverage_rows() -> list[list[str]]:
    """Class, rows, not predicted, in band, median width and error: one line a class."""
    lines = []
    for kind in CLASSES:
        every = found_of(kind)
        own = [each for each in every if each.predicted]
        if not own:
            lines.append([kind, str(len(every)), str(len({each.author for each in every})), str(len(every)), *"---"])
            continue
        off = sorted(each.point / each.measured for each in own)
        lines.append([
            kind, str(len(every)), str(len({each.author for each in every})), str(len(every) - len(own)),
            f"{sum(each.inside for each in own)} of {len(own)}", f"x{median(each.width for each in own):.1f}",
            f"{off[0]:.2f} to {off[-1]:.2f}, median {median(off):.2f}",
        ])  # fmt: skip
    return lines


def held_out_section() -> list[str]:
    """For the report: coverage and width by class, and every row."""
    every = found()
    own = [each for each in every if each.predicted]
    head = ["class", "rows", "authors", "not predicted", "in band", "median width", "predicted / measured"]
    outside = [each for each in own if not each.inside]
    return [
        f"## {len(every)} published rates that nothing was fitted to",
        "",
        "From forums, mailing lists, issue trackers and public repositories:"
        f" {len({each.url for each in every})} addresses. All were",
        "written into `tests/measured/held_out.csv` before the first was predicted, and nothing was",
        "fitted to them since. Each is asked as its reader would ask: disks as the source gives them, all else",
        f"left to the program. {sum(each.inside for each in own)} of {len(own)} predictions cover what was measured; of"
        f" {len(every) - len(own)} rows the program says that it",
        f"cannot tell: their bands are wider than x{_MOST_WIDTH:.0f}.",
        "",
        *table(head, coverage_rows()),
        "A sync is measured at one place of the disk and is compared as hours of the whole, slowed towards the inner",
        "zone. Its band is the rebuild's: from an idle array to a quarter of the members' time. The first sync of a",
        "RAID10 has no band and is judged by a quarter. The load of arrays in use is unknown.",
        "",
        *table(["row", "class", "source", "machine", "measured", "command", "predicted", "in band", "remark"],
               [_cells(each) for each in every]),
        "Outside, with a guess at the reason:",
        "",
        *table(["row", "predicted / measured", "guess"], [
            [str(each.number), f"{each.point / each.measured:.2f}", GUESSES.get(each.number, "not looked into")]
            for each in outside
        ]),
    ]  # fmt: skip


def _cells(each: Found) -> list[str]:
    low, point, high = (_text(value, each.unit) for value in (each.low, each.point, each.high))
    band = point if each.low == each.high else f"{point} ({low} to {high})"
    return [
        str(each.number), each.kind, f"{each.author} {each.date}: {each.url}", each.machine,
        f"{each.workload}: {_text(each.measured, each.unit)} {each.unit}", f"`raidtui {each.command}`",
        f"{band} {each.unit}", _judged(each), each.remark,
    ]  # fmt: skip


def _judged(each: Found) -> str:
    if not each.predicted:
        return "not predicted"
    return "yes" if each.inside else "**no**"


def _text(value: float, unit: str) -> str:
    return f"{value:.3g}" if value < 1000 or unit == "h" else f"{value:,.0f}".replace(",", " ")
