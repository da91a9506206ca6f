"""All findings about a design and its disks; the rules are in the other modules of this package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from raidtui.predict.checks.disks import check_disks, check_luns
from raidtui.predict.checks.file_system import check_file_system, check_first_sync, check_queue
from raidtui.predict.checks.layout import check_advice, check_count, check_design
from raidtui.predict.checks.sizes import check_sizes, check_volume_size
from raidtui.predict.checks.versions import check_versions
from raidtui.predict.disks.kinds import DISK_KINDS, DiskKind
from raidtui.sizes.lvm import common_lun
from raidtui.values.design import Design
from raidtui.values.findings import Finding
from raidtui.values.inventory import Lun
from raidtui.values.members import ArrayDisks
from raidtui.values.prediction import ArrayGeometry, LvmGeometry, StripeGeometry

__all__ = ["check_all", "check_count", "check_design"]


def check_all(
    design: Design,
    shares: Sequence[ArrayDisks],
    kinds: Set[DiskKind],
    arrays: Sequence[ArrayGeometry],
    volume: LvmGeometry | StripeGeometry | None,
    sizes: Sequence[int],
    stripes: Sequence[tuple[int, int]],
) -> list[Finding]:
    """Findings about disks, design, arrays, and file systems on devices of `sizes` bytes with these `stripes`.

    `kinds` are those of the disks in `shares`.
    """
    if design.layout.hybrid is not None:
        return _each_band(design, shares, kinds, arrays, volume, sizes, stripes)
    lun = common_lun([disk for share in shares for disk in share.members])
    return [
        *_of_arrays(design, shares, kinds, arrays, volume, lun),
        *check_file_system(design, sizes, stripes, _largest_sector(kinds)),
    ]


def _each_band(
    design: Design,
    shares: Sequence[ArrayDisks],
    kinds: Set[DiskKind],
    arrays: Sequence[ArrayGeometry],
    volume: LvmGeometry | StripeGeometry | None,
    sizes: Sequence[int],
    stripes: Sequence[tuple[int, int]],
) -> list[Finding]:
    """The findings of each band as an array of its own, one of each kind, then those of the volume."""
    found: dict[str, Finding] = {}
    for number, (share, array) in enumerate(zip(shares, arrays, strict=True)):
        own = design.of_array(number)
        alike = set(DISK_KINDS.each(share.members + share.spares))
        for finding in _of_arrays(own, (share,), alike, (array,), None, None):
            found.setdefault(finding.code, finding)
    return [
        *found.values(),
        *check_volume_size(arrays, volume),
        *check_file_system(design, sizes, stripes, _largest_sector(kinds)),
    ]


def _of_arrays(
    design: Design,
    shares: Sequence[ArrayDisks],
    kinds: Set[DiskKind],
    arrays: Sequence[ArrayGeometry],
    volume: LvmGeometry | StripeGeometry | None,
    lun: Lun | None,
) -> Iterator[Finding]:
    """Findings about arrays and their disks; `lun`: what all disks are."""
    yield from check_versions(design, [kind.size_bytes for kind in kinds])
    yield from check_disks(design, shares, kinds)
    yield from check_queue(design, shares)
    yield from check_first_sync(design, shares)
    yield from check_advice(design, lun)
    if any(kind.lun for kind in kinds):
        yield from check_luns(design, shares, arrays)
    yield from check_sizes(design, shares, kinds, arrays, volume)


def _largest_sector(kinds: Set[DiskKind]) -> int:
    """Bytes of the largest logical sector, which md gives to an array of unequal members."""
    return max(kind.logical_sector_bytes for kind in kinds)
