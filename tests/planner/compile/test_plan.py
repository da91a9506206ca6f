from dataclasses import replace
from typing import Any

import pytest

from raidtui.values.choices import CryptLayer
from raidtui.values.codec import document_digest, from_json, to_json
from raidtui.values.design import Encryption, Trial
from raidtui.values.errors import BadInput, Refused
from raidtui.values.inventory import Inventory, Use
from raidtui.values.plan import Command, Plan, WriteFile
from tests.planner.plans import (
    RUN_ID,
    TWO_TB,
    commands,
    disk,
    disks,
    every_command,
    machine,
    plan_of,
    step,
    undo_commands,
)

D = "/dev/disk/by-id/wwn-0x5000c500000000"
KIB = 1024


def test_one_raid5_with_a_spare_word_for_word() -> None:
    plan = plan_of("(3+1)+1", chunk_bytes=256 * KIB)
    assert [each.title for each in plan.steps] == [
        "Check the machine, the disks and the names",
        "Save the signatures on the disks",
        "Wipe 5 disks",
        "Create /dev/md/data: raid5 of 4 disks",
        "Add 1 hot spare",
        "Add the arrays to mdadm.conf and the initramfs",
        "Monitor the arrays",
        "Make xfs on /dev/md/data",
        "Mount on /srv/data",
        "Tune the arrays",
        "Verify everything",
    ]
    assert commands(step(plan, "Create")) == [
        "mdadm --create /dev/md/data --name=data --homehost=host --uuid=42dbae94:1561526f:8ca5d025:9d816dee "
        "--metadata=1.2 --level=5 --raid-devices=4 --layout=left-symmetric --chunk=256K --size=1953382400 "
        f"--bitmap=internal {D}01 {D}02 {D}03 {D}04",
        "udevadm settle --timeout=180",
        "wipefs --all --lock=yes /dev/md/data",
    ]
    assert commands(step(plan, "Add 1")) == [f"mdadm --manage /dev/md/data --add-spare {D}05"]
    assert commands(step(plan, "Make")) == [
        "mkfs.xfs -K -b size=4096 -s size=512 -m uuid=cd19a11b-da88-51d3-a705-c404cb18264b,rmapbt=0,reflink=1 "
        "-d agsize=45782336b,su=262144,sw=3 -l size=521728b,su=262144 -i maxpct=5 /dev/md/data"
    ]
    assert undo_commands(step(plan, "Create")) == ["wipefs --all /dev/md/data", "mdadm --stop /dev/md/data"]


def test_a_stated_offset_and_bitmap_chunk_are_written_and_read_back_from_every_member() -> None:
    plan = plan_of("raid5(2+1)", data_offset_bytes=1024 * KIB, bitmap_chunk_bytes=256 * 1024 * KIB)
    made = step(plan, "Create")
    (create, *_) = commands(made)
    assert "--size=1953513472 --data-offset=1024K --bitmap=internal --bitmap-chunk=262144K" in create
    read = [(each.question.argv[1], each.key, each.answer) for each in made.after if each.question.argv[0] == "mdadm"]
    assert read[-6:] == [
        *[("--examine", "Data Offset", "2048 sectors")] * 3,
        *[("--examine-bitmap", "Chunksize", "256 MB")] * 3,
    ]


def test_the_wipe_takes_both_ends_and_where_data_will_start() -> None:
    wipe = step(plan_of("raid1(2)"), "Wipe")
    last = TWO_TB - 4 * KIB**2
    assert commands(wipe) == [
        f"wipefs --all {D}01 {D}02",
        f"blkdiscard --zeroout --offset=0 --length=4194304 {D}01",
        f"blkdiscard --zeroout --offset=135266304 --length=4194304 {D}01",
        f"blkdiscard --zeroout --offset={last} --length=4194304 {D}01",
        f"blkdiscard --zeroout --offset=0 --length=4194304 {D}02",
        f"blkdiscard --zeroout --offset=135266304 --length=4194304 {D}02",
        f"blkdiscard --zeroout --offset={last} --length=4194304 {D}02",
    ]
    assert wipe.locks == wipe.destroys == ("wwn-0x5000c50000000001", "wwn-0x5000c50000000002")


def test_partitions_are_wiped_before_their_table() -> None:
    old = disk(1, state="content", partitions=(1, 3), uses=(Use(kind="partition-table", where="sda", active=False),))
    plan = plan_of("raid1(2)", (old, disk(2)))
    assert commands(step(plan, "Wipe"))[:2] == [f"wipefs --all {D}01-part1 {D}01-part3", f"wipefs --all {D}01 {D}02"]
    (held,) = (reading for reading in step(plan, "Check").after if "partitions" in reading.what and "2" in reading.what)
    assert held.answer == "\n".join(f'TYPE="{kind}" MOUNTPOINT=""' for kind in ("disk", "part", "part"))


def test_sixty_disks_with_lvm_word_for_word() -> None:
    plan = plan_of("4x(12+2)+4", chunk_bytes=256 * KIB)
    assert commands(step(plan, "Create the volume")) == [
        "pvcreate --dataalignment=3072k --uuid=30a528-7730-6c5f-1ca5-5488-cd5c-5ff8ce --norestorefile /dev/md/data-0",
        "pvcreate --dataalignment=3072k --uuid=38982e-21cb-5f5e-8d9e-dd02-67df-cfdc59 --norestorefile /dev/md/data-1",
        "pvcreate --dataalignment=3072k --uuid=8cb36c-9cb5-ae5a-c1aa-d30b-f0ba-7c2e98 --norestorefile /dev/md/data-2",
        "pvcreate --dataalignment=3072k --uuid=cdc821-28d5-0357-c18a-f23c-65c1-2e103f --norestorefile /dev/md/data-3",
        "vgcreate --physicalextentsize=3072k data /dev/md/data-0 /dev/md/data-1 /dev/md/data-2 /dev/md/data-3",
        "lvcreate --yes --wipesignatures=y --zero=y --type=striped --stripes=4 --stripesize=256k --extents=30521596 "
        "--readahead=49152 --addtag=raidtui_0123456789abcdef0123456789abcdef --name=data data",
        "udevadm settle --timeout=180",
    ]
    assert commands(step(plan, "Make")) == [
        "mkfs.xfs -K -b size=4096 -s size=512 -m uuid=cd19a11b-da88-51d3-a705-c404cb18264b,rmapbt=0,reflink=1 "
        "-d agsize=268435392b,su=262144,sw=48 -l size=521728b,su=262144 -i maxpct=1 /dev/data/data"
    ]
    assert [action.text for action in step(plan, "Add the arrays").actions if isinstance(action, WriteFile)] == [
        "ARRAY /dev/md/data-0 metadata=1.2 UUID=ea1a760a:7c375ca9:a7cc91c3:1988b5a4 spare-group=data\n"
        "ARRAY /dev/md/data-1 metadata=1.2 UUID=6f5b79cb:e76e5eaa:a7e5ea59:d031f154 spare-group=data\n"
        "ARRAY /dev/md/data-2 metadata=1.2 UUID=f7f12a8d:bb195f1e:90a777bf:28a87a1f spare-group=data\n"
        "ARRAY /dev/md/data-3 metadata=1.2 UUID=75fc0476:c1435394:b05d2264:55a4e066 spare-group=data\n"
        "MAILADDR root"
    ]
    assert [array.spares for array in plan.arrays] == [
        (f"wwn-0x5000c500000000{number}",) for number in ("39", "3a", "3b", "3c")
    ]


def test_an_md_stripe_starts_its_data_on_a_full_stripe() -> None:
    plan = plan_of("2x(5+2)", chunk_bytes=64 * KIB, stack="md")
    assert commands(step(plan, "Create /dev/md/data: raid0"))[0] == (
        "mdadm --create /dev/md/data --name=data --homehost=host --uuid=42dbae94:1561526f:8ca5d025:9d816dee "
        "--metadata=1.2 --level=0 --raid-devices=2 --chunk=320K --data-offset=132160K /dev/md/data-0 /dev/md/data-1"
    )


def test_ext4_is_told_every_feature() -> None:
    plan = plan_of("(3+1)", disks(4, 10**11), fs="ext4")
    assert commands(step(plan, "Make")) == [
        "mkfs.ext4 -q -b 4096 -U cd19a11b-da88-51d3-a705-c404cb18264b -O none,has_journal,ext_attr,dir_index,filetype,"
        "extent,64bit,flex_bg,sparse_super,large_file,huge_file,dir_nlink,extra_isize,metadata_csum,resize_inode "
        "-I 256 -N 18300928 -m 5 -J size=1024 -E nodiscard,stride=128,stripe_width=384 /dev/md/data 73191936"
    ]


@pytest.mark.parametrize(
    ("layout", "design", "words"),
    [
        ("raid0(3)", {}, "--level=0 --raid-devices=3 --chunk=512K /dev"),
        ("raid1(2)", {}, "--level=1 --raid-devices=2 --size=1953382464 --bitmap=internal /dev"),
        ("raid1(2)", {"bitmap": "none"}, "--size=1953382464 --bitmap=none /dev"),
        ("raid10(3,f2)", {}, "--level=10 --raid-devices=3 --layout=f2 --chunk=512K --size="),
        ("(3+1)", {"ppl": True}, "--size=1953381376 --consistency-policy=ppl /dev"),
        ("(3+1)", {"metadata": "1.0"}, "--metadata=1.0 --level=5"),
    ],
)
def test_every_figure_of_an_array_is_said(layout: str, design: dict[str, Any], words: str) -> None:
    assert words in commands(step(plan_of(layout, **design), "Create"))[0]


def test_run_is_said_only_for_sizes_that_mdadm_would_ask_about() -> None:
    unequal = (disk(1, 250_059_350_016), disk(2, 10**12), disk(3, 10**12))
    assert " --run " in commands(step(plan_of("raid5(2+1)", unequal), "Create"))[0]
    nearly = (disk(1, 10**12), disk(2, 10**12 + 10**9), disk(3, 10**12))
    assert " --run " not in commands(step(plan_of("raid5(2+1)", nearly), "Create"))[0]


@pytest.mark.parametrize(
    ("encryption", "wait"), [(Encryption(), "0"), (Encryption(key_file="/etc/keys/data.key"), "5min")]
)
@pytest.mark.parametrize("layer", ["volume", "arrays"])
def test_a_mount_waits_for_a_passphrase_as_long_as_it_takes(
    encryption: Encryption, layer: CryptLayer, wait: str
) -> None:
    plan = plan_of("2x(3+1)", encryption=replace(encryption, layer=layer))
    (line,) = (action.text for action in step(plan, "Mount").actions if isinstance(action, WriteFile))
    assert line.split()[1:] == ["/srv/data", "xfs", f"noatime,nofail,x-systemd.device-timeout={wait}", "0", "0"]


def test_separate_file_systems_have_a_place_each() -> None:
    plan = plan_of("2x raid1(2)", stack="separate", fs="ext4")
    assert [(each.device, each.mount_point) for each in plan.filesystems] == [
        ("/dev/md/data-0", "/srv/data/0"),
        ("/dev/md/data-1", "/srv/data/1"),
    ]
    (lines,) = (action.text for action in step(plan, "Mount").actions if isinstance(action, WriteFile))
    options = "noatime,nofail,x-systemd.device-timeout=5min 0 2"
    assert lines == "\n".join(
        (
            f"UUID=cd19a11b-da88-51d3-a705-c404cb18264b /srv/data/0 ext4 {options}",
            f"UUID={plan.filesystems[1].uuid} /srv/data/1 ext4 {options}",
        )
    )


def test_without_a_file_system_nothing_is_mounted() -> None:
    plan = plan_of("(3+1)", fs="none", mount_point="not looked at")
    assert plan.filesystems == ()
    assert not [each for each in plan.steps if each.stage in ("format", "mount")]


def test_raid0_is_not_watched_and_dracut_has_its_own_words() -> None:
    assert not [each for each in plan_of("raid0(2)").steps if each.title == "Monitor the arrays"]
    plan = plan_of("raid1(2)", initramfs="dracut")
    assert commands(step(plan, "Add the arrays to mdadm.conf")) == ["dracut --force --mdadmconf"]
    assert commands(step(plan, "Monitor")) == [
        "systemctl enable mdmonitor.service",
        "systemctl restart mdmonitor.service",
        "mdadm --monitor --oneshot --test /dev/md/data",
    ]


def test_every_array_that_is_watched_sends_a_test_message() -> None:
    assert commands(step(plan_of("2x raid1(2)", stack="md"), "Monitor"))[-1] == (
        "mdadm --monitor --oneshot --test /dev/md/data-0 /dev/md/data-1"
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("name", value)
        for value in (
            "",
            "Data",
            "-data",
            "data-",
            "a b",
            "md127",
            "sda",
            "a/b",
            "../a",
            "x" * 17,
            "a\n",
            "$(a)",
            "loop0",
        )
    ]
    + [("mount_point", value) for value in ("", "srv", "/", "/srv", "/etc/x", "/usr/local/x", "/dev/x", "/var/lib")]
    + [("mount_point", value) for value in ("/var/lib/raidtui", "/var/lib/raidtui/x", "/var/lib/raidtui/0/1", "/var")]
    + [("mount_point", value) for value in ("/tmp", "/tmp/x", "/var/tmp/x", "/var/run/x", "/var/lock/x", "/run/x")]
    + [("mount_point", value) for value in ("/boot/x", "/proc/x", "/sys/x", "/var/lib/dpkg", "/var/spool", "/var/log")]
    + [("mount_point", value) for value in ("/srv/../etc", "/srv//a", "/srv/a b", "/srv/a\n", "/srv/$(a)", "/srv/-a")]
    + [("host", value) for value in ("", "a b", "-a", "a_b", "a\nb", "a" * 65)]
    + [("run_id", value) for value in ("", "0" * 31, "G" * 32, "A" * 32)],
)
def test_names_that_cannot_be(name: str, value: str) -> None:
    with pytest.raises(BadInput):
        plan_of("raid1(2)", None, **{name: value})  # type: ignore[arg-type]


def test_the_directory_of_a_run_is_a_mount_point_for_its_own_trial_alone() -> None:
    with pytest.raises(BadInput, match="belongs to the system or to raidtui"):
        plan_of("raid1(2)", mount_point=f"/var/lib/raidtui/{RUN_ID}/files")
    trial = Trial(slice_bytes=2 * 1024**3, first_sync=False)
    plan = plan_of("(2+1)", mount_point=f"/var/lib/raidtui/{RUN_ID}/files", trial=trial)
    assert [made.mount_point for made in plan.filesystems] == [f"/var/lib/raidtui/{RUN_ID}/files"]
    with pytest.raises(BadInput, match="belongs to the system or to raidtui"):
        plan_of("(2+1)", mount_point=f"/var/lib/raidtui/{'f' * 32}/files", trial=trial)


def test_a_prediction_with_errors_is_refused_in_its_own_words() -> None:
    with pytest.raises(Refused, match="needs 4 disks"):
        plan_of("(3+1)", disks(3))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"protected": True}, "The running system uses sd1"),
        ({"not_selectable": "mounted at /home"}, "mounted at /home"),
        ({"uses": (Use(kind="holder", where="md0", active=True),)}, "in use: held by md0"),
        ({"state": "unknown"}, "unknown does not count as blank"),
        ({"by_id": ()}, "no stable path"),
        ({"by_id": ("wwn-0x1; reboot",)}, "characters that udev does not use"),
        ({"by_id": ("../../sda",)}, "characters that udev does not use"),
        ({"wwn": "0x5000c50000000002"}, "2 of the disks have the world-wide name"),
        ({"serial": "S002"}, "2 of the disks have the model and serial"),
        ({"by_id": ("wwn-0x5000c50000000002",)}, "2 of the disks have the path"),
    ],
)
def test_disks_that_no_plan_may_touch(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        plan_of("raid1(2)", (disk(1, **change), disk(2)))


def test_disks_that_report_one_name_are_planned_by_their_serial_numbers() -> None:
    one, two = (replace(each, id=f"M_{each.serial}", wwn="0x5000000000000001") for each in disks(2))
    plan = plan_of("raid1(2)", (one, two))
    assert [each.id for each in plan.disks] == ["M_S001", "M_S002"]
    assert [each.wwn for each in plan.disks] == ["0x5000000000000001"] * 2  # as lsblk prints it, which is compared


def test_a_disk_whose_identity_another_one_has_too_is_refused() -> None:
    one, two = disks(2)
    with pytest.raises(Refused, match="has no identity that is unique in the inventory"):
        plan_of("raid1(2)", (one, two), inventory=machine(one, two, replace(disk(3), id=one.id)))


def test_a_purchase_gets_the_paths_its_disks_will_have() -> None:
    bought = tuple(replace(each, by_id=(), state="blank") for each in disks(2))
    plan = plan_of("raid1(2)", bought, inventory=Inventory(origin="purchase", name="shop", disks=bought))
    assert (plan.simulated, plan.machine_id) == (True, None)
    assert [each.path for each in plan.disks] == [f"{D}01", f"{D}02"]


def test_the_same_run_makes_the_same_plan_and_another_run_other_uuids() -> None:
    one, same, other = plan_of("2x(3+1)"), plan_of("2x(3+1)"), plan_of("2x(3+1)", run_id="f" * 32)
    assert one == same
    assert not {array.uuid for array in one.arrays} & {array.uuid for array in other.arrays}
    assert one.filesystems[0].uuid != other.filesystems[0].uuid


def test_the_digest_covers_everything_else() -> None:
    plan = plan_of("raid1(2)")
    assert document_digest(plan) == plan.digest
    assert document_digest(replace(plan, host="other")) != plan.digest
    assert document_digest(replace(plan, digest="")) == plan.digest
    read = from_json(Plan, to_json(plan), source="test")
    assert (read, document_digest(read)) == (plan, plan.digest)


@pytest.mark.parametrize("layout", ["4x(12+2)+4", "raid0(3)", "raid10(5,o2)+1", "2x raid1(2)+1"])
@pytest.mark.parametrize("stack", ["lvm", "md", "separate"])
def test_no_command_forces_anything(layout: str, stack: str) -> None:
    never = {"--force", "-f", "-F", "-ff", "--assume-clean", "--zero", "--wipe"}
    plan = plan_of(layout, stack=stack)
    for command in every_command(plan):
        assert not never & set(command.argv), command.argv
    assert [each.number for each in plan.steps] == list(range(1, len(plan.steps) + 1))


@pytest.mark.parametrize(("layout", "count"), [("(3+1)+1", 25), ("4x(12+2)+4", 300), ("40x(8+2)+60", 2300)])
def test_undo_has_five_areas_a_disk_however_many_arrays_there_are(layout: str, count: int) -> None:
    assert len(step(plan_of(layout), "Wipe").undo) == count


def test_undo_touches_only_what_carries_the_uuids_of_the_plan() -> None:
    plan = plan_of("2x(3+1)+1")
    for each in plan.steps:
        for action in each.undo:
            if isinstance(action, Command) and action.argv[0] in (
                "mdadm",
                "wipefs",
                "umount",
                "lvremove",
                "vgremove",
                "rm",
            ):
                assert action.only_if is not None, action.argv
                assert action.only_if.answer, action.argv
            if isinstance(action, Command) and action.argv[0] == "blkdiscard":
                assert action.only_if is not None
                assert action.only_if.key == "MD_UUID"
                assert action.only_if.question.argv == ("mdadm", "--examine", "--export", action.argv[-1])
    spare = [
        action for action in step(plan, "Wipe").undo if isinstance(action, Command) and action.argv[-1] == f"{D}09"
    ]
    assert [(action.only_if and action.only_if.answer, action.zeroed) for action in spare] == [
        (plan.arrays[0].uuid, area)  # an undo finds by itself a spare that was moved to the other array
        for area in (
            (0, 4096),
            (8192, 4_186_112),
            (135_266_304, 4_194_304),
            (2_000_394_739_712, 4_194_304),
            (4096, 4096),  # the superblock, which proves whose the rest is, last
        )
    ]


def test_old_metadata_is_not_asked_for_the_role_that_it_does_not_show() -> None:
    """mdadm --examine prints no Device Role of metadata 0.90 (super0.c, examine_super0)."""
    for metadata, asked in (("0.90", False), ("1.0", True)):
        step = next(each for each in plan_of("raid1(2)+1", metadata=metadata).steps if "hot spare" in each.title)
        assert any(reading.key == "Device Role" for reading in step.after) is asked
        assert any(reading.key == "Working Devices" and reading.answer == "3" for reading in step.after)
