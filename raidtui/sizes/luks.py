"""Geometry of LUKS2 on a device: where its data starts, its sectors, the size of what is opened.

Source: cryptsetup 2.6.1, lib/luks2/luks2_json_format.c and lib/setup.c. By default the data starts at 16 MiB: two
binary headers and their JSON of 16 KiB each, the rest for key slots. That is a whole number of full stripes only where
the full stripe is a power of two, such as 8 data disks with chunks of 512 KiB. For 10 data disks it is 5 MiB: the file
system's first stripe would begin 1 MiB into one, and each of its stripe writes would touch two. So the data starts at
the first full stripe from 16 MiB on; what mkfs is told then holds as without encryption.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

from raidtui.values.prediction import CryptGeometry
from raidtui.values.units import KIB, MIB, SECTOR, round_up

HEADER = 16 * MIB
"""least distance of the data from the start of the device: cryptsetup's own"""
LARGE = 4 * KIB
"""sectors that are encrypted as one where the size of the device allows: an eighth of the calls of the cipher"""


def crypt_geometry(device_bytes: int, *, stripe: tuple[int, int], sector: int | None = None) -> CryptGeometry:
    """LUKS2 on a device of `device_bytes` with a `stripe` of (unit bytes, units); (0, 0): it has none.

    luksFormat refuses sectors of 4096 bytes where the size is no multiple of them; `sector`: None for the largest. The
    size is 0 where the header takes all of the device.
    """
    unit, width = stripe
    offset = round_up(HEADER, lcm(unit * width or LARGE, LARGE))
    sector = sector or largest_sector(device_bytes)
    return CryptGeometry(
        offset_bytes=offset, sector_bytes=sector, size_bytes=max(0, device_bytes - offset) // sector * sector
    )


def joined_crypts(array_bytes: Sequence[int], full_stripes: Sequence[int]) -> tuple[CryptGeometry, ...]:
    """LUKS2 on each of several arrays, which LVM joins; `full_stripes`: data in a full stripe of each, or the LVM
    stripe for levels without stripes.

    All get the sectors that each of them allows: vgcreate refuses devices whose logical sectors differ (lvm2 2.03.16,
    lib/metadata/metadata.c, allow_mixed_block_sizes).
    """
    sector = min(map(largest_sector, array_bytes))
    sizes = zip(array_bytes, full_stripes, strict=True)
    return tuple(crypt_geometry(size, stripe=(stripe, 1), sector=sector) for size, stripe in sizes)


def largest_sector(device_bytes: int) -> int:
    """Bytes of the largest sectors that luksFormat takes on a device of this size."""
    return LARGE if device_bytes % LARGE == 0 else SECTOR
