"""Details of one disk as lines. Nothing here draws."""

from __future__ import annotations

from collections.abc import Iterator

from raidtui.model.inventory import Disk
from raidtui.model.units import binary_size, decimal_size, grouped
from raidtui.planner.holds import paths_text, use_text
from raidtui.planner.text.samples import sampled_text
from raidtui.tui.terminal.text import Line, Mark, Span, line, wrapped

_TITLE = 11


def details(disk: Disk, mark: Mark, role: str, width: int) -> list[Line]:
    """Identity, location, health and all uses of `disk`, in lines of `width` cells."""
    lines: list[Line] = [(Span(f"{mark.glyph} {mark.word}", mark.tone),)]
    if disk.not_selectable:
        lines += [line(row, "bad") for row in wrapped(disk.not_selectable, width)]
    for title, value in _facts(disk, role):
        rows = list(wrapped(value, max(width - _TITLE, 10)))
        lines += [
            (Span(f"{title if number == 0 else '':<{_TITLE}}", "muted"), Span(row)) for number, row in enumerate(rows)
        ]
    lines.append(line("uses" if disk.uses else "no known use", "muted"))
    for use in disk.uses:
        held = "now" if use.active else "left over"
        for number, row in enumerate(wrapped(f"{use_text(use)} ({held})", max(width - 2, 10))):
            lines.append(line(f"  {row}" if number == 0 else f"    {row}", "bad" if use.active else "warn"))
    return lines


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
