"""Findings about the selected disks: may they be used, and do they match each other?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import attrgetter

from raidtui.predict.disks.families import is_shingled
from raidtui.predict.disks.holds import MULTIPATH_WAY_OUT, is_path, paths_text
from raidtui.sizes.lvm import common_lun
from raidtui.sizes.partitions import FIRST_BYTES, largest_partition, partition_bytes, start_bytes
from raidtui.values.arrays import MdShape
from raidtui.values.design import Design
from raidtui.values.findings import (
    LONGEST,
    Finding,
    error,
    gravest_first,
    name,
    names,
    note,
    rounded_sizes,
    subject,
    warning,
)
from raidtui.values.inventory import Disk, Inventory, Lun
from raidtui.values.members import ArrayDisks
from raidtui.values.prediction import ArrayGeometry, Prediction
from raidtui.values.safe import safe
from raidtui.values.survival import holds_all
from raidtui.values.units import (
    MIB,
    SECTOR,
    binary_size,
    counted,
    decimal_size,
    exact_binary,
    grouped,
    round_down,
    round_up,
)

_LARGE_RAID5 = 2 * 10**12


def check_disks(design: Design, shares: Sequence[ArrayDisks]) -> list[Finding]:
    """Findings about identity, content, health and kind of every disk used."""
    disks = [disk for share in shares for disk in share.members + share.spares]
    every = [*disks, *(disk for share in shares for disk in share.journal)]
    return [
        *_allowed(every),
        *_content(every),
        *_sectors(design, shares, disks),
        *_by_path(every),
        *lost_paths(every),
        *_shingled(design, disks),
        *mixed_rotation(disks),
        *_large_raid5(design, max(disk.size_bytes for disk in disks)),
        *rounded_sizes(disks),
    ]


def _allowed(disks: Sequence[Disk]) -> Iterator[Finding]:
    """Findings about disks that may not be used."""
    protected = [disk for disk in disks if disk.protected]
    if protected:
        yield error(
            "disk-protected",
            f"The running system uses {names(protected)}.",
            "select other disks; there is no override",
            subject(protected),
        )
    several = [disk for disk in disks if is_path(disk) and not disk.protected]
    if several:
        message = f"Cannot build on single paths of multipath maps: {names(several)}."
        yield error("disk-multipath", message, MULTIPATH_WAY_OUT, subject(several))
    refused: dict[str, list[Disk]] = {}
    for disk in disks:
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
    zoned = [disk for disk in disks if disk.zoned != "none" and disk.selectable]
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


def _sectors(design: Design, shares: Sequence[ArrayDisks], disks: Sequence[Disk]) -> Iterator[Finding]:
    groups = [share.members + share.spares for share in shares] if design.stack == "separate" else [disks]
    if logical := _mixed(groups, "logical_sector_bytes"):
        yield error(
            "mixed-sector-sizes",
            f"Disks with logical sectors of {_counted(logical)} bytes cannot share a volume.",
            "select disks of one sector size",
        )
        return
    if physical := _mixed(groups, "physical_sector_bytes"):
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


def _mixed(groups: Sequence[Sequence[Disk]], sector: str) -> Counter[int] | None:
    """The sizes of sectors, with their number, in the first of `groups` that has several."""
    of = attrgetter(sector)
    return next((Counter(map(of, disks)) for disks in groups if len(set(map(of, disks))) > 1), None)


def _counted(sizes: Counter[int]) -> str:
    return " and ".join(f"{size} ({count})" for size, count in sorted(sizes.items()))


def _shingled(design: Design, disks: Sequence[Disk]) -> Iterator[Finding]:
    """A warning about disks of drive-managed SMR in an array with redundancy, which are rewritten in a rebuild."""
    slow = [disk for disk in disks if is_shingled(disk)]
    if slow and design.layout.survives:
        yield warning(
            "disk-smr",
            f"Drive-managed SMR: {names(slow)}. Such a disk takes new data at full speed only until its cache is "
            f"full. A rebuild may take days, and a disk that answers too late is failed.",
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
                f"{names([disk])} is a multipath disk with missing paths: {lacks}. It is no faster than "
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
        read = largest * (design.layout.widest.shape.members - 1)
        yield warning(
            "raid5-large-disks",
            f"A rebuild must read {decimal_size(read)} without a bad sector (disks of {decimal_size(largest)}).",
            "use RAID6: one more disk, and it survives an unreadable sector",
        )


# Findings about LUNs of hardware controllers: what their geometry does to alignment, and what is not known of them.


def check_luns(design: Design, shares: Sequence[ArrayDisks], arrays: Sequence[ArrayGeometry]) -> Iterator[Finding]:
    """Findings about stated geometries of LUNs; none where no disk is a LUN."""
    disks = [disk for share in shares for disk in share.members]
    stated = [disk for disk in disks if disk.lun is not None]
    if not stated:
        return
    yield note(
        "lun-hidden",
        f"{len(stated)} LUNs of hardware controllers: their drives, spares, caches and rebuilds are not visible here. "
        f"So rebuild time and risk are not predicted.",
        "see the controllers' own tool, which also reports failed drives",
    )
    lun = common_lun(disks)
    if lun is None:
        others = [disk for disk in disks if disk.lun is None]
        odd = others or [disk for disk in disks if disk.lun and disk.lun.shape != stated[0].lun.shape]  # type: ignore[union-attr]
        yield warning(
            "luns-differ",
            f"The LUNs have no one geometry, so the file system cannot follow it: {names(odd)} "
            + ("have none stated." if others else "have another."),
            "state the geometry of every LUN with --lun, and use LUNs of one geometry in a volume",
            subject(odd),
        )
        return
    if design.layout.plain:
        yield from _stripe_of_lvm(design, lun)
    else:
        yield from _md_over(design, lun, arrays)


def _stripe_of_lvm(design: Design, lun: Lun) -> Iterator[Finding]:
    """LVM stripes by the LUNs' chunk, which LVM needs as a power of two of at least 4 KiB."""
    chunk = lun.chunk_bytes
    joined = design.layout.arrays > 1 and design.stack == "lvm"
    if joined and (chunk & (chunk - 1) or chunk < 4096):
        yield error(
            "chunk-not-power-of-two",
            f"The LUNs' chunk of {exact_binary(chunk)} is also the LVM stripe size, which must be a power of two.",
            "use separate file systems, or make the LUNs with another chunk",
        )


def _md_over(design: Design, lun: Lun, arrays: Sequence[ArrayGeometry]) -> Iterator[Finding]:
    """An md array over LUNs writes whole LUN stripes only if its chunk and its data offset are multiples of them."""
    full = lun.full_stripe_bytes
    if design.layout.level != "raid1" and design.chunk_bytes % full:
        way = f"use --chunk {exact_binary(full).replace(' ', '')}" if design.layout.level == "raid0" else ""
        yield warning(
            "lun-stripe-split",
            f"md's chunk of {exact_binary(design.chunk_bytes)} is not a whole number of the LUNs' full stripes of "
            f"{exact_binary(full)}. The controllers read before they write.",
            way or f"use {design.layout.member_disks}x disk, an LVM stripe that follows the LUNs",
            "chunk",
        )
    start = arrays[0].data_offset_sectors * SECTOR
    if start % full:
        yield warning(
            "lun-data-offset",
            f"md's data starts at {binary_size(start)}, which is not a multiple of the LUNs' full stripe of "
            f"{exact_binary(full)}.",
            f"use --data-offset {exact_binary(round_up(start, full)).replace(' ', '')}, or "
            f"{design.layout.member_disks}x disk, whose data starts on a full stripe",
            "data-offset",
        )


# Findings about members on partitions: sizes that do not fit, metadata that can be taken for the whole disk's.


COPY_TABLE = (
    "copy it from a member: sfdisk --dump MEMBER | sed -e '/label-id/d' -e '/lba/d' -e 's/ uuid=[^,]*,//' | sfdisk NEW"
)
"""how a new disk gets the partition that members have"""


def check_partitions(design: Design, disks: Sequence[Disk]) -> Iterator[Finding]:
    """Findings about the partitions of `design` on `disks`; none for members that are whole disks.

    Of bands only what holds for every partition: the rest is in `bands`.
    """
    if not design.on_partitions:
        return
    if design.metadata == "0.90":
        # super0.c: the superblock is in the last 128 KiB, with no field for the device it belongs to
        yield error(
            "partition-metadata",
            "Metadata 0.90 at the end of a partition can be taken for that of the whole disk.",
            "use metadata 1.2",
            "metadata",
        )
    if maps := [disk for disk in disks if disk.multipath]:
        yield error(
            "partition-multipath",
            f"Members on partitions are for disks with one path. kpartx makes those of a multipath map "
            f"({names(maps)}), under other names and at another moment.",
            "use whole disks: leave out --members partitions, --partition-size, --leave, and choose no hybrid layout",
            subject(maps),
        )
        return
    if design.layout.plain:
        yield error(
            "partition-plain",
            "Partitions are for members of md arrays; this layout has none.",
            "leave out --members partitions, --partition-size and --leave",
        )
        return
    if design.trial is not None:
        yield error(
            "partition-trial", "A tuning measures whole disks, not partitions.", "tune without --members partitions"
        )
    if (start := start_bytes(design)) > FIRST_BYTES:
        yield _room_left(start)
    if design.partitions is None or design.layout.hybrid is not None:
        return
    wanted = design.partitions.size_bytes
    if wanted is not None and wanted < MIB:
        yield error(
            "partition-too-small", f"A partition of {exact_binary(wanted)} is smaller than 1 MiB.", "name a larger size"
        )
        return
    for disk in disks:
        largest = largest_partition(disk.size_bytes, disk.logical_sector_bytes, start)
        if largest < max(MIB, round_down(wanted or 0, MIB)):
            yield error(
                "partition-too-large",
                f"{name(disk)} has room for a partition of {largest} bytes at most, less than the {wanted or MIB} bytes"
                " asked for.",
                f"name at most {largest} bytes, or leave the disk out",
                disk.id,
            )
            return
    if wanted is not None and wanted % MIB:
        yield note(
            "partition-rounded",
            f"Partitions end at whole MiB: {round_down(wanted, MIB)} bytes each, not {wanted}.",
            "name a multiple of 1 MiB",
        )
    sizes = {partition_bytes(design, disk) for disk in disks}
    size = f"of {grouped(sizes.pop())} bytes" if len(sizes) == 1 else "as large as the disk allows"
    yield note(
        "partition-replacement",
        f"Each disk gets a GPT with one partition {size}, from {exact_binary(start)} on. A replacement "
        "disk needs one as well before mdadm can take it.",
        f"{COPY_TABLE}; then mdadm --manage ARRAY --add-spare NEW-part1",
    )


def _room_left(start: int) -> Finding:
    """What becomes of the room in front of members that start at byte `start`."""
    return note(
        "partition-room",
        f"Each disk is erased, and {exact_binary(start - FIRST_BYTES)} from 1 MiB on stay free for partitions of "
        "yours. Once one is there, an undo refuses: the table is no longer the plan's alone.",
        "make them after the build (raidtui help boot); delete them before an undo",
    )


# Arrays of the machine that come before a new one: those that lack a member or do not run.


def with_arrays_first(prediction: Prediction, inventory: Inventory) -> Prediction:
    """`prediction` with these warnings: a plan that is compiled again from its machine copies the prediction's."""
    return replace(prediction, findings=gravest_first((*prediction.findings, *arrays_first(inventory))))


def arrays_first(inventory: Inventory) -> Iterator[Finding]:
    """A warning for each array of the machine that lacks a member or does not run: it comes before a new one."""
    for array in inventory.lacking:
        name = safe(array.name)
        shape = MdShape(level=array.level, devices=array.devices or 0)
        lost = array.lacks is not None and array.level != "raid10" and holds_all(shape, range(array.lacks)) is False
        if array.lacks is None or lost:
            yield warning(
                "array-not-running",
                f"{name} ({safe(array.level)}) has failed."
                if array.level
                else f"{name} is assembled and does not run.",
                "raidtui arrays shows why; nothing that is done to its disks can be taken back",
                name,
            )
        else:
            yield warning(
                "array-lacks-member",
                f"{name} ({safe(array.level)}): {array.lacks} of {counted(array.devices or 0, 'member')} missing.",
                f"replace that disk first (raidtui replace {name}), unless its rebuild runs",
                name,
            )
