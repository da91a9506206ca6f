"""All findings about a design and its disks; the rules are in the other modules of this package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.predict.checks.disks import check_disks, check_luns
from raidtui.predict.checks.encryption import check_crypt_sizes
from raidtui.predict.checks.file_system import check_file_system, check_first_sync, check_queue
from raidtui.predict.checks.journal import check_journal_disks
from raidtui.predict.checks.layout import check_advice, check_count, check_design
from raidtui.predict.checks.sizes import check_sizes, check_volume_size
from raidtui.predict.checks.versions import check_versions
from raidtui.sizes.lvm import common_lun
from raidtui.values.design import Design
from raidtui.values.findings import Finding
from raidtui.values.inventory import Lun
from raidtui.values.members import ArrayDisks
from raidtui.values.prediction import ArrayGeometry, CryptGeometry, LvmGeometry, StripeGeometry

__all__ = ["check_all", "check_count", "check_design"]


def check_all(
    design: Design,
    shares: Sequence[ArrayDisks],
    arrays: Sequence[ArrayGeometry],
    volume: LvmGeometry | StripeGeometry | None,
    sizes: Sequence[int],
    stripes: Sequence[tuple[int, int]],
    crypts: Sequence[CryptGeometry] | None = None,
    journals: Sequence[ArrayGeometry] | None = None,
) -> list[Finding]:
    """Findings about disks, design, arrays, and file systems on devices of `sizes` bytes with these `stripes`.

    Of bands those of each as an array of its own, one of each kind, then those of the volume.
    """
    if design.layout.hybrid is None:
        lun = common_lun([disk for share in shares for disk in share.members])
        found = list(_of_arrays(design, shares, arrays, volume, lun, journals or ()))
    else:
        first: dict[str, Finding] = {}
        for number, (share, array) in enumerate(zip(shares, arrays, strict=True)):
            for finding in _of_arrays(design.of_array(number), (share,), (array,), None, None):
                first.setdefault(finding.code, finding)
        found = [*first.values(), *check_volume_size(arrays, volume)]
    # md gives an array of unequal members the largest of their sectors
    sector = max(disk.logical_sector_bytes for share in shares for disk in share.disks)
    if crypts is not None:
        found += check_crypt_sizes(design, crypts)
        sector = max(sector, *(crypt.sector_bytes for crypt in crypts))
    return [*found, *check_file_system(design, sizes, stripes, sector)]


def _of_arrays(
    design: Design,
    shares: Sequence[ArrayDisks],
    arrays: Sequence[ArrayGeometry],
    volume: LvmGeometry | StripeGeometry | None,
    lun: Lun | None,
    journals: Sequence[ArrayGeometry] = (),
) -> Iterator[Finding]:
    """Findings about arrays and their disks; `lun`: what all disks are; `journals`: mirrors that carry journals."""
    yield from check_versions(design, [disk.size_bytes for share in shares for disk in share.members + share.spares])
    yield from check_disks(design, shares)
    yield from check_queue(design, shares)
    yield from check_first_sync(design, shares)
    yield from check_advice(design, lun)
    yield from check_luns(design, shares, arrays)
    yield from check_journal_disks(shares, arrays, journals)
    yield from check_sizes(design, shares, arrays, volume)
