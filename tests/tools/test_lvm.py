from raidtui.programs import lvm
from raidtui.values.plan import Command, mapped_name


def test_volume_over_arrays() -> None:
    assert lvm.pvcreate("/dev/md/a", "UUID", 3 * 1024**2) == Command(
        argv=("pvcreate", "--dataalignment=3072k", "--uuid=UUID", "--norestorefile", "/dev/md/a"),
        effect="destroy", devices=("/dev/md/a",),
    )  # fmt: skip
    assert lvm.vgcreate("pool", ["/dev/md/a", "/dev/md/b"], 3 * 1024**2) == Command(
        argv=("vgcreate", "--physicalextentsize=3072k", "pool", "/dev/md/a", "/dev/md/b"),
        effect="change", devices=("/dev/md/a", "/dev/md/b"),
    )  # fmt: skip
    made = lvm.lvcreate(
        "pool", "data", tag="mine", stripes=2, stripe_bytes=262144, extents=100, read_ahead_sectors=4096
    )
    assert (made.effect, made.devices, made.makes) == ("change", (), "/dev/pool/data")
    assert made.argv == (
        "lvcreate", "--yes", "--wipesignatures=y", "--zero=y", "--type=striped", "--stripes=2", "--stripesize=256k",
        "--extents=100", "--readahead=4096", "--addtag=mine", "--name=data", "pool",
    )  # fmt: skip


def test_growing() -> None:
    assert lvm.pvresize("/dev/md127") == Command(
        argv=("pvresize", "/dev/md127"), effect="change", devices=("/dev/md127",)
    )  # fmt: skip
    linear = lvm.lvextend("vg-a", "lv", extents=900, stripes=1, stripe_bytes=0, devices=["/dev/md127"])
    assert linear.argv == ("lvextend", "--extents=900", "--stripes=1", "vg-a/lv", "/dev/md127")
    assert (linear.effect, linear.devices) == ("change", ("/dev/mapper/vg--a-lv", "/dev/md127"))
    striped = lvm.lvextend("vg", "lv", extents=8, stripes=2, stripe_bytes=65536, devices=["/dev/md1", "/dev/md2"])
    assert striped.argv == (
        "lvextend", "--extents=8", "--stripes=2", "--stripesize=64k", "vg/lv", "/dev/md1", "/dev/md2",
    )  # fmt: skip
    assert lvm.extents_question("/dev/md1") == (
        "pvs", "--noheadings", "--nosuffix", "--units=b", "--options=pv_pe_count", "/dev/md1",
    )  # fmt: skip
    assert lvm.size_question("vg", "lv") == (
        "lvs", "--noheadings", "--nosuffix", "--units=b", "--options=lv_size", "vg/lv",
    )  # fmt: skip
    assert mapped_name("vg-a", "l-v") == "vg--a-l--v"


def test_taking_it_back_never_forces() -> None:
    assert lvm.lvremove("pool", "data") == Command(argv=("lvremove", "--yes", "pool/data"), effect="change")
    assert lvm.vgremove("pool") == Command(argv=("vgremove", "pool"), effect="change")
    assert lvm.pvremove("/dev/md/a") == Command(
        argv=("pvremove", "/dev/md/a"), effect="change", devices=("/dev/md/a",)
    )  # fmt: skip


def test_questions() -> None:
    assert lvm.group_question("pool") == ("vgs", "--noheadings", "--options=vg_name", "--select=vg_name=pool")
    assert lvm.tagged_question("mine") == ("lvs", "--noheadings", "--options=lv_full_name", "--select=lv_tags=mine")
    assert lvm.volume_question("pool", "data") == (
        "lvs", "--noheadings", "--nosuffix", "--units=b", "--separator=,",
        "--options=stripes,stripe_size,vg_extent_size,lv_size", "pool/data",
    )  # fmt: skip


def test_a_uuid_in_lvms_groups() -> None:
    assert lvm.pv_uuid("0123456789abcdef0123456789abcdef") == "012345-6789-abcd-ef01-2345-6789-abcdef"
