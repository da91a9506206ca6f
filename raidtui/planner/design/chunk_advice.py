"""The chunk that is advised for a use of the file system, and why. `raidtui tune` measures what this only reasons."""

from __future__ import annotations

from typing import NamedTuple

from raidtui.model.choices import Purpose
from raidtui.model.design import DEFAULT_CHUNK
from raidtui.model.units import KIB

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
