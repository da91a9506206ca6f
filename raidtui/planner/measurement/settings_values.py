"""Candidate values of md's settings for a measurement, and their memory cost (md(4), admin-guide/md.rst)."""

from __future__ import annotations

from raidtui.model.plan import Plan
from raidtui.model.tune import SETTINGS, Setting
from raidtui.model.units import KIB

_ENTRY = 4 * KIB
_PARITY = ("raid4", "raid5", "raid6")
_CACHES = (256, 1024, 4096, 8192, 16384, 32768)
_THREADS = (0, 1, 2, 4, 8)
_AHEADS = (1, 2, 4, 8)
"""full stripes of the volume"""
_MEMORY_SHARE = 4
"""largest share of free memory for the stripe caches of all arrays"""
_MOST_AHEAD = 64 * 1024
"""KiB"""


def available_settings(plan: Plan, asked: tuple[str, ...] = SETTINGS) -> tuple[Setting, ...]:
    """The settings of `asked` that the plan's arrays have."""
    parity = plan.design.layout.level in _PARITY
    return tuple(each for each in SETTINGS if each in asked and (parity or each == "read_ahead_kb"))


def candidate_values(
    setting: Setting, plan: Plan, *, present: int, free_bytes: int, processors: int
) -> tuple[int, ...]:
    """Values to try in ascending order, including the present one."""
    layout = plan.design.layout
    match setting:
        case "stripe_cache_size":
            each = _ENTRY * layout.member_disks
            most = free_bytes // _MEMORY_SHARE // each
            found = [value for value in _CACHES if value <= most]
        case "group_thread_cnt":
            found = [value for value in _THREADS if value <= processors]
        case "read_ahead_kb":
            full_stripe = max(array.full_stripe_bytes for array in plan.prediction.arrays) or plan.design.chunk_bytes
            stripe = full_stripe * (layout.arrays if plan.prediction.volume is not None else 1)
            found = [min(_MOST_AHEAD, max(128, stripe * times // KIB)) for times in _AHEADS]
    return tuple(sorted({*found, present}))
