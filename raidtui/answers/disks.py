"""Disks: all of a machine as a table, one in full, and what was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from statistics import median

from raidtui.answers.plain_text import fitted, plain_lines
from raidtui.predict.disks.holds import further_uses, paths_text, use_text
from raidtui.predict.speed.shared_links import when
from raidtui.values.amounts import iops, percent, rate
from raidtui.values.blocks import Block, Grid, Item, Items, Pairs, Paragraph, cells
from raidtui.values.codec import by_key
from raidtui.values.findings import names
from raidtui.values.inventory import Disk, Inventory, MeasuredSpeed, Sampled
from raidtui.values.safe import safe
from raidtui.values.speed import MachineFigures, MeasuredFigure, MeasuredLink
from raidtui.values.units import binary_size, counted, decimal_size, exact_binary, grouped

# One line a disk.


_NOTHING = "-"
"""nothing is on a disk"""


def disks_table(inventory: Inventory, width: int | None = None) -> str:
    """One line per disk, why blank disks cannot be used, and the counts. `width`: columns of a terminal, which wraps
    texts and leaves out sectors and models where it is too narrow."""
    rows = [_disk_row(disk) for disk in inventory.disks]
    empty = all(row[-1] == _NOTHING for row in rows)
    table = Grid(
        columns=("SLOT", "NAME", "SIZE", "SECTOR", "MODEL", "SERIAL", "STATE", "WHAT IS ON IT"),
        rows=tuple(cells(*row) for row in rows), right=frozenset((2,)), optional=(3, *((7,) if empty else ()), 4),
    )  # fmt: skip
    states = Counter(disk.state for disk in inventory.disks)
    counts = ", ".join(f"{states[state]} {state}" for state in ("blank", "content", "unknown") if states[state])
    free = inventory.free
    room = decimal_size(sum(disk.size_bytes for disk in free))
    label = " (simulated)" if inventory.simulated else ""
    title = f"{safe(inventory.name)}{label}: {safe(inventory.title)}".rstrip(": ")
    below = [*_barred_lines(inventory.disks), *read_lines(inventory.disks)]
    below.append(f"{counted(len(inventory.disks), 'disk')}: {counts or 'none'}; {len(free)} free, {room} raw")
    if width is not None:
        title, below = "\n".join(fitted((title,), width)), fitted(below, width)
    return "\n".join((title, *plain_lines((table,), width=width), "", *below))


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
        safe(content, longest=60) or _NOTHING,
    )


# Text of the samples read from disks without signatures; `blank` means that all samples were zero.


def sampled_text(sampled: Sampled) -> str:
    """`both ends and 126 places between them; all zero`, or the number of places not zero and the first of them."""
    read = f"both ends and {sampled.places} places between them"
    if not sampled.not_zero:
        return f"{read}; all zero"
    return f"{read}; {_places(sampled)}"


def found_text(disk: Disk) -> str:
    """Number and first offset of places that are not zero; empty if all are zero or none was read."""
    return _places(disk.sampled) if disk.sampled is not None and disk.sampled.not_zero else ""


def read_lines(disks: Iterable[Disk]) -> list[str]:
    """One line that defines `blank`; empty if no disk was read."""
    places = [disk.sampled.places for disk in disks if disk.sampled is not None]
    if not places:
        return []
    count = f"{min(places)} to {max(places)}" if min(places) < max(places) else str(max(places))
    return [f"blank: the first and last MiB and {count} samples between them are zero; the rest was not read"]


def _places(sampled: Sampled) -> str:
    first = grouped(sampled.first_offset or 0)
    return f"{sampled.not_zero} of {sampled.places} places not zero, the first at offset {first}"


# One disk in full: identity, place, health, what is on it and who has it open.


def disk_blocks(disk: Disk, role: str) -> tuple[Block, ...]:
    """Why `disk` cannot be used if so, what is known of it, and all its uses. `role`: what it is in the design."""
    barred = (Paragraph(text=disk.not_selectable, tone="bad"),) if disk.not_selectable else ()
    uses = tuple(
        Item(mark="now" if use.active else "left over", text=use_text(use), tone="bad" if use.active else "warn")
        for use in disk.uses
    )
    held = Items(items=uses) if uses else Paragraph(text="no known use", tone="quiet")
    return (*barred, Pairs(pairs=tuple(_facts(disk, role))), held)


def _facts(disk: Disk, role: str) -> Iterator[tuple[str, str]]:
    yield "identity", disk.id or "none: the disk cannot be identified"
    for title, value in (
        ("in design", role),
        ("dev", f"{disk.kernel_name} (may differ after a reboot)" if disk.kernel_name else ""),
        ("model", " ".join(part for part in (disk.vendor, disk.model) if part)),
        ("serial", disk.serial or ""),
        ("firmware", disk.firmware or ""),
        ("size", f"{decimal_size(disk.size_bytes)} = {binary_size(disk.size_bytes)}"),
        ("", f"{grouped(disk.size_bytes)} bytes"),
        ("sectors", f"{disk.logical_sector_bytes} logical, {disk.physical_sector_bytes} physical"),
        ("kind", _kind(disk)),
        ("zoned", disk.zoned if disk.zoned != "none" else ""),
        ("place", _place(disk)),
        *_paths(disk),
        ("health", _health(disk)),
        ("read", sampled_text(disk.sampled) if disk.sampled else ""),
        ("open in", ", ".join(_openers(disk))),
    ):
        if value:
            yield title, value
    for number, name in enumerate(disk.by_id):
        yield "by-id" if number == 0 else "", name
    if disk.by_path:
        yield "by-path", disk.by_path


def _paths(disk: Disk) -> Iterator[tuple[str, str]]:
    """The multipath map and each of its paths."""
    if disk.multipath is None:
        return
    yield "map", f"{paths_text(disk.multipath)}, policy {disk.multipath.policy or 'unknown'}"
    for number, path in enumerate(disk.multipath.paths):
        role = {True: "used", False: "standing by", None: "use unknown"}[path.used]
        where = f"hctl {path.hctl or 'unknown'}, controller {path.place.controller or 'unknown'}"
        yield "" if number else "paths", f"{path.kernel_name} {path.state or 'state unknown'}, {role}, {where}"


def _openers(disk: Disk) -> Iterator[str]:
    for each in disk.opened_by:
        how = "writing" if each.writing else "reading"
        yield f"{each.command} (pid {each.process}) for {how}"


def _kind(disk: Disk) -> str:
    spin = {True: "spinning", False: "flash", None: ""}[disk.rotational]
    rpm = f"{disk.rpm} rpm" if disk.rpm else ""
    link = f"link {disk.link_bits_per_s / 1e9:g} Gbit/s" if disk.link_bits_per_s else ""
    return ", ".join(part for part in (spin, rpm, disk.transport or "", link) if part)


def _place(disk: Disk) -> str:
    place = disk.place
    pairs = (
        ("slot", place.slot), ("enclosure", place.enclosure), ("expander", place.expander), ("port", place.port),
        ("controller", place.controller), ("hctl", disk.hctl),
    )  # fmt: skip
    return ", ".join(value if what in value else f"{what} {value}" for what, value in pairs if value)


def _health(disk: Disk) -> str:
    smart = disk.smart
    if smart is None:
        return "not read"
    verdict = {True: "passed", False: "FAILING", None: "no verdict"}[smart.healthy]
    figures = (
        f"{smart.hours} hours" if smart.hours is not None else "",
        f"{smart.reallocated} reallocated" if smart.reallocated is not None else "",
        f"{smart.temperature_c} C" if smart.temperature_c is not None else "",
    )
    return ", ".join((verdict, *(figure for figure in figures if figure)))


# What was measured on a machine, as a table: figure, error, how and when.


SLOW = 0.85
"""share of the median of the disks of one model below which a disk is called slow"""
_ALIKE = 3
MeasuredRow = tuple[str, ...]


def measured_rows(inventory: Inventory) -> list[MeasuredRow]:
    """(what, figure, error, how and when) of every measurement of `inventory`; empty where nothing was measured."""
    rows = [_measured_disk_row(disk, found, inventory) for disk in inventory.disks if (found := disk.measured)]
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


def _measured_disk_row(disk: Disk, found: MeasuredSpeed, inventory: Inventory) -> MeasuredRow:
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
