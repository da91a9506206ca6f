"""LUNs of hardware controllers: stated geometry, and all that follows from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from raidtui.advice.proposals.propose import propose
from raidtui.machine.inventory import shipped
from raidtui.predict.design import assess, predict
from raidtui.predict.stated_disks import purchase, read_lun, with_luns
from raidtui.steps.build import differences, recompiled
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.codec import from_json, to_json
from raidtui.values.design import Design
from raidtui.values.errors import BadInput
from raidtui.values.inventory import Inventory, Lun
from raidtui.values.notation import parse
from raidtui.values.plan import Plan
from raidtui.values.prediction import LvmGeometry, Prediction, XfsGeometry
from raidtui.values.proposal import Constraints
from tests.planner.plans import plan_of

KIB = 1024
MIB = 1024 * KIB


@pytest.mark.parametrize(
    "text", ["", "12+2", "12+3,256K", "0+2,256K", "12+2,5K", "12+2,2K", "12+2,256K,fast", "a,b,c,d"]
)
def test_what_is_no_geometry_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadInput, match="--lun: ") as caught:
        read_lun(text)
    assert "sdb=12+2,256K" in caught.value.hint


def test_it_is_stated_of_one_device_or_of_all_that_are_free() -> None:
    bought = purchase("3x24TB")
    found = with_luns(bought, ["12+2,256K", "purchase-02=6+2,64K"])
    assert [disk.lun and disk.lun.data for disk in found.disks] == [12, 6, 12]
    with pytest.raises(BadInput, match="no disk matches 'sdz'"):
        with_luns(bought, ["sdz=12+2,256K"])


def test_a_file_with_an_impossible_geometry_is_refused(tmp_path: Any) -> None:
    luns = shipped.load("e2660-luns")
    odd = replace(luns.disks[0], lun=Lun(data=12, parity=3, chunk_bytes=256 * KIB))
    path = tmp_path / "odd.json"
    path.write_text(to_json(replace(luns, disks=(odd,))))
    with pytest.raises(BadInput, match=r"disks\.0\.lun: parity drives: 3 is out of range: 0 to 2"):
        shipped.load_file(str(path))


def predicted(layout: str, stated: str = "12+2,256K", disks: str = "4x24TB", **asked: Any) -> Prediction:
    inventory = with_luns(purchase(disks), [stated])
    return predict(Design(layout=parse(layout), **asked), inventory.disks)


def test_lvm_stripes_by_the_luns_chunk_and_every_extent_starts_on_a_full_stripe() -> None:
    """By hand: 12 x 256 KiB = 3 MiB; 24 TB holds 7629394 of them, the first of which is LVM's."""
    found = predicted("4x disk", chunk_bytes=512 * KIB)
    assert isinstance(found.volume, LvmGeometry)
    assert (found.volume.stripe_bytes, found.volume.extent_bytes, found.volume.pe_start_bytes) == (
        256 * KIB, 3 * MIB, 3 * MIB,
    )  # fmt: skip
    assert found.volume.extents == 4 * (24_000_000_000_000 // (3 * MIB) - 1)
    assert (found.true_sunit_bytes, found.true_stripe_width) == (256 * KIB, 48)
    assert isinstance(found.filesystem, XfsGeometry)
    assert (found.filesystem.sunit_blocks, found.filesystem.swidth_blocks) == (64, 3072)


def test_a_data_offset_inside_a_lun_stripe_is_said_with_one_that_is_not() -> None:
    """129 MiB is no multiple of 8 x 1 MiB; 136 MiB is."""
    found = predicted("raid0(4)", "8+2,1M", chunk_bytes=8 * MIB)
    (wrong,) = [each for each in found.findings if each.code == "lun-data-offset"]
    assert wrong.way_out == "use --data-offset 136MiB, or 4x disk, whose data starts on a full stripe"
    assert not [
        each
        for each in predicted("raid0(4)", "8+2,1M", chunk_bytes=8 * MIB, data_offset_bytes=136 * MIB).findings
        if each.code == "lun-data-offset"
    ]


def test_luns_of_two_geometries_are_said() -> None:
    inventory = with_luns(purchase("2x24TB"), ["12+2,256K", "purchase-02=6+2,256K"])
    found = predict(Design(layout=parse("2x disk")), inventory.disks)
    (wrong,) = [each for each in found.findings if each.code == "luns-differ"]
    assert wrong.message == (
        "The LUNs have no one geometry, so the file system cannot follow it: purchase-02 have another."
    )


def assessed(layout: str, inventory: Inventory, **assumed: Any) -> Prediction:
    design = Design(layout=parse(layout))
    disks = inventory.disks[: design.layout.disks]
    return assess(design, disks, predict(design, disks), inventory, replace(DEFAULTS, **assumed), spread=False)


def test_the_machine_of_the_field_report_answers_what_was_measured() -> None:
    """sgpdd-survey on four LUNs: 2872.94 and 1553.71 "MB/s" (MiB/s, and both ways of reading it)."""
    found = assessed("4x disk", shipped.load("e2660-luns"))
    assert found.throughput is not None
    read, write = found.throughput.seq_read, found.throughput.seq_write
    for measured in (2_872_940_000, 2872.94 * MIB):
        assert read.low <= measured <= read.high
    for measured in (1_553_710_000, 1553.71 * MIB):
        assert write.low <= measured <= write.high
    assert str(read.bottleneck) == "PCIe slot 0000:03:00.0"
    assert str(write.bottleneck) == "controller cache"
    assert read.bytes_per_s == pytest.approx(2.87e9, rel=0.05)
    assert write.bytes_per_s == pytest.approx(1.55e9, rel=0.05)


def test_what_the_luns_write_can_be_said() -> None:
    found = assessed("4x disk", shipped.load("e2660-luns"), disk_write_bytes_per_s=400_000_000).throughput
    assert found is not None
    assert str(found.seq_write.bottleneck) == "members"
    assert found.seq_write.bytes_per_s == 1_520_000_000


@pytest.mark.parametrize("layout", ["disk", "4x disk", "raid5(3+1)"])
def test_risk_and_rebuild_of_luns_are_never_invented(layout: str) -> None:
    assert assessed(layout, shipped.load("e2660-luns")).durability is None


def test_a_proposal_does_not_compare_luns() -> None:
    luns = shipped.load("e2660-luns")
    found = propose(luns, luns.disks, Constraints())
    assert [finding.code for finding in found.findings] == ["luns-not-compared"]


def test_a_plan_keeps_the_geometry_that_no_machine_reports() -> None:
    luns = shipped.load("e2660-luns")
    plan = plan_of("4x disk", luns.disks, inventory=luns)
    read = from_json(Plan, to_json(plan), source="plan")
    assert read == plan
    bare = replace(luns, disks=tuple(replace(disk, lun=None) for disk in luns.disks))
    assert differences(plan, recompiled(plan, bare)) == ()


@pytest.mark.parametrize(
    ("text", "lun"),
    [
        ("12+2,256K", Lun(data=12, parity=2, chunk_bytes=256 * KIB)),
        ("7 + 1, 64KiB, 130MB/s", Lun(data=7, parity=1, chunk_bytes=64 * KIB, drive_bytes_per_s=130_000_000)),
        ("8+0,1M", Lun(data=8, parity=0, chunk_bytes=MIB)),
    ],
)
def test_a_geometry_as_it_is_written(text: str, lun: Lun) -> None:
    assert read_lun(text) == lun
