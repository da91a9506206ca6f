"""What a plan sets for its arrays in the kernel: the speed model assumes the same."""

from __future__ import annotations

from raidtui.model.design import Design
from raidtui.planner.performance.raid_level_rates import PAGE

_ROWS_CACHED = 16
_LEAST_CACHE, _MOST_CACHE = 1024, 8192


def stripe_cache_pages(design: Design) -> int:
    """stripe_cache_size of parity arrays, pages of each member: as stated, or sixteen rows of chunks, 4 to 32 MiB."""
    if design.stripe_cache_pages is not None:
        return design.stripe_cache_pages
    return min(max(_ROWS_CACHED * design.chunk_bytes // PAGE, _LEAST_CACHE), _MOST_CACHE)
