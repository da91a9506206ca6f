"""What depends on the versions of the target; the versions are from the histories of mdadm, xfsprogs and Linux."""

from __future__ import annotations

from typing import Any

import pytest

from raidtui.predict.checks.versions import check_versions, differing
from raidtui.predict.design import predict, speed
from raidtui.predict.stated_disks import purchase
from raidtui.values.assumptions import FLASH_DEFAULTS
from raidtui.values.design import Design, Ext4Options, FileSystemOptions, XfsOptions
from raidtui.values.notation import parse
from raidtui.values.target import TargetVersions, parse_release, version_in

TB2, TB4 = 2_000_398_934_016, 4_000_787_030_016


def codes(layout: str, target: TargetVersions | None, sizes: tuple[int, ...] = (TB2, TB2), **options: Any) -> set[str]:
    return {each.code for each in check_versions(Design(layout=parse(layout), target=target, **options), sizes)}


def test_without_versions_current_ones_are_assumed() -> None:
    assert codes("(4+2)", None) == set()
    assert codes("raid5(2+1)", None, ppl=True, metadata="1.0") == {"ppl-with-metadata-1.0"}


@pytest.mark.parametrize(
    ("mdadm", "found"),
    [("4.1", {"mdadm-not-compared"}), ("4.2-5", set()), ("4.3", set()), ("4.4", set()), ("4.6", set()),
     ("4.5", {"mdadm-needs-module"}), ("4.7", {"mdadm-not-compared"}), ("5.0", {"mdadm-not-compared"})],
)  # fmt: skip
def test_versions_of_mdadm(mdadm: str, found: set[str]) -> None:
    assert codes("(4+2)", TargetVersions(mdadm=mdadm)) == found


@pytest.mark.parametrize(("mdadm", "refused"), [("4.2", False), ("4.4", False), ("4.5", True), ("4.6", True)])
def test_a_partial_parity_log_with_metadata_1_0_is_refused_from_4_5_on(mdadm: str, refused: bool) -> None:
    found = codes("raid5(2+1)", TargetVersions(mdadm=mdadm), ppl=True, metadata="1.0")
    assert ("ppl-with-metadata-1.0" in found) is refused


@pytest.mark.parametrize(
    ("kernel", "mdadm", "sizes", "refused"),
    [
        ("5.10", "4.1", (TB2, TB4), True),
        ("5.4.0-42-generic", "4.1", (TB2, TB4), True),
        ("5.3", "4.1", (TB2, TB4), False),
        ("5.10", "4.2", (TB2, TB4), False),
        ("5.10", "4.1", (TB2, TB2), False),
    ],
)
def test_raid0_of_unequal_disks_needs_a_recorded_layout(
    kernel: str, mdadm: str, sizes: tuple[int, ...], refused: bool
) -> None:
    found = codes("raid0(2)", TargetVersions(kernel=kernel, mdadm=mdadm), sizes)
    assert ("raid0-without-layout" in found) is refused


def test_arrays_of_linux_6_19_do_not_go_back() -> None:
    assert codes("(4+2)", TargetVersions(kernel="6.18.5")) == set()
    assert codes("(4+2)", TargetVersions(kernel="6.19")) == {"kernel-one-way"}
    assert codes("(4+2)", TargetVersions(kernel="7.2.7"), metadata="0.90") == set()


@pytest.mark.parametrize(
    ("fs", "target", "compared"),
    [
        ("xfs", TargetVersions(xfsprogs="5.0"), False), ("xfs", TargetVersions(xfsprogs="5.9"), False),
        ("xfs", TargetVersions(xfsprogs="5.10"), True), ("xfs", TargetVersions(xfsprogs="6.13.0"), True),
        ("xfs", TargetVersions(xfsprogs="7.3"), False), ("xfs", TargetVersions(e2fsprogs="1.45"), True),
        ("ext4", TargetVersions(e2fsprogs="1.45"), False), ("ext4", TargetVersions(e2fsprogs="1.46.2"), True),
        ("ext4", TargetVersions(e2fsprogs="1.47"), True), ("ext4", TargetVersions(e2fsprogs="1.48"), False),
        ("ext4", TargetVersions(xfsprogs="5.0"), True),
        ("none", TargetVersions(xfsprogs="5.0", e2fsprogs="1.40"), True),
    ],
)  # fmt: skip
def test_sizes_are_compared_with_some_versions_of_mkfs(fs: Any, target: TargetVersions, compared: bool) -> None:
    assert ("mkfs-not-compared" not in codes("(4+2)", target, fs=fs)) is compared


@pytest.mark.parametrize(
    ("xfsprogs", "options", "unknown"),
    [
        ("5.9", XfsOptions(), None),
        ("5.9", XfsOptions(reflink=False), "inobtcount"),
        ("5.0", XfsOptions(bigtime=True), "bigtime and inobtcount"),
        ("5.10", XfsOptions(bigtime=True), None),
    ],
)
def test_an_option_that_mkfs_does_not_know_is_refused(xfsprogs: str, options: XfsOptions, unknown: str | None) -> None:
    design = Design(
        layout=parse("(4+2)"), fs_options=FileSystemOptions(xfs=options), target=TargetVersions(xfsprogs=xfsprogs)
    )
    found = [each.message for each in check_versions(design, (TB2,) * 6) if each.severity == "error"]
    assert found == ([f"mkfs.xfs {xfsprogs} does not know {unknown}, which the plan states."] if unknown else [])


@pytest.mark.parametrize(
    ("kernel", "xfsprogs", "options", "refused"),
    [
        ("5.4", "5.10", XfsOptions(), None),
        ("5.4", "5.15", XfsOptions(), "bigtime and inobtcount"),
        ("5.4", "5.15", XfsOptions(bigtime=False), "inobtcount"),
        ("5.4", None, XfsOptions(bigtime=True), "bigtime and inobtcount"),
        ("5.15", "6.4", XfsOptions(), None),
        ("5.15", "6.5", XfsOptions(), "nrext64"),
        ("5.19", "6.5", XfsOptions(), None),
        ("6.1", "6.17", XfsOptions(), None),
        ("6.1", "6.18", XfsOptions(), "exchange and parent"),
        ("6.10", "7.2", XfsOptions(), None),
        ("3.10", "6.1", XfsOptions(), "reflink and bigtime and inobtcount"),
        ("3.10", None, XfsOptions(reflink=False, rmapbt=True), "rmapbt and inobtcount"),
    ],
)
def test_an_xfs_that_the_kernel_does_not_mount_is_warned_of(
    kernel: str, xfsprogs: str | None, options: XfsOptions, refused: str | None
) -> None:
    target = TargetVersions(kernel=kernel, xfsprogs=xfsprogs)
    design = Design(layout=parse("raid1(2)"), fs_options=FileSystemOptions(xfs=options), target=target)
    found = [each.message for each in check_versions(design, (TB2, TB2)) if each.severity == "warning"]
    added = "unless its distribution added it"
    wanted = f"Linux {kernel} does not mount an XFS with {refused} for writing, {added}."
    assert found == ([wanted] if refused else [])


@pytest.mark.parametrize(
    ("kernel", "xfsprogs", "hint"),
    [
        ("5.15", "6.13", "use Linux 5.19 or later, or --mkfs nrext64=0"),
        ("5.4", "5.15", "use Linux 5.10 or later, or --mkfs bigtime=0,inobtcount=0"),
        ("6.1", "6.18", "use Linux 6.10 or later, an older xfsprogs, or --fs ext4"),
    ],
)
def test_the_way_out_for_an_old_kernel_is_what_the_plan_can_leave_out(kernel: str, xfsprogs: str, hint: str) -> None:
    design = Design(layout=parse("raid1(2)"), target=TargetVersions(kernel=kernel, xfsprogs=xfsprogs))
    assert [each.way_out for each in check_versions(design, (TB2, TB2)) if each.severity == "warning"] == [hint]


@pytest.mark.parametrize(
    ("kernel", "xfsprogs", "fs", "noted"),
    [
        ("6.12", "6.18", "xfs", True),
        (None, "7.2", "xfs", True),
        ("6.9", "6.18", "xfs", False),  # the target itself does not mount it: a warning says so
        ("6.12", "6.17", "xfs", False),
        ("6.12", None, "xfs", False),
        ("6.12", "6.18", "ext4", False),
    ],
)
def test_an_xfs_that_rescue_systems_do_not_mount_is_noted(
    kernel: str | None, xfsprogs: str | None, fs: Any, noted: bool
) -> None:
    design = Design(layout=parse("raid1(2)"), fs=fs, target=TargetVersions(kernel=kernel, xfsprogs=xfsprogs))
    found = [each for each in check_versions(design, (TB2, TB2)) if each.code == "xfs-newer-than-rescue"]
    assert [each.message for each in found] == [
        f"mkfs.xfs {xfsprogs} turns on exchange and parent: rescue systems before Linux 6.10 do not mount this file"
        " system."
    ] * noted
    assert {each.severity for each in found} <= {"note"}


def test_a_machine_is_held_against_the_target() -> None:
    planned = Design(layout=parse("(4+2)"), target=TargetVersions(kernel="6.1.0-50-amd64", mdadm="4.2"))
    sizes = (TB2,) * 6
    assert differing(planned, sizes, TargetVersions(kernel="6.12.5", mdadm="4.4")) == []
    assert [each.code for each in differing(planned, sizes, TargetVersions(kernel="6.19.2", mdadm="4.2"))] == [
        "kernel-one-way"
    ]
    newer = Design(layout=parse("(4+2)"), target=TargetVersions(kernel="6.19", mdadm="4.6"))
    assert differing(newer, sizes, TargetVersions(kernel="7.2", mdadm="4.6")) == []


def test_random_reads_of_flash_on_an_old_kernel_are_those_under_the_lock() -> None:
    bought = purchase("12x4TB", nvme_bits_per_s=64_000_000_000)
    rates = {}
    for kernel in ("5.13", "5.14"):
        design = Design(layout=parse("(10+2)"), target=TargetVersions(kernel=kernel))
        found = speed(design, bought.disks, predict(design, bought.disks), bought, FLASH_DEFAULTS)
        assert found is not None
        rates[kernel] = found.rand_read.iops
    assert rates["5.13"] == 1_200_000
    assert rates["5.14"] > 2 * rates["5.13"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("mdadm - v4.2 - 2021-12-30 - Debian 4.2-5\n", "4.2"), ("mdadm - v4.6-rc1", "4.6"),
        ("", None), ("nothing", None),
        ("mkfs.xfs version 6.1.0\n", "6.1"),
        ("mke2fs 1.47.0 (5-Feb-2023)\n\tUsing EXT2FS Library version 1.47.0\n", "1.47"),
    ],
)  # fmt: skip
def test_the_version_in_what_a_program_prints(text: str, found: str | None) -> None:
    assert version_in(text) == found


@pytest.mark.parametrize("text", ["", "6", "six", "6.1 ", "6.x", "6.1;rm", "٦.١", "6.1-" + "9" * 200])
def test_what_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="invalid version"):
        parse_release(text)


def test_features_of_ext4_that_a_version_does_not_know() -> None:
    options = FileSystemOptions(ext4=Ext4Options(features=("orphan_file", "verity")))
    design = Design(
        layout=parse("(4+2)"), fs="ext4", fs_options=options, target=TargetVersions(kernel="5.10", e2fsprogs="1.46.2")
    )
    every = list(check_versions(design, [TB2] * 6))
    found = {finding.code: finding.message for finding in every}
    assert [each.way_out for each in every if each.code == "kernel-without-ext4-feature"] == [
        "use Linux 5.15 or later, or leave them out of --mkfs"
    ]
    assert found["mkfs-option-unknown"] == "mkfs.ext4 1.46.2 does not know orphan_file, which the plan states."
    assert found["kernel-without-ext4-feature"] == (
        "Linux 5.10 does not mount ext4 with orphan_file for writing, unless its distribution added it."
    )
