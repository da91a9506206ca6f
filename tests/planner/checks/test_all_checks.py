"""Every finding once, by its code; and an ordinary design earns none."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raidtui.predict.design import predict
from raidtui.values.design import Design, Ext4Options, FileSystemOptions
from raidtui.values.findings import Finding
from raidtui.values.inventory import Disk, Smart, Use
from raidtui.values.layout import Layout
from raidtui.values.notation import parse

KIB = 1024
MIB = 1024 * KIB
TB = 10**12
TIB = 1024**4


def some(count: int, size: int = 1 * TB, **same: Any) -> list[Disk]:
    return [
        Disk(id=f"wwn-{number}", kernel_name=f"sd{number}", size_bytes=size, **{"state": "blank", **same})
        for number in range(count)
    ]


def found(layout: str, disks: Sequence[Disk] | None = None, **options: Any) -> dict[str, Finding]:
    design = Design(layout=parse(layout), **options)
    findings = predict(design, some(design.layout.disks) if disks is None else disks).findings
    for finding in findings:
        first = finding.message.split(". ")[0]
        assert len(first) <= 110, finding
        assert finding.message.endswith("."), finding
        assert finding.way_out, finding
    assert len({finding.code for finding in findings}) == len(findings), findings
    return {finding.code: finding for finding in findings}


@pytest.mark.parametrize("layout", ["(8+2)+1", "raid10(8)+1", "raid1(2)+1", "2x(8+2)+2", "raid5(3+1)+1"])
def test_an_ordinary_design_has_nothing_to_say(layout: str) -> None:
    assert found(layout) == {}


ASKED: list[tuple[str, str, str, dict[str, Any]]] = [
    ("error", "too-many-members", "raid10(1919)+2", {}),
    ("error", "too-many-members", "raid1(27)+1", {"metadata": "0.90"}),
    ("error", "too-many-members", "(254+2)", {}),
    ("error", "too-many-members", "raid5(64+1)", {"ppl": True}),
    ("error", "too-many-arrays", "129x raid1(2)", {}),
    ("error", "too-many-arrays", "512x raid1(2)", {"stack": "separate"}),
    ("error", "spares-on-raid0", "raid0(4)+1", {}),
    ("error", "chunk-out-of-range", "raid5(3+1)", {"chunk_bytes": 2 * KIB}),
    ("error", "chunk-out-of-range", "raid0(4)", {"chunk_bytes": 4608}),
    ("error", "chunk-not-power-of-two", "raid5(3+1)", {"chunk_bytes": 96 * KIB}),
    ("error", "chunk-not-power-of-two", "2x raid1(2)", {"chunk_bytes": 96 * KIB}),
    ("error", "chunk-not-block-multiple", "raid0(4)", {"chunk_bytes": 5 * KIB}),
    ("warning", "chunk-large", "raid5(3+1)", {"chunk_bytes": 32 * KIB * KIB}),
    ("error", "raid0-needs-metadata-1", "raid0(4)", {"metadata": "0.90"}),
    ("error", "raid0-needs-metadata-1", "2x raid1(2)", {"metadata": "0.90", "stack": "md"}),
    ("error", "stripe-shows-on-disks", "2x raid1(2)", {"metadata": "1.0", "stack": "md"}),
    ("error", "stripe-shows-on-disks", "2x(2+1)", {"metadata": "1.0", "stack": "md"}),
    ("error", "ppl-needs-raid5", "(4+2)", {"ppl": True}),
    ("error", "ppl-with-bitmap", "raid5(3+1)", {"ppl": True, "bitmap": "internal"}),
    ("error", "ppl-needs-metadata-1", "raid5(3+1)", {"ppl": True, "metadata": "0.90"}),
    ("error", "ppl-with-metadata-1.0", "raid5(3+1)", {"ppl": True, "metadata": "1.0"}),
    ("error", "bitmap-on-raid0", "raid0(4)", {"bitmap": "internal"}),
    ("note", "no-bitmap", "(4+2)", {"bitmap": "none"}),
    ("warning", "raid0-no-redundancy", "raid0(4)", {}),
    ("note", "raid4-parity-disk", "raid4(3+1)", {}),
    ("warning", "raid5-wide", "raid5(8+1)", {}),
    ("note", "raid6-of-four", "(2+2)", {}),
    ("warning", "wide-array", "(25+2)", {}),
    ("note", "spares-shared", "4x(4+2)+3", {}),
    ("note", "ext4-over-16-tib", "(20+2)", {"fs": "ext4"}),
    ("note", "ext4-odd-width", "(6+2)", {"fs": "ext4"}),
    ("warning", "ext4-stripe-ignored", "(16+2)", {"fs": "ext4", "chunk_bytes": 16384 * KIB}),
    ("error", "ext4-stride-too-large", "raid0(2)", {"fs": "ext4", "chunk_bytes": 262144 * KIB}),
    ("error", "xfs-stripe-too-wide", "(16+2)", {"chunk_bytes": 131072 * KIB}),
]


@pytest.mark.parametrize(("severity", "code", "layout", "options"), ASKED)
def test_what_is_said_of_an_ask(severity: str, code: str, layout: str, options: dict[str, Any]) -> None:
    assert found(layout, **options)[code].severity == severity


@pytest.mark.parametrize(("layout", "options"), [
    ("raid0(4)", {"chunk_bytes": 96 * KIB}),
    ("raid1(2)+1", {"chunk_bytes": 96 * KIB}),
    ("2x raid1(2)+2", {"chunk_bytes": 96 * KIB, "stack": "md"}),
    ("(253+2)+1", {}),
    ("128x raid1(2)+128", {}),
    ("raid5(3+1)+1", {"ppl": True}),
    ("raid10(26)+1", {"metadata": "0.90"}),
])  # fmt: skip
def test_what_just_works_is_not_refused(layout: str, options: dict[str, Any]) -> None:
    assert [code for code, finding in found(layout, **options).items() if finding.severity == "error"] == []


def test_an_ask_that_is_refused_has_no_sizes() -> None:
    refused = predict(Design(layout=parse("raid5(3+1)"), chunk_bytes=0), some(4))
    assert (refused.arrays, refused.volume_bytes, refused.filesystems) == ((), 0, ())


def test_a_layout_too_small_for_its_level_is_refused() -> None:
    design = Design(layout=Layout.of(level="raid6", members=3))
    assert predict(design, some(3)).findings[0].code == "too-few-members"


def test_a_count_that_does_not_fit_is_said_in_figures() -> None:
    assert found("(4+2)+1", some(5))["not-enough-disks"].message == (
        "The layout needs 7 disks (6 members and 1 spare), found 5."
    )
    assert found("(4+2)+1", some(5))["not-enough-disks"].way_out == "select 2 more, or choose a smaller layout"
    assert found("(4+2)+1", some(0))["not-enough-disks"].way_out == (
        "raidtui disks shows what uses each disk; --only takes disks with old content, "
        "--disks 60x2TB describes a purchase"
    )
    assert found("(4+2)+1", some(9))["disks-left-over"].message == "2 of 9 disks are not used."
    one = found("raid1(2)", some(3))["disks-left-over"]
    assert (one.message, one.way_out) == ("1 of 3 disks is not used.", "make it a member or spare, or keep it unused")


DISKS: list[tuple[str, str, dict[str, Any]]] = [
    ("error", "disk-protected", {"protected": True, "not_selectable": "the running system stands on it"}),
    ("error", "disk-not-selectable", {"not_selectable": "in use by md127"}),
    ("error", "disk-zoned", {"zoned": "host-managed"}),
    ("error", "disk-unknown", {"state": "unknown"}),
    ("warning", "disk-content", {"state": "content", "uses": (Use(kind="file-system", where="xfs", active=False),)}),
    ("warning", "disk-bound-by-path", {"id": "path-pci-0000:04:00.0", "by_path": "pci-0000:04:00.0"}),
    ("warning", "disk-failing", {"smart": Smart(healthy=False)}),
    ("error", "mixed-sector-sizes", {"logical_sector_bytes": 4096, "physical_sector_bytes": 4096}),
    ("warning", "mixed-physical-sectors", {"physical_sector_bytes": 4096}),
    ("warning", "mixed-rotation", {"rotational": False}),
    ("warning", "io-opt-contamination", {"optimal_io_bytes": 16773120}),
]


@pytest.mark.parametrize(("severity", "code", "odd"), DISKS)
def test_what_is_said_of_one_odd_disk(severity: str, code: str, odd: dict[str, Any]) -> None:
    disks = some(5, rotational=True)
    fields = {"id": "wwn-odd", "kernel_name": "sdx", "size_bytes": TB, "rotational": True, "state": "blank"}
    disks[2] = Disk(**{**fields, **odd})
    says = found("raid5(3+1)+1", disks)
    assert {finding_code: finding.severity for finding_code, finding in says.items()} == {code: severity}
    if not code.startswith("mixed"):
        assert "sdx" in says[code].message


def test_a_disk_that_is_chosen_twice_is_refused() -> None:
    disks = some(4)
    says = found("raid5(3+1)+1", [*disks, disks[1]])["disk-duplicate"]
    assert (says.severity, says.subject, says.message) == ("error", "wwn-1", "Selected more than once: sd1.")


def test_sector_sizes_may_differ_between_separate_file_systems() -> None:
    disks = [*some(2), *some(4, logical_sector_bytes=4096, physical_sector_bytes=4096)[2:]]
    assert "mixed-sector-sizes" in found("2x raid1(2)", disks)
    assert "mixed-sector-sizes" not in found("2x raid1(2)", disks, stack="separate")


def test_a_chunk_of_raid0_is_whole_sectors() -> None:
    disks = some(2, logical_sector_bytes=4096, physical_sector_bytes=4096)
    assert "chunk-not-sector-multiple" in found("raid0(2)", disks, chunk_bytes=6 * KIB, fs="none")
    assert "chunk-not-sector-multiple" not in found("raid0(2)", chunk_bytes=6 * KIB, fs="none")


def test_many_disks_are_named_by_a_few_and_a_count() -> None:
    says = found("(8+2)+1", some(11, state="content"))["disk-content"]
    assert says.message == "The content of sd0, sd1, sd2 and 8 more will be erased (data)."
    assert says.subject == ""


def test_outside_text_never_reaches_a_finding_raw() -> None:
    hostile = some(4, not_selectable="in use\x1b[2J[/red]\n" + "x" * 200)
    message = found("raid5(3+1)", hostile)["disk-not-selectable"].message
    assert message == r"Not selectable: sd0, sd1, sd2 and 1 more (in use\e[2J[/red]\nxxxxxxxxxxxxxxxxxxxx~)."


def test_a_spare_that_would_shrink_the_array_is_refused() -> None:
    says = found("raid5(2+1)+1", [*some(3, 4000787030016), *some(4, 10 * 1024**3)[3:]])["spare-too-small"]
    assert (says.severity, says.subject) == ("error", "wwn-3")
    assert "Capacity would be 21.2 GB instead of 8.00 TB." in says.message


def test_a_spare_that_is_smaller_by_less_than_the_rounding_is_fine() -> None:
    design = [*some(3, 2000398934016), *some(4, 2000398934016 - 512)[3:]]
    assert "spare-too-small" not in found("raid5(2+1)+1", design)


def test_room_lost_to_unequal_members_is_said_in_figures() -> None:
    disks = [*some(3, 4 * TB), *some(5, 2 * TB)[3:]]
    assert found("raid6(2+2)+1", disks)["mixed-sizes-waste"].message == (
        "6.00 TB of 14.0 TB are lost: every member counts as the smallest of its array (sd3: 2.00 TB)."
    )
    nearly = [*some(3, 1000 * 10**9), *some(4, 990 * 10**9)[3:]]
    assert "mixed-sizes-waste" not in found("raid5(3+1)", nearly)


def test_raid0_of_unequal_disks_ends_on_fewer() -> None:
    disks = [*some(2, 1 * TB), *some(4, 2 * TB)[2:]]
    says = found("raid0(4)", disks)
    assert says["raid0-mixed-zones"].message == "Only the first 4.00 TB are striped over all 4 disks, the end over 2."
    assert "mixed-sizes-waste" not in says


def test_unequal_arrays_leave_room_outside_the_volume() -> None:
    disks = [*some(2, 1 * TB), *some(4, 2 * TB)[2:]]
    assert "not used by the striped volume" in found("2x raid1(2)", disks)["unequal-arrays"].message
    assert "striped over fewer arrays" in found("2x raid1(2)", disks, stack="md")["unequal-arrays"].message
    assert "unequal-arrays" not in found("2x raid1(2)", disks, stack="separate")


def test_raid5_of_large_disks_is_unwise() -> None:
    assert found("raid5(3+1)+1", some(5, 4 * TB))["raid5-large-disks"].severity == "warning"
    assert found("raid5(3+1)+1", some(5, 2 * TB - 1)) == {}


def test_old_metadata_ends_at_4_tib_a_device() -> None:
    fits, above = some(2, 4 * TIB), some(2, 4 * TIB + 1024 * KIB)
    assert "metadata-too-small" not in found("raid1(2)", fits, metadata="0.90")
    assert found("raid1(2)", above, metadata="0.90")["metadata-too-small"].severity == "error"


def test_what_is_too_small_is_refused() -> None:
    assert "disk-too-small" in found("raid5(3+1)", some(4, 1024 * KIB))
    assert "arrays-too-small" in found("2x raid1(2)", some(4, 2200 * KIB))
    assert "xfs-too-small" in found("raid1(2)", some(2, 256 * KIB * KIB))
    assert "xfs-too-small" in found("raid5(3+1)", some(4, 160 * KIB * KIB))
    assert "ext4-too-small" in found("raid1(2)", some(2, 32 * KIB * KIB), fs="ext4")
    assert "ext4-too-small" not in found("raid1(2)", some(2, 256 * KIB * KIB), fs="ext4")


def test_what_is_too_large_is_refused() -> None:
    assert "too-many-extents" in found("100x raid1(2)", some(200, 100 * TB), chunk_bytes=64 * KIB)
    assert "ext4-too-large" in found("raid0(600)", some(600, 1000 * TB), fs="ext4", chunk_bytes=4 * KIB)


GOLD = [
    json.loads(x) for x in (Path(__file__).parents[2] / "real_geometry" / "geometry.jsonl").read_text().splitlines()
]


STATED = [
    json.loads(x) for x in (Path(__file__).parents[2] / "real_geometry" / "offsets.jsonl").read_text().splitlines()
]
"""made with --data-offset, --bitmap-chunk or both; mdadm or md refused eleven of them"""


def stated(case: dict[str, Any]) -> tuple[Design, list[Disk]]:
    """The design and the disks of a line of `offsets.jsonl`."""
    copies: Any = case["layout"] or "n2"
    layout = Layout.of(
        level=case["level"],
        members=case["members"],
        spares=case["spares"],
        copies=int(copies[1]),
        spread=copies[0],
    )
    offset, bitmap_chunk = case["data_offset_kib"], case["bitmap_chunk_kib"]
    design = Design(
        layout=layout,
        chunk_bytes=(case["chunk_kib"] or 512) * KIB,
        metadata=case["metadata"],
        bitmap=case["bitmap"],
        bitmap_chunk_bytes=bitmap_chunk * KIB if bitmap_chunk else None,
        data_offset_bytes=offset * KIB if offset else None,
        ppl=case["consistency_policy"] == "ppl",
        fs="none",
    )
    sizes = enumerate(case["disk_bytes"])
    return design, [Disk(id=f"disk-{number}", size_bytes=size, state="blank") for number, size in sizes]


LEFT_TO_US = {
    ("raid5", "internal", 12): "the bad block log would be in the bitmap",
    ("raid1", "internal", 12): "the same",
    ("raid5", "none", 8): "there would be no bad block log",
    ("raid0", "none", 8): "the same",
    ("raid5", "none", 1032): "the bad block log would be in the partial parity log",
    ("raid5", "none", None): "mdadm ignores a bitmap chunk without a bitmap",
}
"""level, bitmap and data offset in KiB of arrays that real mdadm makes and raidtui does not"""


@pytest.mark.parametrize("case", STATED, ids=lambda case: case["command"][36:80])
def test_a_stated_offset_or_bitmap_chunk_is_refused_where_mdadm_refuses_it(case: dict[str, Any]) -> None:
    design, disks = stated(case)
    said = {finding.code for finding in predict(design, disks).findings if finding.severity == "error"}
    left = (case["level"], case["bitmap"], case["data_offset_kib"]) in LEFT_TO_US
    assert bool(said - {"spare-too-small"}) is (left or case["exit"] != 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"bitmap_chunk_bytes": 96 * MIB},
            "Invalid bitmap chunk 96 MiB: mdadm needs a power of two from 4 KiB to 2 GiB.",
        ),
        (
            {"bitmap_chunk_bytes": 4096 * MIB},
            "Invalid bitmap chunk 4 GiB: mdadm needs a power of two from 4 KiB to 2 GiB.",
        ),
        (
            {"bitmap_chunk_bytes": 256 * MIB, "bitmap": "none"},
            "A bitmap chunk of 256 MiB is stated, but the bitmap is turned off.",
        ),
        (
            {"bitmap_chunk_bytes": 1 * MIB},
            "A bitmap chunk of 1 MiB does not fit: for 1.819 TiB of each member mdadm reserves space for chunks of"
            " 2 MiB or more.",
        ),
        (
            {"data_offset_bytes": 12 * KIB},
            "A data offset of 12 KiB is too small: superblock, bitmap and logs take the first 16 KiB of a member.",
        ),
        (
            {"data_offset_bytes": 1 * MIB, "ppl": True},
            "A data offset of 1 MiB is too small: superblock, bitmap and logs take the first 1036 KiB of a member.",
        ),
        (
            {"data_offset_bytes": 1001 * KIB},
            "Invalid data offset 1001 KiB: it lies inside a physical sector of 4 KiB.",
        ),
        (
            {"data_offset_bytes": 1 * MIB, "metadata": "1.0"},
            "With metadata 1.0 data starts at the beginning of each member: no data offset is possible.",
        ),
        (
            {"data_offset_bytes": 2_097_152 * MIB},
            "disk-0 of 2.00 TB is too small for md's metadata and one chunk. The data of every member starts at"
            " 2.000 TiB, as --data-offset states.",
        ),
    ],
)
def test_an_impossible_offset_or_bitmap_chunk_names_the_limit(options: dict[str, Any], message: str) -> None:
    disks = [Disk(id=f"disk-{number}", size_bytes=2_000_398_934_016, state="blank") for number in range(3)]
    design = Design(layout=parse("raid5(2+1)"), fs="none", **options)
    assert [each.message for each in predict(design, disks).findings if each.severity == "error"] == [message]


@pytest.mark.parametrize("case", GOLD, ids=lambda case: case["command"][36:70])
def test_an_array_that_was_really_made_is_refused_only_for_a_known_reason(case: dict[str, Any]) -> None:
    copies: Any = case["layout"] or "n2"
    members, sizes = case["members"], case["disk_bytes"]
    layout = Layout.of(
        level=case["level"], members=members, spares=case["spares"], copies=int(copies[1]), spread=copies[0]
    )
    design = Design(
        layout=layout,
        chunk_bytes=(case["chunk_kib"] or 512) * KIB,
        metadata=case["metadata"],
        ppl=case["consistency_policy"] == "ppl",
        fs="none",
    )
    disks = [Disk(id=f"disk-{number}", size_bytes=size, state="blank") for number, size in enumerate(sizes)]
    errors = {finding.code for finding in predict(design, disks).findings if finding.severity == "error"}
    smaller = case["spares"] > 0 and min(sizes[members:]) < min(sizes[:members])
    unsigned = design.ppl and design.metadata == "1.0"  # mdadm 4.3 made it, later ones do not
    assert errors == {
        *(("spare-too-small",) if smaller else ()),
        *(("ppl-with-metadata-1.0",) if unsigned else ()),
    }


def small_blocks(block_kib: int) -> FileSystemOptions:
    return FileSystemOptions(ext4=Ext4Options(block_bytes=block_kib * KIB))


@pytest.mark.parametrize("layout", ["(4+2)", "raid1(2)+1", "disk", "hybrid(3)"])
@pytest.mark.parametrize("block_kib", [1, 2])
def test_blocks_of_ext4_smaller_than_a_sector_are_refused_before_anything_is_wiped(layout: str, block_kib: int) -> None:
    disks = some(parse(layout).disks, logical_sector_bytes=4096)
    finding = found(layout, disks, fs="ext4", fs_options=small_blocks(block_kib))["ext4-block-below-sector"]
    assert (finding.severity, finding.way_out) == ("error", "use --mkfs block=4K")
    said = "the disks have logical sectors of 4 KiB, mkfs.ext4 refuses smaller blocks."
    assert finding.message == f"Block size of {block_kib} KiB: {said}"
    assert "ext4-block-below-sector" not in found(layout, disks, fs="ext4")
    assert "ext4-block-below-sector" not in found(layout, fs="ext4", fs_options=small_blocks(block_kib))


def test_one_disk_with_large_sectors_is_enough() -> None:
    disks = [*some(5), *some(1, logical_sector_bytes=4096)]
    disks[5] = replace(disks[5], id="wwn-4k")
    assert "ext4-block-below-sector" in found("(4+2)", disks, fs="ext4", fs_options=small_blocks(2))
