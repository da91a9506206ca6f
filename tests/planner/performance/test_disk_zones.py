"""Zones: the profile at points worked out by hand, and the time to pass over a whole disk."""

import pytest

from raidtui.predict.speed.disk_speed import hours_to_pass, mean_share, speed_at


def test_the_ends_and_the_middle_of_the_profile() -> None:
    assert speed_at(0, 285e6, 0.48) == 285e6
    assert speed_at(1, 285e6, 0.48) == pytest.approx(136.8e6)
    assert speed_at(0.5, 100.0, 0.48) == pytest.approx(78.137, abs=0.001)  # 1 - 0.52 * 0.42045


def test_the_mean_is_the_integral_of_the_profile() -> None:
    assert mean_share(0.48) == pytest.approx(1 - 0.52 / 2.25)
    assert mean_share(1.0) == 1.0


def test_flash_and_capped_disks_run_at_one_speed() -> None:
    assert hours_to_pass(3_600_000_000_000, 1e9, 1.0, 1e12) == pytest.approx(1.0)
    assert hours_to_pass(3_600_000_000_000, 1e9, 0.48, 1e8) == pytest.approx(10.0)


def test_a_disk_at_its_own_speed_needs_longer_than_its_mean_speed_says() -> None:
    """Sum of 1000 slices of 1 TB at 100 MB/s outer, worked out beside the code under test."""
    slices = sum(1e9 / (100e6 * (1 - 0.52 * ((at + 0.5) / 1000) ** 1.25)) for at in range(1000)) / 3600
    assert hours_to_pass(1e12, 100e6, 0.48, 1e12) == pytest.approx(slices, rel=1e-5)
    assert slices > 1e12 / (100e6 * 0.769) / 3600


@pytest.mark.parametrize(("terabytes", "outer", "hours"), [(2, 130e6, 5.8), (20, 285e6, 31), (24, 285e6, 38)])
def test_idle_rebuild_times_of_fourteen_members_that_share_one_sync_thread(
    terabytes: int, outer: float, hours: float
) -> None:
    assert hours_to_pass(terabytes * 1e12, outer, 0.48, 2.6e9 / 14) == pytest.approx(hours, rel=0.03)


@pytest.mark.parametrize(("outer", "share", "cap"), [(0, 0.5, 1), (1, 0, 1), (1, 1.5, 1), (1, 0.5, 0)])
def test_no_disk_stands_still(outer: float, share: float, cap: float) -> None:
    with pytest.raises(ValueError, match="expected rates above 0"):
        hours_to_pass(1e12, outer, share, cap)
