"""Findings about capacity: loss by unequal disks, devices too small or too large, misleading disk topology."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import lcm

from raidtui.sizes.md import array_geometry, array_request, component_kib, fits, least_bitmap_chunk, least_data_offset
from raidtui.sizes.partitions import partition_end, start_bytes
from raidtui.values.amounts import of_all
from raidtui.values.design import Design
from raidtui.values.findings import Finding, error, name, names, note, subject, warning
from raidtui.values.inventory import Disk
from raidtui.values.layout import PARITY, Band, Layout
from raidtui.values.members import ArrayDisks
from raidtui.values.prediction import ArrayGeometry, LvmGeometry, Volume
from raidtui.values.units import (
    GIB,
    KIB,
    MIB,
    SECTOR,
    TIB,
    binary_size,
    decimal_size,
    exact_binary,
    grouped,
    round_down,
    round_up,  # fmt: skip
)

_MOST_EXTENTS = 2**32 - 1
_LARGEST_OLD_COMPONENT = 4 * TIB
"""metadata 0.90 stores the component size as 32 bits of KiB"""


_Built = tuple[ArrayDisks, ArrayGeometry]
"""an array with its disks"""


def check_sizes(
    design: Design,
    shares: Sequence[ArrayDisks],
    arrays: Sequence[ArrayGeometry],
    volume: Volume | None,
) -> list[Finding]:
    """Findings about the capacity that the selected disks provide and lose."""
    stated = list(_member_size(design, shares))
    if any(finding.severity == "error" for finding in stated):
        return stated
    built = list(zip(shares, arrays, strict=True))
    return [
        *stated,
        *_too_small(design, built),
        *check_volume_size(arrays, volume),
        *(() if design.layout.plain else _metadata_space(design, built)),
        *_too_large(design, arrays, volume),
        *_small_spares(design, built),
        *(_zones(shares) if design.layout.level == "raid0" else _wasted(shares)),
        *_unequal_arrays(design.layout, arrays, volume),
        *_unequal_stripes(design, arrays, volume),
        *_topology(shares, arrays),
    ]


def _member_size(design: Design, shares: Sequence[ArrayDisks]) -> Iterator[Finding]:
    """Whether a stated size of members can be, and without one whether a disk of another make may be too small."""
    wanted = design.member_bytes
    if design.layout.level in ("raid0", "disk") or design.on_partitions or design.trial is not None:
        if wanted is not None:
            yield error(
                "member-size-unused",
                "A member size is stated, but "
                + ("members are partitions." if design.on_partitions else "this level has no members of one size."),
                "leave out --member-size" + (", or state --partition-size" if design.on_partitions else ""),
                "member-size",
            )
        return
    every = {disk.size_bytes for share in shares for disk in share.members + share.spares}
    unusual = {size for size in every if not standard_size(size)}
    if wanted is None and not unusual:
        return
    disks = [disk for share in shares for disk in share.members]
    least = min(disks, key=lambda disk: disk.size_bytes)
    if wanted is None:
        odd = next((disk for disk in disks if disk.serial and disk.size_bytes in unusual), None)
        if odd is not None:
            yield note(
                "replacement-too-small",
                f"{name(odd)} has {grouped(odd.size_bytes)} bytes, no standard size (SFF-8447). A disk of another "
                f"make may be smaller; md then refuses it as a replacement.",
                f"leave room with --member-size {_a_little_less(least.size_bytes)}",
                "member-size",
            )
    elif wanted > least.size_bytes:
        yield error(
            "member-size-too-large",
            f"Members of {grouped(wanted)} bytes: {name(least)} has {grouped(least.size_bytes)}.",
            f"state at most {grouped(least.size_bytes)} bytes, or leave the disk out",
            "member-size",
        )
    elif any(not fits(array_request(design, share), wanted) for share in shares):
        yield error(
            "member-size-too-small",
            f"A member of {exact_binary(wanted)} has no room for md's metadata and one chunk.",
            "state a larger --member-size",
            "member-size",
        )


def standard_size(size_bytes: int) -> bool:
    """True if every make of that capacity has the same size (SFF-8447: up to 8 TB LBA1-03's steps, above whole GiB)."""
    return size_bytes % GIB == 0 or (size_bytes // SECTOR - 97_696_368) % 1_953_504 == 0


def _a_little_less(size_bytes: int) -> str:
    """Some half per cent below it, in three digits."""
    less = size_bytes * 995 // 1000
    return decimal_size(round_down(less, 10 ** (len(str(less)) - 3))).replace(" ", "")


def _too_small(design: Design, built: Sequence[_Built]) -> Iterator[Finding]:
    for share, array in () if design.layout.plain else built:
        least = min(share.members + share.spares, key=lambda disk: disk.size_bytes)
        if array.array_bytes == 0 or not fits(array_request(design, share), least.size_bytes):
            first = share.members[0]
            cause = f"on the first member, {name(first)} of {decimal_size(first.size_bytes)}"
            instead = "disks of one size"
            if design.data_offset_bytes is not None:
                cause, instead = "--data-offset states", "a smaller data offset"
            yield error(
                "disk-too-small",
                f"{name(least)} of {decimal_size(least.size_bytes)} is too small for md's metadata and one chunk."
                f" The data of every member starts at {binary_size(array.data_offset_sectors * SECTOR)}, as {cause}.",
                f"select larger disks, or {instead}",
                least.id,
            )
            return


def check_volume_size(arrays: Sequence[ArrayGeometry], volume: Volume | None) -> Iterator[Finding]:
    """Error where the arrays have no room for a volume."""
    if volume is not None and not (volume.extents if isinstance(volume, LvmGeometry) else volume.array.array_bytes):
        yield error(
            "arrays-too-small",
            f"{_parts(arrays)} of {binary_size(min(each.array_bytes for each in arrays))} are too small for a volume.",
            "select larger disks, or a smaller chunk",
        )


def _metadata_space(design: Design, built: Sequence[_Built]) -> Iterator[Finding]:
    """Whether superblock, bitmap and logs have room before the stated data offset, and the bitmap in its own space."""
    for share, array in built:
        request = array_request(design, share)
        component = component_kib(request, array.data_offset_sectors)
        least_chunk = least_bitmap_chunk(request, component)
        if design.bitmap_chunk_bytes is not None and (least_chunk is None or design.bitmap_chunk_bytes < least_chunk):
            space = "no space" if least_chunk is None else f"space for chunks of {exact_binary(least_chunk)} or more"
            yield error(
                "bitmap-chunk-too-small",
                f"A bitmap chunk of {exact_binary(design.bitmap_chunk_bytes)} does not fit: for"
                f" {binary_size(component * KIB)} of each member mdadm reserves {space}.",
                "use no bitmap" if least_chunk is None else f"use {exact_binary(least_chunk)} or more",
                "bitmap-chunk",
            )
            return
        if design.data_offset_bytes is None:
            continue
        least = least_data_offset(request, component)
        if request.data_offset_sectors is not None and request.data_offset_sectors < least:
            yield error(
                "data-offset-too-small",
                f"A data offset of {exact_binary(design.data_offset_bytes)} is too small: superblock, bitmap and logs"
                f" take the first {exact_binary(least * SECTOR)} of a member.",
                f"use {exact_binary(round_up(least * SECTOR, MIB))} or more, or remove --data-offset",
                "data-offset",
            )
            return


def _too_large(design: Design, arrays: Sequence[ArrayGeometry], volume: Volume | None) -> Iterator[Finding]:
    component = max(array.component_bytes or 0 for array in arrays)
    if design.metadata == "0.90" and component >= _LARGEST_OLD_COMPONENT:
        yield error(
            "metadata-too-small",
            f"Metadata 0.90 supports 4 TiB per device, these use {binary_size(component)} each.",
            "use metadata 1.2",
            "metadata",
        )
    if isinstance(volume, LvmGeometry) and volume.extents > _MOST_EXTENTS:
        yield error(
            "too-many-extents",
            f"{volume.extents} extents of {volume.extent_bytes // KIB} KiB: LVM supports at most {_MOST_EXTENTS}.",
            "use a larger chunk, so that extents grow with the full stripe",
        )


def _small_spares(design: Design, built: Sequence[_Built]) -> Iterator[Finding]:
    small: list[Disk] = []
    with_them = without_them = 0
    for share, array in built:
        if smaller := _smaller_spares(share):
            alone = array_geometry(replace(array_request(design, share), spare_bytes=()))
            if array.array_bytes < alone.array_bytes:
                small += smaller
                with_them += array.array_bytes
                without_them += alone.array_bytes
    if small:
        yield error(
            "spare-too-small",
            f"mdadm silently shrinks an array to the size of spares smaller than its members: {names(small)}."
            f" Capacity would be {decimal_size(with_them)} instead of {decimal_size(without_them)}.",
            "select spares no smaller than the smallest member",
            subject(small),
        )


def _smaller_spares(share: ArrayDisks) -> list[Disk]:
    """The spares that are smaller than every member."""
    least = min([disk.size_bytes for disk in share.members])
    return [disk for disk in share.spares if disk.size_bytes < least]


def _wasted(shares: Sequence[ArrayDisks]) -> Iterator[Finding]:
    total = lost = 0
    for share in shares:
        sizes = [disk.size_bytes for disk in share.members]
        total += sum(sizes)
        lost += sum(sizes) - len(sizes) * min(sizes)
    if lost * 100 > total:
        smallest = min((disk for share in shares for disk in share.members), key=lambda disk: disk.size_bytes)
        yield warning(
            "mixed-sizes-waste",
            f"{decimal_size(lost)} of {decimal_size(total)} are lost: every member counts as the smallest of its array"
            f" ({name(smallest)}: {decimal_size(smallest.size_bytes)}).",
            "put disks of one size into each array, the small ones together",
        )


def _zones(shares: Sequence[ArrayDisks]) -> Iterator[Finding]:
    for share in shares:
        sizes = [disk.size_bytes for disk in share.members]
        if (max(sizes) - min(sizes)) * 100 > max(sizes):
            tail = sum(size == max(sizes) for size in sizes)
            yield warning(
                "raid0-mixed-zones",
                f"Only the first {decimal_size(min(sizes) * len(sizes))} are striped over"
                f" {of_all(len(sizes), len(sizes), 'disk')}, the end over {tail}.",
                "use disks of one size for uniform speed",
            )
            return


def _unequal_arrays(layout: Layout, arrays: Sequence[ArrayGeometry], volume: Volume | None) -> Iterator[Finding]:
    sizes = [array.array_bytes for array in arrays]
    lost = sum(sizes) - len(sizes) * min(sizes)
    if volume is None or lost * 100 <= sum(sizes):
        return
    way_out = "distribute the disks so that every array has the same smallest member"
    if layout.plain:
        way_out = "select disks of one size"
    if isinstance(volume, LvmGeometry):
        effect = f"{binary_size(lost)} of {binary_size(sum(sizes))} are not used by the striped volume"
        if layout.unequal:
            effect += " and stay free in the volume group"
            way_out = "use --stack md, which stripes the rest over the larger arrays, or separate, or equal arrays"
    else:
        effect = f"the last {binary_size(lost)} are striped over fewer arrays"
        if layout.unequal:
            way_out = "accept that the end of the volume is slower, or use equal arrays"
    yield warning(
        "unequal-arrays",
        f"{_parts(arrays)} of {binary_size(min(sizes))} to {binary_size(max(sizes))}: {effect}.",
        way_out,
    )


def _unequal_stripes(design: Design, arrays: Sequence[ArrayGeometry], volume: Volume | None) -> Iterator[Finding]:
    """Arrays that take different amounts of data for a full stripe: none that mkfs is told fits them all."""
    widths = sorted({array.full_stripe_bytes // design.chunk_bytes for array in arrays})
    if volume is None or len(widths) < 2 or not PARITY[design.layout.level]:
        return
    least, most = widths[0], widths[-1]
    whole = lcm(*widths) * len(arrays) * design.chunk_bytes
    yield note(
        "unequal-stripes",
        f"mkfs gets the full stripe of the narrowest arrays, {least} x {exact_binary(design.chunk_bytes)} from each of"
        f" {len(arrays)}. A write of that size fills {least} of {most} chunks of a stripe in the widest. Those then "
        f"read before they write. Only writes of {exact_binary(whole)} fill whole stripes everywhere.",
        "use arrays of one width where single writes of full stripes matter; streams are collected by md's cache",
    )


def _parts(arrays: Sequence[ArrayGeometry]) -> str:
    """What the volume is made of, at the start of a sentence."""
    return "Disks" if arrays[0].level == "disk" else "Arrays"


def _topology(shares: Sequence[ArrayDisks], arrays: Sequence[ArrayGeometry]) -> Iterator[Finding]:
    for share, array in zip(shares, arrays, strict=True):
        if array.level != "disk" and array.io_opt_bytes != array.full_stripe_bytes:
            odd = [disk for disk in share.members + share.spares if disk.optimal_io_bytes]
            yield warning(
                "io-opt-contamination",
                f"{names(odd)} report an optimal I/O of {odd[0].optimal_io_bytes} bytes,"
                f" so md reports {array.io_opt_bytes} instead of {array.full_stripe_bytes}.",
                "the plan passes the true stripe to mkfs and LVM; set the read-ahead manually",
            )
            return


# Findings about the bands of a hybrid layout: what it cannot be combined with, spares, room that stays unused.


_LITTLE = 0.01
"""share of the disks below which unused room is not mentioned"""


def check_bands(design: Design, disks: Sequence[Disk]) -> Iterator[Finding]:
    """Findings about the bands that `design` cuts `disks` into; none for other layouts, or too few disks."""
    layout, hybrid = design.layout, design.layout.hybrid
    if hybrid is None or len(disks) < layout.disks:
        return
    yield from _options(design)
    if hybrid.bands is None:
        least = min(disks[: hybrid.disks], key=lambda disk: disk.size_bytes)
        yield error(
            "band-too-small",
            f"{name(least)} of {decimal_size(least.size_bytes)} has no room for a partition.",
            "leave the disk out",
            least.id,
        )
        return
    members, spares = disks[: hybrid.disks], disks[hybrid.disks : layout.disks]
    unused = list(_unused(hybrid.bands, members, hybrid.failures))
    yield from _places(hybrid.bands, disks, start_bytes(design))
    yield from _spares(hybrid.bands, spares)
    if layout.arrays == 1 and not unused:
        yield note(
            "one-band",
            "The disks differ by less than 1 %, so there is one band: one array on partitions, without LVM.",
            f"use {layout.shapes[0].level} on whole disks unless larger disks may follow",
        )
    yield from unused
    yield note(
        "band-replacement",
        "A disk that fails degrades every band that it reaches. A replacement needs the same partitions before mdadm "
        "can take them, and must be at least as large.",
        "copy them from a member: sfdisk --dump MEMBER | sed -e '/label-id/d' -e '/lba/d' -e 's/ uuid=[^,]*,//' | "
        "sfdisk NEW; then mdadm --manage ARRAY --add-spare NEW-partN for each band",
    )


def _options(design: Design) -> Iterator[Finding]:
    if design.stack != "lvm":
        yield error(
            "band-stack",
            f"The bands of a hybrid layout become one volume by LVM. They are of unequal width, and the stack is "
            f"{design.stack}.",
            "use --stack lvm",
            "stack",
        )
    if design.partitions is not None and design.partitions.size_bytes is not None:
        yield error(
            "band-partition-size",
            "The sizes of the disks give the partitions of a hybrid layout.",
            "leave out --partition-size",
        )


def _places(bands: Sequence[Band], disks: Sequence[Disk], free: int) -> Iterator[Finding]:
    """Bands of a plan that was changed: they overlap, or end behind what a disk has room for; the first is at byte
    `free`."""
    for number, band in enumerate(bands, start=1):
        end = band.start_bytes + band.size_bytes
        short = [disks[each] for each in band.members if partition_end(disks[each]) < end]
        if band.start_bytes != free or end % MIB or short:
            yield error(
                "band-place",
                f"Band {number} from byte {band.start_bytes} to {end} is misplaced. It must follow the one before it "
                f"and end at a whole MiB. Disks too short for it: {len(short)}.",
                "plan again",
            )
            return
        free = end


def _spares(bands: Sequence[Band], spares: Sequence[Disk]) -> Iterator[Finding]:
    """A spare takes the place of any disk, so it needs every partition that the largest member has."""
    end = bands[-1].start_bytes + bands[-1].size_bytes
    for disk in spares:
        if partition_end(disk) < end:
            yield error(
                "band-spare-too-small",
                f"The spare {name(disk)} of {decimal_size(disk.size_bytes)} cannot hold the partitions of the largest "
                f"member, which end at {binary_size(end)}.",
                "make the largest disk the spare, or use no spare",
                disk.id,
            )


def _unused(bands: Sequence[Band], disks: Sequence[Disk], failures: int) -> Iterator[Finding]:
    """Room behind the last band of each of the members `disks`."""
    left: dict[str, int] = {}
    for number, disk in enumerate(disks):
        last = next(band for band in reversed(bands) if number in band.members)
        left[disk.id] = max(0, partition_end(disk) - last.start_bytes - last.size_bytes)
    lost = sum(left.values())
    if lost < MIB or lost < _LITTLE * sum(disk.size_bytes for disk in disks):
        return
    most = max(disks, key=lambda disk: left[disk.id])
    yield note(
        "band-unused",
        f"{binary_size(lost)} behind the last band stay unused, most of it on {name(most)}: fewer than"
        f" {failures + 1} disks have room there.",
        "use another disk of that size as a member",
        most.id,
    )
