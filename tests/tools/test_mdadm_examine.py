"""What `mdadm --examine` printed of members, spares, journals and disks of containers (mdadm 4.2, Linux 6.1)."""

import pytest

from raidtui.programs import mdadm_examine
from raidtui.values.arrays import ContainerSuperblock, MdShape, MemberSuperblock, Reshape, VolumeOnMember

EXAMINED = """\
/dev/vdc:
          Magic : a92b4efc
        Version : 1.2
    Feature Map : 0x9
     Array UUID : 8d1c6d1b:7a9bd3ab:0a1b2c3d:4e5f6071
           Name : node1:data  (local to host node1)
  Creation Time : Thu Nov 26 10:00:00 2026
     Raid Level : raid5
   Raid Devices : 4

 Avail Dev Size : 522240 sectors (255.00 MiB 267.39 MB)
     Array Size : 783360 KiB (765.00 MiB 802.16 MB)
    Data Offset : 2048 sectors
   Super Offset : 8 sectors
          State : active
    Device UUID : 11111111:22222222:33333333:44444444

Internal Bitmap : 8 sectors from superblock
    Update Time : Thu Nov 26 10:05:17 2026
       Checksum : 5c3a1c1 - correct
         Events : 118

         Layout : left-symmetric
     Chunk Size : 512K

   Device Role : Active device 2
   Array State : A.AA ('A' == active, '.' == missing, 'R' == replacing)
"""


def test_a_superblock_as_examine_prints_it() -> None:
    assert mdadm_examine.superblock(EXAMINED) == MemberSuperblock(
        level="raid5", devices=4, role=2, events=118, updated="Thu Nov 26 10:05:17 2026", clean=False, roster="A.AA",
        features=9, metadata="1.2", layout=2, chunk_bytes=512 * 1024, bad_blocks=True,
    )  # fmt: skip
    spare = EXAMINED.replace("Active device 2", "spare").replace("State : active", "State : clean")
    found = mdadm_examine.superblock(spare)
    assert found is not None and (found.role, found.clean) == (None, True)
    assert mdadm_examine.superblock("mdadm: No md superblock detected on /dev/vdc.\n") is None


def test_a_name_with_line_ends_forges_no_value_of_a_superblock() -> None:
    forged = EXAMINED.replace("node1:data", "x\n         Events : 9\n    Feature Map : 0x2000")
    assert mdadm_examine.superblock(forged) == mdadm_examine.superblock(EXAMINED)


def test_a_superblock_of_version_0_90() -> None:
    text = """\
/dev/vdb:
          Magic : a92b4efc
        Version : 0.90.00
           UUID : 5ba2ec1a:1fdc5d20:b5f15b79:9a1f3f9c (local to host node1)
     Raid Level : raid1
   Raid Devices : 2

    Update Time : Thu Nov 26 10:00:00 2026
          State : clean
       Checksum : 4c3b9f8 - correct
         Events : 17


      Number   Major   Minor   RaidDevice State
this     1     254       16        1      active sync   /dev/vdb

   0     0     254        0        0      active sync   /dev/vda
   1     1     254       16        1      active sync   /dev/vdb
"""
    assert mdadm_examine.superblock(text) == MemberSuperblock(
        level="raid1", devices=2, role=1, events=17, updated="Thu Nov 26 10:00:00 2026", clean=True, roster="",
        features=0, metadata="0.90",
    )  # fmt: skip


def test_room_for_a_bitmap() -> None:
    assert mdadm_examine.bitmap_room(EXAMINED) == (2048 - 8 - 8 - 8) * 512
    log = EXAMINED.replace(
        "Update Time", "Update Time : x\n  Bad Block Log : 512 entries available at offset 264 sectors\n"
    )
    assert mdadm_examine.bitmap_room(log) == 256 * 512
    assert mdadm_examine.bitmap_room(EXAMINED.replace("Version : 1.2", "Version : 1.0")) is None
    assert mdadm_examine.bitmap_room("") is None


RESHAPED = """\
/dev/vda:
          Magic : a92b4efc
        Version : 1.2
    Feature Map : 0x44
     Array UUID : ded28333:db32ecdd:c2a26de1:f2f62a4d
           Name : raidlab:0  (local to host raidlab)
     Raid Level : raid5
   Raid Devices : 4

    Data Offset : 2048 sectors
     New Offset : 1664 sectors
   Super Offset : 8 sectors
          State : clean

  Reshape pos'n : 8448 (8.25 MiB 8.65 MB)
  Delta Devices : 1 (3->4)

    Update Time : Sat Nov 28 18:33:24 2026
         Events : 11

         Layout : left-symmetric
     Chunk Size : 64K

   Device Role : Active device 0
   Array State : AAAA ('A' == active, '.' == missing, 'R' == replacing)
"""


def test_a_change_of_shape() -> None:
    found = mdadm_examine.superblock(RESHAPED)
    assert found is not None and found.reshape is not None
    before = MdShape(level="raid5", devices=3, layout=2, chunk_bytes=65536)
    assert found.reshape == Reshape(before=before, position_bytes=8448 * 1024, backup=False)
    assert found.shape == MdShape(level="raid5", devices=4, layout=2, chunk_bytes=65536)


def test_a_change_of_shape_in_place_keeps_what_it_moves_in_a_file() -> None:
    text = (
        RESHAPED.replace("0x44", "0x24")
        .replace("  Delta Devices : 1 (3->4)", "     New Layout : left-symmetric-6\n  New Chunksize : 32K")
        .replace("raid5", "raid6")
    )
    found = mdadm_examine.superblock(text)
    assert found is not None and found.reshape is not None
    assert (found.reshape.backup, found.reshape.backwards) == (True, True)
    assert found.reshape.before == MdShape(level="raid6", devices=4, layout=2, chunk_bytes=65536)
    assert found.shape == MdShape(level="raid6", devices=4, layout=18, chunk_bytes=32768)


def test_a_name_forges_no_change_of_shape() -> None:
    found = mdadm_examine.superblock(EXAMINED.replace("node1:data", "x\n  Reshape pos'n : 5"))
    assert found is not None and found.reshape is None


@pytest.mark.parametrize(
    ("words", "number"),
    [("near=2", 0x102), ("far=2", 0x201), ("offset=3", 0x10301), ("near=2, far=2", 0x202), ("wide=2", None)],
)
def test_layouts_of_raid10(words: str, number: int | None) -> None:
    text = EXAMINED.replace("raid5", "raid10").replace("Layout : left-symmetric", f"Layout : {words}")
    found = mdadm_examine.superblock(text)
    assert found is not None and found.layout == number


def test_a_journal_has_no_slot() -> None:
    found = mdadm_examine.superblock(EXAMINED.replace("Active device 2", "Journal").replace("0x9", "0x200"))
    assert found is not None and (found.role, found.journal, found.features) == (None, True, 0x200)


DDF = """\
/dev/vda:
          Magic : de11de11
        Version : 01.02.00
Controller GUID : 4C696E75:782D4D44:20202020:20202020:20726169:646C6162
                  (Linux-MD         raidlab)
 Container GUID : 4C696E75:782D4D44:DEADBEEF:00000000:583C7865:B8DBC08E
                  (Linux-MD 11/28/26 18:33:09)
            Seq : 00000006
  Redundant hdr : yes
  Virtual Disks : 1

      VD GUID[0] : 4C696E75:782D4D44:DEADBEEF:00000000:583C7866:8FB8BA35
                  (Linux-MD 11/28/26 18:33:10)
         unit[0] : 126
        state[0] : Optimal, Consistent
   init state[0] : QuickInit in Progress
       access[0] : Read/Write
         Name[0] : vol5
 Raid Devices[0] : 3 (1@0K 3@0K 0@0K)
   Chunk Size[0] : 1024 sectors
   Raid Level[0] : RAID5
  Device Size[0] : 98304
   Array Size[0] : 196608

 Physical Disks : 1023
      Number    RefNo      Size       Device      Type/State
         0    321ce91e     98304K /dev/vda        active/Online
         1    38b62032     98304K                 active/Online
         2    98fb6f64     98304K                 Global-Spare/Online
         3    ce08fa5a     98304K                 active/Online
"""
BRIEF = """\
ARRAY metadata=ddf UUID=e5324d06:a50a035e:465a48a2:de1fa70f
ARRAY /dev/md/vol5 container=e5324d06:a50a035e:465a48a2:de1fa70f member=0 UUID=472fe5ec:d707f4bc:2b9352f2:8aa8e34f
"""


def test_a_disk_of_a_ddf_container() -> None:
    volume = VolumeOnMember(
        name="vol5", uuid="472fe5ec:d707f4bc:2b9352f2:8aa8e34f", level="raid5", devices=3, slot=2, chunk_bytes=524288
    )
    assert mdadm_examine.container(DDF, BRIEF) == ContainerSuperblock(
        kind="ddf", identity="e5324d06:a50a035e:465a48a2:de1fa70f", disks=4, generation=6, volumes=(volume,)
    )
    lost = mdadm_examine.container(DDF.replace("active/Online\n         2", "active/Offline, Failed\n         2"))
    assert lost is not None and (lost.volumes[0].failed, lost.volumes[0].uuid) == ((0,), "")
    assert lost.identity == "4C696E75:782D4D44:DEADBEEF:00000000:583C7865:B8DBC08E"
    gone = mdadm_examine.container(DDF.replace("3@0K", "--@0K"))
    assert gone is not None and gone.volumes[0].failed == (1,)
    assert mdadm_examine.superblock(DDF) is None


IMSM = """\
/dev/sda:
          Magic : Intel Raid ISM Cfg Sig.
        Version : 1.3.00
    Orig Family : 154b243e
         Family : 154b243e
     Generation : 000003aa
           UUID : 72360627:bb745f4c:aedafaab:e25d3123
    MPB Sectors : 2
          Disks : 4
   RAID Devices : 1

  Disk00 Serial : DISK0000
          State : active
             Id : 00000000

[Data]:
       Subarray : 0
           UUID : 764aa814:831953a1:06cf2a07:1ca42b2e
     RAID Level : 5 <-- 5
        Members : 4 <-- 4
          Slots : [U_UU] <-- [U_UU]
    Failed disk : 1
      This Slot : 0
     Chunk Size : 64 KiB <-- 64 KiB
  Migrate State : repair
      Map State : degraded <-- degraded
    Dirty State : dirty

  Disk01 Serial : DISK0001
          State : active
             Id : 00000001
"""


def test_a_disk_of_an_imsm_container() -> None:
    volume = VolumeOnMember(
        name="Data", uuid="764aa814:831953a1:06cf2a07:1ca42b2e", level="raid5", devices=4, failed=(1,), slot=0,
        chunk_bytes=65536,
    )  # fmt: skip
    assert mdadm_examine.container(IMSM) == ContainerSuperblock(
        kind="imsm", identity="72360627:bb745f4c:aedafaab:e25d3123", disks=4, generation=0x3AA, volumes=(volume,)
    )
    assert mdadm_examine.container(EXAMINED) is mdadm_examine.container("") is None
