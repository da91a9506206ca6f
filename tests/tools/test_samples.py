"""The places that are read between the ends of a disk; offsets are worked out by hand from the formats' documents."""

import pytest

from raidtui.programs.signatures import LENGTH, sample_offsets

MIB = 1024 * 1024
GIB = 1024 * MIB
TWO_TB = 2_000_398_934_016


@pytest.mark.parametrize(
    ("offset", "what"),
    [
        (1_048_576, "a partition at 2048 sectors, LVM's first extent"),
        (1_052_672, "md 1.2 in that partition"),
        (2_097_152, "LUKS1 payload of 4096 sectors"),
        (16_777_216, "LUKS2 payload"),
        (2_088_960, "backup of an ASM header, unit of 1 MiB: 510th block of 4096"),
        (135_266_304, "data of an md member: 264192 sectors"),
        (136_314_880, "the volume on it"),
        (67_108_864, "second btrfs superblock"),
        (274_877_906_944, "third btrfs superblock"),
        (134_217_728, "ext4 backup in group 1: block 32768 of 4096"),
        (3_355_443_200, "ext4 backup in group 25"),
        (8_388_608, "ext backup in group 1 of 1 KiB blocks is at 8193 KiB, in this place"),
        (3_221_225_472, "NTFS $MFT"),
        (107_374_182_400, "third label of BlueStore"),
        (500_099_735_552, "XFS group 1 of 4: 122094662 blocks"),
        (1_000_199_467_008, "the middle"),
        (2_000_396_746_752, "second metadata area of LVM: 2 MiB before the last whole MiB"),
        (60_618_145_792, "first of the fixed fractions, 1/33"),
        (1_939_780_784_128, "last of the fixed fractions, 32/33"),
    ],
)
def test_a_place_where_a_format_keeps_something(offset: int, what: str) -> None:
    assert offset in sample_offsets(TWO_TB), what


def test_the_scattered_places_follow_from_the_size() -> None:
    scattered = {1_680_366_526_464, 1_889_086_631_936, 283_049_222_144}  # by bc(1)
    assert scattered <= set(sample_offsets(TWO_TB))
    assert not scattered & set(sample_offsets(TWO_TB + 4096))


@pytest.mark.parametrize("size", [3 * MIB, 64 * MIB, 256 * MIB, GIB + 512, 10 * GIB, TWO_TB, 30 * 1000**4])
def test_places_are_sorted_aligned_apart_from_the_ends_and_from_each_other(size: int) -> None:
    offsets = sample_offsets(size, 4096)
    assert list(offsets) == sorted(set(offsets))
    assert all(at % 4096 == 0 for at in offsets)
    assert offsets[0] >= MIB
    assert offsets[-1] + LENGTH <= size - MIB


@pytest.mark.parametrize(
    ("size", "places"), [(0, 0), (4096, 0), (2 * MIB, 0), (2 * MIB + 4096, 1), (256 * MIB, 105), (TWO_TB, 126)]
)
def test_how_many_places(size: int, places: int) -> None:
    assert len(sample_offsets(size)) == places


def test_a_sector_longer_than_a_place_is_an_error() -> None:
    with pytest.raises(ValueError, match="unsupported sector size 8192: samples must be whole sectors"):
        sample_offsets(TWO_TB, 8192)
