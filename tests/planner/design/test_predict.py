"""From a design and disks to volume and file system, held against what the real tools made."""

import json
from pathlib import Path
from typing import Any

import pytest

from raidtui.predict.design import predict
from raidtui.sizes.lvm import true_stripe
from raidtui.sizes.xfs import xfs_geometry
from raidtui.values.choices import FileSystem, Stack
from raidtui.values.codec import plain
from raidtui.values.design import Design
from raidtui.values.inventory import Disk
from raidtui.values.layout import Layout
from raidtui.values.notation import parse
from raidtui.values.prediction import Ext4Geometry, LvmGeometry, Prediction, StripeGeometry, XfsGeometry

HERE = Path(__file__).parents[2] / "real_geometry"
GOLD: list[dict[str, Any]] = [json.loads(line) for line in (HERE / "geometry.jsonl").read_text().splitlines()]
FIELD: list[dict[str, Any]] = json.loads((HERE / "field_table.json").read_text())
KIB = 1024
TB2 = 2000398934016


def disks(*sizes: int, **same: Any) -> list[Disk]:
    return [Disk(id=f"disk-{number}", size_bytes=size, state="blank", **same) for number, size in enumerate(sizes)]


def predicted(layout: str, count: int | None = None, **options: Any) -> Prediction:
    design = Design(layout=parse(layout), **options)
    return predict(design, disks(*[TB2] * (design.layout.disks if count is None else count)))


@pytest.mark.parametrize("number", range(97))
def test_a_single_array_and_its_file_system(number: int) -> None:
    case = GOLD[number]
    real, system = case["result"], case["result"].get("filesystem")
    copies: Any = case["layout"] or "n2"
    fs: FileSystem = system["type"] if system else "none"
    design = Design(
        layout=Layout.of(
            level=case["level"],
            members=case["members"],
            spares=case["spares"],
            copies=int(copies[1]),
            spread=copies[0],
        ),
        chunk_bytes=(case["chunk_kib"] or 512) * KIB,
        metadata=case["metadata"],
        bitmap="auto" if case["bitmap"] == "default" else case["bitmap"],
        ppl=case["consistency_policy"] == "ppl",
        fs=fs,
    )
    found = predict(design, disks(*case["disk_bytes"]))
    assert found.volume_bytes == found.arrays[0].array_bytes == real["array_sectors"] * 512
    assert found.volume is None
    match found.filesystem:
        case XfsGeometry() as xfs:
            assert (xfs.agcount, xfs.agsize_blocks) == (system["agcount"], system["agsize_blocks"])
            assert (xfs.sunit_blocks, xfs.swidth_blocks) == (system["sunit_blocks"], system["swidth_blocks"])
            assert (xfs.log_blocks, xfs.statfs_available_blocks) == (system["log_blocks"], system["statfs_available"])
        case Ext4Geometry() as ext4:
            assert (ext4.blocks, ext4.inodes) == (system["blocks"], system["inodes"])
            assert ext4.available_bytes == system["statfs_available"] * 4096
            if system["stride_blocks"]:  # by itself mke2fs takes no stride of one block
                assert ext4.stride_blocks == system["stride_blocks"]
                assert ext4.stripe_width_blocks == system["stripe_width_blocks"]
        case None:
            assert system is None


@pytest.mark.parametrize("row", FIELD, ids=lambda row: f"{row['layout']} {row.get('stack', '')} {row['chunk_kib']}K")
def test_layout_of_the_field(row: dict[str, Any]) -> None:
    found = predicted(row["layout"], chunk_bytes=row["chunk_kib"] * KIB, stack=row.get("stack", "lvm"))
    assert {array.sectors for array in found.arrays} == {row["array_sectors"]}
    assert found.volume_bytes == row.get("volume_sectors", row["array_sectors"]) * 512
    shown = found.volume.array if isinstance(found.volume, StripeGeometry) else found.arrays[0]
    if "io_min_bytes" in row:
        assert (shown.io_min_bytes, shown.io_opt_bytes) == (row["io_min_bytes"], row["io_opt_bytes"])
    if isinstance(found.volume, LvmGeometry):
        assert found.volume.extents == len(found.arrays) * row["extents_each"]
        assert found.volume.extent_bytes == row["extent_bytes"]
        assert found.volume.pe_start_bytes == row["pe_start_bytes"]
    if "xfs" in row:
        assert isinstance(found.filesystem, XfsGeometry)
        assert found.true_sunit_bytes == row["xfs"]["su_kib"] * KIB
        assert found.true_stripe_width == row["xfs"]["sw"]
        assert shown_by_xfs(found.filesystem, row["xfs"]) == row["xfs"]
    if "detected_xfs" in row:
        real = row["detected_xfs"]
        made = xfs_geometry(found.volume_bytes, sunit_bytes=real["su_kib"] * KIB, stripe_width=real["sw"])
        assert shown_by_xfs(made, real) == real


def shown_by_xfs(made: XfsGeometry, like: dict[str, Any]) -> dict[str, Any]:
    shown = plain(made) | {"statfs_available": made.statfs_available_blocks}
    return {name: shown.get(name, like[name]) for name in like}


@pytest.mark.parametrize(
    ("layout", "stack", "stripe"),
    [
        ("(12+2)", "lvm", (256 * KIB, 12)),
        ("4x(12+2)+4", "lvm", (256 * KIB, 48)),
        ("4x(12+2)+4", "md", (256 * KIB, 48)),
        ("4x(12+2)+4", "separate", (256 * KIB, 12)),
        ("raid0(5)", "lvm", (256 * KIB, 5)),
        ("raid1(3)", "lvm", (0, 0)),
        ("3x raid1(2)", "lvm", (256 * KIB, 3)),
        ("3x raid1(2)", "separate", (0, 0)),
        ("raid10(8)", "lvm", (256 * KIB, 4)),
        ("raid10(8,f2)", "lvm", (256 * KIB, 8)),
        ("raid10(5)", "lvm", (256 * KIB, 5)),
        ("2x raid10(8)", "md", (256 * KIB, 8)),
    ],
)
def test_what_mkfs_must_be_told(layout: str, stack: Stack, stripe: tuple[int, int]) -> None:
    design = Design(layout=parse(layout), stack=stack, chunk_bytes=256 * KIB)
    assert true_stripe(design) == stripe


def test_the_answer_has_the_keys_that_scripts_lean_on() -> None:
    answer = plain(predicted("4x(12+2)+4", chunk_bytes=256 * KIB))
    assert answer["layout"] == "4x(12+2)+4"
    array = answer["arrays"][3]
    assert {name: array[name] for name in ("level", "members", "spares", "chunk_bytes")} == {
        "level": "raid6",
        "members": 14,
        "spares": 1,
        "chunk_bytes": 262144,
    }
    assert array["data_offset_sectors"] == 264192
    assert array["component_bytes"] == 1953382400 * KIB
    assert array["array_bytes"] == 46881177600 * 512
    assert (array["io_min_bytes"], array["io_opt_bytes"]) == (262144, 3145728)
    assert answer["volume_bytes"] == 96012639141888
    xfs = answer["filesystem"]
    assert (xfs["type"], xfs["block_bytes"], xfs["sunit_blocks"], xfs["swidth_blocks"]) == ("xfs", 4096, 64, 3072)
    assert (xfs["blocks"], xfs["agcount"], xfs["agsize_blocks"]) == (23440585728, 88, 268435392)
    assert (xfs["log_blocks"], xfs["total_bytes"], xfs["available_bytes"]) == (521728, 96010502144000, 95341066665984)
    ext4 = plain(predicted("raid5(3+1)", fs="ext4"))["filesystem"]
    assert (ext4["type"], ext4["stride_blocks"], ext4["stripe_width_blocks"]) == ("ext4", 128, 384)
    assert "component_bytes" not in plain(predicted("raid0(2)"))["arrays"][0]
