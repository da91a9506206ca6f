"""What was measured on a machine, as a table: figure, error, how and when."""

from __future__ import annotations

from collections.abc import Iterator, Set
from statistics import median

from raidtui.model.inventory import Disk, Inventory, MeasuredSpeed
from raidtui.model.machine_figures import MachineFigures, MeasuredFigure, MeasuredLink
from raidtui.model.safe import safe
from raidtui.planner.amounts import iops, percent, rate
from raidtui.planner.performance.shared_links import when

SLOW = 0.85
"""share of the median of the disks of one model below which a disk is called slow"""
_ALIKE = 3
MeasuredRow = tuple[str, ...]


def measured_rows(inventory: Inventory) -> list[MeasuredRow]:
    """(what, figure, error, how and when) of every measurement of `inventory`; empty where nothing was measured."""
    rows = [_disk_row(disk, found, inventory) for disk in inventory.disks if (found := disk.measured)]
    if inventory.figures is not None:
        rows += _machine_rows(inventory.figures, {disk.id for disk in inventory.disks})
    return [("MEASURED", "FIGURE", "ERROR", "HOW AND WHEN"), *rows] if rows else []


def disk_figures(found: MeasuredSpeed) -> str:
    """`180 MB/s outer, 150 middle, 90 inner; 120 IOPS random read`."""
    zones = [f"{rate(found.outer_bytes_per_s)} outer"]
    if found.middle_bytes_per_s:
        zones.append(f"{rate(found.middle_bytes_per_s)} middle")
    if found.inner_bytes_per_s:
        zones.append(f"{rate(found.inner_bytes_per_s)} inner")
    if not found.read_iops:
        return ", ".join(zones)
    least = "at least " if found.iops_at_least else ""
    return f"{', '.join(zones)}; {least}{iops(found.read_iops)} random read"


def slow_share(disk: Disk, inventory: Inventory) -> float | None:
    """Rate of `disk` over the median of the measured disks of its model, if that is low; None where it is not."""
    alike = [
        other.measured.outer_bytes_per_s
        for other in inventory.disks
        if other.measured and (other.model, other.size_bytes) == (disk.model, disk.size_bytes)
    ]
    if disk.measured is None or len(alike) < _ALIKE:
        return None
    share = disk.measured.outer_bytes_per_s / median(alike)
    return share if share < SLOW else None


def link_figures(link: MeasuredLink) -> str:
    """`holds 12 disks back: 1.1 GB/s of the 2.2 GB/s that they read alone`, or what it carries at least."""
    disks = f"{len(link.disks)} disks"
    if link.at_least:
        return f"at least {rate(link.bytes_per_s)} to {disks}"
    return f"{rate(link.bytes_per_s)}: holds {disks} back, which read {rate(link.alone_bytes_per_s)} alone"


def _disk_row(disk: Disk, found: MeasuredSpeed, inventory: Inventory) -> MeasuredRow:
    how = f"read alone on {when(found.day, found.kernel)}"
    if found.depth:
        how += f", {found.depth} random reads in flight"
    notes = [found.changed] if found.changed else []
    share = slow_share(disk, inventory)
    if share is not None:
        notes.insert(0, f"SLOW: {percent(share)} of its model's median")
    return (
        safe(disk.kernel_name or disk.id),
        disk_figures(found),
        _error(found.error),
        "; ".join([safe(how), *map(safe, notes)]),
    )


def _machine_rows(figures: MachineFigures, present: Set[str]) -> Iterator[MeasuredRow]:
    for link in figures.links:
        gone = sum(disk not in present for disk in link.disks)
        note = f"; {gone} of its disks are gone" if gone else ""
        yield (
            safe(str(link.limit)),
            link_figures(link),
            _error(link.error),
            _how("all disks at once", link, figures) + note,
        )
    for name, figure in (
        ("memory", figures.memory),
        ("one reader", figures.one_reader),
        ("RAID6 code", figures.raid6),
        ("RAID5 code", figures.xor),
        ("md thread", figures.md_write),
    ):
        if figure is not None:
            least = "at least " if figure.at_least else ""
            yield name, f"{least}{rate(figure.bytes_per_s)}", _error(figure.error), _how(figure.how, figure, figures)
    for each in figures.scatter:
        what = f"{each.ratio:.2f} of the lowest limit"
        yield (
            f"arrays, {each.work}",
            what,
            "-",
            f"{each.figures} figures of benchmarks, last on {when(each.day, each.kernel)}",
        )


def _how(how: str, figure: MeasuredFigure | MeasuredLink, figures: MachineFigures) -> str:
    text = f"{how}, {when(figure.day, figure.kernel)}"
    if figures.kernel_now and figure.kernel != figures.kernel_now:
        text += f"; since then the kernel became {figures.kernel_now}"
    return safe(text)


def _error(factor: float) -> str:
    return percent(factor - 1) if factor > 1 else "-"
