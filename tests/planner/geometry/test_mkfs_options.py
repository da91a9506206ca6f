"""XFS and ext4 with random options to the block, against what real tools made (tests/regenerate_mkfs_options.py)."""

import json
from pathlib import Path
from typing import Any

import pytest

from raidtui.model.file_system import Ext4Options, Quota, XfsOptions
from raidtui.planner.geometry.ext4 import ext4_geometry
from raidtui.planner.geometry.xfs import xfs_geometry

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "real_geometry" / "mkfs_options.jsonl").read_text().splitlines()
]
QUOTAS: dict[str, Quota] = {"usr": "user", "grp": "group", "prj": "project"}
KIB = 1024


def xfs_as_predicted(case: dict[str, Any]) -> dict[str, int]:
    """What the record of the case should say."""
    options = XfsOptions(reflink=case["reflink"], rmapbt=case["rmapbt"], bigtime=case["bigtime"])
    made = xfs_geometry(
        case["device_bytes"], sunit_bytes=case["su_kib"] * KIB, stripe_width=case["sw"],
        sector_bytes=case["sector_bytes"], options=options, quotas=len(case["quota"]),
    )  # fmt: skip
    return {
        "blocks": made.blocks, "agsize_blocks": made.agsize_blocks, "agcount": made.agcount,
        "sunit_blocks": made.sunit_blocks, "swidth_blocks": made.swidth_blocks, "log_blocks": made.log_blocks,
        "log_sunit_bytes": made.log_sunit_blocks * 4096 or 1,  # mkfs writes 1 for none
        "imaxpct": made.imaxpct, "statfs_blocks": made.statfs_blocks, "statfs_block_bytes": made.block_bytes,
        "statfs_available": made.statfs_available_blocks, "statfs_free": made.statfs_available_blocks,
    }  # fmt: skip


def ext4_as_predicted(case: dict[str, Any]) -> dict[str, int]:
    """What the record of the case should say."""
    quotas = [QUOTAS[kind] for kind in case["quota"]]
    if case["project"] and quotas and "project" not in quotas:
        quotas.append("project")  # mke2fs makes that file wherever both features are on
    options = Ext4Options(
        block_bytes=case["block_bytes"], reserved_percent=case["reserved_percent"], inode_ratio=case["inode_ratio"],
        quotas=tuple(quotas),
    )  # fmt: skip
    made = ext4_geometry(
        case["device_bytes"], sunit_bytes=case["su_kib"] * KIB, stripe_width=case["sw"], options=options
    )
    return {
        "blocks": made.blocks, "block_bytes": made.block_bytes, "reserved_blocks": made.reserved_blocks,
        "inodes": made.inodes, "journal_blocks": made.journal_blocks, "stride_blocks": made.stride_blocks,
        "stripe_width_blocks": made.stripe_width_blocks, "free_blocks": made.statfs_free_blocks,
        "statfs_blocks": made.statfs_blocks, "statfs_free": made.statfs_free_blocks,
        "statfs_available": made.statfs_available_blocks, "statfs_block_bytes": made.block_bytes,
        "statfs_inodes": made.inodes,
    }  # fmt: skip


def _differences(predicted: dict[str, int], real: dict[str, int]) -> dict[str, tuple[int, int]]:
    return {name: (value, real[name]) for name, value in predicted.items() if value != real[name]}


@pytest.mark.parametrize(("kind", "count"), [("xfs", 120), ("ext4", 120)])
def test_random_options_as_mkfs_made_them(kind: str, count: int) -> None:
    """120 of 120 each; the message names every figure that differs."""
    predicted = xfs_as_predicted if kind == "xfs" else ext4_as_predicted
    cases = [case for case in CASES if case["type"] == kind]
    wrong = [(case["command"], found) for case in cases if (found := _differences(predicted(case), case["result"]))]
    assert f"{len(cases) - len(wrong)} of {len(cases)}" == f"{count} of {count}", wrong


def test_the_cases_cover_the_options() -> None:
    xfs = [case for case in CASES if case["type"] == "xfs"]
    ext4 = [case for case in CASES if case["type"] == "ext4"]
    assert {(case["reflink"], case["rmapbt"], case["bigtime"]) for case in xfs} == {
        (reflink, rmapbt, bigtime) for reflink in (False, True) for rmapbt in (False, True) for bigtime in (False, True)
    }
    assert {len(case["quota"]) for case in xfs} == {len(case["quota"]) for case in ext4} == {0, 1, 2, 3}
    assert {case["block_bytes"] for case in ext4} == {1024, 2048, 4096}
    assert len({case["reserved_percent"] for case in ext4}) == 7
    assert {case["lazy_init"] for case in ext4} == {False, True}


def test_groups_are_shortened_where_a_bitmap_would_overflow() -> None:
    case = next(case for case in CASES if case["result"]["blocks"] == 104792202)
    assert case["result"]["inodes"] == 3199 * 32768
    assert ext4_as_predicted(case)["inodes"] == 3199 * 32768


# blocks, ratio -> the journal of 131072 blocks has a fifth extent (debugfs -R "stat <8>", mke2fs 1.47.0)
@pytest.mark.parametrize(
    ("block", "blocks", "ratio", "leaf"),
    [
        (1024, 17000000, 4096, True), (1024, 33000000, 1048576, True), (2048, 20611072, 4096, False),
        (2048, 23887872, 4096, True), (2048, 23887872, 65536, False), (4096, 22500000, 4096, False),
    ],
)  # fmt: skip
def test_extents_of_the_journal(block: int, blocks: int, ratio: int, leaf: bool) -> None:
    made = ext4_geometry(blocks * block, options=Ext4Options(block_bytes=block, inode_ratio=ratio))
    lost_and_found = {1024: 12, 2048: 8, 4096: 4}[block]
    assert made.journal_blocks == 131072
    assert made.statfs_blocks - made.statfs_free_blocks == lost_and_found + 2 + leaf
