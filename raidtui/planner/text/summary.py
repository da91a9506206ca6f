"""Text output of the verbs `disks`, `model` and `plan`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from raidtui.model.counted import counted
from raidtui.model.geometry import ArrayGeometry, Ext4Geometry, LvmGeometry, Prediction, StripeGeometry, XfsGeometry
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import Band
from raidtui.model.plan import Plan
from raidtui.model.safe import safe
from raidtui.model.units import binary_size, decimal_size, exact_binary, grouped
from raidtui.planner.findings import names
from raidtui.planner.geometry.lvm import free_extents
from raidtui.planner.numbers import spares_text
from raidtui.planner.text.asked import asked_lines
from raidtui.planner.text.expected import domain_lines, risk_rows, speed_rows
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


def prediction_text(prediction: Prediction, paint: Paint = unpainted, width: int | None = None) -> str:
    """The sizes of a layout, from the members up to the sizes shown by df, then the findings; see `findings_lines`."""
    lines = [
        f"{prediction.layout}   {counted(len(prediction.disks), 'disk')}, {decimal_size(prediction.raw_bytes)} raw"
    ]
    if prediction.bands:
        for number, (band, array) in enumerate(zip(prediction.bands, prediction.arrays, strict=True), start=1):
            lines += ["", *_array_lines(array, 1, title=_band_title(number, band, array))]
    else:
        for array, count in Counter(prediction.arrays).items():
            lines += ["", *_array_lines(array, count)]
    match prediction.volume:
        case LvmGeometry() as lvm:
            lines += ["", *_pairs("LVM, linear" if lvm.stripes == 1 else "LVM stripe", _lvm_pairs(lvm, prediction))]
        case StripeGeometry(array=outer):
            lines += ["", *_array_lines(outer, 1, title="md RAID0 over the arrays")]
        case None:
            pass
    for filesystem, count in Counter(prediction.filesystems).items():
        lines += ["", *_filesystem_lines(filesystem, count)]
    lines += _expected_lines(prediction)
    findings = (*prediction.findings, *(prediction.placement.findings if prediction.placement else ()))
    lines += findings_lines(findings, paint, width)
    return "\n".join(lines)


def plan_text(plan: Plan, paint: Paint = unpainted, width: int | None = None) -> str:
    """The steps of a plan, one per line, with the disks they erase, then the findings; see `findings_lines`."""
    erased = {disk for step in plan.steps for disk in step.destroys}
    rows = [("#", "STEP", "RISK", "DISKS", "COMMANDS")]
    rows += [
        (str(step.number), safe(step.title), step.risk, str(len(step.destroys) or "-"), str(len(step.actions)))
        for step in plan.steps
    ]
    where = " (simulated disks)" if plan.simulated else ""
    where += f" ({safe(str(plan.design.target))})" if plan.design.target else ""
    head = f"plan {plan.digest[:12]} for {safe(plan.host)}{where}: erases {counted(len(erased), 'disk')}; not executed"
    return "\n".join([head, "", *columns(rows, right=(0, 3, 4)), *findings_lines(plan.findings, paint, width)])


def _expected_lines(prediction: Prediction) -> list[str]:
    """Speed, risk and failure domains, as far as they were predicted."""
    lines: list[str] = []
    if prediction.throughput is not None:
        lines += ["", *_pairs("predicted speed (band)", speed_rows(prediction.throughput))]
    lines += asked_lines(prediction.asked or ())
    if prediction.durability is not None:
        lines += ["", *_pairs("predicted rebuild and risk", risk_rows(prediction.durability))]
    if prediction.placement is not None and prediction.placement.certificates:
        lines += ["", "effect of losing a failure domain", *(f"  {row}" for row in domain_lines(prediction.placement))]
    return lines


def _barred_lines(disks: Sequence[Disk]) -> list[str]:
    """Each reason why blank disks cannot be used, whole: the table has no room for its way out."""
    barred: dict[str, list[Disk]] = {}
    for disk in disks:
        if disk.state == "blank" and disk.not_selectable is not None and not disk.protected:
            barred.setdefault(disk.not_selectable, []).append(disk)
    return [f"{names(some)} cannot be used: {safe(reason)}" for reason, some in barred.items()]


def _disk_row(disk: Disk) -> tuple[str, ...]:
    sector = str(disk.logical_sector_bytes)
    if disk.physical_sector_bytes != disk.logical_sector_bytes:
        sector += f"/{disk.physical_sector_bytes}"
    owners = ", ".join(dict.fromkeys(f"{use.kind} {use.where}".strip() for use in disk.uses))
    why = disk.not_selectable or ""
    lun = f"LUN of {disk.lun.data}+{disk.lun.parity}, {exact_binary(disk.lun.chunk_bytes)}" if disk.lun else ""
    content = "; ".join(part for part in (lun, why, found_text(disk), owners if owners not in why else "") if part)
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


def _array_lines(array: ArrayGeometry, count: int, *, title: str = "") -> list[str]:
    spares = f" + {spares_text(array.spares)}" if array.spares else ""
    if array.level == "disk":
        return _pairs("a disk without md" if count == 1 else f"{count} disks without md", _disk_pairs(array))
    head = title or f"{count} x {array.level} of {array.members} members{spares}"
    pairs = [("array", f"{grouped(array.array_bytes)} bytes", binary_size(array.array_bytes))]
    if array.component_bytes is not None:
        pairs.append(("component", f"{grouped(array.component_bytes // 1024)} KiB", binary_size(array.component_bytes)))
    pairs.append(("data offset", f"{array.data_offset_sectors} sectors", exact_binary(array.data_offset_sectors * 512)))
    if array.chunk_bytes is not None:
        full = exact_binary(array.full_stripe_bytes)
        layout = f", layout {array.md_layout}" if array.md_layout else ""
        pairs.append(("chunk", exact_binary(array.chunk_bytes), f"full stripe {full}{layout}"))
    pairs.append(("io_min, io_opt", f"{array.io_min_bytes}, {array.io_opt_bytes}", "bytes, as reported by the kernel"))
    bitmap = exact_binary(array.bitmap_chunk_bytes) + " per bit" if array.bitmap_chunk_bytes else "none"
    pairs.append(("bitmap", bitmap, ""))
    return _pairs(head, pairs)


def _band_title(number: int, band: Band, array: ArrayGeometry) -> str:
    spares = f" + {spares_text(array.spares)}" if array.spares else ""
    start, size = binary_size(band.start_bytes), grouped(band.size_bytes)
    return f"band {number}: {array.level} of {array.members}{spares}, partitions of {size} bytes from {start} on"


def _disk_pairs(disk: ArrayGeometry) -> list[tuple[str, str, str]]:
    pairs = [("size", f"{grouped(disk.array_bytes)} bytes", binary_size(disk.array_bytes))]
    if disk.chunk_bytes is not None:
        pairs.append(
            ("LUN's chunk", exact_binary(disk.chunk_bytes), f"full stripe {exact_binary(disk.full_stripe_bytes)}")
        )
    pairs.append(("io_min, io_opt", f"{disk.io_min_bytes}, {disk.io_opt_bytes}", "bytes, as reported by the disk"))
    return pairs


def _lvm_pairs(lvm: LvmGeometry, prediction: Prediction) -> list[tuple[str, str, str]]:
    plain = prediction.arrays[0].level == "disk"
    free = free_extents(lvm, [array.array_bytes for array in prediction.arrays])
    left = f"{grouped(free * lvm.extent_bytes)} bytes"
    return [
        ("volume", f"{grouped(prediction.volume_bytes)} bytes", binary_size(prediction.volume_bytes)),
        ("extents", grouped(lvm.extents), f"of {exact_binary(lvm.extent_bytes)}"),
        _stripes_pair(lvm, prediction),
        ("first extent", f"at {exact_binary(lvm.pe_start_bytes)}", "on each disk" if plain else "on each array"),
        *([("left free", left, "in the volume group, on the larger arrays")] if free > 0 else []),
    ]


def _stripes_pair(lvm: LvmGeometry, prediction: Prediction) -> tuple[str, str, str]:
    if lvm.stripes == 1:
        return "linear", f"{len(prediction.arrays)} arrays", "one after another, the largest first"
    return "stripes", str(lvm.stripes), f"of {exact_binary(lvm.stripe_bytes)} each"


def _filesystem_lines(filesystem: XfsGeometry | Ext4Geometry, count: int) -> list[str]:
    times = f"{count} x " if count > 1 else ""
    room = [
        ("df size", f"{grouped(filesystem.total_bytes)} bytes", binary_size(filesystem.total_bytes)),
        ("usable", f"{grouped(filesystem.available_bytes)} bytes", binary_size(filesystem.available_bytes)),
        ("blocks", grouped(filesystem.blocks), f"of {filesystem.block_bytes} bytes"),
    ]
    match filesystem:
        case XfsGeometry():
            room += [
                ("stripe", f"sunit={filesystem.sunit_blocks} swidth={filesystem.swidth_blocks}", "blocks"),
                ("groups", f"agcount={filesystem.agcount}", f"agsize={filesystem.agsize_blocks} blocks"),
                ("log", f"{filesystem.log_blocks} blocks", f"stripe unit {filesystem.log_sunit_blocks} blocks"),
            ]
        case Ext4Geometry():
            stripe = f"stride={filesystem.stride_blocks} stripe_width={filesystem.stripe_width_blocks}"
            room += [
                ("stripe", stripe, "blocks"),
                ("reserved", f"{filesystem.reserved_blocks} blocks", "for root"),
                ("inodes", grouped(filesystem.inodes), f"journal {filesystem.journal_blocks} blocks"),
            ]
    return _pairs(f"{times}{filesystem.type}", room)


def _pairs(head: str, pairs: Sequence[tuple[str, str, str]]) -> list[str]:
    return [head, *(f"  {name:<15} {value:<32} {aside}".rstrip() for name, value, aside in pairs)]


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
