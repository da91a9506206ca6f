"""Both ends of disks of 1 GiB as the real tools left them; kept by tests/recorded_machines/record.py."""

import functools
import gzip
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.programs.signatures import SPAN, FoundSignature, find
from tests.faults.guest_labels import zfs_label

ENDS = Path(__file__).parent / "ends"
GIB = 1024**3


@functools.cache
def kept(name: str) -> tuple[bytes, bytes]:
    data = gzip.decompress((ENDS / f"{name}.gz").read_bytes())
    return data[:SPAN], data[SPAN:]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("MD090A", [("linux_raid_member", 1073676288, "", "b1504bb8:8be5aaa3:21d546d2:7da2707b")]),
        ("MD10A", [("linux_raid_member", 1073733632, "raidlab:MD10", "7c5f28c2:613f7d85:6e1a0631:477e3f8d")]),
        ("MD11A", [("linux_raid_member", 0, "raidlab:MD11", "4c1ee292:582c3bca:56ad0732:3fd4ae3b")]),
        ("MD12B", [("linux_raid_member", 4096, "raidlab:MD12", "c49afbb4:b4aa1487:53463927:6c369515")]),
        ("GPTBOTH", [("gpt", 512, "", ""), ("gpt-backup", 1073741312, "", "")]),
        ("GPTBACK", [("gpt-backup", 1073741312, "", "")]),
        ("DOSTABLE", [("dos", 510, "", "")]),
        ("LVMIDLE", [("LVM2_member", 512, "idle", "2jPztJ-021S-K2ho-ygPR-5loP-LpKN-7gUWwI")]),
        ("LVMBARE", [("LVM2_member", 512, "", "")]),
        ("BTRFS", [("btrfs", 65600, "", "")]),
        ("EXT4", [("ext", 1080, "", "")]),
        ("XFS1", [("xfs", 0, "", "")]),
        ("SWAP", [("swap", 4086, "", "")]),
        ("LUKS", [("crypto_LUKS", 0, "", ""), ("crypto_LUKS", 16384, "", "")]),
        ("DATA", []),
        ("DATAEND", []),
        ("BLANK", []),
    ],
)
def test_what_the_tools_left(name: str, found: list[tuple[str, int, str, str]]) -> None:
    head, tail = kept(name)
    wanted = tuple(FoundSignature(type=kind, offset=at, label=label, uuid=uuid) for kind, at, label, uuid in found)
    assert find(head, tail, GIB) == wanted


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize(
    ("odd", "starts"), [(0, (0, 262144, 1073217536, 1073479680)), (4096, (1073217536, 1073479680))]
)
def test_zfs_labels_at_both_ends(order: str, odd: int, starts: tuple[int, ...]) -> None:
    size = GIB + odd
    label = zfs_label(b"tank", order)
    head = (label + label if odd == 0 else b"").ljust(SPAN, b"\0")
    tail = (bytes(SPAN - 2 * len(label) - odd) + label + label).ljust(SPAN, b"\0")
    assert find(head, tail, size) == tuple(FoundSignature(type="zfs_member", offset=at, label="tank") for at in starts)


@pytest.mark.parametrize(
    ("offset", "magic", "kind"),
    [
        (GIB - 1024, b"Intel Raid ISM Cfg Sig. 1.3.00", "isw_raid_member"),
        (GIB - 512, b"\xde\x11\xde\x11", "ddf_raid_member"),
        (0, b"bluestore block device\n", "ceph_bluestore"),
        (0x1018, bytes.fromhex("c68573f64e1a45ca8265f57f48ba6d81"), "bcache"),
        (3, b"NTFS    ", "ntfs"),
        (3, b"-FVE-FS-", "BitLocker"),
        (0, b"dmvdo001", "vdo"),
        (32, b"ORCLDISK" + b"DATA01", "oracleasm"),
        (0, b"integrt\0", "DM_integrity"),
        (0, b"verity\0\0\1\0\0\0", "DM_verity_hash"),
        (0, b"SnAp", "DM_snapshot_cow"),
        (516, b"!Stra0tis\x86\xff\x02^Arh", "stratis"),
        (4612, b"!Stra0tis\x86\xff\x02^Arh", "stratis"),
        (2048, b"OCFSV2", "ocfs2"),
        (65536, b"\x01\x16\x19\x70", "gfs2"),
        (GIB - 4096 + 60, b"\x83\x74\x02\x6b", "drbd"),
        (GIB - 4096 + 60, b"\x83\x74\x02\x6d", "drbd"),
        (65526, b"SWAPSPACE2", "swap"),
        (4096, b"EFI PART", "gpt"),
        (GIB - 4096, b"EFI PART", "gpt-backup"),
    ],
)
def test_other_magic(offset: int, magic: bytes, kind: str) -> None:
    head, tail = bytearray(SPAN), bytearray(SPAN)
    if offset < SPAN:
        head[offset : offset + len(magic)] = magic
    else:
        begin = offset - (GIB - SPAN)
        tail[begin : begin + len(magic)] = magic
    assert [found.type for found in find(bytes(head), bytes(tail), GIB)] == [kind]


@pytest.mark.parametrize("guid", ["3bd66749292ed84a8399f6a339e3d001", "3b4da89280dd0e4d9e4eb1e3284eaed8"])
def test_bitlocker_to_go_looks_like_fat(guid: str) -> None:
    head = bytearray(SPAN)
    head[:11] = b"\xeb\x58\x90MSWIN4.1"
    assert find(bytes(head), bytes(SPAN), GIB) == ()
    head[424:440] = bytes.fromhex(guid)
    assert [found.type for found in find(bytes(head), bytes(SPAN), GIB)] == ["BitLocker"]


def test_a_superblock_copied_to_another_place_is_not_its_own() -> None:
    head, tail = kept("MD12A")
    moved = bytes(4096) + head
    assert find(moved[:SPAN], tail, GIB) == ()


@given(head=st.binary(max_size=4096), tail=st.binary(max_size=4096), size=st.integers(0, 2**44))
def test_no_bytes_break_it(head: bytes, tail: bytes, size: int) -> None:
    assert isinstance(find(head, tail, size), tuple)


@given(offset=st.integers(0, 2**64 - 1), text=st.integers(0, 2**64 - 1))
def test_lvm_offsets_that_lead_nowhere_do_not_break_it(offset: int, text: int) -> None:
    head, tail = kept("LVMIDLE")
    lead = bytearray(head)
    area = head.index(b" LVM2 x[5A%r0N*>") - 4
    lead[area + 40 : area + 48] = struct.pack("<Q", text)
    pointer = head.index(struct.pack("<Q", area), 512)
    assert [found.type for found in find(bytes(lead), tail, GIB)] == ["LVM2_member"]
    lead[pointer : pointer + 8] = struct.pack("<Q", offset)
    assert [found.type for found in find(bytes(lead), tail, GIB)] == ["LVM2_member"]


@given(
    cut=st.integers(0, 8192),
    name=st.sampled_from(("MD12A", "LVMIDLE", "GPTBOTH", "LUKS")),
    flips=st.binary(max_size=64),
)
def test_torn_and_scribbled_metadata_does_not_break_it(cut: int, name: str, flips: bytes) -> None:
    head, tail = kept(name)
    scribbled = bytearray(head[:cut])
    for at, value in enumerate(flips):
        if scribbled:
            scribbled[(at * 131 + value) % len(scribbled)] ^= value
    assert isinstance(find(bytes(scribbled), tail, GIB), tuple)
