"""Findings about the disks that were chosen: may they be used, and do they fit together?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from raidtui.model.design import Design
from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk
from raidtui.model.safe import safe
from raidtui.model.units import decimal_size, exact_binary
from raidtui.planner.findings import LONGEST, error, names, subject, warning
from raidtui.planner.members import ArrayDisks
from raidtui.planner.multipath import REASON, WAY_OUT, is_multipath

_LARGE_RAID5 = 2 * 10**12


def check_disks(design: Design, shares: Sequence[ArrayDisks]) -> list[Finding]:
    """Findings about identity, content, health and kind of every disk taken."""
    disks = [disk for share in shares for disk in share.members + share.spares]
    return [
        *_allowed(disks),
        *_content(disks),
        *_sectors(design, shares),
        *_kinds(disks),
        *_large_raid5(design, disks),
    ]


def _allowed(disks: Sequence[Disk]) -> Iterator[Finding]:
    protected = [disk for disk in disks if disk.protected]
    if protected:
        yield error(
            "disk-protected",
            f"The running system stands on {names(protected)}.",
            "choose other disks; nothing overrides this",
            subject(protected),
        )
    several = [disk for disk in disks if is_multipath(disk) and not disk.protected]
    if several:
        yield error("disk-multipath", f"No array is built on {names(several)}: {REASON}.", WAY_OUT, subject(several))
    refused = [disk for disk in disks if disk.not_selectable is not None and not disk.protected and disk not in several]
    for reason in dict.fromkeys(disk.not_selectable for disk in refused):
        barred = [disk for disk in refused if disk.not_selectable == reason]
        yield error(
            "disk-not-selectable",
            f"Not to be built on: {names(barred)} ({safe(reason or 'no reason given', longest=LONGEST)}).",
            "choose other disks, or end that use first",
            subject(barred),
        )
    counted = Counter(disk.id for disk in disks)
    twice = [disk for disk in {disk.id: disk for disk in disks}.values() if counted[disk.id] > 1]
    if twice:
        yield error(
            "disk-duplicate",
            f"Chosen more than once: {names(twice)}.",
            "choose every disk once",
            subject(twice),
        )
    zoned = [disk for disk in disks if disk.zoned != "none" and disk.selectable]
    if zoned:
        yield error(
            "disk-zoned",
            f"md cannot write zoned disks: {names(zoned)}.",
            "choose conventional disks",
            subject(zoned),
        )


def _content(disks: Sequence[Disk]) -> Iterator[Finding]:
    unknown = [disk for disk in disks if disk.state == "unknown" and disk.selectable and not disk.protected]
    if unknown:
        yield error(
            "disk-unknown",
            f"What is on {names(unknown)} could not be read; unknown is not blank.",
            "read them as root, or choose other disks",
            subject(unknown),
        )
    full = [disk for disk in disks if disk.state == "content" and disk.selectable and not disk.protected]
    if full:
        what = ", ".join(dict.fromkeys(use.kind for disk in full for use in disk.uses)) or "data"
        yield warning(
            "disk-content",
            f"Will be erased: what is on {names(full)} ({safe(what, longest=LONGEST)}).",
            "save it first, or choose blank disks",
            subject(full),
        )
    failing = [disk for disk in disks if disk.smart is not None and disk.smart.healthy is False]
    if failing:
        yield warning(
            "disk-failing",
            f"Reported as failing by their own SMART: {names(failing)}.",
            "replace them before building on them",
            subject(failing),
        )


def _sectors(design: Design, shares: Sequence[ArrayDisks]) -> Iterator[Finding]:
    groups = [share.members + share.spares for share in shares]
    if design.stack != "separate":
        groups = [tuple(disk for group in groups for disk in group)]
    logical = next((found for found in map(_logical, groups) if len(found) > 1), None)
    if logical:
        yield error(
            "mixed-sector-sizes",
            f"Disks with logical sectors of {_counted(logical)} bytes do not mix in one volume.",
            "choose disks of one sector size",
        )
        return
    physical = next((found for found in map(_physical, groups) if len(found) > 1), None)
    if physical:
        yield warning(
            "mixed-physical-sectors",
            f"Disks with physical sectors of {_counted(physical)} bytes: the volume behaves as the largest.",
            "choose disks of one kind, or accept it",
        )
    chunk, sector = design.chunk_bytes, max(_logical(groups[0]))
    if design.layout.level == "raid0" and chunk % sector:
        yield error(
            "chunk-not-sector-multiple",
            f"A chunk of {exact_binary(chunk)} is no multiple of the disks' {sector}-byte sector.",
            "take a multiple of it",
            "chunk",
        )


def _logical(disks: Sequence[Disk]) -> Counter[int]:
    return Counter(disk.logical_sector_bytes for disk in disks)


def _physical(disks: Sequence[Disk]) -> Counter[int]:
    return Counter(disk.physical_sector_bytes for disk in disks)


def _counted(sizes: Counter[int]) -> str:
    return " and ".join(f"{size} ({count})" for size, count in sorted(sizes.items()))


def _kinds(disks: Sequence[Disk]) -> Iterator[Finding]:
    flash = sum(disk.rotational is False for disk in disks)
    spinning = sum(disk.rotational is True for disk in disks)
    if flash and spinning:
        yield warning(
            "mixed-rotation",
            f"{spinning} spinning disks and {flash} of flash in one layout: the slow ones set the pace.",
            "give each kind its own array",
        )


def _large_raid5(design: Design, disks: Sequence[Disk]) -> Iterator[Finding]:
    largest = max(disk.size_bytes for disk in disks)
    if design.layout.level in ("raid4", "raid5") and largest >= _LARGE_RAID5:
        read = largest * (design.layout.members - 1)
        yield warning(
            "raid5-large-disks",
            f"A rebuild must read {decimal_size(read)} without one bad sector: disks of {decimal_size(largest)}.",
            "RAID6 costs one disk more and survives a bad sector",
        )
