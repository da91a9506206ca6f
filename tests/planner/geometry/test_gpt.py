"""Partitions as real sfdisk makes them: label: gpt and `,` on sparse files, by util-linux 2.38."""

from __future__ import annotations

from dataclasses import replace

import pytest

from raidtui.predict.checks.disks import check_partitions
from raidtui.predict.design import predict
from raidtui.sizes.partitions import largest_partition, table_bytes
from raidtui.values.design import Design, Partitions
from raidtui.values.notation import parse
from raidtui.values.units import MIB
from tests.planner.plans import disks


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
