"""Published measurements that an answer was held against (tests/validation), or that there are none."""

from __future__ import annotations

from raidtui.model.ask import WorkloadQuestion
from raidtui.model.units import KIB

_NONE = "no published measurement of md has these streams, size and depth"


def evidence(ask: WorkloadQuestion, *, rotational: bool, parity: bool) -> str:
    """What backs the answer to `ask`."""
    if ask.streams is None and ask.depth is None and ask.size_bytes is None:
        return "the rows of the validation report for this class of work"
    size, streams, depth = ask.size_bytes or 4 * KIB, ask.streams or 1, ask.depth or 1
    if ask.random and rotational and parity and size <= 512 * KIB:
        eight = "rows of one RAID5 of eight disks: 4 KiB, 1 to 4,096 requests in flight (fio-plot)"
        if ask.kind == "write" and 4 <= streams * depth <= 16:
            return f"85 {eight}; 14 of one RAID6 of ten, which gave a fifth: 8 writers (kernel commit 584acdd49cd2)"
        return f"85 {eight}" if size <= 4 * KIB else _NONE
    if ask.random and ask.kind == "write" and not rotational and streams * depth == 1 and size == 4 * KIB:
        return "6 rows of RAID5 of five NVMe drives, 2 of RAID10 of four, with and without bitmaps (linux-raid)"
    if not ask.random and rotational and ask.depth is not None and size >= 1024 * KIB and streams <= 32:
        return (
            "the form, not the figures: 80 rows of one hardware array, 1 MiB requests, 1 to 32 streams a group (KIPAC)"
        )
    if not ask.random and ask.depth is None and streams == 1:
        return "the rows of the validation report for one stream"
    if not ask.random and not rotational and streams * depth >= 64 and size >= 64 * KIB and ask.kind == "read":
        return "4 rows of NVMe arrays, 64 KiB to 1 MiB at a depth of 128 and more (linux-raid)"
    return _NONE
