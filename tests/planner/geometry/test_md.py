"""Arrays to the sector: every figure below was printed by mdadm 4.2 and a 6.1 kernel."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from raidtui.sizes.md import ArrayRequest, array_geometry, bitmap_space, data_offset
from raidtui.values.layout import MdLevel

GOLD = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "real_geometry" / "geometry.jsonl").read_text().splitlines()
]
STATED = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "real_geometry" / "offsets.jsonl").read_text().splitlines()
]
"""made with --data-offset, --bitmap-chunk or both; also those that mdadm or md refused"""
KIB = 1024
TB4, TB2, GB500 = 7814037168, 3907029168, 976773168


def ask_of(case: dict[str, Any]) -> ArrayRequest:
    layout: Any = case["layout"] or "n2"
    members, sizes = case["members"], case["disk_bytes"]
    return ArrayRequest(
        level=case["level"],
        member_bytes=tuple(sizes[:members]),
        spare_bytes=tuple(sizes[members:]),
        chunk_bytes=(case["chunk_kib"] or 512) * KIB,
        metadata=case["metadata"],
        bitmap="auto" if case["bitmap"] == "default" else case["bitmap"],
        bitmap_chunk_bytes=case["bitmap_chunk_kib"] * KIB if case.get("bitmap_chunk_kib") else None,
        data_offset_sectors=case["data_offset_kib"] * 2 if case.get("data_offset_kib") else None,
        ppl=case["consistency_policy"] == "ppl",
        copies=int(layout[1]),
        spread=layout[0],
    )


def test_there_are_97_real_arrays() -> None:
    assert len(GOLD) == 97
    assert all(case["exit"] == 0 for case in GOLD)


def test_there_are_74_real_arrays_with_a_stated_offset_or_bitmap_chunk() -> None:
    assert (len(STATED), sum(case["exit"] == 0 for case in STATED)) == (85, 74)


@pytest.mark.parametrize(
    "case", [*GOLD, *(case for case in STATED if case["exit"] == 0)], ids=lambda case: case["command"][36:80]
)
def test_array_as_mdadm_made_it(case: dict[str, Any]) -> None:
    real = case["result"]
    array = array_geometry(ask_of(case))
    bitmap = real["bitmap_chunk_kib"]
    component = real["component_kib"]
    assert array.sectors == real["array_sectors"]
    assert array.data_offset_sectors == (real["data_offset_sectors_first_member"] or 0)
    assert array.component_bytes == (None if component is None else component * KIB)
    assert array.io_min_bytes == real["io_min_bytes"]
    assert array.io_opt_bytes == real["io_opt_bytes"]
    assert array.read_ahead_kib == real["read_ahead_kib"]
    assert array.bitmap_chunk_bytes == (None if bitmap is None else bitmap * KIB)


def sectors_ask(level: MdLevel, sectors: Sequence[int], **options: Any) -> ArrayRequest:
    options.setdefault("chunk_bytes", 512 * KIB)
    return ArrayRequest(level=level, member_bytes=tuple(size * 512 for size in sectors), **options)


# level, members in sectors, options -> data offset, component KiB, array sectors, io_min, io_opt, bitmap chunk MiB
VECTORS: list[tuple[MdLevel, list[int], dict[str, Any], tuple[int, int | None, int, int, int, int | None]]] = [
    ("raid0", [TB4] * 2, {}, (264192, None, 15627544576, 524288, 1048576, None)),
    ("raid0", [TB2, TB4], {}, (264192, None, 11720537088, 524288, 1048576, None)),
    ("raid0", [GB500] * 2, {"chunk_bytes": 5632 * KIB}, (264192, None, 1952980992, 5767168, 11534336, None)),
    ("raid1", [TB2] * 2, {}, (264192, 1953382464, 3906764928, 512, 0, 64)),
    ("raid1", [204800] * 2, {}, (2048, 101376, 202752, 512, 0, None)),
    ("raid4", [TB4] * 3, {}, (264192, 3906886144, 15627544576, 524288, 1048576, 64)),
    ("raid5", [TB2] * 3, {}, (264192, 1953382400, 7813529600, 524288, 1048576, 64)),
    (
        "raid5",
        [TB2] * 3,
        {"chunk_bytes": 4 * KIB, "io_min_bytes": 4096},
        (264192, 1953382488, 7813529952, 4096, 8192, 64),
    ),
    ("raid5", [GB500] * 3, {"chunk_bytes": 64 * KIB}, (264192, 488254464, 1953017856, 65536, 131072, 64)),
    ("raid5", [23437770752] * 3, {}, (264192, 11718753280, 46875013120, 524288, 1048576, 64)),
    ("raid5", [42970644480] * 3, {}, (264192, 21485190144, 85940760576, 524288, 1048576, 64)),
    ("raid5", [TB4] * 3, {"ppl": True}, (266240, 3906885120, 15627540480, 524288, 1048576, None)),
    ("raid5", [20971520, TB2, TB2], {}, (18432, 10476544, 41906176, 524288, 1048576, None)),
    ("raid5", [TB2, 20971520, TB2], {}, (264192, 10353664, 41414656, 524288, 1048576, None)),
    ("raid6", [TB4] * 4, {}, (264192, 3906886144, 15627544576, 524288, 1048576, 64)),
    ("raid6", [TB2] * 45, {}, (264192, 1953382400, 167990886400, 524288, 22544384, 64)),
    ("raid10", [TB4] * 4, {}, (264192, 3906886144, 15627544576, 524288, 1048576, 64)),
    ("raid10", [TB4] * 4, {"spread": "f"}, (264192, 3906885632, 15627542528, 524288, 2097152, 64)),
    ("raid10", [20975617] * 6, {"copies": 4}, (18432, 10478592, 31435776, 524288, 3145728, None)),
    (
        "raid10",
        [42970644480] * 6,
        {"bitmap": "internal"},
        (264192, 21485190144, 128911140864, 524288, 1572864, 64),
    ),
    (
        "raid10",
        [42970644480] * 7,
        {"bitmap": "internal", "spread": "f"},
        (264192, 21485190144, 150396331008, 524288, 3670016, 128),
    ),
]


@pytest.mark.parametrize(("level", "sectors", "options", "real"), VECTORS)
def test_array_of_a_golden_vector(
    level: MdLevel, sectors: list[int], options: dict[str, Any], real: tuple[int | None, ...]
) -> None:
    array = array_geometry(sectors_ask(level, sectors, **options))
    assert (
        array.data_offset_sectors,
        None if array.component_bytes is None else array.component_bytes // KIB,
        array.sectors,
        array.io_min_bytes,
        array.io_opt_bytes,
        None if array.bitmap_chunk_bytes is None else array.bitmap_chunk_bytes // KIB // KIB,
    ) == real


GIB = 2 * 1024 * 1024
OFFSETS = [
    # sectors of the member, chunk up to 512 KiB, RAID1, PPL
    (128 * GIB, 264192, 264192, 266240),
    (128 * GIB - 8, 133120, 133120, 135168),
    (64 * GIB, 133120, 133120, 135168),
    (32 * GIB, 67584, 67584, 69632),
    (16 * GIB, 34816, 34816, 36864),
    (8 * GIB, 18432, 18432, 20480),
    (4 * GIB, 10240, 10240, 12288),
    (2 * GIB, 6144, 6144, 8192),
    (1 * GIB, 4096, 4096, 6144),
    (GIB // 2, 4096, 2048, 6144),
]


@pytest.mark.parametrize(("sectors", "chunk", "mirror", "ppl"), OFFSETS)
def test_data_offset_grows_with_the_first_member(sectors: int, chunk: int, mirror: int, ppl: int) -> None:
    assert data_offset(sectors_ask("raid5", [sectors] * 3)) == chunk
    assert data_offset(sectors_ask("raid1", [sectors] * 2)) == mirror
    assert data_offset(sectors_ask("raid5", [sectors] * 3, ppl=True)) == ppl


def test_bitmap_space_steps_at_8_and_200_gib() -> None:
    assert [bitmap_space(size) for size in (127, 128, 8 * GIB + 8, 8 * GIB + 9)] == [0, 8, 8, 128]
    assert [bitmap_space(200 * GIB + 127), bitmap_space(200 * GIB + 128)] == [128, 256]


def test_bitmap_comes_by_itself_above_100_gib_of_component_only() -> None:
    offset = 133120
    exactly = [offset + 2 * 104857600] * 2
    assert array_geometry(sectors_ask("raid1", [exactly[0] - 8] * 2)).bitmap_chunk_bytes is None
    assert array_geometry(sectors_ask("raid1", [offset + 2 * 104857664] * 2)).bitmap_chunk_bytes == 64 * KIB * KIB
    assert array_geometry(sectors_ask("raid1", exactly)).component_bytes == 104857600 * KIB
    assert array_geometry(sectors_ask("raid1", exactly)).bitmap_chunk_bytes is None


def test_a_member_without_room_gives_an_array_of_nothing() -> None:
    assert array_geometry(sectors_ask("raid5", [2048] * 3, bitmap="internal")).array_bytes == 0
    assert array_geometry(sectors_ask("raid0", [2048] * 3)).array_bytes == 0


@pytest.mark.parametrize("size", [3960778588160, 3960778653184])
def test_the_four_bay_nas_of_the_field_has_chunks_of_64_kib(size: int) -> None:
    ask = ArrayRequest(level="raid5", member_bytes=(size,) * 4, chunk_bytes=64 * KIB)
    assert array_geometry(ask).array_bytes == 11603447232 * KIB


def test_the_four_bay_nas_of_the_field_cannot_have_chunks_of_512_kib() -> None:
    # 11603447232 KiB / 3 is no multiple of 512 KiB: the nearest two are these
    for size, array_kib in ((3960778784256, 11603446272), (3960778784768, 11603447808)):
        ask = ArrayRequest(level="raid5", member_bytes=(size,) * 4, chunk_bytes=512 * KIB)
        assert array_geometry(ask).array_bytes == array_kib * KIB
