"""Findings about the selected disks: may they be used, and do they match each other?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from operator import attrgetter

from raidtui.model.counted import counted
from raidtui.model.design import Design
from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk
from raidtui.model.safe import safe
from raidtui.model.units import decimal_size, exact_binary
from raidtui.planner.disk_kinds import DISK_KINDS, DiskKind
from raidtui.planner.drive_families import is_shingled
from raidtui.planner.findings import LONGEST, error, names, rounded_sizes, subject, warning
from raidtui.planner.holds import MULTIPATH_WAY_OUT, is_path, paths_text
from raidtui.planner.members import ArrayDisks

_LARGE_RAID5 = 2 * 10**12


def check_disks(design: Design, shares: Sequence[ArrayDisks], kinds: Set[DiskKind]) -> list[Finding]:
    """Findings about identity, content, health and kind of every disk used; `kinds` are those of the disks."""
    disks = [disk for share in shares for disk in share.members + share.spares]
    odd: list[Disk] = []
    if any(kind.remarkable for kind in kinds):
        odd = [disk for disk, kind in zip(disks, DISK_KINDS.each(disks), strict=True) if kind.remarkable]
    return [
        *_allowed(odd, disks),
        *_content(odd),
        *_sectors(design, shares, disks, kinds),
        *_by_path(odd),
        *lost_paths(odd),
        *_shingled(design, odd),
        *(mixed_rotation(disks) if len({kind.rotational for kind in kinds}) > 1 else ()),
        *_large_raid5(design, max(kind.size_bytes for kind in kinds)),
        *rounded_sizes(odd),
    ]


def _allowed(odd: Sequence[Disk], disks: Sequence[Disk]) -> Iterator[Finding]:
    """Findings about disks that may not be used, among `odd`, those of `disks` that are remarkable."""
    protected = [disk for disk in odd if disk.protected]
    if protected:
        yield error(
            "disk-protected",
            f"The running system uses {names(protected)}.",
            "select other disks; there is no override",
            subject(protected),
        )
    several = [disk for disk in odd if is_path(disk) and not disk.protected]
    if several:
        message = f"Cannot build on single paths of multipath maps: {names(several)}."
        yield error("disk-multipath", message, MULTIPATH_WAY_OUT, subject(several))
    refused: dict[str, list[Disk]] = {}
    for disk in odd:
        if disk.not_selectable is not None and not disk.protected and disk not in several:
            refused.setdefault(disk.not_selectable, []).append(disk)
    for reason, barred in refused.items():
        yield error(
            "disk-not-selectable",
            f"Not selectable: {names(barred)} ({safe(reason or 'no reason given', longest=LONGEST)}).",
            "select other disks, or end that use first",
            subject(barred),
        )
    if len(set(map(attrgetter("id"), disks))) < len(disks):
        counted = Counter(disk.id for disk in disks)
        twice = [disk for disk in {disk.id: disk for disk in disks}.values() if counted[disk.id] > 1]
        yield error(
            "disk-duplicate",
            f"Selected more than once: {names(twice)}.",
            "select every disk once",
            subject(twice),
        )
    zoned = [disk for disk in odd if disk.zoned != "none" and disk.selectable]
    if zoned:
        yield error(
            "disk-zoned",
            f"md does not support zoned (SMR) disks: {names(zoned)}.",
            "select conventional disks",
            subject(zoned),
        )


def _content(disks: Sequence[Disk]) -> Iterator[Finding]:
    unknown = [disk for disk in disks if disk.state == "unknown" and disk.selectable and not disk.protected]
    if unknown:
        yield error(
            "disk-unknown",
            f"The content of {names(unknown)} could not be read; unknown does not count as blank.",
            "run as root, or select other disks",
            subject(unknown),
        )
    full = [disk for disk in disks if disk.state == "content" and disk.selectable and not disk.protected]
    if full:
        what = ", ".join(dict.fromkeys(use.kind for disk in full for use in disk.uses)) or "data"
        yield warning(
            "disk-content",
            f"The content of {names(full)} will be erased ({safe(what, longest=LONGEST)}).",
            "back it up first, or select blank disks",
            subject(full),
        )
    yield from failing_disks(disks)


def _sectors(
    design: Design, shares: Sequence[ArrayDisks], disks: Sequence[Disk], kinds: Set[DiskKind]
) -> Iterator[Finding]:
    groups = [share.members + share.spares for share in shares] if design.stack == "separate" else [disks]
    if logical := _mixed(groups, kinds, "logical_sector_bytes"):
        yield error(
            "mixed-sector-sizes",
            f"Disks with logical sectors of {_counted(logical)} bytes cannot share a volume.",
            "select disks of one sector size",
        )
        return
    if physical := _mixed(groups, kinds, "physical_sector_bytes"):
        yield warning(
            "mixed-physical-sectors",
            f"Disks with physical sectors of {_counted(physical)} bytes: the volume uses the largest.",
            "select disks of one kind, or accept it",
        )
    chunk, sector = design.chunk_bytes, groups[0][0].logical_sector_bytes
    if design.layout.level == "raid0" and chunk % sector:
        yield error(
            "chunk-not-sector-multiple",
            f"Invalid chunk {exact_binary(chunk)}: it is not a multiple of the disks' {sector}-byte sector.",
            "use a multiple of the sector size",
            "chunk",
        )


def _mixed(groups: Sequence[Sequence[Disk]], kinds: Set[DiskKind], sector: str) -> Counter[int] | None:
    """The sizes of sectors, with their number, in the first of `groups` that has several."""
    of = attrgetter(sector)
    if len(set(map(of, kinds))) == 1:
        return None
    return next((Counter(map(of, disks)) for disks in groups if len(set(map(of, disks))) > 1), None)


def _counted(sizes: Counter[int]) -> str:
    return " and ".join(f"{size} ({count})" for size, count in sorted(sizes.items()))


def _shingled(design: Design, disks: Sequence[Disk]) -> Iterator[Finding]:
    """A warning about disks of drive-managed SMR in an array with redundancy, which are rewritten in a rebuild."""
    slow = [disk for disk in disks if is_shingled(disk)]
    if slow and design.layout.survives:
        yield warning(
            "disk-smr",
            f"Drive-managed SMR: {names(slow)}. Such a disk takes new data at full speed only until its cache is full; "
            "a rebuild may take days, and a disk that answers too late is failed.",
            "use conventional (CMR) disks in arrays",
            subject(slow),
        )


def _by_path(disks: Sequence[Disk]) -> Iterator[Finding]:
    bound = [disk for disk in disks if disk.bound_by_path]
    if bound:
        yield warning(
            "disk-bound-by-path",
            f"Known by place, size and content alone, without WWN and serial number: {names(bound)}. An equal disk "
            "that is attached there instead is taken for it.",
            "attach and detach no disk until all is built; better: give each disk a serial number",
            subject(bound),
        )


def lost_paths(disks: Sequence[Disk]) -> Iterator[Finding]:
    """A warning about each multipath disk that is one path away from being lost, or nearer to it than it could be."""
    for disk in disks:
        joined = disk.multipath
        if joined and joined.working and len(joined.working) < max(2, len(joined.paths)):
            lacks = safe(paths_text(joined), longest=2 * LONGEST)
            yield warning(
                "disk-path-lost",
                f"{names([disk])} is a multipath disk that lacks paths: {lacks}. It is no faster than "
                "those that are left, and lost with the last.",
                "multipath -ll shows the paths; look at cables, switch and controller; the build can go on",
                disk.id,
            )


def mixed_rotation(disks: Sequence[Disk]) -> Iterator[Finding]:
    """A warning where `disks` are rotating and flash disks: `Placer.pool` mixes them where no kind has enough."""
    kinds = Counter(map(attrgetter("rotational"), disks))
    flash, spinning = kinds[False], kinds[True]
    if flash and spinning:
        yield warning(
            "mixed-rotation",
            f"{counted(spinning, 'rotating disk')} and {counted(flash, 'flash disk')} in one layout: the slower ones"
            " bound its speed.",
            "use a separate array for each kind",
        )


def failing_disks(disks: Sequence[Disk]) -> Iterator[Finding]:
    """A warning that names those of `disks` that SMART reports as failing."""
    ill = [disk for disk in disks if disk.smart is not None and disk.smart.healthy is False]
    if ill:
        yield warning(
            "disk-failing",
            f"SMART reports failing disks: {names(ill)}.",
            "replace them before building",
            subject(ill),
        )


def _large_raid5(design: Design, largest: int) -> Iterator[Finding]:
    if design.layout.level in ("raid4", "raid5") and largest >= _LARGE_RAID5:
        read = largest * (max(group.members for group in design.layout.groups) - 1)
        yield warning(
            "raid5-large-disks",
            f"A rebuild must read {decimal_size(read)} without a bad sector (disks of {decimal_size(largest)}).",
            "use RAID6: one more disk, and it survives an unreadable sector",
        )
