"""One disk in full: identity, place, health, what is on it and who has it open."""

from __future__ import annotations

from collections.abc import Iterator

from raidtui.answers.summary import sampled_text
from raidtui.predict.disks.holds import paths_text, use_text
from raidtui.values.blocks import Block, Item, Items, Pairs, Paragraph
from raidtui.values.inventory import Disk
from raidtui.values.units import binary_size, decimal_size, grouped


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
