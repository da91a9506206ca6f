"""Disks without md: sizes of the devices as they are, stripes of LVM over them, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from raidtui.predict.design import predict
from raidtui.values.design import Design
from raidtui.values.errors import BadInput
from raidtui.values.layout import Layout
from raidtui.values.notation import parse, show
from raidtui.values.plan import Plan
from raidtui.values.prediction import LvmGeometry, Prediction, XfsGeometry
from tests.planner.plans import commands, disks, plan_of, step

KIB = 1024


def predicted(layout: str, size: int = 2_000_398_934_016, **asked: Any) -> Prediction:
    design = Design(layout=parse(layout), **asked)
    return predict(design, disks(design.layout.disks, size))


@pytest.mark.parametrize(
    ("text", "layout", "shown"),
    [
        ("disk", Layout.of(level="disk", members=1), "disk"),
        ("4xdisk", Layout.of(level="disk", members=1, arrays=4), "4x disk"),
        ("4 × DISK", Layout.of(level="disk", members=1, arrays=4), "4x disk"),
    ],
)
def test_the_notation(text: str, layout: Layout, shown: str) -> None:
    assert parse(text) == layout
    assert show(layout) == shown


@pytest.mark.parametrize("text", ["disk+1", "disk(2)", "4x disk+2 spares", "disk raid0"])
def test_disks_without_md_have_neither_a_shape_nor_spares(text: str) -> None:
    with pytest.raises(BadInput, match=r"a disk without md has neither a shape nor spares; write disk, or 4x disk"):
        parse(text)


def test_a_single_disk_carries_the_file_system_from_its_first_byte() -> None:
    """mkfs.xfs 6.1 on 2000398934016 bytes with `-d noalign`: 4 groups of 122094662 blocks, log of 238466 blocks."""
    found = predicted("disk")
    assert found.volume_bytes == 2_000_398_934_016
    assert (found.true_sunit_bytes, found.true_stripe_width) == (0, 0)
    assert isinstance(found.filesystem, XfsGeometry)
    assert (found.filesystem.blocks, found.filesystem.agcount) == (488378646, 4)
    assert (found.filesystem.agsize_blocks, found.filesystem.log_blocks) == (122094662, 238466)


def test_lvm_stripes_over_disks_as_over_arrays() -> None:
    """By hand: an extent of 1 MiB at 1 MiB; 1907728 whole MiB on each disk, less one."""
    found = predicted("4x disk", chunk_bytes=256 * KIB)
    assert isinstance(found.volume, LvmGeometry)
    assert (found.volume.pe_start_bytes, found.volume.extent_bytes) == (1024 * KIB, 1024 * KIB)
    assert (found.volume.stripes, found.volume.stripe_bytes) == (4, 256 * KIB)
    assert found.volume.extents == 4 * (2_000_398_934_016 // (1024 * KIB) - 1)
    assert (found.true_sunit_bytes, found.true_stripe_width) == (256 * KIB, 4)


@pytest.mark.parametrize(
    ("layout", "asked", "code"),
    [
        ("disk", {"fs": "none"}, "nothing-to-build"),
        ("2x disk", {"fs": "none", "stack": "separate"}, "nothing-to-build"),
        ("2x disk", {"stack": "md"}, "md-over-disks"),
        ("disk", {"bitmap": "internal"}, "bitmap-without-md"),
        ("disk", {"ppl": True}, "ppl-needs-raid5"),
    ],
)
def test_what_cannot_be_is_refused(layout: str, asked: dict[str, Any], code: str) -> None:
    found = predicted(layout, **asked).findings
    assert [finding.code for finding in found if finding.severity == "error"] == [code]


def test_its_one_warning_is_that_nothing_survives() -> None:
    (found,) = predicted("2x disk").findings
    assert found.code == "disk-no-redundancy"
    assert found.message == "A stripe over 2 disks without md: the first disk failure loses all data."


def paths(plan: Plan) -> list[str]:
    return [disk.path for disk in plan.disks]


def test_the_plan_of_a_single_disk() -> None:
    plan = plan_of("disk", fs="ext4")
    (path,) = paths(plan)
    assert plan.arrays == ()
    assert [each.stage for each in plan.steps] == ["check", "save", "wipe", "format", "mount", "verify"]
    assert plan.disks[0].role == "disk of data"
    (made,) = step(plan, "Make ext4").commands
    assert made.argv[0] == "mkfs.ext4" and path in made.argv
    assert made.members == (path,), "it must be blank right before it, as a member of an array must"
    assert step(plan, "Make ext4").destroys == (plan.disks[0].id,)


def test_the_undo_zeroes_the_mark_of_each_disk_last_and_only_while_it_is_there() -> None:
    plan = plan_of("2x disk")
    wiped = step(plan, "Wipe 2 disks")
    first = [each for each in wiped.undo_commands if each.devices == (paths(plan)[0],)]
    assert [each.zeroed for each in first] == [
        (4096, 4 * KIB * KIB - 4096), (2_000_398_934_016 - 4 * KIB * KIB, 4 * KIB * KIB), (0, 4096),
    ]  # fmt: skip
    for each in first:
        assert each.only_if is not None
        assert each.only_if.question.argv == ("blkid", "--probe", "--output", "export", paths(plan)[0])
        assert (each.only_if.key, len(each.only_if.answer)) == ("UUID", len("aaaaaa-bbbb-cccc-dddd-eeee-ffff-gggggg"))
    volume = step(plan, "Create the volume /dev/data/data over 2 disks")
    assert [line.split()[0] for line in commands(volume)] == [
        "pvcreate", "pvcreate", "vgcreate", "lvcreate", "udevadm",
    ]  # fmt: skip
    assert [each.argv[0] for each in volume.undo_commands] == ["lvremove", "vgremove"]
