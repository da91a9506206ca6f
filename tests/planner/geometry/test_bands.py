"""Where disks of mixed size are cut, by hand, and what must hold of every cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.predict.design import predict
from raidtui.sizes.lvm import linear_geometry
from raidtui.sizes.partitions import bands_of, on_disks, partition_end
from raidtui.values.design import Design, Partitions
from raidtui.values.inventory import Disk
from raidtui.values.layout import HybridDisks, Layout
from raidtui.values.units import MIB, TIB


def disks(*mib: int, sector: int = 512) -> list[Disk]:
    return [
        Disk(id=f"d{number}", size_bytes=size * MIB, logical_sector_bytes=sector, state="blank")
        for number, size in enumerate(mib)
    ]


@pytest.mark.parametrize(
    ("mib", "failures", "expected"),
    [
        # the table at the end takes 33 sectors, so a disk of whole MiB loses its last one
        ((1000, 1000, 2000), 1, [((0, 1, 2), 1, 998)]),
        ((1000, 2000, 2000), 1, [((0, 1, 2), 1, 998), ((1, 2), 999, 1000)]),
        ((2000, 1000, 4000, 2000), 1, [((0, 1, 2, 3), 1, 998), ((0, 2, 3), 999, 1000)]),
        ((1000, 2000, 2000), 2, [((0, 1, 2), 1, 998)]),
        ((1000, 2000, 2000, 2000), 2, [((0, 1, 2, 3), 1, 998), ((1, 2, 3), 999, 1000)]),
        # within 1 % of one another: no band between them
        ((2000, 2019, 2019), 1, [((0, 1, 2), 1, 1998)]),
        ((2000, 2021, 2021), 1, [((0, 1, 2), 1, 1998), ((1, 2), 1999, 21)]),
    ],
)
def test_bands_by_hand(mib: tuple[int, ...], failures: int, expected: list[tuple[tuple[int, ...], int, int]]) -> None:
    """Each is (disks, first MiB, MiB)."""
    found = bands_of(failures, disks(*mib))
    assert [(band.members, band.start_bytes / MIB, band.size_bytes / MIB) for band in found] == expected


def test_the_first_band_is_behind_the_room_that_is_left() -> None:
    """Three disks of 1000 MiB or more, of which each ends 1 MiB earlier, and 100 MiB that are left."""
    design = Design(layout=Layout.over(HybridDisks(disks=3)), partitions=Partitions(leave_bytes=100 * MIB - 1))
    hybrid = on_disks(design, disks(1000, 2000, 2000)).layout.hybrid
    assert hybrid is not None and hybrid.bands is not None
    assert [(band.start_bytes // MIB, band.size_bytes // MIB) for band in hybrid.bands] == [(101, 898), (999, 1000)]
    codes = {each.code for each in predict(design, disks(1000, 2000, 2000)).findings}
    assert "partition-room" in codes and "band-place" not in codes


def test_a_disk_without_room_has_no_bands() -> None:
    design = Design(layout=Layout.over(HybridDisks(disks=2)))
    assert on_disks(design, disks(1, 1)) == design
    assert on_disks(design, disks(4000)) == design


@given(st.lists(st.integers(3, 40_000), min_size=3, max_size=12), st.sampled_from((1, 2)), st.sampled_from((512, 4096)))
def test_every_cut_survives_follows_and_fits(mib: list[int], failures: int, sector: int) -> None:
    pool = disks(*mib, sector=sector)
    bands = bands_of(failures, pool)
    assert bands[0].members == tuple(range(len(pool)))
    free = MIB
    for band in bands:
        end = band.start_bytes + band.size_bytes
        assert (band.start_bytes, end % MIB) == (free, 0)
        assert len(band.members) > failures
        assert all(partition_end(pool[number]) >= end for number in band.members)
        assert all(partition_end(disk) < end for number, disk in enumerate(pool) if number not in band.members)
        free = end
    # what is left on a disk has no partners, or is less than 1 % of it
    rest = [partition_end(disk) - free for disk in pool]
    assert sum(left > 0.0102 * free for left in rest) <= failures


def test_a_linear_volume_takes_the_whole_extents_of_every_array() -> None:
    volume = linear_geometry([10 * MIB, 4 * TIB + 7 * MIB], full_stripe=3 * MIB, chunk=MIB)
    assert (volume.pe_start_bytes, volume.extent_bytes, volume.stripes, volume.stripe_bytes) == (3 * MIB, 4 * MIB, 1, 0)
    assert volume.extents == 1 + (4 * TIB + 4 * MIB) // (4 * MIB)
