"""XFS to the block: figures printed by mkfs.xfs 6.1 and 6.13, `stat -f` after mounting."""

import json
from pathlib import Path
from typing import Any

import pytest

from raidtui.sizes.xfs import fits, xfs_geometry
from raidtui.values.design import XfsOptions

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "real_geometry" / "geometry.jsonl").read_text().splitlines()
]
GOLD = [case["result"] for case in CASES if (case["result"].get("filesystem") or {}).get("type") == "xfs"]
KIB = 1024


def test_there_are_57_real_file_systems() -> None:
    assert len(GOLD) == 57


@pytest.mark.parametrize("number", range(57))
def test_file_system_as_mkfs_made_it(number: int) -> None:
    real: dict[str, Any] = GOLD[number]["filesystem"]
    sunit, swidth = real["sunit_blocks"], real["swidth_blocks"]
    made = xfs_geometry(
        GOLD[number]["array_sectors"] * 512, sunit_bytes=sunit * 4096, stripe_width=swidth // sunit if sunit else 0
    )
    assert (made.agcount, made.agsize_blocks, made.blocks) == (real["agcount"], real["agsize_blocks"], real["blocks"])
    assert (made.sunit_blocks, made.swidth_blocks) == (sunit, swidth)
    assert (made.log_blocks, made.log_sunit_blocks) == (real["log_blocks"], real["log_sunit_blocks"])
    assert made.imaxpct == real["imaxpct"]
    assert made.statfs_blocks == real["statfs_blocks"]
    assert made.statfs_available_blocks == real["statfs_available"] == real["statfs_free"]
    assert made.total_bytes == real["statfs_blocks"] * 4096
    assert made.available_bytes == real["statfs_available"] * 4096


# bytes, su KiB, sw, sector, rmapbt -> agcount, agsize, blocks, log, log sunit, f_blocks, f_bfree
VECTORS = [
    ((21455962112, 512, 2, 512, False), (16, 327296, 5236736, 16384, 8, 5220352, 5175498)),
    ((4000527155200, 512, 2, 512, False), (33, 30521472, 976691200, 476904, 8, 976214296, 969399297)),
    ((8001302822912, 512, 2, 512, False), (32, 61045120, 1953443072, 521728, 8, 1952921344, 1939296689)),
    ((16002605645824, 512, 4, 512, False), (32, 122090240, 3906886144, 521728, 8, 3906364416, 3879120088)),
    ((44007165526016, 512, 11, 4096, False), (41, 268435328, 10743936896, 521728, 1, 10743415168, 10668501863)),
    ((86011333836800, 512, 43, 512, False), (79, 268435328, 20998860800, 521728, 8, 20998339072, 20851926772)),
    ((86011333836800, 512, 43, 4096, True), (79, 268435328, 20998860800, 521728, 1, 20998339072, 20596264644)),
    ((86017093926912, 256, 43, 512, False), (79, 268435392, 21000267072, 521728, 64, 20999745344, 20853323274)),
    ((86017093926912, 256, 43, 512, True), (79, 268435392, 21000267072, 521728, 64, 20999745344, 20597644244)),
    ((32005207097344, 512, 8, 512, False), (32, 244180352, 7813771264, 521728, 8, 7813249536, 7758765966)),
    ((2199023255552, 0, 0, 512, False), (4, 134217728, 536870912, 262144, 0, 536608768, 532859200)),
    ((2199023255552, 0, 0, 4096, True), (4, 134217728, 536870912, 262144, 1, 536608768, 526325785)),
    ((2199023255552, 64, 8, 512, False), (32, 16777200, 536870400, 262144, 16, 536608256, 532858205)),
    ((36283883716608, 0, 0, 4096, True), (33, 268435455, 8858370015, 521728, 1, 8857848287, 8688234169)),
]


@pytest.mark.parametrize(("device", "real"), VECTORS)
def test_file_system_of_a_golden_vector(device: tuple[int, int, int, int, bool], real: tuple[int, ...]) -> None:
    size, unit, width, sector, rmapbt = device
    made = xfs_geometry(
        size, sunit_bytes=unit * KIB, stripe_width=width, sector_bytes=sector, options=XfsOptions(rmapbt=rmapbt)
    )
    assert (
        made.agcount,
        made.agsize_blocks,
        made.blocks,
        made.log_blocks,
        made.log_sunit_blocks,
        made.statfs_blocks,
        made.statfs_available_blocks,
    ) == real


def test_what_mkfs_refuses_does_not_fit() -> None:
    # each was tried with mkfs.xfs 6.1
    assert fits(300 * KIB * KIB)
    assert not fits(300 * KIB * KIB - 1)
    assert not fits(503349678, sunit_bytes=2048 * KIB, stripe_width=2)
    assert fits(600 * KIB * KIB, sunit_bytes=64 * KIB, stripe_width=2)
    assert not fits(10**12, sunit_bytes=16384 * KIB, stripe_width=128)
