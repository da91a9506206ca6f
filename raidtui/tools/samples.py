"""Places between the two ends of a disk that are read before the disk counts as blank.

The first and the last MiB are read whole (tools/signatures), so no place lies in them. A place is `LENGTH` bytes from
an offset on; every offset is a multiple of `LENGTH`, as direct reads of disks with 4096-byte sectors require.

Three groups, merged, sorted, each once:

1. where formats keep something (`_KNOWN`, with the source of each), on the disk itself or in a partition at 1 MiB;
2. places that depend on the size: copies in the middle and near the end;
3. a spread that finds what has no format: 32 fixed fractions of the disk, and 32 places from a linear congruential
   generator that starts at the size in bytes. The same size gives the same places.

A sample proves nothing about the bytes that it does not read: a disk with data between the places reads as blank.
"""

from __future__ import annotations

from functools import lru_cache

from raidtui.model.units import GIB, KIB, MIB
from raidtui.tools.signatures import SPAN

LENGTH = 4 * KIB
"""bytes read at each place"""
_EXT_4K = (1, 3, 5, 7, 9, 25, 27, 49, 81)
_EXT_1K = (1, 3, 5, 7, 9)
_KNOWN: tuple[int, ...] = (
    # partition starts: sgdisk, sfdisk, Windows, md and LVM align to 2048 sectors; then what such a partition holds:
    MIB,  # boot sector, LUKS header, XFS, VMFS member (libblkid vmfs.c), md 1.1; LVM pe_start (lvm2 defaults.h)
    MIB + 4 * KIB,  # md 1.2 superblock, bcache (kernel uapi md_p.h, bcache.h)
    MIB + 16 * KIB,  # LUKS2 second header (cryptsetup on-disk-format-luks2), ZFS label 0 (vdev_label.c), NTFS $MFT
    MIB + 64 * KIB,  # btrfs superblock (kernel fs/btrfs/disk-io.h)
    MIB + 128 * KIB,  # ZFS uberblocks
    MIB + 256 * KIB,  # ZFS label 1
    # LUKS2 second header for larger header areas, and payload of LUKS1 (cryptsetup on-disk-format-luks2)
    2 * MIB, 4 * MIB, 16 * MIB, 17 * MIB,
    # Oracle ASM: copy of the disk header in the last block but one of allocation unit 1, for units of 1 and 4 MiB
    MIB + 254 * 4 * KIB, 4 * MIB + 1022 * 4 * KIB,
    # VMFS volume and file system headers (libblkid vmfs.c), on the disk and in a partition at 1 MiB
    3 * MIB, 18 * MIB, 19 * MIB, 20 * MIB, 21 * MIB,
    # start of the data of md members: 1 MiB and headroom of 2 to 128 MiB (mdadm super1.c, choose_bm_space and headroom)
    5 * MIB, 9 * MIB, 33 * MIB, 65 * MIB, 129 * MIB,
    # the same plus LVM's pe_start: the start of a volume on an array
    34 * MIB, 66 * MIB, 130 * MIB,
    # second and third btrfs superblock (disk-io.h: BTRFS_SUPER_MIRROR_SHIFT)
    64 * MIB, 256 * GIB,
    # data partition behind an EFI partition of 200 MiB (macOS diskutil), 100 MiB and 16 MiB (Windows setup), 512 MiB
    200 * MIB + 20 * KIB, 117 * MIB, 513 * MIB,
    # NTFS $MFT of Windows: cluster 786432 of 4 KiB
    3 * GIB, 3 * GIB + MIB,
    # further labels of Ceph BlueStore (src/os/bluestore/BlueStore.cc, bdev_label_positions)
    GIB, 10 * GIB, 100 * GIB, 1000 * GIB,
    # backup superblocks of ext2 to ext4 in groups 1 and powers of 3, 5 and 7: 4 KiB, 2 KiB and 1 KiB blocks (mke2fs(8))
    *(group * 128 * MIB for group in _EXT_4K), *(group * 32 * MIB for group in (1, 3, 5)),
    *(group * 8 * MIB for group in _EXT_1K), *(MIB + group * 128 * MIB for group in (1, 3)),
    # second allocation group of XFS on 4 TiB and more: 268435455 blocks of 4 KiB (mkfs.xfs, XFS_AG_MAX_BLOCKS)
    268_435_455 * 4 * KIB,
)  # fmt: skip
_FRACTIONS = 32
_SCATTERED = 32
_MULTIPLIER, _INCREMENT = 6_364_136_223_846_793_005, 1_442_695_040_888_963_407
"""Knuth's MMIX generator, modulo 2**64; its upper 53 bits are used"""


@lru_cache(maxsize=256)
def sample_offsets(size_bytes: int, logical_sector_bytes: int = 512) -> tuple[int, ...]:
    """Offsets in bytes, ascending, of the places read on a disk of `size_bytes`; none on disks of 2 MiB and less.

    ValueError when a sector is longer than a place: no disk that md takes has one.
    """
    if LENGTH % logical_sector_bytes:
        raise ValueError(f"unsupported sector size {logical_sector_bytes}: samples must be whole sectors")
    offsets = {*_KNOWN, *_by_size(size_bytes), *_spread(size_bytes)}
    return tuple(sorted(at for at in offsets if SPAN <= at <= size_bytes - SPAN - LENGTH))


def _by_size(size: int) -> tuple[int, ...]:
    blocks = size // LENGTH
    group = -(-blocks // 4)  # mkfs.xfs makes four allocation groups below 4 TiB
    return (
        *(number * group * LENGTH for number in (1, 2, 3)),
        blocks // 2 * LENGTH,  # $MFTMirr of mkntfs
        # second metadata area of an LVM physical volume with pvmetadatacopies 2: one MiB, aligned, before the end
        size // MIB * MIB - 2 * MIB, (size - SPAN) // MIB * MIB - MIB,
        # ZFS labels 2 and 3 in a partition before the reserved one of 8 MiB (zfs libzfs_pool.c, zpool_label_disk)
        size // MIB * MIB - 9 * MIB + 512 * KIB, size // MIB * MIB - 9 * MIB + 768 * KIB,
    )  # fmt: skip


def _spread(size: int) -> tuple[int, ...]:
    blocks = size // LENGTH
    fixed = [blocks * number // (_FRACTIONS + 1) * LENGTH for number in range(1, _FRACTIONS + 1)]
    scattered, state = [], size
    for _ in range(_SCATTERED):
        state = (state * _MULTIPLIER + _INCREMENT) % 2**64
        scattered.append((state >> 11) % blocks * LENGTH if blocks else 0)
    return (*fixed, *scattered)
