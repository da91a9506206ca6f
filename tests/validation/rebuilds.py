"""Resync, recovery and check rates of single members, as reported, against the planner's `performance/rebuild_time.py`.

A report is a moment: at so many per cent of the disk it runs at so many bytes a second. The disk is as fast there as
its zone; beside it stand sync_speed_max, md's thread and, in two rows, a shared link.
"""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.predict.speed.disk_speed import INNER_SHARE, disk_speed, speed_at
from raidtui.predict.speed.rebuild_time import sync_ceiling
from raidtui.predict.speed.shared_links import shared_capacity, slot_capacity
from raidtui.values.assumptions import SYNC_SPEED_MAX, Assumptions
from raidtui.values.inventory import Controller, Disk, Link
from raidtui.values.speed import Limit
from tests.validation.rows import MB, layout_of, measured_table

_SATA_3G = 3_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """One report that the model covers; bytes per second and member."""

    name: str
    source: str
    said: str
    note: str
    expected: float
    measured: float
    binds: str
    fits: bool
    """True where a link's share or a constant of md's thread was taken from this report"""

    @property
    def error(self) -> float:
        """(predicted - measured) / measured."""
        return self.expected / self.measured - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRebuilt:
    """A report that is not covered."""

    name: str
    said: str
    why: str


UNKNOWN_LOAD = ("competing", "concurrent load", "load unknown")
"""what a report calls a load beside the rebuild whose size it does not give"""


def why_not(row: dict[str, str]) -> str | None:
    """The rule that leaves a report out."""
    if row["op"] == "reshape":
        return "reshape: a band by its kind, which the tests of rebuild times hold it against"
    if row["media"] == "ram-loop":
        return "members in memory"
    if "regression" in row["note"]:
        return "a kernel whose requests do not merge, mended since"
    if int(row["n_members"]) > 16 and row["kernel"] in ("5.x", "5.13"):
        return "more than 16 members on a kernel up to 5.13, whose requests do not merge"
    if any(words in row["note"] for words in UNKNOWN_LOAD):
        return "foreground load of unknown size is what it measures"
    if _link(row) is None and not row["member_seq_mb_s"]:
        return "no figure for one disk, or for sync_speed_max"
    return None


def rebuilds() -> list[Rebuilt]:
    """Every report that the model covers."""
    return [_rebuilt(row) for row in measured_table("rebuild.csv") if why_not(row) is None]


def rebuilds_left() -> list[NotRebuilt]:
    """The others, with their rule."""
    return [
        NotRebuilt(name=f"rebuild {row['id']}", said=_said(row), why=why)
        for row in measured_table("rebuild.csv")
        if (why := why_not(row)) is not None
    ]


def _rebuilt(row: dict[str, str]) -> Rebuilt:
    level, _, spread = row["level"].partition(" ")
    layout = layout_of(level, spread, int(row["n_members"]))
    threads = 64 if "gtc=64" in row["note"] else 0
    most = round(float(row["sync_max_mb_s"]) * MB) if row["sync_max_mb_s"] else SYNC_SPEED_MAX
    link = _link(row)
    pace = sync_ceiling(layout.first, Assumptions(parity_threads=threads, sync_max_bytes_per_s=most), link)
    disk = speed_at(_position(row), _outer(row), INNER_SHARE if row["media"] == "hdd" else 1.0)
    return Rebuilt(
        name=f"rebuild {row['id']}",
        source=row["source"],
        said=_said(row),
        note=row["note"],
        expected=min(disk, pace.bytes_per_s),
        measured=float(row["speed_mb_s_per_member"]) * MB,
        binds="member" if disk <= pace.bytes_per_s else str(pace.limit),
        fits=link is not None or (disk > pace.bytes_per_s and pace.limit == Limit("md sync thread")),
    )


def _said(row: dict[str, str]) -> str:
    return f"{row['op']} of {row['level']}, {row['n_members']} x {row['member_tb']} TB {row['media']}"


def _position(row: dict[str, str]) -> float:
    """Where on the disk it was; the middle where nobody says. First slices of 2 TB disks lie at their outer edge."""
    at = float(row["progress_pct"] or 50) / 100
    return at * float(row["member_tb"]) / 2 if "first slices" in row["note"] else at


def _outer(row: dict[str, str]) -> float:
    """Bytes per second of the outer zone: as reported, else what such a disk usually does."""
    if row["member_seq_mb_s"]:
        return float(row["member_seq_mb_s"]) * MB
    rotational = row["media"] == "hdd"
    disk = Disk(id="", size_bytes=round(float(row["member_tb"]) * 1e12), rotational=rotational, transport="sata")
    return float(disk_speed(disk, Assumptions()).read_bytes_per_s)


def _link(row: dict[str, str]) -> tuple[float, Limit] | None:
    """What a shared link leaves each member, with its name, where the report names one."""
    members = int(row["n_members"])
    if "port multiplier" in row["note"]:
        whole = shared_capacity(Link(name="", kind="port-multiplier"), _SATA_3G).point
        return whole / members, Limit("port multiplier")
    if "PCIe gen2 x1" in row["note"]:
        slot = slot_capacity(Controller(pci="", pcie_speed_gts=5.0, pcie_width=1))
        return (slot.point / members, Limit("PCIe slot")) if slot else None
    return None
