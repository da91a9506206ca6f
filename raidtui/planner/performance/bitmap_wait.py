"""What a write-intent bitmap adds to a write that somebody waits for: the bit is on all members before the data.

Flash: one writer of 4 KiB at depth 1 on RAID5 of five NVMe drives got 20,600 writes/s without a bitmap, 174 with an
internal one of 64 MiB chunks, 175 with 128 MiB, 285 with 512 MiB, 10,300 with 1 GiB, 17,000 with 2 GiB (Milivojevic,
linux-raid; `throughput.csv`, rows 98 to 105). Writers that wait together share the update: at depth RAID10 of NVMe
lost 5 % (rows 49 and 50). It depends on the drive and the kernel: RAID10 of four other NVMe drives wrote 1,676/s with
64 MiB, and 15,700/s once md wrote whole pages of the bitmap (kernel commit 8745faa95611; rows 263 and 264).

Sequential writes: no cost on 45 disks with a chunk of 256 MiB (Hoffman). A finer one, whose chunk the source does not
state, took 115 MiB/s of RAID5 of four disks to 22 (liw.fi; rows 265 and 266); mdadm 3.1.1 raised its least own chunk to
64 MiB for that reason.

Rotating disks: not measured. A bit is cleared after one to two rounds of the daemon, 5 s each (md-bitmap.c), so a
write finds it set where its region was written in the last ten seconds; otherwise one more operation comes first. The
program that submits to a mirror waits for it whatever its depth (raid1.c and raid10.c, the unplug callback): a blog
found arrays of disks no faster at random writes than one disk until it removed the bitmap (louwrentius.com, 2020; no
figures in the text, so no row).
"""

from __future__ import annotations

from math import exp

from raidtui.model.units import GIB, MIB

NO_BITMAP = 20_600
"""writes per second of the array of the flash rows without a bitmap"""
_FLASH = ((128 * MIB, 174), (512 * MIB, 285), (GIB, 10_300), (2 * GIB, 17_000))
"""(largest chunk in bytes, writes per second with it); 256 MiB was not measured and counts as 512 MiB"""
LEAST_MEASURED = 64 * MIB
"""mdadm's own least chunk since 3.1.1; sequential writes lose with finer ones"""
FINE_LOW = 22 / 115
"""lower end of sequential writes with a finer one"""
CLEARED_AFTER = 10.0
"""seconds until the bit of a region without writes is clear"""


def bitmap_wait(chunk_bytes: int, component_bytes: int, *, rotational: bool, alone: float) -> float:
    """Seconds that the bitmap adds to a random write; `alone`: such writes per second of one writer without it."""
    if not rotational:
        measured = next((rate for most, rate in _FLASH if chunk_bytes <= most), _FLASH[-1][1])
        return 1 / measured - 1 / NO_BITMAP
    regions = max(1.0, component_bytes / chunk_bytes)
    return exp(-alone * CLEARED_AFTER / regions) / alone
