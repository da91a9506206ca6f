"""ext4 to the block: figures printed by mke2fs 1.47 and dumpe2fs, `stat -f` after mounting."""

import json
from pathlib import Path
from typing import Any

import pytest

from raidtui.sizes.ext4 import ext4_geometry

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "real_geometry" / "geometry.jsonl").read_text().splitlines()
]
GOLD = [case["result"] for case in CASES if (case["result"].get("filesystem") or {}).get("type") == "ext4"]
TIB = 1024**4


def test_there_are_31_real_file_systems() -> None:
    assert len(GOLD) == 31


@pytest.mark.parametrize("number", range(31))
def test_file_system_as_mke2fs_made_it(number: int) -> None:
    real: dict[str, Any] = GOLD[number]["filesystem"]
    stride, width = real["stride_blocks"] or 0, real["stripe_width_blocks"] or 0
    made = ext4_geometry(
        GOLD[number]["array_sectors"] * 512, sunit_bytes=stride * 4096, stripe_width=width // stride if stride else 0
    )
    assert (made.blocks, made.reserved_blocks) == (real["blocks"], real["reserved_blocks"])
    assert (made.inodes, made.journal_blocks) == (real["inodes"], real["journal_blocks"])
    assert made.blocks - made.statfs_blocks == real["overhead_clusters"]
    assert made.statfs_blocks == real["statfs_blocks"]
    assert made.statfs_free_blocks == real["statfs_free"]
    assert made.statfs_available_blocks == real["statfs_available"]
    assert made.available_bytes == real["statfs_available"] * 4096
    if stride:
        assert (made.stride_blocks, made.stripe_width_blocks) == (stride, width)


# bytes -> f_blocks, f_bfree, f_bavail, inodes
VECTORS = [
    (1024**3, (249195, 249189, 231986, 65536)),
    (10 * 1024**3, (2554693, 2554687, 2419519, 655360)),
    (500107862016, (119899312, 119899305, 113790377, 30531584)),
    (2000398934016, (480431430, 480431423, 456008395, 122101760)),
    (12000138625024, (2906342760, 2906342753, 2759852590, 366215168)),
    (16 * TIB - 4096, (4260837350, 4260837343, 4046084883, 536870912)),
    (16 * TIB, (4277614567, 4277614561, 4062862101, 268435456)),
    (86011333836800, (20915009686, 20915009680, 19865062544, 1312430080)),
    (40 * TIB, (10694424550, 10694424544, 10157549536, 671088640)),
    (300 * TIB, (80257465825, 80257465819, 76230929883, 4286054400)),
]


@pytest.mark.parametrize(("size", "real"), VECTORS)
def test_file_system_of_a_golden_vector(size: int, real: tuple[int, ...]) -> None:
    made = ext4_geometry(size)
    assert (made.statfs_blocks, made.statfs_free_blocks, made.statfs_available_blocks, made.inodes) == real


@pytest.mark.parametrize(
    ("size", "blocks", "reserved"),
    [
        (4440727867392, 1084162048, 54208101),
        (672923648, 163840, 8191),
        (102410424320, 25001984, 1250098),
    ],
)
def test_a_last_group_too_short_for_its_own_tables_is_dropped(size: int, blocks: int, reserved: int) -> None:
    # printed by mke2fs 1.47.0
    made = ext4_geometry(size)
    assert (made.blocks, made.reserved_blocks) == (blocks, reserved)
