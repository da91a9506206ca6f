"""Text output of the verbs `disks`, `model` and `plan`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from raidtui.model.assumptions import Assumptions
from raidtui.model.by_key import by_key
from raidtui.model.counted import counted
from raidtui.model.design import Design
from raidtui.model.geometry import ArrayGeometry, Prediction
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.safe import safe
from raidtui.model.units import decimal_size, exact_binary
from raidtui.planner.figures.asked import asked_lines
from raidtui.planner.figures.risk import risk_basis
from raidtui.planner.figures.row import FigureRow
from raidtui.planner.figures.rows import figure_groups, headline
from raidtui.planner.figures.speed import speed_basis
from raidtui.planner.findings import names
from raidtui.planner.holds import further_uses, paths_text
from raidtui.planner.performance.tunables import tunables
from raidtui.planner.placement.certificate import certificate_text
from raidtui.planner.text.findings import Paint, findings_lines, unpainted
from raidtui.planner.text.samples import found_text, read_lines


def disks_table(inventory: Inventory) -> str:
    """One line per disk, why blank disks cannot be used, and the counts."""
    rows: list[tuple[str, ...]] = [("SLOT", "NAME", "SIZE", "SECTOR", "MODEL", "SERIAL", "STATE", "WHAT IS ON IT")]
    rows += [_disk_row(disk) for disk in inventory.disks]
    states = Counter(disk.state for disk in inventory.disks)
    counts = ", ".join(f"{states[state]} {state}" for state in ("blank", "content", "unknown") if states[state])
    free = inventory.free
    room = decimal_size(sum(disk.size_bytes for disk in free))
    label = " (simulated)" if inventory.simulated else ""
    lines = [f"{safe(inventory.name)}{label}: {safe(inventory.title)}".rstrip(": "), *columns(rows, right=(2,)), ""]
    lines += [*_barred_lines(inventory.disks), *read_lines(inventory.disks)]
    lines.append(f"{counted(len(inventory.disks), 'disk')}: {counts or 'none'}; {len(free)} available, {room} raw")
    return "\n".join(lines)


def prediction_text(
    prediction: Prediction,
    assumptions: Assumptions,
    paint: Paint = unpainted,
    width: int | None = None,
    *,
    disks: Sequence[Disk] | None = None,
    design: Design | None = None,
) -> str:
    """The figures of a design: usable size, layers, speed, risk, then the findings; see `findings_lines`.

    `disks`: those available. `design`: shows what its plan tells the kernel.
    """
    raw = decimal_size(prediction.raw_bytes)
    lines = [f"{prediction.layout}   {counted(len(prediction.disks), 'disk')}, {raw} raw"]
    if prediction.arrays:
        found = figure_groups(prediction, assumptions, disks)
        first, speed, risk = headline(prediction, assumptions), prediction.throughput, prediction.durability
        for rows in ((*first, *found.capacity), found.layers, (*found.speed, *(speed_basis(speed) if speed else ()))):
            lines += _row_lines(rows)
        lines += asked_lines(prediction.asked or ())
        lines += tunable_lines(design, prediction.arrays) if design else []
        lines += _row_lines((*found.risk, *found.causes, *(risk_basis(risk) if risk else ())))
    if prediction.placement is not None and prediction.placement.certificates:
        table = certificate_text(prediction.placement.certificates)
        lines += ["", "effect of losing a failure domain", *(f"  {row}" for row in table)]
    findings = (*prediction.findings, *(prediction.placement.findings if prediction.placement else ()))
    lines += findings_lines(findings, paint, width)
    return "\n".join(lines)


def tunable_lines(design: Design, arrays: Sequence[ArrayGeometry]) -> list[str]:
    """What the plan of `design` tells the kernel of `arrays`, and the models assume, below a blank line."""
    found = tunables(design, arrays)
    rows = [("SETTING", "VALUE", "FROM")]
    rows += [
        (each.name, each.value, "stated" if each.stated else "plan" if each.installed else "kernel") for each in found
    ]
    return ["", *columns(rows)] if found else []


def _row_lines(rows: Sequence[FigureRow]) -> Iterator[str]:
    """`rows` with a blank line before the first, and before each that has only a title."""
    for number, row in enumerate(rows):
        if number == 0 or not row.value:
            yield ""
        yield f"{row.label:<17} {row.value:<32} {', '.join(filter(None, row.notes))}".rstrip()


def _barred_lines(disks: Sequence[Disk]) -> list[str]:
    """Each reason why blank disks cannot be used, whole: the table has no room for its way out."""
    barred = by_key(
        (disk.not_selectable, disk)
        for disk in disks
        if disk.state == "blank" and disk.not_selectable is not None and not disk.protected
    )
    return [f"{names(some)} cannot be used: {safe(reason)}" for reason, some in barred.items()]


def _disk_row(disk: Disk) -> tuple[str, ...]:
    sector = str(disk.logical_sector_bytes)
    if disk.physical_sector_bytes != disk.logical_sector_bytes:
        sector += f"/{disk.physical_sector_bytes}"
    lun = f"LUN of {disk.lun.data}+{disk.lun.parity}, {exact_binary(disk.lun.chunk_bytes)}" if disk.lun else ""
    paths = paths_text(disk.multipath) if disk.multipath else ""
    content = "; ".join(
        part for part in (lun, paths, disk.not_selectable, found_text(disk), further_uses(disk)) if part
    )
    return (
        safe(disk.place.slot or "-"),
        safe(disk.kernel_name or "-"),
        decimal_size(disk.size_bytes),
        sector,
        safe(disk.model or "-", longest=20),
        safe(disk.serial or "-", longest=20),
        "protected" if disk.protected else disk.state,
        safe(content, longest=60) or "-",
    )


def columns(rows: Sequence[tuple[str, ...]], *, right: tuple[int, ...] = ()) -> list[str]:
    """`rows` as lines with columns as wide as their widest cell; `right` lists right-aligned columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
