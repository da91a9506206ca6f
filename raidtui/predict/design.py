"""Prediction of a design: the sizes that md, LVM and mkfs will produce on given disks. Runs at every key press."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import lcm
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from raidtui.predict.checks.all_checks import check_all, check_count, check_design
from raidtui.predict.checks.disks import check_partitions
from raidtui.predict.checks.sizes import check_bands
from raidtui.predict.placement.place import placement_of
from raidtui.predict.risk.durability import durability
from raidtui.predict.risk.loss_rates import bytes_at_risk
from raidtui.predict.speed.answers import asked_rate, throughput
from raidtui.predict.speed.sync_time import first_sync, rebuild_of
from raidtui.predict.speed.tunables import tuned
from raidtui.predict.speed.volume import volume_of
from raidtui.programs.mount_options import quotas_of
from raidtui.sizes.ext4 import fits as ext4_fits
from raidtui.sizes.ext4 import planned_ext4
from raidtui.sizes.luks import crypt_geometry, joined_crypts
from raidtui.sizes.lvm import (
    common_lun,
    joined_bytes,
    linear_geometry,
    lvm_geometry,
    plain_geometry,
    true_stripe,
)
from raidtui.sizes.md import array_geometry, array_request, full_stripes, mirror_request, outer_array_request
from raidtui.sizes.partitions import on_disks, with_members
from raidtui.sizes.xfs import BLOCK, xfs_geometry
from raidtui.sizes.xfs import fits as xfs_fits
from raidtui.values.assumptions import Assumptions, defaults_for
from raidtui.values.choices import Purpose
from raidtui.values.design import DEFAULT_CHUNK, Design
from raidtui.values.findings import Finding, gravest_first, refused
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import Layout
from raidtui.values.location import Placement
from raidtui.values.members import ArrayDisks, disks_by_array, disks_of, shares_of
from raidtui.values.notation import LayoutText
from raidtui.values.prediction import (
    ArrayGeometry,
    CryptGeometry,
    Durability,
    Ext4Geometry,
    LvmGeometry,
    Prediction,
    StripeGeometry,
    Volume,
    XfsGeometry,
)
from raidtui.values.speed import AskedRate, Throughput, WorkloadQuestion
from raidtui.values.units import KIB

if TYPE_CHECKING:
    from raidtui.values.plan import Plan


FileSystemGeometry = XfsGeometry | Ext4Geometry


def predict(design: Design, disks: Sequence[Disk]) -> Prediction:
    """Prediction of `design` on the first disks of `disks`: members of array 0, of array 1, ..., then spares.

    Never raises: problems are findings of severity error. If nothing can be computed (too few disks, a design that
    mdadm refuses for any disks), there are no arrays and the sizes are 0.
    """
    design = on_disks(design, disks)
    taken = tuple(disks[: design.disks])
    findings = [
        *check_count(design.layout, len(disks), design.journal_disks),
        *_check_layout(design),
        *check_partitions(design, taken),
    ]
    findings += check_bands(design, taken)
    if refused(tuple(findings)):
        return _prediction(design, taken, findings)
    shares = [with_members(design, array, share) for array, share in enumerate(shares_of(design, taken))]
    arrays = tuple(geometry_of(design.of_array(number), share) for number, share in enumerate(shares))
    mirrored = design.mirrors_journals
    journals = tuple(array_geometry(mirror_request(share)) for share in shares) if mirrored else None
    below = crypts_of_arrays(design, arrays)
    volume = volume_over(design, arrays, below)
    sizes = _volume_sizes(volume, arrays)
    lun = common_lun(disks_of(design.layout, taken))
    stripes = [true_stripe(design, number, lun) for number in range(len(sizes))]
    above = crypts_on(design, sizes, stripes)
    devices = sizes if above is None else [crypt.size_bytes for crypt in above]
    crypts = below or above
    findings += check_all(design, shares, arrays, volume, devices, stripes, crypts, journals)
    sectors = (*map(attrgetter("physical_sector_bytes"), taken), *(crypt.sector_bytes for crypt in crypts or ()))
    filesystems = _file_systems(design, devices, stripes, max(sectors))
    made = _prediction(design, taken, findings, arrays, volume, sum(sizes), filesystems)
    return replace(made, crypts=crypts, journals=journals)


def crypts_on(
    design: Design, sizes: Sequence[int], stripes: Sequence[tuple[int, int]]
) -> tuple[CryptGeometry, ...] | None:
    """The encryption of devices of `sizes` bytes with these stripes; None where it is not below file systems."""
    if not design.encrypts or design.encrypts_arrays:
        return None
    return tuple(crypt_geometry(size, stripe=stripe) for size, stripe in zip(sizes, stripes, strict=True))


def crypts_of_arrays(design: Design, arrays: Sequence[ArrayGeometry]) -> tuple[CryptGeometry, ...] | None:
    """The encryption of each array below the volume; None where there is none."""
    if not design.encrypts_arrays:
        return None
    return joined_crypts([array.array_bytes for array in arrays], full_stripes(design, arrays))


def _check_layout(design: Design) -> list[Finding]:
    """Findings of the design; where its arrays differ in level, of each, the same only once."""
    if design.layout.hybrid is None:
        return check_design(design)
    alone = [finding for number in range(design.layout.arrays) for finding in check_design(design.of_array(number))]
    return list({(finding.code, finding.message): finding for finding in alone}.values())


def geometry_of(design: Design, share: ArrayDisks) -> ArrayGeometry:
    """The array that the design makes of the disks in `share`, or the one disk as it is."""
    return plain_geometry(share.members[0]) if design.layout.plain else array_geometry(array_request(design, share))


def volume_over(
    design: Design, arrays: Sequence[ArrayGeometry], crypts: Sequence[CryptGeometry] | None = None
) -> Volume | None:
    """What joins the arrays, or what is opened on them; None if nothing does. LVM stripes by the arrays' chunk; LUNs
    have their own.

    The volume of a trial is no larger than the slice of every disk, also where the arrays cannot be limited to it.
    """
    if len(arrays) == 1 or design.stack == "separate":
        return None
    sizes = joined_bytes(arrays, crypts)
    if design.layout.hybrid is not None:
        unit, width = true_stripe(design)
        return linear_geometry(sizes, full_stripe=unit * width or design.chunk_bytes, chunk=design.chunk_bytes)
    if design.stack == "md":
        return StripeGeometry(array=array_geometry(outer_array_request(design, arrays)))
    full_stripe = lcm(*full_stripes(design, arrays))
    most = design.trial.slice_bytes if design.trial else None
    if most:
        sizes = [min(size, most * array.members) for size, array in zip(sizes, arrays, strict=True)]
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
    sunit, width = true_stripe(design, lun=common_lun(disks_of(design.layout, taken)) if taken else None)
    return Prediction(
        layout=LayoutText(design.layout),
        disks=tuple(map(attrgetter("id"), taken)),
        raw_bytes=sum(map(attrgetter("size_bytes"), taken)),
        arrays=arrays,
        bands=design.layout.hybrid.bands if design.layout.hybrid and arrays else None,
        volume=volume,
        volume_bytes=volume_bytes,
        true_sunit_bytes=sunit,
        true_stripe_width=width,
        filesystem=filesystems[0] if filesystems else None,
        filesystems=filesystems,
        findings=gravest_first(findings),
    )


# Speed, risk and placement of a design on its disks; each is None if the design has no valid prediction.


def assess_plan(plan: Plan, inventory: Inventory) -> tuple[tuple[Disk, ...], Prediction]:
    """The disks of a plan and its prediction on them, whole. Raises KeyError if `inventory` lacks one of them."""
    known = {disk.id: disk for disk in inventory.disks}
    disks = tuple(known[name] for name in plan.prediction.disks)
    return disks, assess(plan.design, disks, plan.prediction, inventory, defaults_for(disks), spread=False)


def placement(design: Design, disks: Sequence[Disk], prediction: Prediction, *, spread: bool) -> Placement | None:
    """Certificates and findings of the disks in their present order; `spread`: they were ordered by `placed_disks`."""
    if not prediction.arrays:
        return None
    members = disks_of(design.layout, disks)
    return placement_of(design.layout, members, (*members, *disks[design.disks :]), placed=spread)


def speed(
    design: Design, disks: Sequence[Disk], prediction: Prediction, inventory: Inventory, assumptions: Assumptions
) -> Throughput | None:
    """Predicted throughput of the design on the first disks of `disks`."""
    if not prediction.has_sizes:
        return None
    return throughput(volume_of(design, disks, prediction.arrays, inventory, tuned(assumptions, design)))


def risk(
    design: Design, disks: Sequence[Disk], prediction: Prediction, inventory: Inventory, assumptions: Assumptions
) -> Durability | None:
    """Rebuild time and risk of data loss of the design on the first disks of `disks`.

    Of a hybrid layout that of its first band, which has all disks, exposed until all bands are rebuilt, with the bytes
    of all bands at risk. A disk that is not in all of them rebuilds sooner, which is not counted.
    None where a member is a LUN: what its drives survive, how they are rebuilt and onto which spares is not known.
    """
    if not prediction.has_sizes or any(map(attrgetter("lun"), disks_of(design.layout, disks))):
        return None
    assumptions = tuned(assumptions, design)
    layout = on_disks(design, disks).layout
    whole, component = layout.whole, prediction.component_bytes
    if layout.hybrid is not None:
        component = _component_at_risk(layout, [array.component_bytes or 0 for array in prediction.arrays])
    return durability(
        whole,
        disks_by_array(whole, disks_of(whole, disks)),
        component,
        rebuild_of(design, disks, prediction, inventory, assumptions),
        assumptions,
        volume_joined=design.stack != "separate" and whole.arrays > 1,
    )


def risk_and_sync(
    design: Design, disks: Sequence[Disk], prediction: Prediction, inventory: Inventory, assumptions: Assumptions
) -> Durability | None:
    """`risk` with the time of the first sync, which a search does not need."""
    found = risk(design, disks, prediction, inventory, assumptions)
    return found and replace(found, first_sync=first_sync(design, disks, prediction, inventory))


def _component_at_risk(layout: Layout, components: Sequence[int]) -> int:
    """Bytes per member of an array like the first band whose rebuild reads as much as those of all bands together."""
    read = sum(bytes_at_risk(shape, size) for shape, size in zip(layout.shapes, components, strict=True))
    return round(read / bytes_at_risk(layout.shapes[0], 1))


def answers(
    asks: Sequence[WorkloadQuestion],
    design: Design,
    disks: Sequence[Disk],
    prediction: Prediction,
    inventory: Inventory,
    assumptions: Assumptions,
) -> tuple[AskedRate, ...]:
    """What each workload of `asks` gets from the design on the first disks of `disks`; empty without sizes."""
    if not asks or not prediction.has_sizes:
        return ()
    volume = volume_of(design, disks, prediction.arrays, inventory, tuned(assumptions, design))
    return tuple(asked_rate(ask, volume) for ask in asks)


def assess(
    design: Design,
    disks: Sequence[Disk],
    prediction: Prediction,
    inventory: Inventory,
    assumptions: Assumptions,
    *,
    spread: bool,
) -> Prediction:
    """`prediction` completed with throughput, durability and placement."""
    return replace(
        prediction,
        throughput=speed(design, disks, prediction, inventory, assumptions),
        durability=risk_and_sync(design, disks, prediction, inventory, assumptions),
        placement=placement(design, disks, prediction, spread=spread),
    )


# The chunk that is advised for a use of the file system, and why. `raidtui tune` measures what this only reasons.


MEASURE = "raidtui tune measures chunk sizes on these disks"
"""the way to know"""


class ChunkAdvice(NamedTuple):
    """A chunk size with its reason."""

    chunk_bytes: int
    reason: str


def advised_chunk(purpose: Purpose) -> ChunkAdvice:
    """The chunk for `purpose`: md's default, except for many small files on parity."""
    match purpose:
        case "streams" | "backup":
            reason = "large requests then use few disks each, and every disk reads long runs; it is md's default"
            return ChunkAdvice(DEFAULT_CHUNK, reason)
        case "small":
            return ChunkAdvice(64 * KIB, "small files fill whole stripes sooner, so fewer writes read parity first")
        case "databases":
            reason = "a request of 4 to 64 KiB then stays on one disk, and the others serve other requests"
            return ChunkAdvice(DEFAULT_CHUNK, reason)
