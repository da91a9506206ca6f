"""Prediction of a design: the sizes that md, LVM and mkfs will produce on given disks. Runs at every key press."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from operator import attrgetter

from raidtui.model.design import Design
from raidtui.model.finding import Finding, gravest_first, refused
from raidtui.model.geometry import (
    ArrayGeometry,
    Ext4Geometry,
    LvmGeometry,
    Prediction,
    StripeGeometry,
    Volume,
    XfsGeometry,
)
from raidtui.model.inventory import Disk
from raidtui.model.layout import HybridLayout
from raidtui.model.text_values import LayoutText
from raidtui.planner.checks.all_checks import check_all, check_count, check_design
from raidtui.planner.checks.bands import check_bands
from raidtui.planner.checks.partitions import check_partitions
from raidtui.planner.disk_kinds import DISK_KINDS, DiskKind
from raidtui.planner.geometry.array_request import array_request, full_stripes, outer_array_request
from raidtui.planner.geometry.bands import on_disks
from raidtui.planner.geometry.ext4 import fits as ext4_fits
from raidtui.planner.geometry.ext4 import planned_ext4
from raidtui.planner.geometry.gpt import with_members
from raidtui.planner.geometry.lvm import linear_geometry, lvm_geometry
from raidtui.planner.geometry.md import array_geometry
from raidtui.planner.geometry.plain import common_lun, plain_geometry
from raidtui.planner.geometry.stripe import true_stripe
from raidtui.planner.geometry.xfs import BLOCK, xfs_geometry
from raidtui.planner.geometry.xfs import fits as xfs_fits
from raidtui.planner.members import ArrayDisks, disks_by_array, disks_of
from raidtui.tools.mount_options import quotas_of

FileSystemGeometry = XfsGeometry | Ext4Geometry


def predict(design: Design, disks: Sequence[Disk]) -> Prediction:
    """Prediction of `design` on the first disks of `disks`: members of array 0, of array 1, ..., then spares.

    Never raises: problems are findings of severity error. If nothing can be computed (too few disks, a design that
    mdadm refuses for any disks), there are no arrays and the sizes are 0.
    """
    design = on_disks(design, disks)
    layout = design.layout
    taken = disks_of(layout, disks)
    findings = [*check_count(layout, len(disks)), *_check_layout(design), *check_partitions(design, taken)]
    findings += check_bands(design, taken)
    if refused(tuple(findings)):
        return _prediction(design, taken, findings)
    shares = [with_members(design, array, share) for array, share in enumerate(disks_by_array(layout, taken))]
    alike = DISK_KINDS.of_arrays(share.members + share.spares for share in shares)
    kinds = frozenset[DiskKind]().union(*alike)
    arrays = _geometries(design, shares, alike)
    volume = volume_over(design, arrays)
    sizes = _volume_sizes(volume, arrays)
    lun = common_lun(taken)
    stripes = [true_stripe(design, number, lun) for number in range(len(sizes))]
    findings += check_all(design, shares, kinds, arrays, volume, sizes, stripes)
    filesystems = _file_systems(design, sizes, stripes, max(kind.physical_sector_bytes for kind in kinds))
    return _prediction(design, taken, findings, arrays, volume, sum(sizes), filesystems)


def _check_layout(design: Design) -> list[Finding]:
    """Findings of the design; where its arrays differ in level, of each, the same only once."""
    if not isinstance(design.layout, HybridLayout):
        return check_design(design)
    alone = [finding for number in range(design.layout.arrays) for finding in check_design(design.of_array(number))]
    return list({(finding.code, finding.message): finding for finding in alone}.values())


def _geometries(
    design: Design, shares: Sequence[ArrayDisks], alike: Sequence[tuple[DiskKind, ...]]
) -> tuple[ArrayGeometry, ...]:
    """The array on each share, whose disks are of the kinds `alike`; arrays of equal requests are one object."""
    if design.layout.plain:
        return tuple(geometry_of(design, share) for share in shares)
    kinds = [(len(share.members), own) for share, own in zip(shares, alike, strict=True)]  # its shape follows
    first = {kind: number for number, kind in enumerate(kinds)}
    asked = {kind: array_request(design.of_array(number), shares[number]) for kind, number in first.items()}
    made = {request: array_geometry(request) for request in asked.values()}
    return tuple([made[asked[kind]] for kind in kinds])


def geometry_of(design: Design, share: ArrayDisks) -> ArrayGeometry:
    """The array that the design makes of the disks in `share`, or the one disk as it is."""
    return plain_geometry(share.members[0]) if design.layout.plain else array_geometry(array_request(design, share))


def volume_over(design: Design, arrays: Sequence[ArrayGeometry]) -> Volume | None:
    """What joins the arrays, None if nothing does. LVM stripes by the arrays' chunk; LUNs have their own.

    The volume of a trial is no larger than the slice of every disk, also where the arrays cannot be limited to it.
    """
    if len(arrays) == 1 or design.stack == "separate":
        return None
    if isinstance(design.layout, HybridLayout):
        unit, width = true_stripe(design)
        sizes = [array.array_bytes for array in arrays]
        return linear_geometry(sizes, full_stripe=unit * width or design.chunk_bytes, chunk=design.chunk_bytes)
    if design.stack == "md":
        return StripeGeometry(array=array_geometry(outer_array_request(design, arrays)))
    full_stripe = lcm(*full_stripes(design, arrays))
    most = design.trial.slice_bytes if design.trial else None
    sizes = [min(array.array_bytes, most * array.members if most else array.array_bytes) for array in arrays]
    own = arrays[0].chunk_bytes if design.layout.plain and len({array.chunk_bytes for array in arrays}) == 1 else None
    return lvm_geometry(sizes, full_stripe=full_stripe, stripe_bytes=own or design.chunk_bytes)


def _volume_sizes(volume: Volume | None, arrays: Sequence[ArrayGeometry]) -> list[int]:
    """Bytes of every device that gets a file system."""
    match volume:
        case None:
            return [array.array_bytes for array in arrays]
        case LvmGeometry():
            return [volume.extents * volume.extent_bytes]
        case StripeGeometry():
            return [volume.array.array_bytes]


def _file_systems(
    design: Design, sizes: Sequence[int], stripes: Sequence[tuple[int, int]], physical_sector: int
) -> tuple[FileSystemGeometry, ...]:
    """One file system per device of `sizes` bytes with these stripes; none if any of them does not fit."""
    made: dict[tuple[int, tuple[int, int]], FileSystemGeometry] = {}
    devices = list(zip(sizes, stripes, strict=True))
    for device in set(devices):
        size, (sunit, width) = device
        match design.fs:
            case "none":
                return ()
            case "xfs":
                if not xfs_fits(size, sunit_bytes=sunit, stripe_width=width, options=design.options.xfs):
                    return ()
                sector = min(BLOCK, physical_sector)
                made[device] = xfs_of(design, size, (sunit, width), sector)
            case "ext4":
                options = design.options.ext4
                if not ext4_fits(size, sunit_bytes=sunit, options=options):
                    return ()
                made[device] = planned_ext4(size, sunit_bytes=sunit, stripe_width=width, options=options)
    return tuple(made[device] for device in devices)


def xfs_of(design: Design, device_bytes: int, stripe: tuple[int, int], sector_bytes: int) -> XfsGeometry:
    """The XFS of `design` on one device with a `stripe` of (unit bytes, units) and such physical sectors."""
    sunit, width = stripe
    return xfs_geometry(
        device_bytes,
        sunit_bytes=sunit,
        stripe_width=width,
        sector_bytes=sector_bytes,
        options=design.options.xfs,
        quotas=len(quotas_of(design.options.mount)),
    )


def _prediction(
    design: Design,
    taken: tuple[Disk, ...],
    findings: Sequence[Finding],
    arrays: tuple[ArrayGeometry, ...] = (),
    volume: Volume | None = None,
    volume_bytes: int = 0,
    filesystems: tuple[FileSystemGeometry, ...] = (),
) -> Prediction:
    sunit, width = true_stripe(design, lun=common_lun(taken) if taken else None)
    return Prediction(
        layout=LayoutText(design.layout),
        disks=tuple(map(attrgetter("id"), taken)),
        raw_bytes=sum(map(attrgetter("size_bytes"), taken)),
        arrays=arrays,
        bands=design.layout.bands if isinstance(design.layout, HybridLayout) and arrays else None,
        volume=volume,
        volume_bytes=volume_bytes,
        true_sunit_bytes=sunit,
        true_stripe_width=width,
        filesystem=filesystems[0] if filesystems else None,
        filesystems=filesystems,
        findings=gravest_first(findings),
    )
