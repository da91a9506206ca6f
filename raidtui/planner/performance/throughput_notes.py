"""Where md is known to be off the simple rule, in sentences that stand beside the figures."""

from __future__ import annotations

from collections.abc import Iterator

from raidtui.model.design import Design
from raidtui.model.units import exact_binary
from raidtui.planner.performance import confidence_bands as bands
from raidtui.planner.performance.operating_point import Setting
from raidtui.planner.performance.raid_level_rates import FAR_WRITE, STRIPE_CACHE, cache_pages_for, partial_share

_STREAMS = (
    "Each further reader on one array costs about 5 % in seeks, each further writer 1 %; other arrays do not feel it."
)


def notes(design: Design, setting: Setting) -> tuple[str, ...]:
    """What to know of this design's figures."""
    found = [*_level(design, setting), *_parity(design, setting), *_stack(design)]
    found += [_STREAMS] if setting.rotational else _flash(design)
    return tuple(found)


def _level(design: Design, setting: Setting) -> Iterator[str]:
    layout = design.layout
    if layout.level == "raid4":
        yield "Every write goes to RAID4's one parity member, which bounds random writes."
    if layout.level == "raid1":
        yield "One reader is served by one member; only several readers use them all."
    if layout.level != "raid10" or not setting.rotational:
        return
    if layout.spread == "f":
        yield f"Far copies lie half a disk away: writes reach {FAR_WRITE:.2f} of near ones. One reader has all members."
    else:
        yield "One reader gets one copy's worth of members: the others idle or pass over theirs. Several rise to all."


def _parity(design: Design, setting: Setting) -> Iterator[str]:
    layout, chunk = design.layout, design.chunk_bytes
    if not layout.parity:
        return
    if partial_share(chunk) < 1:
        rows = STRIPE_CACHE * 4096 // chunk
        yield (
            f"md's stripe cache of {STRIPE_CACHE} pages holds {rows} rows of {exact_binary(chunk)} chunks: one writer"
            f" may fall to {partial_share(chunk):.2f} of the figure; stripe_cache_size {cache_pages_for(chunk)} lifts"
            " that."
        )
    ahead = 2 * layout.data * chunk // 1024
    yield f"One reader needs read-ahead of two stripes: read_ahead_kb of at least {ahead} on the device it reads."
    if setting.rotational:
        band = bands.RANDOM_PARITY_WRITE_DISK
        yield (
            "Random writes to parity on rotating disks are of low confidence: one source, which saw"
            f" {band.low:.2f} to {band.high:.2f} of what disk operations alone explain."
        )
    else:
        yield "Random reads are for Linux 5.14 or later; before, one parity array gave at most 1.2 million a second."


def _stack(design: Design) -> Iterator[str]:
    arrays = design.layout.arrays
    if arrays > 1 and design.stack != "separate":
        yield f"Striped over {arrays} arrays: the slowest sets the pace of all; each has its own md thread."
    elif arrays > 1:
        yield f"{arrays} volumes: figures for many streams are their sum, those for one stream are one array's."


def _flash(design: Design) -> Iterator[str]:
    yield "On several sockets, programs on the far side of a drive lose up to half; PCIe switches are not looked at."
    if design.bitmap != "none" and design.layout.level != "raid0" and not design.ppl:
        yield (
            "An internal bitmap costs synchronous random writes on flash up to a hundredfold with regions below 1 GiB;"
            " use --bitmap-chunk=1G or none."
        )
