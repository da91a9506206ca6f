"""What a plan tells the kernel of its arrays, and what the models assume: the same values, from one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from raidtui.predict.speed.raid_level_rates import PAGE
from raidtui.values.amounts import rate
from raidtui.values.assumptions import SYNC_SPEED_MAX, Assumptions
from raidtui.values.design import Design
from raidtui.values.prediction import ArrayGeometry
from raidtui.values.units import KIB, MIB, exact_binary

_ROWS_CACHED = 16
_LEAST_CACHE, _MOST_CACHE = 1024, 8192
_LEAST_READ_AHEAD, _MOST_READ_AHEAD = 128 * KIB, 64 * MIB
SYNC_MIN = 10_000 * KIB
"""bytes per second and member that a plan keeps for a rebuild under load; the kernel's own is a tenth of it"""


@dataclass(frozen=True, slots=True)
class Tunable:
    """One setting of the kernel that a plan installs or leaves."""

    name: str
    """as sysfs has it"""
    value: str
    stated: bool
    """True if an option states it"""
    installed: bool = True
    """False: the plan leaves the kernel's default"""


def tunables(design: Design, arrays: Sequence[ArrayGeometry]) -> tuple[Tunable, ...]:
    """The settings of `arrays` of `design`, which the models assume."""
    found = []
    if any(array.parity for array in arrays):
        pages, threads = stripe_cache_pages(design), design.parity_threads
        room = exact_binary(pages * PAGE)
        found.append(Tunable("stripe_cache_size", f"{pages}, {room} a member", design.stripe_cache_pages is not None))
        known = threads is not None
        found.append(Tunable("group_thread_cnt", str(threads or 0), known, known))
    if any(array.level not in ("raid0", "disk") for array in arrays):
        most, least = design.sync_max_bytes_per_s, design.sync_min_bytes_per_s
        known = most is not None
        found.append(Tunable("sync_speed_max", f"{rate(most or SYNC_SPEED_MAX)} a member", known, known))
        found.append(Tunable("sync_speed_min", f"{rate(sync_min(design))} a member", least is not None))
    if any(array.level != "disk" for array in arrays):
        joined = len(arrays) if design.stack != "separate" else 1
        ahead = design.read_ahead_bytes or read_ahead_bytes(design, arrays, joined=joined)
        found.append(Tunable("read_ahead_kb", exact_binary(ahead), design.read_ahead_bytes is not None))
    if design.io_scheduler is not None:
        found.append(Tunable("scheduler", design.io_scheduler, True))
    if design.queue_depth is not None:
        found.append(Tunable("queue_depth", str(design.queue_depth), True))
    return tuple(found)


def tuned(assumptions: Assumptions, design: Design) -> Assumptions:
    """`assumptions` with what the plan of `design` tells the kernel."""
    threads, most = design.parity_threads, design.sync_max_bytes_per_s
    if threads is None and most is None:
        return assumptions
    return replace(
        assumptions,
        parity_threads=assumptions.parity_threads if threads is None else threads,
        sync_max_bytes_per_s=assumptions.sync_max_bytes_per_s if most is None else most,
    )


def stripe_cache_pages(design: Design) -> int:
    """stripe_cache_size of parity arrays, pages of each member: as stated, or sixteen rows of chunks, 4 to 32 MiB."""
    if design.stripe_cache_pages is not None:
        return design.stripe_cache_pages
    return min(max(_ROWS_CACHED * design.chunk_bytes // PAGE, _LEAST_CACHE), _MOST_CACHE)


def sync_min(design: Design) -> int:
    """sync_speed_min, bytes per second and member: as stated, or a plan's own, never above a stated limit."""
    return design.sync_min_bytes_per_s or min(SYNC_MIN, design.sync_max_bytes_per_s or SYNC_MIN)


def read_ahead_bytes(design: Design, arrays: Sequence[ArrayGeometry], *, joined: int = 1) -> int:
    """Read-ahead of two full stripes over `joined` arrays, at least the kernel's 128 KiB and at most 64 MiB.

    The full stripe is that of the widest array.
    """
    stripe = max(array.full_stripe_bytes for array in arrays) or design.chunk_bytes
    return min(max(2 * joined * stripe, _LEAST_READ_AHEAD), _MOST_READ_AHEAD)
