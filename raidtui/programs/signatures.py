"""Detects content signatures in the first and last MiB of a disk, independently of udev and libblkid.

Offsets and magic numbers: md(4) and kernel uapi/linux/raid/md_p.h, UEFI (GPT), lvm2
lib/format_text/layout.h, cryptsetup docs/on-disk-format, zfs vdev_label.c, kernel fs headers, libblkid.
Types are named as libblkid names them. The sample behind it: md 1.2, 4 KiB into the member,

    fc 4e 2b a9 01 00 00 00 ...   magic a92b4efc, version 1, then 16 bytes of array UUID at +16,
                                  the name at +32 and, at +144, the sector it was written to
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from raidtui.values.units import GIB, KIB, MIB

SPAN = 1024 * 1024
"""bytes looked at, at each end"""
_MD_MAGIC = 0xA92B4EFC
_PLAIN = (
    (0, b"XFSB", "xfs"),
    (0x438, b"\x53\xef", "ext"),
    (0x10040, b"_BHRfS_M", "btrfs"),
    (3, b"NTFS    ", "ntfs"),
    (0, b"LUKS\xba\xbe", "crypto_LUKS"),
    (0x4000, b"SKUL\xba\xbe", "crypto_LUKS"),
    (0x1018, bytes.fromhex("c68573f64e1a45ca8265f57f48ba6d81"), "bcache"),
    (0x1018, bytes.fromhex("c68573f666ce90a9d96a60cf803df7ef"), "bcachefs"),
    (0, b"bluestore block device", "ceph_bluestore"),
    (3, b"-FVE-FS-", "BitLocker"),
    (0, b"dmvdo001", "vdo"),
    (32, b"ORCLDISK", "oracleasm"),
    (0, b"integrt\0", "DM_integrity"),
    (0, b"verity\0\0", "DM_verity_hash"),
    (0, b"SnAp", "DM_snapshot_cow"),
    (0x10000, b"\x01\x16\x19\x70", "gfs2"),
    *((512 * sector + 4, b"!Stra0tis\x86\xff\x02^\x41rh", "stratis") for sector in (1, 9)),
    *((1024 << shift, b"OCFSV2", "ocfs2") for shift in range(4)),
    *((page - 10, magic, "swap") for page in (4096, 8192, 16384, 65536) for magic in (b"SWAPSPACE2", b"SWAP-SPACE")),
)
_VG = re.compile(rb'([A-Za-z0-9+_.-]{1,127}) \{\nid = "([A-Za-z0-9-]{38})"')
_POOL = re.compile(rb"\0\0\0\x04name\0\0\0\x09\0\0\0\x01\0\0\0(.)", re.DOTALL)
_POOL_LABEL = 256 * 1024
_TO_GO = (bytes.fromhex("3bd66749292ed84a8399f6a339e3d001"), bytes.fromhex("3b4da89280dd0e4d9e4eb1e3284eaed8"))
"""GUIDs at 424 of a BitLocker volume that looks like FAT (cryptsetup bitlk.c: normal, encrypted on write)"""
_DRBD = (0x8374026B, 0x8374026C, 0x8374026D)
"""magic of internal metadata, 60 bytes into the last 4 KiB: 8.4, 8.4 unclean, 9 (drbd_meta_data.h)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSignature:
    """A known signature that was found."""

    type: str
    """libblkid's word, or gpt, gpt-backup, dos"""
    offset: int
    """bytes from the start of the disk"""
    label: str = ""
    """array, volume group or pool, raw"""
    uuid: str = ""
    """UUID of the array or volume group"""


def find(head: bytes, tail: bytes, size: int) -> tuple[FoundSignature, ...]:
    """All known signatures in the first (`head`) and last (`tail`) bytes of a disk of `size` bytes."""
    end = _End(head, tail, size)
    found = [*_tables(end), *_md(end), *_lvm(head), *_zfs(end)]
    found += [FoundSignature(type=kind, offset=at) for at, magic, kind in _PLAIN if head[at : at + len(magic)] == magic]
    if end.at(size - 1024, 24) == b"Intel Raid ISM Cfg Sig. ":
        found.append(FoundSignature(type="isw_raid_member", offset=size - 1024))
    if end.at(size - 512, 4) in (b"\xde\x11\xde\x11", b"\x11\xde\x11\xde"):
        found.append(FoundSignature(type="ddf_raid_member", offset=size - 512))
    if head[3:11] == b"MSWIN4.1" and head[424:440] in _TO_GO:
        found.append(FoundSignature(type="BitLocker", offset=3))
    if (magic := end.at(size - 4096 + 60, 4)) and struct.unpack(">I", magic)[0] in _DRBD:
        found.append(FoundSignature(type="drbd", offset=size - 4096 + 60))
    return tuple(found)


class _End:
    """Both ends, addressed by offset from the start of the disk."""

    def __init__(self, head: bytes, tail: bytes, size: int) -> None:
        self.head, self.tail, self.size = head, tail, size

    def at(self, offset: int, length: int) -> bytes:
        """The bytes at `offset`; empty when they lie in neither end."""
        if offset >= 0 and offset + length <= len(self.head):
            return self.head[offset : offset + length]
        begin = offset - (self.size - len(self.tail))
        return self.tail[begin : begin + length] if begin >= 0 and begin + length <= len(self.tail) else b""


def _tables(end: _End) -> Iterator[FoundSignature]:
    for sector in (512, 4096):
        if end.at(sector, 8) == b"EFI PART":
            yield FoundSignature(type="gpt", offset=sector)
        if end.at(end.size - sector, 8) == b"EFI PART":
            yield FoundSignature(type="gpt-backup", offset=end.size - sector)
    entries = [end.head[446 + 16 * at : 462 + 16 * at] for at in range(4)]
    if end.head[510:512] == b"\x55\xaa" and all(entry[0] in (0, 0x80) for entry in entries):
        kinds = {entry[4] for entry in entries} - {0}
        if kinds and kinds != {0xEE}:
            yield FoundSignature(type="dos", offset=510)


def _md(end: _End) -> Iterator[FoundSignature]:
    sectors = end.size // 512
    for offset in (0, 4096, ((sectors - 16) & ~7) * 512):
        block = end.at(offset, 256)
        if block[:8] == struct.pack("<II", _MD_MAGIC, 1) and block[144:152] == struct.pack("<Q", offset // 512):
            name = block[32:64].split(b"\0")[0].decode("utf-8", "replace")
            yield FoundSignature(type="linux_raid_member", offset=offset, label=name, uuid=_md_uuid(block[16:32]))
    offset = ((sectors & ~127) - 128) * 512
    block = end.at(offset, 64)
    for order in "<>":
        if block[:8] == struct.pack(f"{order}II", _MD_MAGIC, 0):
            words = struct.unpack(f"{order}16I", block)
            uuid = ":".join(f"{words[at]:08x}" for at in (5, 13, 14, 15))
            yield FoundSignature(type="linux_raid_member", offset=offset, uuid=uuid)


def _md_uuid(raw: bytes) -> str:
    return ":".join(raw[at : at + 4].hex() for at in (0, 4, 8, 12))


def _lvm(head: bytes) -> Iterator[FoundSignature]:
    for sector in range(0, 2048, 512):
        label = head[sector : sector + 512]
        if label[:8] == b"LABELONE" and label[24:32] == b"LVM2 001":
            name, uuid = _volume_group(head, label)
            yield FoundSignature(type="LVM2_member", offset=sector, label=name, uuid=uuid)


def _volume_group(head: bytes, label: bytes) -> tuple[str, str]:
    """Name and UUID of the group from the PV's first metadata area; empty for a PV in no group."""
    at = struct.unpack_from("<I", label, 20)[0] + 40
    seen_data = False
    while at + 16 <= len(label):
        offset, _ = struct.unpack_from("<QQ", label, at)
        at += 16
        if offset == 0 and seen_data:
            break
        seen_data = seen_data or offset == 0
        if offset and seen_data and head[offset + 4 : offset + 20] == b" LVM2 x[5A%r0N*>":
            place = offset + int.from_bytes(head[offset + 40 : offset + 48], "little")
            match = _VG.match(head[place : place + 256])
            return (match[1].decode(), match[2].decode()) if match else ("", "")
    return "", ""


def _zfs(end: _End) -> Iterator[FoundSignature]:
    """Labels 0 and 1 at the start, 2 and 3 at the end: a name-value list at 16 KiB, uberblocks at 128 KiB."""
    aligned = end.size // _POOL_LABEL * _POOL_LABEL
    for start in (0, _POOL_LABEL, aligned - 2 * _POOL_LABEL, aligned - _POOL_LABEL):
        uberblocks = end.at(start + _POOL_LABEL // 2, _POOL_LABEL // 2)
        magics = (b"\x0c\xb1\xba\0\0\0\0\0", b"\0\0\0\0\0\xba\xb1\x0c")
        if any(uberblocks[at : at + 8] in magics for at in range(0, len(uberblocks), 1024)):
            pairs = end.at(start + 16 * 1024, 112 * 1024)
            match = _POOL.search(pairs)
            pool = pairs[match.end() : match.end() + match[1][0]].decode("utf-8", "replace") if match else ""
            yield FoundSignature(type="zfs_member", offset=start, label=pool)


# Places between the two ends of a disk that are read before the disk counts as blank.
# The first and the last MiB are read whole (tools/signatures), so no place lies in them. A place is `LENGTH` bytes from
# an offset on; every offset is a multiple of `LENGTH`, as direct reads of disks with 4096-byte sectors require.
# Three groups, merged, sorted, each once:
# 1. where formats keep something (`_KNOWN`, with the source of each), on the disk itself or in a partition at 1 MiB; 2.
# places that depend on the size: copies in the middle and near the end; 3. a spread that finds what has no format: 32
# fixed fractions of the disk, and 32 places from a linear congruential generator that starts at the size in bytes. The
# same size gives the same places.
# A sample proves nothing about the bytes that it does not read: a disk with data between the places reads as blank.


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
