"""Rows of the measured tables that name streams, size and depth, asked of the model in that form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from raidtui.predict.design import answers, predict
from raidtui.values.assumptions import Assumptions
from raidtui.values.choices import Bitmap
from raidtui.values.design import Design
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import Layout
from raidtui.values.speed import AskedRate, WorkloadQuestion, parse_ask
from raidtui.values.target import TargetVersions
from raidtui.values.units import GIB, KIB, MIB
from tests.validation.covered import ONE_DISK, deep_rate
from tests.validation.rows import layout_of, measured_table

_SIZES = {163: 4, 164: 4, 165: 8, 167: 16, 168: 16, 169: 32, 170: 32, 171: 64, 172: 64, 173: 128, 174: 128, 175: 256,
          176: 256, 178: 512}  # fmt: skip
_BITMAPS = {98: 64 * MIB, 99: 128 * MIB, 100: 512 * MIB, 101: GIB, 102: 2 * GIB, 105: 0, 263: 64 * MIB, 264: 64 * MIB}
_ASKS = {
    **{number: f"write,random,streams=8,depth=1,size={size}K" for number, size in _SIZES.items()},
    **dict.fromkeys(_BITMAPS, "write,random,streams=1,depth=1,size=4K"),
    57: "read,streams=64,depth=128,size=1M",
    58: "read,streams=8,depth=128,size=64K",
    93: "read,streams=4,depth=256,size=512K",
    94: "read,streams=4,depth=256,size=512K",
    90: "read,streams=1,size=1M",
    92: "read,streams=1,size=1M",
    124: "read,streams=1,depth=1,size=256K",
}
"""row of throughput.csv to the question; where the source names no streams of a deep queue, eight"""
_SIZE_OF = {"Solidigm P5520": 3_840_755_982_336}
"""bytes of drives that come in no size for PCs; others are taken for 2 TB"""
PATHOLOGIES = {124: "10.5 MB/s of the same array that gave 524 MB/s later; unexplained"}
CALIBRATES = frozenset(_BITMAPS) - {263, 264}
"""rows that constants of the model were taken from"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedRow:
    """A row and the model's answer, in the row's unit."""

    number: int
    said: str
    measured: float
    answer: AskedRate
    requests: bool
    """the row counts requests"""

    @property
    def _unit(self) -> int:
        return (self.answer.size_bytes or 1) if self.requests else 1

    @property
    def point(self) -> float:
        """Expected."""
        return self.answer.bytes_per_s / self._unit

    @property
    def low(self) -> float:
        """Lower end of the band."""
        return self.answer.low / self._unit

    @property
    def high(self) -> float:
        """Upper end."""
        return self.answer.high / self._unit

    @property
    def inside(self) -> bool:
        """True when the measurement lies in the band."""
        return self.low <= self.measured <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class Deep:
    """A row of fio_plot_raid5.csv and the model's answer, requests per second."""

    adapter: str
    kind: str
    """randread, randwrite, or randrw: half of each"""
    in_flight: int
    """requests of all jobs"""
    measured: float
    answer: AskedRate

    @property
    def point(self) -> float:
        """Expected."""
        return self.answer.bytes_per_s / (4 * KIB)

    @property
    def inside(self) -> bool:
        """True when the measurement lies in the band."""
        return self.answer.low <= self.measured * 4 * KIB <= self.answer.high


_KINDS = {"randread": "read", "randwrite": "write", "randrw": "mixed,read=50"}


@cache
def deep_rows() -> tuple[Deep, ...]:
    """All rows of fio_plot_raid5.csv: eight disks, one to 4,096 random requests of 4 KiB in flight."""
    like = {"media": "hdd", "chunk_kib": ""}
    found = []
    for row in measured_table("fio_plot_raid5.csv"):
        ask = parse_ask(f"{_KINDS[row['rw']]},random,size=4K,streams={row['streams']},depth={row['depth']}")
        answer = _answer(
            Layout.of(level="raid5", members=8), like, ask, Assumptions(disk_iops=ONE_DISK[row["adapter"]]), 0
        )
        found.append(
            Deep(
                adapter=row["adapter"], kind=row["rw"], in_flight=int(row["streams"]) * int(row["depth"]),
                measured=float(deep_rate(row)), answer=answer,
            )
        )  # fmt: skip
    return tuple(found)


@cache
def asked_rows() -> tuple[AskedRow, ...]:
    """All rows that were asked for."""
    rows = {int(row["id"]): row for row in measured_table("throughput.csv") if row["id"].isdigit()}
    return tuple(_asked(number, rows[number], parse_ask(text)) for number, text in sorted(_ASKS.items()))


def _asked(number: int, row: dict[str, str], ask: WorkloadQuestion) -> AskedRow:
    layout = layout_of(row["level"], row["layout"], int(row["n_disks"]))
    speed = round(float(row["disk_mb_s"]) * 1_000_000) if row["disk_mb_s"] else None
    answer = _answer(layout, row, ask, Assumptions(disk_bytes_per_s=speed), _BITMAPS.get(number, 0))
    requests = row["unit"] == "IOPS"
    measured = float(row["measured"]) * (1 if requests else 1_000_000)
    return AskedRow(number=number, said=row["workload"], measured=measured, answer=answer, requests=requests)


def _answer(layout: Layout, row: dict[str, str], ask: WorkloadQuestion, said: Assumptions, bitmap: int) -> AskedRate:
    rotational = row["media"] == "hdd"
    disks = tuple(
        Disk(
            id=f"disk {number}",
            size_bytes=_SIZE_OF.get(row.get("disk_model", ""), 2_000_398_934_016),
            rotational=rotational,
            rpm=7200 if rotational else None,
            transport="nvme" if row["media"] == "nvme" else "sata",
            link_bits_per_s=64_000_000_000 if row["media"] == "nvme" else None,
            state="blank",
        )
        for number in range(layout.disks)
    )
    kind: Bitmap = "internal" if bitmap else "none"
    design = Design(
        layout=layout,
        target=TargetVersions(kernel="6.3") if row.get("workload", "").endswith("before the commit") else None,
        chunk_bytes=int(row["chunk_kib"] or 512) * KIB,
        bitmap=kind,
        bitmap_chunk_bytes=bitmap or None,
        fs="none",
    )
    inventory = Inventory(name="row", origin="purchase", disks=disks)
    (answer,) = answers([ask], design, disks, predict(design, disks), inventory, said)
    return answer
