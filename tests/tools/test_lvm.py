from raidtui.programs import lvm
from raidtui.values.plan import Command, mapped_name


def test_a_volume_gets_its_device_by_its_tag() -> None:
    assert lvm.activate("raidtui_1") == Command(argv=("lvchange", "--activate=y", "@raidtui_1"), effect="change")


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
