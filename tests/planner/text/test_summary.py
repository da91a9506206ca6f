"""The plain-text answers, as an admin reads them."""

from raidtui.answers.design import prediction_text
from raidtui.answers.disks import disks_table
from raidtui.machine.inventory.shipped import load
from raidtui.predict.design import predict
from raidtui.scripts.build_script import build_script, plan_text
from raidtui.steps.build import compile_plan
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.design import Design
from raidtui.values.inventory import UNSIGNED_MIDDLE, Disk, Inventory, Place, Sampled, Use
from raidtui.values.notation import parse

LUNS = "LUN 0  sda   24.0 TB  512     HWRAID2660  SIME2660-LUNS0001  blank  LUN of 12+2, 256 KiB"


def test_the_geometry_of_a_lun_stands_in_the_table_of_disks() -> None:
    assert disks_table(load("e2660-luns")).splitlines()[2] == LUNS


RAID60 = """\
4x(12+2)+4   60 disks, 120 TB raw

Usable            86.71 TiB                        95 341 066 665 984 bytes
Survives          any 2 disks                      of each array
Efficiency        79.4 %                           of raw
Disks             60 used

Full stripe       12 MiB                           48 x 256 KiB

4 x raid6 of 14 members + 1 spare
  array           24 003 162 931 200 bytes         21.83 TiB
  component       1 953 382 400 KiB                1.819 TiB
  data offset     264192 sectors                   129 MiB
  chunk           256 KiB                          full stripe 3 MiB, layout left-symmetric
  I/O size        256 KiB least, 3 MiB best
  bitmap          64 MiB per bit

LVM stripe
  volume          96 012 639 141 888 bytes         87.32 TiB
  extents         30 521 596                       of 3 MiB
  stripes         4                                of 256 KiB each
  starts          at 3 MiB                         on each array

xfs
  df size         96 010 502 144 000 bytes         87.32 TiB, 88T in df -h
  usable          95 341 066 665 984 bytes         86.71 TiB, 87T in df -h
  blocks          23 440 585 728                   of 4096 bytes
  stripe          sunit=64 swidth=3072             blocks
  groups          agcount=88                       agsize=268435392 blocks
  log             521728 blocks                    stripe unit 64 blocks
  inodes          imaxpct=1                        1 % of the space"""

NAS = """\
(3+1)   4 disks, 15.8 TB raw

Usable            10.18 TiB                        11 192 987 004 928 bytes
Survives          any 1 disk                       of the array
Efficiency        70.6 %                           of raw
Disks             4 used

Full stripe       1536 KiB                         3 x 512 KiB

1 x raid5 of 4 members
  array           11 881 928 982 528 bytes         10.81 TiB
  component       3 867 815 424 KiB                3.602 TiB
  data offset     264192 sectors                   129 MiB
  chunk           512 KiB                          full stripe 1536 KiB, layout left-symmetric
  I/O size        512 KiB least, 1536 KiB best
  bitmap          64 MiB per bit

ext4
  df size         11 787 100 258 304 bytes         10.72 TiB, 11T in df -h
  usable          11 192 987 004 928 bytes         10.18 TiB, 11T in df -h
  blocks          2 900 861 568                    of 4096 bytes
  stripe          stride=128 stripe_width=384      blocks
  reserved        145043078 blocks                 for root
  inodes          362 610 688                      journal 262144 blocks

"""

TRIO = """\
trio (simulated): a 250 GB disk and two of 1 TB in a desktop
SLOT   NAME     SIZE  SECTOR    MODEL  SERIAL       STATE  WHAT IS ON IT
bay 1  sda    250 GB  512/4096  SIM72  SIMTRIO0001  blank  -
bay 2  sdb   1.00 TB  512/4096  SIM72  SIMTRIO0002  blank  -
bay 3  sdc   1.00 TB  512/4096  SIM72  SIMTRIO0003  blank  -

3 disks: 3 blank; 3 free, 2.25 TB raw"""


def test_the_sizes_of_a_raid60() -> None:
    design = Design(layout=parse("4x(12+2)+4"), chunk_bytes=256 * 1024)
    assert prediction_text(predict(design, load("e2660").disks), DEFAULTS) == RAID60


def test_the_sizes_of_a_nas_come_before_what_is_unwise() -> None:
    text = prediction_text(predict(Design(layout=parse("(3+1)"), fs="ext4"), load("nas4").disks), DEFAULTS)
    assert text.startswith(NAS)
    assert "warning: A rebuild must read" in text.removeprefix(NAS)


def test_the_disks_of_a_chassis() -> None:
    assert disks_table(load("trio")) == TRIO


NARROW = """\
e2660 (simulated): 60 x 2 TB 7200 rpm nearline SAS in 4U,
  two controllers with two mini-SAS 6G ports each
SLOT              NAME     SIZE  SERIAL        STATE
drawer 1 slot 01  sda   2.00 TB  SIME26600001  blank"""


def test_a_narrow_terminal_gets_the_columns_that_identify_a_disk() -> None:
    found = disks_table(load("e2660"), 60).splitlines()
    assert "\n".join(found[:4]) == NARROW
    assert found[-1] == "60 disks: 60 blank; 60 free, 120 TB raw"
    assert max(map(len, found)) <= 60


def test_what_holds_a_disk_is_said_in_its_line() -> None:
    disk = Disk(
        id="x",
        size_bytes=480_103_981_056,
        kernel_name="sda",
        place=Place(slot="3"),
        state="content",
        protected=True,
        not_selectable="the running system stands on it: /",
        uses=(Use(kind="mounted", where="/", active=True),),
    )
    line = disks_table(Inventory(origin="machine", name="stor01", disks=(disk,))).splitlines()[2]
    assert " ".join(line.split()) == "3 sda 480 GB 512 - - protected the running system stands on it: /; mounted at /"


def test_a_plan_is_its_build_script_and_its_findings() -> None:
    design = Design(layout=parse("raid5(2+1)"), fs="ext4")
    inventory = load("trio")
    plan = compile_plan(
        design,
        inventory,
        inventory.disks,
        predict(design, inventory.disks),
        run_id="0" * 32,
        name="data",
        mount_point="/srv/data",
        host="stor01",
    )
    lines = plan_text(plan).splitlines()
    assert lines[0] == f"plan {plan.digest[:12]} for stor01 (simulated disks): erases 3 disks; not executed"
    script = build_script(plan)
    assert lines[1] == ""
    assert lines[2 : 2 + len(script.lines)] == script.text.splitlines()
    assert lines[2 + len(script.lines)] == ""
    assert lines[3 + len(script.lines)].startswith(("note: ", "warning: "))


def test_blank_says_what_was_read_and_content_without_a_signature_where_it_is() -> None:
    use = Use(kind="data", where=UNSIGNED_MIDDLE, active=False)
    blank = Disk(id="a", size_bytes=10**12, state="blank", sampled=Sampled(places=120, not_zero=0))
    data = Disk(
        id="b", size_bytes=2 * 10**12, state="content", uses=(use,),
        sampled=Sampled(places=126, not_zero=3, first_offset=135266304),
    )  # fmt: skip
    lines = disks_table(Inventory(origin="machine", name="stor01", disks=(blank, data))).splitlines()
    assert "  content  3 of 126 places not zero, the first at offset 135 266 304; " in lines[3]
    assert lines[-2:] == [
        "blank: the first and last MiB and 120 to 126 samples between them are zero; the rest was not read",
        "2 disks: 1 blank, 1 content; 1 free, 1.00 TB raw",
    ]


def test_why_blank_disks_cannot_be_used_is_told_whole() -> None:
    reason = (
        "it has neither a world-wide name nor a unique serial number, so it cannot be identified; bind it by its path"
    )
    unnamed = [
        Disk(id="", size_bytes=10**9, kernel_name=name, state="blank", not_selectable=reason) for name in ("vdb", "vdc")
    ]
    lines = disks_table(Inventory(origin="machine", name="host", disks=tuple(unnamed))).splitlines()
    assert lines[-2:] == [
        f"vdb, vdc cannot be used: {reason}",
        "2 disks: 2 blank; 0 free, 0 B raw",
    ]
