"""Where a script reads a disk between its two ends before it takes the disk for blank."""

from __future__ import annotations

from raidtui.model.units import GIB, KIB, MIB

LENGTH = 4 * KIB
"""bytes read at each place"""
_FIXED = (MIB, MIB + 4 * KIB, 16 * MIB, 129 * MIB, GIB)
"""start of a first partition and the md superblock in it, payload of LUKS, data of an md member, Ceph BlueStore"""
_PARTS, _TAKEN = 33, (8, 16, 24)
"""fractions of the disk"""


def script_places(size_bytes: int) -> tuple[int, ...]:
    """Offsets in bytes, each a multiple of `LENGTH`, none within a MiB of either end.

    Eight at most: a script starts a process for each. `places` in bash/common.sh computes the same.
    """
    blocks = size_bytes // LENGTH
    offsets = (*_FIXED, *(blocks * number // _PARTS * LENGTH for number in _TAKEN))
    return tuple(at for at in offsets if MIB <= at <= size_bytes - MIB - LENGTH)
