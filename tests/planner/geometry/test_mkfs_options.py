"""XFS and ext4 with random options to the block, against what real tools made (tests/regenerate_mkfs_options.py).

The file has the first 300 cases of seed 13; 1200 of it were compared once, 600 of each type.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from raidtui.predict.checks.file_system import check_file_system
from raidtui.programs.mkfs_options import WORDS, parse_mkfs
from raidtui.sizes.ext4 import ext4_geometry
from raidtui.sizes.xfs import xfs_geometry
from raidtui.values.design import Design, Ext4Options, FileSystemOptions, XfsOptions
from raidtui.values.findings import errors
from raidtui.values.notation import parse

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "real_geometry" / "mkfs_options.jsonl").read_text().splitlines()
]
KIB = 1024


def refusal(case: dict[str, Any]) -> str:
    """Why raidtui refuses the case; empty if it does not."""
    try:
        own = parse_mkfs(case["mkfs"], case["type"])
    except ValueError as problem:
        return str(problem)
    options = FileSystemOptions(xfs=own) if isinstance(own, XfsOptions) else FileSystemOptions(ext4=own)
    design = Design(layout=parse("raid0(2)"), fs=case["type"], fs_options=options)
    stripe = (case["su_kib"] * KIB, case["sw"])
    found = errors(check_file_system(design, [case["device_bytes"]], [stripe], 512))
    return found[0].message if found else ""


def xfs_as_predicted(case: dict[str, Any]) -> dict[str, int]:
    """What the record of the case should say."""
    options = parse_mkfs(case["mkfs"], "xfs")
    assert isinstance(options, XfsOptions)
    made = xfs_geometry(
        case["device_bytes"], sunit_bytes=case["su_kib"] * KIB, stripe_width=case["sw"],
        sector_bytes=case["sector_bytes"], options=options, quotas=len(case["quota"]),
    )  # fmt: skip
    return {
        "blocks": made.blocks, "agsize_blocks": made.agsize_blocks, "agcount": made.agcount,
        "sunit_blocks": made.sunit_blocks, "swidth_blocks": made.swidth_blocks, "log_blocks": made.log_blocks,
        "log_sunit_bytes": made.log_sunit_blocks * made.block_bytes or 1,  # mkfs writes 1 for none
        "imaxpct": made.imaxpct, "statfs_blocks": made.statfs_blocks, "statfs_block_bytes": made.block_bytes,
        "statfs_available": made.statfs_available_blocks, "statfs_free": made.statfs_available_blocks,
    }  # fmt: skip


def ext4_as_predicted(case: dict[str, Any]) -> dict[str, int]:
    """What the record of the case should say."""
    options = parse_mkfs(case["mkfs"], "ext4")
    assert isinstance(options, Ext4Options)
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


@pytest.mark.parametrize(("kind", "count"), [("xfs", 81), ("ext4", 128)])
def test_random_options_as_mkfs_made_them(kind: str, count: int) -> None:
    """The message names every figure that differs."""
    predicted = xfs_as_predicted if kind == "xfs" else ext4_as_predicted
    cases = [case for case in CASES if case["type"] == kind and "result" in case and not refusal(case)]
    wrong = [(case["command"], found) for case in cases if (found := _differences(predicted(case), case["result"]))]
    assert f"{len(cases) - len(wrong)} of {len(cases)}" == f"{count} of {count}", wrong


@pytest.mark.parametrize(("kind", "both", "alone"), [("xfs", 69, 0), ("ext4", 22, 0)])
def test_what_raidtui_refuses_mkfs_or_the_kernel_refuses(kind: str, both: int, alone: int) -> None:
    """`alone`: mke2fs makes them, and raidtui does not predict where."""
    cases = [case for case in CASES if case["type"] == kind]
    assert [case["command"] for case in cases if "refused" in case and not refusal(case)] == []
    assert len([case for case in cases if "refused" in case]) == both
    own = [reason for case in cases if "result" in case and (reason := refusal(case))]
    assert len(own) == alone
    assert all("packed_meta_blocks" in reason for reason in own)


@pytest.mark.parametrize("kind", ["xfs", "ext4"])
def test_the_cases_cover_each_word(kind: str) -> None:
    made = [case["mkfs"] for case in CASES if case["type"] == kind and "result" in case]
    said = {word.partition("=")[0] for text in made for word in text.split(",")}
    assert {word.name for word in WORDS["xfs" if kind == "xfs" else "ext4"]} <= said
    assert {len(case["quota"]) for case in CASES if case["type"] == kind} == {0, 1, 2, 3}


def test_groups_are_shortened_where_a_bitmap_would_overflow() -> None:
    """mke2fs 1.47.0; the descriptors reserved for growth are counted with the shorter groups."""
    made = ext4_geometry(104792202 * 4096, options=Ext4Options(inode_ratio=4096))
    assert (made.blocks, made.inodes) == (104792202, 3199 * 32768)
    few = Ext4Options(inode_bytes=128, inodes=737900, quotas=("user",))
    made = ext4_geometry(2050475520, options=few)
    assert (made.inodes, made.statfs_blocks, made.statfs_free_blocks) == (738208, 467173, 467165)


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
