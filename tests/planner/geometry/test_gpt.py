"""Partitions as real sfdisk makes them: label: gpt and `,` on sparse files, by util-linux 2.38."""

from __future__ import annotations

from dataclasses import replace

import pytest

from raidtui.predict.checks.disks import check_partitions
from raidtui.predict.design import predict
from raidtui.programs.sfdisk import planned
from raidtui.sizes.partitions import largest_partition, table_bytes
from raidtui.values.design import Design, Partitions
from raidtui.values.notation import parse
from raidtui.values.units import MIB
from tests.planner.plans import disks, plan_of


@pytest.mark.parametrize(
    ("size", "sectors"),
    [
        (2_000_398_934_016, 3_907_026_944),
        (250_059_350_016, 488_394_752),
        (1_000_204_886_016, 1_953_521_664),
        (268_474_880, 522_240),
        (3_960_778_588_160, 7_735_891_968),
    ],
)
def test_the_largest_partition_is_what_sfdisk_makes(size: int, sectors: int) -> None:
    assert largest_partition(size, 512) == sectors * 512


@pytest.mark.parametrize(
    ("size", "leave", "start", "sectors"),
    [
        (2_000_398_934_016, 2048 * MIB, 4_196_352, 3_902_832_640),
        (250_059_350_016, MIB, 4_096, 488_392_704),
        (1_000_204_886_016, 1536 * MIB + 1, 3_149_824, 1_950_373_888),
        (268_474_880, 37 * MIB - 512, 77_824, 446_464),
        (3_960_778_588_160, 65536 * MIB, 134_219_776, 7_601_674_240),
    ],
)
def test_behind_the_room_that_is_left_it_is_what_sfdisk_makes(size: int, leave: int, start: int, sectors: int) -> None:
    """`start=` in MiB and no size, on sparse files, by util-linux 2.38; odd sizes are rounded up to whole MiB."""
    plan = plan_of("raid1(2)", disks(2, size), fs="ext4", partitions=Partitions(leave_bytes=leave))
    for each in plan.disks:
        assert each.table is not None
        (entry,) = planned(each, each.table).entries
        assert (entry.start_sectors, entry.size_sectors) == (start, sectors)


@pytest.mark.parametrize(
    ("layout", "size", "leave", "chunk_kib", "component_kib"),
    [
        ("raid5(2+1)", 2_000_398_934_016, 2048 * MIB, 512, 1_951_284_224),
        ("raid6(2+2)", 1_000_204_886_016, 1537 * MIB, 256, 975_054_848),
        ("raid10(4,n2)", 250_059_350_016, MIB, 64, 244_064_256),
        ("raid1(2)", 268_474_880, 37 * MIB, 512, 222_208),
    ],
)
def test_arrays_behind_it_are_as_large_as_mdadm_makes_them(
    layout: str, size: int, leave: int, chunk_kib: int, component_kib: int
) -> None:
    """`Used Dev Size` of mdadm 4.2 on such partitions of loop devices, Linux 6.1."""
    left = Partitions(leave_bytes=leave)
    found = predict(Design(layout=parse(layout), chunk_bytes=chunk_kib * 1024, partitions=left), disks(4, size))
    assert found.arrays[0].component_bytes == component_kib * 1024


def test_the_table_takes_34_and_33_sectors_of_512_bytes_and_6_and_5_of_4096() -> None:
    assert table_bytes(512) == (34 * 512, 33 * 512)
    assert table_bytes(4096) == (6 * 4096, 5 * 4096)


def test_a_disk_whose_end_is_just_taken_by_the_table_loses_a_mib() -> None:
    assert largest_partition(256 * MIB + 33 * 512, 512) == 255 * MIB
    assert largest_partition(256 * MIB + 32 * 512, 512) == 254 * MIB
    assert largest_partition(256 * MIB + 5 * 4096, 4096) == 255 * MIB
    assert largest_partition(256 * MIB + 4 * 4096, 4096) == 254 * MIB
    assert largest_partition(MIB, 512) == 0


def test_arrays_are_as_large_as_their_partitions() -> None:
    """By hand: 3 907 026 944 sectors less a data offset of 264 192, in whole chunks of 1024."""
    whole = predict(Design(layout=parse("(4+2)")), disks(6))
    parts = predict(Design(layout=parse("(4+2)"), partitions=Partitions()), disks(6))
    size = disks(6)[0].size_bytes
    assert size == 2_000_398_934_016
    assert (whole.arrays[0].component_bytes, parts.arrays[0].component_bytes) == (
        1_953_382_400 * 1024,
        1_953_381_376 * 1024,
    )
    smaller = predict(Design(layout=parse("(4+2)"), partitions=Partitions(size_bytes=1_900_000_000_000)), disks(6))
    assert smaller.arrays[0].component_bytes == 1_855_336_448 * 1024


def _codes(design: Design) -> list[str]:
    return [finding.code for finding in check_partitions(design, disks(6))]


def test_what_does_not_fit_is_an_error() -> None:
    design = Design(layout=parse("(4+2)"), partitions=Partitions(size_bytes=2_000_398_934_016))
    (found,) = check_partitions(design, disks(6))
    assert found.code == "partition-too-large"
    assert "at most, less than the 2000398934016 bytes asked for" in found.message
    assert found.way_out == "name at most 2000397795328 bytes, or leave the disk out"
    assert _codes(replace(design, partitions=Partitions(size_bytes=1000))) == ["partition-too-small"]
    old = replace(design, partitions=Partitions(), metadata="0.90")
    assert _codes(old) == ["partition-metadata", "partition-replacement"]
    assert _codes(replace(design, partitions=None)) == []
    rounded = replace(design, partitions=Partitions(size_bytes=1_900_000_000_000))
    assert _codes(rounded) == ["partition-rounded", "partition-replacement"]
