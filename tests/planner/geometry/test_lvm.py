"""A striped logical volume: figures printed by LVM 2.03.16."""

import pytest

from raidtui.sizes.lvm import extent_bytes, lvm_geometry

KIB = 1024
MIB = 1024 * KIB


def test_four_arrays_of_twelve_data_disks() -> None:
    volume = lvm_geometry([46881177600 * 512] * 4, full_stripe=3 * MIB, stripe_bytes=256 * KIB)
    assert (volume.pe_start_bytes, volume.extent_bytes) == (3 * MIB, 3 * MIB)
    assert volume.extents == 4 * 7630399
    assert volume.extents * volume.extent_bytes == 187524685824 * 512
    assert (volume.stripes, volume.stripe_bytes) == (4, 256 * KIB)


@pytest.mark.parametrize(
    ("full_stripe", "extent"),
    [
        (3 * MIB, 3 * MIB),
        (1 * MIB, 1 * MIB),
        (512 * KIB, 1 * MIB),
        (384 * KIB, 1152 * KIB),
        (12 * KIB, 1152 * KIB),
        (2816 * KIB, 2816 * KIB),
        (44 * KIB, 1408 * KIB),
    ],
)
def test_extents_are_whole_full_stripes_that_lvm_takes(full_stripe: int, extent: int) -> None:
    assert extent_bytes(full_stripe) == extent


def test_the_smallest_array_counts() -> None:
    volume = lvm_geometry([10 * MIB, 8 * MIB + 1], full_stripe=MIB, stripe_bytes=64 * KIB)
    assert volume.extents == 2 * 7


def test_an_array_smaller_than_its_first_extent_gives_none() -> None:
    assert lvm_geometry([MIB // 2] * 2, full_stripe=MIB, stripe_bytes=64 * KIB).extents == 0
