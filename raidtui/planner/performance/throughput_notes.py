"""Notes on predicted throughput: known deviations of md from the model, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator

from raidtui.model.counted import counted
from raidtui.model.design import Design
from raidtui.model.layout import UnequalLayout
from raidtui.model.units import exact_binary
from raidtui.planner.performance import confidence_bands as bands
from raidtui.planner.performance.measured_links import when
from raidtui.planner.performance.operating_point import ArraySet
from raidtui.planner.performance.raid_level_rates import (
    FAR_WRITE,
    PARTIAL_POINT,
    cache_pages_for,
    partial_share,
)

_STREAMS = (
    "Each further reader on an array costs about 5 % in seeks, each further writer 1 %; other arrays are not affected."
)


def throughput_notes(design: Design, array_set: ArraySet) -> tuple[str, ...]:
    """Notes on the predicted rates of `design`."""
    found = [*_luns(array_set), *_level(design, array_set), *_parity(design, array_set), *_stack(design)]
    found += [_STREAMS] if array_set.rotational else _flash(design)
    found += _benchmarked(array_set)
    return tuple(found)


def _benchmarked(array_set: ArraySet) -> Iterator[str]:
    """Bands that benchmarks of this machine narrowed."""
    for seen in array_set.figures.scatter:
        if ("disk" in seen.work.split()) == array_set.rotational:
            benches = f"{counted(seen.figures, 'benchmark')} of this machine"
            yield f"The band of {seen.work} follows from {benches}, the last on {when(seen.day, seen.kernel)}."


def _luns(array_set: ArraySet) -> Iterator[str]:
    if array_set.lun_drives and array_set.assumptions.disk_write_bytes_per_s is None:
        yield (
            "Rates of LUNs are those of their drives as md would use them. The controllers' write-back cache is not "
            "known: it absorbs short writes and may halve long ones where two controllers mirror it."
        )


def _level(design: Design, array_set: ArraySet) -> Iterator[str]:
    layout = design.layout
    if layout.level == "raid4":
        yield "Every write goes to RAID4's one parity member, which bounds random writes."
    if layout.level == "raid1":
        yield "One sequential reader uses one member; only several readers use all members."
    if layout.level != "raid10" or not array_set.rotational:
        return
    if layout.spread == "f":
        yield f"Far copies are half a disk away: writes reach {FAR_WRITE:.2f} of near. One reader uses all members."
    else:
        yield "One reader uses one copy's worth of members; the others idle or skip their copies. More readers use all."


def _parity(design: Design, array_set: ArraySet) -> Iterator[str]:
    layout, chunk = design.layout, design.chunk_bytes
    if not layout.parity:
        return
    pages = array_set.cache_pages
    if partial_share(chunk, pages) < 1:
        rows = pages * 4096 / chunk
        worst = partial_share(chunk, pages)
        yield (
            f"The stripe cache of {pages} pages holds {rows:.3g} rows of {exact_binary(chunk)} chunks: one writer is"
            f" expected at {PARTIAL_POINT:.2f} of the rate of full stripes, at {worst:.2f} at worst;"
            f" --stripe-cache {cache_pages_for(chunk)} removes this limit."
        )
    ahead = 2 * max(group.data for group in layout.groups) * chunk // 1024
    yield f"One sequential reader needs read-ahead of two stripes: set read_ahead_kb to at least {ahead} on the device."
    if array_set.rotational:
        low, high = bands.RANDOM_PARITY_WRITE_DISK_SEEN
        yield (
            "Predicted random writes to parity on rotating disks are of low confidence: two sources measured"
            f" {low:.2f} to {high:.2f} of the rate that follows from disk operations."
        )
    elif design.target is None or design.target.kernel_version is None:
        yield "Random reads assume Linux 5.14 or later; older kernels reach at most 1.2 million/s per parity array."


def _stack(design: Design) -> Iterator[str]:
    arrays = design.layout.arrays
    if isinstance(design.layout, UnequalLayout) and design.stack != "separate":
        yield (
            f"Striped over {arrays} arrays of unequal width: all run at the rate of the slowest. The rates are those of"
            " the part of the volume that all arrays share."
        )
    elif arrays > 1 and design.stack != "separate":
        threads = "arrays: the slowest array bounds all; each array has its own md thread."
        yield f"Striped over {arrays} {'disks: the slowest bounds all.' if design.layout.plain else threads}"
    elif arrays > 1:
        yield f"{arrays} volumes: multi-stream rates are their sum, single-stream rates are those of one array."


def _flash(design: Design) -> Iterator[str]:
    yield "A program on another NUMA node than the drive may lose up to half the rate; PCIe switches are not modelled."
    if design.bitmap != "none" and design.layout.level != "raid0" and not design.ppl:
        yield (
            "An internal bitmap with chunks below 1 GiB can slow synchronous random writes on flash by up to a factor"
            " of 100; use --bitmap-chunk=1G or no bitmap."
        )
